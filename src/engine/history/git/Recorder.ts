import { Deferred, type Duration, Effect, Fiber, Queue } from "effect"

/** Longest pause between two attempts, in milliseconds, and the first one. */
const longestPause = 30_000
const firstPause = 500

/** How long whoever asks waits for what has just happened, and who cannot do without it. */
const patience = "10 seconds"
const longPatience = "40 seconds"

/** How long the end of the server waits for what is not recorded yet. */
const shutdownTimeout = "4 seconds"

/** How an attempt ended, in words for a person. */
export interface Outcome {
  /** Why nothing was recorded. */
  readonly failure?: string | undefined
  /** What is wrong although all was recorded. */
  readonly lag?: string | undefined
}

/** What can wait for a repository that takes nothing; then the oldest are lost. */
const mostWaiting = 5000

/**
 * One writer behind everybody's backs: takes all that waits, and tries again what could not be recorded. What is wrong is
 * said once as an error, and that it is right again as well; what waits when the scope ends is recorded first.
 */
export const make = Effect.fnUntraced(function* <Item>(record: (items: ReadonlyArray<Item>) => Effect.Effect<Outcome>) {
  const queue = yield* Queue.unbounded<Item>()
  const marks = yield* Queue.unbounded<Deferred.Deferred<void>>()
  const nudged = yield* Queue.sliding<void>(1)
  let waiting: ReadonlyArray<Item> = []
  let lost = 0
  let outcome: Outcome = {}

  const say = (before: string | undefined, now: string | undefined, words: string, after: string) => {
    if (now !== undefined && now !== before) return Effect.logError(`${words}: ${now}`)
    return now === undefined && before !== undefined ? Effect.logWarning(after) : Effect.void
  }

  const attempt = Effect.gen(function* () {
    const asking = yield* Queue.clear(marks)
    const all = [...waiting, ...(yield* Queue.clear(queue))]
    lost += Math.max(0, all.length - mostWaiting)
    waiting = all.slice(-mostWaiting)
    const before = outcome
    outcome = yield* record(waiting)
    yield* say(before.failure, outcome.failure, notKept, "The history of workflows is kept again")
    yield* say(before.lag, outcome.lag, notShown, "The work tree of the history shows its newest commits again")
    if (outcome.failure === undefined) {
      waiting = []
      if (lost > 0)
        yield* Effect.logError(`The history of workflows lacks ${lost} readings and changes of the time before`)
      lost = 0
    }
    yield* Effect.forEach(asking, (done) => Deferred.succeed(done, undefined))
  }).pipe(Effect.uninterruptible)

  const writing = yield* Effect.gen(function* () {
    yield* Queue.take(nudged)
    yield* attempt
    for (let pause = firstPause; isWrong(outcome); pause = Math.min(pause * 2, longestPause)) {
      yield* Effect.raceFirst(Effect.sleep(pause), Queue.take(nudged))
      yield* attempt
    }
  }).pipe(Effect.forever, Effect.forkScoped)

  const nudge = Queue.offer(nudged, undefined)

  const settledWithin = Effect.fnUntraced(function* (patience: Duration.Input) {
    const done = yield* Deferred.make<void>()
    yield* Queue.offer(marks, done)
    yield* nudge
    return yield* Effect.asVoid(Effect.timeoutOption(Deferred.await(done), patience))
  })

  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      if (waiting.length > 0 || (yield* Queue.size(queue)) > 0) yield* settledWithin(shutdownTimeout)
      yield* Effect.forkDetach(Fiber.interrupt(writing))
      const missing = waiting.length + (yield* Queue.size(queue)) + lost
      if (missing > 0)
        yield* Effect.logError(`The history of workflows ends without its last ${missing} readings and changes`)
    })
  )

  return {
    add: (item: Item) => Effect.asVoid(Effect.andThen(Queue.offer(queue, item), nudge)),
    settled: settledWithin(patience),
    drained: settledWithin(longPatience),
    problem: Effect.sync(() => {
      const { failure, lag } = outcome
      if (failure !== undefined) return `${notKept}: ${failure}`
      return lag === undefined ? undefined : `${notShown}: ${lag}`
    })
  }
})

const isWrong = ({ failure, lag }: Outcome) => failure !== undefined || lag !== undefined

const notKept = "The history of workflows takes nothing now, calls go on without it, and it will be caught up"
const notShown = "The work tree of the history does not show its newest commits, which are in it nevertheless"
