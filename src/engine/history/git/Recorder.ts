import { Deferred, type Duration, Effect, Fiber, Option, Queue } from "effect"

import type { Left, Spool } from "./Spool.ts"

/** Longest pause between two attempts, in milliseconds, and the first one. */
const longestPause = 30_000
const firstPause = 500

/** How long who asks waits for what has just happened to be recorded, and who cannot do without it. */
const flushTimeout = "10 seconds"
const drainTimeout = "40 seconds"

/** How long the end of the server waits for what is not recorded yet. */
const shutdownTimeout = "4 seconds"

/** How long it waits for engines that still have to tell what became of a workflow. */
const lastLook = "1 second"

/** How an attempt ended, in words for a person. */
export interface Outcome {
  /** Why nothing was recorded. */
  readonly failure?: string | undefined
  /** What is wrong although all was recorded. */
  readonly lag?: string | undefined
}

/** What is to be recorded: first what processes that have ended left behind. */
export interface Batch<Item> {
  readonly left: ReadonlyArray<string>
  readonly items: ReadonlyArray<Item>
}

/** How the recorder goes about its items. */
export interface Work<Item> {
  /** Records all of it, or nothing. */
  readonly record: (batch: Batch<Item>) => Effect.Effect<Outcome>
  /** What of new items says more than those that wait already; memory that begins anew once they are recorded. */
  readonly fresh: () => (items: ReadonlyArray<Item>) => ReadonlyArray<Item>
  readonly encode: (item: Item) => string
  readonly spool: Spool
}

/** What can wait for a repository that takes nothing; then the oldest are only on the disk. */
const mostWaiting = 5000

/**
 * One writer behind everybody's backs: takes all that waits, and tries again what could not be recorded, which lies on the
 * disk meanwhile. What is wrong is said once as an error, and that it is right again as well; what waits when the scope
 * ends is recorded first, or left to the next process.
 */
export const make = Effect.fnUntraced(function* <Item>({ encode, fresh, record, spool }: Work<Item>) {
  const queue = yield* Queue.unbounded<Effect.Effect<Item>>()
  const marks = yield* Queue.unbounded<Deferred.Deferred<void>>()
  const nudged = yield* Queue.sliding<void>(1)
  let waiting: ReadonlyArray<Item> = []
  let freshOf = fresh()
  /** How many of those that wait, the last ones, are not on the disk; where the others are, and why these are not. */
  let unkept = 0
  let place: string | undefined
  let unkeepable: string | undefined
  /** Items that are in memory no more; they may be on the disk. */
  let dropped = 0
  let mayBeLeft = true
  let isEnding = false
  /** How many do something that is to be recorded as one. */
  let together = 0
  let outcome: Outcome = {}

  const say = (before: string | undefined, now: string | undefined, words: string, after: string) => {
    if (now !== undefined && now !== before) return Effect.logError(`${words}: ${now}`)
    return now === undefined && before !== undefined ? Effect.logWarning(after) : Effect.void
  }

  const wait = (items: ReadonlyArray<Item>) => {
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
    yield* say(before, unkeepable, notSpooled, "What waits for the history of workflows is kept on disk again")
  })

  const recorded = Effect.gen(function* () {
    if (isEnding) return
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

  const attempt = Effect.gen(function* () {
    const asking = yield* Queue.clear(marks)
    wait(yield* Effect.all(yield* Queue.clear(queue)))
    const before = outcome
    const left: ReadonlyArray<Left> = mayBeLeft ? yield* spool.left : []
    mayBeLeft = false
    outcome = yield* record({ left: left.flatMap(({ lines }) => lines), items: waiting })
    yield* say(before.failure, outcome.failure, notKept, "The history of workflows is kept again")
    yield* say(before.lag, outcome.lag, notShown, "The work tree of the history shows its newest commits again")
    if (outcome.failure === undefined) {
      yield* Effect.forEach(left, ({ remove }) => remove)
      yield* recorded
    } else if (!isEnding) {
      mayBeLeft ||= left.length > 0
      yield* keep
    }
    yield* Effect.forEach(asking, (done) => Deferred.succeed(done, undefined))
  }).pipe(Effect.scoped, Effect.uninterruptible)

  const isUnfinished = () => outcome.failure !== undefined || outcome.lag !== undefined || mayBeLeft

  const writing = yield* Effect.gen(function* () {
    yield* Queue.take(nudged)
    if (together > 0 && (yield* Queue.size(marks)) === 0) return
    yield* attempt
    for (let pause = firstPause; isUnfinished(); pause = Math.min(pause * 2, longestPause)) {
      yield* Effect.raceFirst(Effect.sleep(pause), Queue.take(nudged))
      yield* attempt
    }
  }).pipe(Effect.forever, Effect.forkScoped)

  const nudge = Queue.offer(nudged, undefined)

  const flushedWithin = Effect.fnUntraced(function* (timeout: Duration.Input) {
    const done = yield* Deferred.make<void>()
    yield* Queue.offer(marks, done)
    yield* nudge
    return yield* Effect.asVoid(Effect.timeoutOption(Deferred.await(done), timeout))
  })

  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      if (waiting.length > 0 || (yield* Queue.size(queue)) > 0) yield* flushedWithin(shutdownTimeout)
      yield* Effect.forkDetach(Fiber.interrupt(writing))
      // A git that hangs, and takes all this in the end, tells the next process by what it has recorded.
      isEnding = true
      const last = yield* Effect.forEach(
        yield* Queue.clear(queue),
        (item) => Effect.timeoutOption(Effect.interruptible(item), lastLook),
        { concurrency: "unbounded" }
      )
      wait(last.flatMap((item) => Option.toArray(item)))
      yield* keep
      const missing = unkept + last.filter(Option.isNone).length + (place === undefined ? dropped : 0)
      const kept = waiting.length + dropped - unkept
      if (missing > 0)
        yield* Effect.logError(`The history of workflows ends without its last ${missing} readings and changes`)
      if (place !== undefined && kept > 0)
        yield* Effect.logWarning(
          `${kept} readings and changes wait in ${place} for the next process that keeps this history`
        )
    })
  )
  yield* Effect.when(
    nudge,
    Effect.map(Effect.scoped(spool.left), (left) => left.length > 0)
  )

  return {
    add: (item: Effect.Effect<Item>) => Effect.asVoid(Effect.andThen(Queue.offer(queue, item), nudge)),
    flushed: flushedWithin(flushTimeout),
    drained: flushedWithin(drainTimeout),
    /** Records what happens meanwhile when it is over, unless somebody cannot wait. */
    together: <A, E, R>(self: Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(
        Effect.sync(() => together++),
        () => self,
        () =>
          Effect.andThen(
            Effect.sync(() => together--),
            nudge
          )
      ),
    problem: Effect.sync(() => {
      const { failure, lag } = outcome
      if (failure !== undefined) return { message: `${notKept}: ${failure}`, isRecorded: false }
      return lag === undefined ? undefined : { message: `${notShown}: ${lag}`, isRecorded: true }
    })
  }
})

const notKept = "The history of workflows cannot be written now; calls go on without it, and it will catch up later"
const notShown = "The work tree of the history does not show its newest commits, which are in it nevertheless"
const notSpooled =
  "What waits for the history of workflows cannot be kept on disk either, and is lost if this server ends"
