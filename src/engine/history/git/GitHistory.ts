import { Clock, Deferred, Effect, Fiber, type FileSystem, Layer, Option, type Path, Schema } from "effect"
import type { ChildProcessSpawner } from "effect/process"

import { listed } from "../../../internal/foreignText.ts"
import { Stopping } from "../../../mcp/callContext.ts"
import {
  type Authors,
  type Change,
  type ForeignVersion,
  History,
  HistoryError,
  type InstanceHistory,
  type SetAside,
  type UnknownVersion
} from "../../client/History.ts"
import { HistoryEvent, idsIn } from "../HistoryEvent.ts"
import { cleaned, makeDeduplicate, sift } from "../sift.ts"
import { explainGitError } from "./explainGitError.ts"
import { GitError, retryRaces } from "./Git.ts"
import * as Keeper from "./Keeper.ts"
import { changesOf, idsNamed, isRecordedAt, recordedIds, sinceBackup } from "./listing.ts"
import { open } from "./open.ts"
import { readAll, readAllAt, readListAt, readVersion, versionsOf } from "./reading.ts"
import * as Recorder from "./Recorder.ts"
import type { Repository } from "./Repository.ts"
import { HistorySpool } from "./Spool.ts"

interface Settings {
  readonly directory: string
  /** The environment of git. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

type Services = ChildProcessSpawner.ChildProcessSpawner | FileSystem.FileSystem | Path.Path

const encode = Schema.encodeSync(Schema.fromJsonString(HistoryEvent))
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(HistoryEvent))

/** Keeps the history in a git repository, in the background; a repository that cannot be written stops nobody. */
export const layer = ({ directory, environment }: Settings): Layer.Layer<never, never, Services> =>
  Layer.unwrap(
    Effect.map(Effect.context<Services>(), (services) =>
      layerOver(directory, Effect.provideContext(open(directory, environment), services))
    )
  )

/** The same in a repository that is opened with the first use; `directory` is what people are told of its place. */
export const layerOver = (directory: string, opening: Effect.Effect<Repository, GitError>): Layer.Layer<never> =>
  Layer.effect(History, make(directory, opening))

const make = Effect.fnUntraced(function* (directory: string, opening: Effect.Effect<Repository, GitError>) {
  let opened: Effect.Success<ReturnType<typeof begin>> | undefined

  /** The way to ask each instance who changed its workflows. */
  const authors = new Map<string, Authors>()
  const authorsOf: Keeper.AuthorsOf = (instance, ...version) => authors.get(instance)?.(...version) ?? Effect.undefined

  const begin = Effect.fnUntraced(function* () {
    const repository = yield* retryRaces(opening)
    return { repository, keeper: Keeper.make(repository, authorsOf) }
  })
  const ready = Effect.gen(function* () {
    opened ??= yield* begin()
    return opened
  })

  const entries = makeSetAside()

  const words = ({ message }: GitError) => explainGitError(message, directory)

  const recorder = yield* Recorder.make<HistoryEvent>({
    record: ({ items, left }) =>
      Effect.gen(function* () {
        const { keeper } = yield* ready
        const events = left.flatMap((line) => Option.toArray(decode(line)))
        const { lag } = yield* keeper.record({ items, left: yield* Effect.forEach(events, entries.recordable) })
        return { lag: lag === undefined ? undefined : words(lag) }
      }).pipe(Effect.catch((error) => Effect.succeed({ failure: words(error) }))),
    fresh: makeDeduplicate,
    sizeOf: (event) => (event._tag === "Listed" ? (event.all?.length ?? 1) : idsIn(event).length),
    encode,
    spool: yield* (yield* HistorySpool).of(directory)
  })

  type Reading<A, E> = (current: NonNullable<typeof opened>) => Effect.Effect<A, E>
  const failure = (error: GitError) => new HistoryError({ message: words(error) })
  const reading = <A>(read: Reading<A, GitError>) =>
    Effect.mapError(unlessStopped(Effect.flatMap(ready, read)), failure)
  const readingVersion = <A>(read: Reading<A, GitError | ForeignVersion | UnknownVersion>) =>
    Effect.mapError(unlessStopped(Effect.flatMap(ready, read)), (error) =>
      error._tag === "GitError" ? failure(error) : error
    )

  /** Makes the event in the background, too. */
  const add = (event: Effect.Effect<HistoryEvent>, clean: (event: HistoryEvent) => HistoryEvent) =>
    recorder.add(Effect.map(Effect.flatMap(event, entries.recordable), clean))

  const of = (instance: string, secrets: ReadonlyArray<string>, by: Authors): InstanceHistory => {
    authors.set(instance, by)
    const clean = cleaned(secrets)
    const timed = (event: (at: number) => HistoryEvent) =>
      Effect.flatMap(Clock.currentTimeMillis, (at) =>
        add(
          Effect.sync(() => event(at)),
          clean
        )
      )
    return {
      isKept: true,
      isRecorded: (id) => Effect.sync(() => opened?.keeper.knows(instance, id) ?? false),
      mark: Effect.map(Clock.currentTimeMillis, (since) => ({ since, tip: opened?.keeper.tip() })),
      recordReading: ({ gone = [], since, tip, workflows = [] }) =>
        timed((at) => ({ _tag: "Seen", instance, since, tip, at, workflows, gone })),
      recordChange: ({ after, before, ...change }: Change) =>
        add(
          Effect.map(after, (result) => ({ _tag: "Wrote", instance, ...change, before, after: result })),
          clean
        ),
      recordNames: (listed) => timed((at) => ({ _tag: "Listed", instance, at, ...listed })),
      listAt: (version, list) => readingVersion(({ repository }) => readListAt(repository, instance, version, list)),
      backedUp: (words) => timed((at) => ({ _tag: "BackedUp", instance, at, words })),
      all: (keep) => reading(({ repository }) => readAll(repository, instance, keep)),
      allAt: (version, keep, ids) =>
        readingVersion(({ repository }) => readAllAt(repository, { instance, version, ids }, keep)),
      isRecordedAt: (version) => readingVersion(({ repository }) => isRecordedAt(repository, instance, version)),
      recordedIds: reading(({ repository }) => recordedIds(repository, instance)),
      changes: (range) => readingVersion(({ repository }) => changesOf(repository, instance, range)),
      sinceBackup: reading(({ repository }) => sinceBackup(repository, instance)),
      flushed: recorder.flushed,
      drained: recorder.drained,
      together: recorder.together,
      problem: recorder.problem,
      setAside: Effect.sync(() => entries.of(instance)),
      versions: (id, page) => readingVersion(({ repository }) => versionsOf(repository, instance, id, page)),
      idsNamed: (name) => readingVersion(({ repository }) => idsNamed(repository, instance, name)),
      read: (id, version, side) =>
        readingVersion(({ repository }) =>
          readVersion(repository, instance, id, side === "before" ? `${version}^` : version)
        )
    }
  }
  return { of }
})

/** Time for readings when the server is told to stop. */
const stopTimeout = "300 millis"

/** Nobody waits until a git that hangs is stopped. */
const unlessStopped = Effect.fnUntraced(function* <A, E>(reading: Effect.Effect<A, E>) {
  const running = yield* Effect.forkDetach(reading)
  const stopped = Effect.flatMap(Stopping, Deferred.await).pipe(
    Effect.andThen(Effect.sleep(stopTimeout)),
    Effect.andThen(Effect.fail(new GitError({ message: "the server was stopped before git had answered" })))
  )
  return yield* Effect.ensuring(
    Effect.raceFirst(Fiber.join(running), stopped),
    Effect.forkDetach(Fiber.interrupt(running))
  )
})

/** Most entries of an instance that are remembered: an engine may invent new ids with every answer. */
const mostSetAside = 100

/** Most entries in a line of the log. */
const mostLogged = 5

/** Takes out of events what the history cannot hold, and remembers and logs it. */
const makeSetAside = () => {
  const entries = new Map<string, Map<string, string>>()

  const of = (instance: string): ReadonlyArray<SetAside> =>
    [...(entries.get(instance) ?? [])].map(([id, problem]) => ({ id, problem }))

  /** The event as it can be recorded. */
  const recordable = Effect.fnUntraced(function* (given: HistoryEvent) {
    const { event, setAside } = sift(given)
    const { instance } = event
    // The next backup tells what it meets itself.
    if (event._tag === "BackedUp") entries.delete(instance)
    const previous = entries.get(instance) ?? new Map<string, string>()
    const added = setAside.filter(({ id }) => !previous.has(id)).slice(0, mostSetAside - previous.size)
    if (added.length === 0) return event
    entries.set(instance, new Map([...previous, ...added.map(({ id, problem }) => [id, problem] as const)]))
    const words = added.map(({ id, problem }) => `${id} (${problem})`)
    yield* Effect.logWarning(
      `The history leaves out what instance ${instance} shows as ${listed(words, mostLogged)}; all else is recorded`
    )
    return event
  })

  return { of, recordable }
}
