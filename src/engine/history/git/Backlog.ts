import { Effect } from "effect"

import { logTransition } from "./logTransition.ts"
import type { Left, Spool } from "./Spool.ts"

/** What a backlog needs to know of its items. */
export interface Options<Item> {
  /** What of new items says more than those that wait already; memory that begins anew once they are recorded. */
  readonly fresh: () => (items: ReadonlyArray<Item>) => ReadonlyArray<Item>
  readonly encode: (item: Item) => string
  readonly spool: Spool
}

/** What can wait for a repository that takes nothing; then the oldest are only on the disk. */
const mostWaiting = 5000

/** What waits to be recorded: in memory, on the disk for the case that this process ends first, and left there by others. */
export const make = <Item>({ encode, fresh, spool }: Options<Item>) => {
  let waiting: ReadonlyArray<Item> = []
  let freshOf = fresh()
  /** How many of those that wait, the last ones, are not on the disk; where the others are, and why these are not. */
  let unkept = 0
  let place: string | undefined
  let unkeepable: string | undefined
  /** Items that are in memory no more; they may be on the disk. */
  let dropped = 0
  let mayBeLeft = true

  const add = (items: ReadonlyArray<Item>) => {
    const added = freshOf(items)
    const all = [...waiting, ...added]
    dropped += Math.max(0, all.length - mostWaiting)
    waiting = all.slice(-mostWaiting)
    unkept = Math.min(unkept + added.length, waiting.length)
  }

  /** Puts what waits on the disk. Where that fails it is said, and tried again with the next. */
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

  /** Takes what processes that have ended have left. */
  const takeLeft = Effect.suspend(() => {
    if (!mayBeLeft) return Effect.succeed<ReadonlyArray<Left>>([])
    mayBeLeft = false
    return spool.left
  })

  /** Begins anew after all that waits was recorded. */
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

  /** Keeps what could not be recorded; what others have left is there for the next attempt. */
  const retain = (left: ReadonlyArray<Left>) =>
    Effect.suspend(() => {
      mayBeLeft ||= left.length > 0
      return keep
    })

  /** Leaves what waits to the next process, and says what cannot be left; `unknown` things have not told what they are. */
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

  return { add, clear, items: () => waiting, leave, mayBeLeft: () => mayBeLeft, retain, takeLeft }
}

const notSpooled =
  "What waits for the history of workflows cannot be kept on disk either, and is lost if this server ends"
const spooledAgain = "What waits for the history of workflows is kept on disk again"
