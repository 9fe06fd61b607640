import { Deferred, type Duration, Effect, Fiber, Option, Queue } from "effect"

import { Stopping } from "../../../mcp/callContext.ts"
import * as Backlog from "./Backlog.ts"

/** Longest pause between two attempts, in milliseconds, and the first one. */
const longestPause = 30_000
const firstPause = 500

/** Longest wait of callers until their changes are recorded, and of callers that depend on it. */
const flushTimeout = "10 seconds"
const drainTimeout = "40 seconds"

/** Longest wait of a shutdown for what is not recorded yet. */
const shutdownTimeout = "1500 millis"

/** Longest wait of a shutdown for engines to return the state of a workflow after a change. */
const lastLook = "1 second"

/** Longest wait of a shutdown for a git that it stops. */
const stopTimeout = "1 second"

/** The outcome of an attempt, in words for a person. */
interface Outcome {
  /** The reason for which nothing was recorded. */
  readonly failure?: string | undefined
  /** A fault that is left although everything was recorded. */
  readonly lag?: string | undefined
}

/** The items to be recorded: first those that processes that have ended left behind. */
interface Batch<Item> {
  readonly left: ReadonlyArray<string>
  readonly items: ReadonlyArray<Item>
}

/** The dependencies of the recorder on the kind of its items. */
interface Work<Item> extends Backlog.Options<Item> {
  /** Records all of it, or nothing. */
  readonly record: (batch: Batch<Item>) => Effect.Effect<Outcome>
}

/**
 * A single writer in the background: takes everything that waits, and retries what could not be recorded, which is kept on disk
 * meanwhile. A problem is logged once as an error, and its end as well; what waits when the scope ends is recorded first, or
 * left to the next process.
 */
export const make = Effect.fnUntraced(function* <Item>(work: Work<Item>) {
  const queue = yield* Queue.unbounded<Effect.Effect<Item>>()
  const marks = yield* Queue.unbounded<Deferred.Deferred<void>>()
  const nudged = yield* Queue.sliding<void>(1)
  const nudge = Queue.offer(nudged, undefined)
  const backlog = Backlog.make(work)
  let isEnding = false
  /** The number of callers that do something that is to be recorded as one. */
  let together = 0
  let outcome: Outcome = {}

  const attempt = Effect.gen(function* () {
    const asking = yield* Queue.clear(marks)
    // Each may hold a page of a list.
    yield* Effect.forEach(
      yield* Queue.clear(queue),
      (item) =>
        Effect.andThen(
          Effect.map(item, (one) => backlog.add([one])),
          Effect.yieldNow
        ),
      { discard: true }
    )
    const before = outcome
    const left = yield* backlog.takeLeft
    let lines = left.flatMap((one) => one.lines)
    do {
      const items = backlog.next()
      outcome = yield* Effect.interruptible(work.record({ left: lines, items }))
      if (outcome.failure !== undefined) break
      lines = []
      backlog.drop(items.length)
    } while (backlog.items().length > 0)
    yield* logOutcome(before, outcome)
    const isRecorded = outcome.failure === undefined
    if (isRecorded) yield* Effect.forEach(left, ({ remove }) => remove)
    if (!isEnding) yield* isRecorded ? backlog.clear : backlog.retain(left)
    yield* Effect.forEach(asking, (done) => Deferred.succeed(done, undefined))
  }).pipe(Effect.scoped, Effect.uninterruptible)

  const isUnfinished = () => outcome.failure !== undefined || outcome.lag !== undefined || backlog.mayBeLeft()

  const writing = yield* Effect.gen(function* () {
    yield* Queue.take(nudged)
    if (together > 0 && (yield* Queue.size(marks)) === 0) return
    yield* attempt
    for (let pause = firstPause; isUnfinished(); pause = Math.min(pause * 2, longestPause)) {
      yield* Effect.raceFirst(Effect.sleep(pause), Queue.take(nudged))
      yield* attempt
    }
  }).pipe(Effect.forever, Effect.forkScoped)

  const flushedWithin = Effect.fnUntraced(function* (timeout: Duration.Input) {
    const done = yield* Deferred.make<void>()
    yield* Queue.offer(marks, done)
    yield* nudge
    return yield* Effect.asVoid(Effect.timeoutOption(Deferred.await(done), timeout))
  })

  const shutDown = Effect.gen(function* () {
    if (backlog.items().length > 0 || (yield* Queue.size(queue)) > 0) yield* flushedWithin(shutdownTimeout)
    // If git has accepted all this before it is stopped, the next process sees that it is recorded.
    const stopped = yield* Effect.forkDetach(Fiber.interrupt(writing))
    isEnding = true
    const last = yield* Effect.forEach(
      yield* Queue.clear(queue),
      (item) => Effect.timeoutOption(Effect.interruptible(item), lastLook),
      { concurrency: "unbounded" }
    )
    backlog.add(last.flatMap((item) => Option.toArray(item)))
    yield* backlog.leave(last.filter(Option.isNone).length)
    yield* Effect.timeoutOption(Fiber.join(stopped), stopTimeout)
  })
  yield* Effect.addFinalizer(() => shutDown)
  yield* Effect.when(
    nudge,
    Effect.map(Effect.scoped(work.spool.left), (left) => left.length > 0)
  )

  return {
    add: (item: Effect.Effect<Item>) => Effect.asVoid(Effect.andThen(Queue.offer(queue, item), nudge)),
    flushed: Effect.raceFirst(flushedWithin(flushTimeout), stopRequested),
    drained: Effect.raceFirst(flushedWithin(drainTimeout), stopRequested),
    /** Records everything that happens meanwhile at its end, unless a caller is waiting. */
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
    problem: Effect.sync(() => problemOf(outcome))
  }
})

const stopRequested = Effect.flatMap(Stopping, Deferred.await)

const notKept = "The history of workflows cannot be written now; calls go on without it, and it will catch up later"
const notShown = "The work tree of the history does not show its newest commits, which are in it nevertheless"

const problemOf = ({ failure, lag }: Outcome) => {
  if (failure !== undefined) return { message: `${notKept}: ${failure}`, isRecorded: false }
  return lag === undefined ? undefined : { message: `${notShown}: ${lag}`, isRecorded: true }
}

const logOutcome = (before: Outcome, { failure, lag }: Outcome) =>
  Effect.andThen(
    Backlog.logTransition({ before: before.failure, now: failure }, notKept, "The history of workflows is kept again"),
    Backlog.logTransition(
      { before: before.lag, now: lag },
      notShown,
      "The work tree of the history shows its newest commits again"
    )
  )
