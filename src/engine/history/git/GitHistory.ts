import { Clock, Effect, type FileSystem, Layer, Option, type Path, Schema } from "effect"
import type { ChildProcessSpawner } from "effect/process"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import {
  type After,
  type Authors,
  type Change,
  History,
  HistoryError,
  type InstanceHistory,
  type UnknownVersion
} from "../../client/History.ts"
import { makeDeduplicate } from "../deduplicate.ts"
import { HistoryEvent, shortItem } from "../HistoryEvent.ts"
import { recordOf, withoutSecrets } from "../record.ts"
import type { AuthorsOf } from "./AuthorLookup.ts"
import { explainGitError } from "./explainGitError.ts"
import type { GitError } from "./Git.ts"
import * as Keeper from "./Keeper.ts"
import { open } from "./open.ts"
import { readAll, readAllAt, readVersion, sinceBackup, versionsOf } from "./reading.ts"
import * as Recorder from "./Recorder.ts"
import { retryRaces } from "./retryRaces.ts"
import { HistorySpool } from "./Spool.ts"

export interface Settings {
  readonly directory: string
  /** The environment of git. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

type Services = ChildProcessSpawner.ChildProcessSpawner | FileSystem.FileSystem | Path.Path

const encode = Schema.encodeSync(Schema.fromJsonString(HistoryEvent))
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(HistoryEvent))

/** Keeps the history in a git repository, in the background; a repository that cannot be written stops nobody. */
export const layer = (settings: Settings): Layer.Layer<never, never, Services> => Layer.effect(History, make(settings))

const make = Effect.fnUntraced(function* ({ directory, environment }: Settings) {
  const services = yield* Effect.context<Services>()
  let opened: Effect.Success<ReturnType<typeof begin>> | undefined

  /** How to ask each instance who changed its workflows. */
  const authors = new Map<string, Authors>()
  const authorsOf: AuthorsOf = (instance, ...version) => authors.get(instance)?.(...version) ?? Effect.undefined

  const begin = Effect.fnUntraced(function* () {
    const repository = yield* retryRaces(Effect.provideContext(open(directory, environment), services))
    return { repository, keeper: Keeper.make(repository, authorsOf) }
  })
  const ready = Effect.gen(function* () {
    opened ??= yield* begin()
    return opened
  })

  const words = ({ message }: GitError) => explainGitError(message, directory)

  const recorder = yield* Recorder.make<HistoryEvent>({
    record: ({ items, left }) =>
      Effect.gen(function* () {
        const { keeper } = yield* ready
        const { lag } = yield* keeper.record({ items, left: left.flatMap((line) => Option.toArray(decode(line))) })
        return { lag: lag === undefined ? undefined : words(lag) }
      }).pipe(Effect.catch((error) => Effect.succeed({ failure: words(error) }))),
    fresh: makeDeduplicate,
    encode,
    spool: yield* (yield* HistorySpool).of(directory)
  })

  type Reading<A, E> = (known: NonNullable<typeof opened>) => Effect.Effect<A, E>
  const failure = (error: GitError) => new HistoryError({ message: words(error) })
  const reading = <A>(read: Reading<A, GitError>) => Effect.mapError(Effect.flatMap(ready, read), failure)
  const readingVersion = <A>(read: Reading<A, GitError | UnknownVersion>) =>
    Effect.mapError(Effect.flatMap(ready, read), (error) => (error._tag === "GitError" ? failure(error) : error))

  /** Makes the event in the background, too. */
  const timed = (event: (at: number) => HistoryEvent) =>
    Effect.flatMap(Clock.currentTimeMillis, (at) => recorder.add(Effect.sync(() => event(at))))

  const of = (instance: string, secrets: ReadonlyArray<string>, by: Authors): InstanceHistory => {
    authors.set(instance, by)
    const clean = (record: JsonObject) => withoutSecrets(recordOf(record), secrets)
    const short = (item: JsonObject) => withoutSecrets(shortItem(item), secrets)
    const cleanAfter = (after: After): After =>
      after._tag === "Present" ? { ...after, seen: clean(after.seen) } : after
    return {
      isKept: true,
      knows: (id) => Effect.sync(() => opened?.keeper.knows(instance, id) ?? false),
      saw: (workflows, gone = []) =>
        timed((at) => ({ _tag: "Seen", instance, at, workflows: workflows.map(clean), gone })),
      wrote: ({ after, before, ...change }: Change) =>
        recorder.add(
          Effect.map(after, (result) => ({
            _tag: "Wrote" as const,
            instance,
            ...change,
            before: before === undefined ? undefined : clean(before),
            after: cleanAfter(result)
          }))
        ),
      listed: ({ all, put, ...listed }) =>
        timed((at) => ({
          _tag: "Listed",
          instance,
          at,
          ...listed,
          ...(all === undefined ? {} : { all: all.map(short) }),
          ...(put === undefined ? {} : { put: short(put) })
        })),
      backedUp: (words) => timed((at) => ({ _tag: "BackedUp", instance, at, words })),
      all: reading(({ repository }) => readAll(repository, instance)),
      allAt: (version) => readingVersion(({ repository }) => readAllAt(repository, instance, version)),
      sinceBackup: reading(({ repository }) => sinceBackup(repository, instance)),
      flushed: recorder.flushed,
      drained: recorder.drained,
      together: recorder.together,
      problem: recorder.problem,
      versions: (id, page) => readingVersion(({ repository }) => versionsOf(repository, instance, id, page)),
      read: (id, version, side) =>
        readingVersion(({ repository }) =>
          readVersion(repository, instance, id, side === "before" ? `${version}^` : version)
        )
    }
  }
  return { of }
})
