import { Effect } from "effect"

import type { Left, Spool } from "./Spool.ts"

/** The dependencies of a backlog on the kind of its items. */
export interface Options<Item> {
  /** Selects new items that are not repetitions; it starts over once the items are recorded. */
  readonly fresh: () => (items: ReadonlyArray<Item>) => ReadonlyArray<Item>
  /** The number of workflows that an item is about. */
  readonly sizeOf: (item: Item) => number
  readonly encode: (item: Item) => string
  readonly spool: Spool
}

/** Most items in memory while the repository cannot be written; older ones are then only on disk. */
const mostWaiting = 5000

/** Most workflows of items that are recorded at once, unless one item has more: a page of a list. */
const mostAtOnce = 250

/** Items waiting to be recorded: in memory, on disk in case this process ends first, and left there by other processes. */
export const make = <Item>({ encode, fresh, sizeOf, spool }: Options<Item>) => {
  let waiting: ReadonlyArray<Item> = []
  let freshOf = fresh()
  /**
   * The number of waiting items, the last ones, that are not on disk yet; the place of the others, and the reason for which
   * these could not be written.
   */
  let unkept = 0
  let place: string | undefined
  let unkeepable: string | undefined
  /** Items dropped from memory; they may be on disk. */
  let dropped = 0
  let mayBeLeft = true

  const add = (items: ReadonlyArray<Item>) => {
    const added = freshOf(items)
    const all = [...waiting, ...added]
    dropped += Math.max(0, all.length - mostWaiting)
    waiting = all.slice(-mostWaiting)
    unkept = Math.min(unkept + added.length, waiting.length)
  }

  /** The items to record next: the oldest ones. */
  const next = () => {
    let size = 0
    const end = waiting.findIndex((item, place) => (size += sizeOf(item)) > mostAtOnce && place > 0)
    return end < 0 ? waiting : waiting.slice(0, end)
  }

  /** The oldest items were recorded; on disk they stay until the others are. */
  const drop = (count: number) => {
    waiting = waiting.slice(count)
    unkept = Math.min(unkept, waiting.length)
  }

  /** Writes waiting items to disk. A failure is logged, and retried with the next items. */
  const keep = Effect.gen(function* () {
    if (unkept === 0) return
    const before = unkeepable
    yield* Effect.match(spool.keep(waiting.slice(-unkept).map(encode)), {
      onSuccess: (kept) => {
        place = kept
        unkept = 0
        unkeepable = undefined
      },
      onFailure: ({ message }) => {
        unkeepable = message
      }
    })
    yield* logTransition({ before, now: unkeepable }, notSpooled, spooledAgain)
  })

  /** Takes what processes that have ended left behind. */
  const takeLeft = Effect.suspend(() => {
    if (!mayBeLeft) return Effect.succeed<ReadonlyArray<Left>>([])
    mayBeLeft = false
    return spool.left
  })

  /** Starts over after everything that waited was recorded. */
  const clear = Effect.gen(function* () {
    waiting = []
    freshOf = fresh()
    unkept = 0
    if (dropped > 0 && place !== undefined) mayBeLeft = true
    else if (dropped > 0)
      yield* Effect.logError(`The history of workflows lacks ${dropped} readings and changes of before`)
    yield* dropped > 0 ? spool.release : spool.forget
    dropped = 0
    place = undefined
  })

  /** Keeps what could not be recorded; what others left will be taken again by the next attempt. */
  const retain = (left: ReadonlyArray<Left>) =>
    Effect.suspend(() => {
      mayBeLeft ||= left.length > 0
      return keep
    })

  /**
   * Leaves what waits to the next process, and logs what cannot be left; `unknown` is the number of items that were never
   * resolved.
   */
  const leave = Effect.fnUntraced(function* (unknown: number) {
    yield* keep
    const missing = unkept + unknown + (place === undefined ? dropped : 0)
    const kept = waiting.length + dropped - unkept
    if (missing > 0)
      yield* Effect.logError(`The history of workflows ends without its last ${missing} readings and changes`)
    if (place !== undefined && kept > 0)
      yield* Effect.logWarning(
        `${kept} readings and changes wait in ${place} for the next process that keeps this history`
      )
  })

  return { add, clear, drop, items: () => waiting, leave, mayBeLeft: () => mayBeLeft, next, retain, takeLeft }
}

const notSpooled =
  "What waits for the history of workflows cannot be kept on disk either, and is lost if this server ends"
const spooledAgain = "What waits for the history of workflows is kept on disk again"

/** Logs a problem once, when it begins or changes, and once when it is over. */
export const logTransition = (
  { before, now }: { readonly before: string | undefined; readonly now: string | undefined },
  problem: string,
  over: string
): Effect.Effect<void> => {
  if (now !== undefined && now !== before) return Effect.logError(`${problem}: ${now}`)
  return now === undefined && before !== undefined ? Effect.logWarning(over) : Effect.void
}
