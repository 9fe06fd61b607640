import { Clock, Deferred, Effect, Fiber, FileSystem, Layer, Path, Queue } from "effect"
import { ChildProcessSpawner } from "effect/process"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import type { Happening } from "../commits.ts"
import { type Change, History, HistoryError, type InstanceHistory } from "../History.ts"
import { withoutSecrets } from "../record.ts"
import { inPlainWords } from "./advice.ts"
import type { GitError } from "./Git.ts"
import * as Keeper from "./Keeper.ts"
import { open } from "./open.ts"
import { readVersion, versionsOf } from "./reading.ts"

/** What can wait for a repository that takes nothing; then readings are lost first, and the oldest changes. */
const mostWaiting = 5000

/** Longest pause between two attempts. */
const longestPause = 30_000

/** How long whoever asks for the history waits for what has just happened. */
const patience = "10 seconds"

/** How long the end of the server waits for what is not recorded yet. */
const shutdownTimeout = "4 seconds"

export interface Settings {
  readonly directory: string
  /** What git finds in its environment. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Something that waits to be recorded. */
type Item =
  | { readonly _tag: "Reading"; readonly instance: string; readonly at: number; readonly workflows: ReadonlyArray<JsonObject>; readonly gone: ReadonlyArray<string>; readonly secrets: ReadonlyArray<string> }
  | { readonly _tag: "Change"; readonly instance: string; readonly change: Change; readonly secrets: ReadonlyArray<string> }
  | { readonly _tag: "Mark"; readonly done: Deferred.Deferred<void> }

/**
 * Keeps the history in a git repository, behind the callers' backs. What the repository does not take stops nobody: it is
 * said as an error and tried again, and what waits when the server ends is recorded first.
 */
export const layer = (settings: Settings): Layer.Layer<never, never, ChildProcessSpawner.ChildProcessSpawner | FileSystem.FileSystem | Path.Path> =>
  Layer.effect(History, make(settings))

const make = Effect.fnUntraced(function* ({ directory, environment }: Settings) {
  const services = yield* Effect.context<ChildProcessSpawner.ChildProcessSpawner | FileSystem.FileSystem | Path.Path>()
  const queue = yield* Queue.unbounded<Item>()
  const nudged = yield* Queue.sliding<void>(1)
  const ended = yield* Deferred.make<void>()
  let waiting: ReadonlyArray<Item> = []
  let lost = 0
  let failure: string | undefined
  let lag: string | undefined
  let opened: { readonly repository: Effect.Success<ReturnType<typeof open>>; readonly keeper: ReturnType<typeof Keeper.make> } | undefined

  const ready = Effect.gen(function* () {
    if (opened !== undefined) return opened
    const repository = yield* Effect.provideContext(open(directory, environment), services)
    opened = { repository, keeper: Keeper.make(repository) }
    return opened
  })

  const words = ({ message }: GitError) => inPlainWords(message, directory)

  const say = Effect.fnUntraced(function* (before: string | undefined, now: string | undefined, what: string) {
    if (now !== undefined && now !== before) yield* Effect.logError(`${what}: ${now}`)
    if (now === undefined && before !== undefined) yield* Effect.logWarning("The history of workflows is complete again")
  })

  const record = Effect.fnUntraced(function* (items: ReadonlyArray<Item>) {
    const { keeper } = yield* ready
    const result = yield* keeper.record(yield* happeningsOf(items))
    return result.lag
  })

  /** One attempt at everything that waits. */
  const attempt = Effect.gen(function* () {
    waiting = keepNewest([...waiting, ...(yield* Queue.clear(queue))], (count) => (lost += count))
    const marks = waiting.flatMap((item) => (item._tag === "Mark" ? [item.done] : []))
    waiting = waiting.filter(({ _tag }) => _tag !== "Mark")
    yield* Effect.matchEffect(record(waiting), {
      onSuccess: Effect.fnUntraced(function* (behind) {
        waiting = []
        yield* say(failure, undefined, "")
        failure = undefined
        const now = behind === undefined ? undefined : words(behind)
        yield* say(lag, now, "The work tree of the history does not show its newest commits, which are there")
        lag = now
      }),
      onFailure: Effect.fnUntraced(function* (error) {
        const now = words(error)
        yield* say(failure, now, "The history of workflows is not being kept, calls go on without it and it is caught up later")
        failure = now
      })
    })
    yield* Effect.forEach(marks, (done) => Deferred.succeed(done, undefined))
  })

  let pause = 500
  const writing = yield* Effect.gen(function* () {
    yield* Queue.take(nudged)
    yield* Effect.uninterruptible(attempt)
    while (failure !== undefined || lag !== undefined) {
      yield* Effect.sleep(pause).pipe(Effect.raceFirst(Queue.take(nudged)))
      pause = Math.min(pause * 2, longestPause)
      yield* Effect.uninterruptible(attempt)
    }
    pause = 500
  }).pipe(Effect.forever, Effect.forkScoped)

  const add = (item: Item) => Effect.andThen(Queue.offer(queue, item), Queue.offer(nudged, undefined))

  const settled = Effect.gen(function* () {
    const done = yield* Deferred.make<void>()
    yield* add({ _tag: "Mark", done })
    yield* Effect.timeoutOption(Deferred.await(done), patience)
  })

  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      yield* Effect.timeoutOption(settled, shutdownTimeout)
      yield* Fiber.interrupt(writing)
      const missing = waiting.filter(({ _tag }) => _tag === "Change").length + lost
      if (missing > 0) yield* Effect.logError(`The history in ${directory} ends without the last ${missing} changes`)
    })
  )
})
