import { Array as Arrays, Effect, Option, Predicate, Schema } from "effect"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { monotonicMillis } from "../../../internal/time.ts"
import { ProvesAbsence } from "../../client/absence.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import type { EngineError } from "../../client/EngineError.ts"
import type { Drift, HistoryError, SetAside } from "../../client/History.ts"
import { isMissing } from "../../client/isMissing.ts"
import { listWhole } from "../../client/listAll.ts"
import { isIncomplete } from "../../history/record.ts"
import { fileIdOf } from "../../history/sift.ts"
import { WorkflowId } from "../../workflow/models.ts"
import { type KeptCounts, recordKeptLists } from "./keptLists.ts"

/** The result of the backup of one instance. */
export interface BackedUp {
  readonly instance: string
  readonly workflows: number
  readonly tags: number
  /** Data tables, variables and folders, as far as the engine shows them. */
  readonly beside: KeptCounts
  readonly notices: ReadonlyArray<string>
  /** The time of the last complete backup. */
  readonly since: string | undefined
  /** The version of the history in which the instance is as it was found. */
  readonly version: string | undefined
  /** Changes since then, newest first. */
  readonly changes: ReadonlyArray<Drift>
  /** Workflows that are recorded as lists show them, for want of time; the next call reads them. */
  readonly toRead: number
  /** Entries of the instance that the history cannot hold. */
  readonly notRecorded: ReadonlyArray<SetAside>
}

/** Workflows of one page. */
const pageSize = 100

/** Single workflows that are read at the same time, within the instance's own limits. */
const concurrency = 8

type Client = EngineClient["Service"]
type Report = (progress: number, message: string) => Effect.Effect<void>

/** The way in which the workflows of an instance are read. */
interface ReadingOptions {
  /** Whether those that are recorded as lists show them are read one by one. */
  readonly isWhole: boolean
  /** In `monotonicMillis`; nothing new is begun then. */
  readonly until: number
  readonly report: Report
}

/** Reads all workflows of an instance, which records them, and those that are recorded but not listed any more. */
export const readAllWorkflows = Effect.fnUntraced(function* (
  engine: Client,
  { isWhole, report, until }: ReadingOptions
): Effect.fn.Return<ReadWorkflows, EngineError | HistoryError> {
  const { history, instance } = engine
  // What others have recorded until now is older than what is read from here on.
  yield* history.flushed
  // A page is recorded before the next one is read, as long as that can be waited for: it need not be kept then.
  const pageRecorded = Effect.gen(function* () {
    const isWaitedFor = (yield* history.problem) === undefined && (yield* monotonicMillis) < until
    if (isWaitedFor) yield* history.drained
  })
  const listed = yield* listWhole(
    engine,
    (query) =>
      engine.listWorkflows({ ...query, limit: pageSize }).pipe(
        Effect.map(({ data, ...page }) => ({ ...page, data: data.map(listedOf) })),
        Effect.tap(pageRecorded)
      ),
    (count) => report(count, `${instance}: ${count} workflows listed`)
  )
  yield* history.drained

  const ids = new Set(listed.flatMap(({ fileId }) => Option.toArray(fileId)))
  const recorded = isWhole
    ? yield* history.all((record) => ({ name: record.name, isIncomplete: isIncomplete(record) }))
    : new Map((yield* history.recordedIds).map((id) => [id, { name: undefined, isIncomplete: false }]))
  const toRead = [...recorded].flatMap(([id, record]) => (!ids.has(id) || record.isIncomplete ? [id] : []))
  let read = 0
  const readOne = Effect.fnUntraced(function* (id: string) {
    if ((yield* monotonicMillis) > until) return []
    read++
    const workflow = yield* Effect.orDie(toWorkflowId(id))
    // One that is not for this key stays as it is recorded.
    return yield* Effect.match(engine.getWorkflow(workflow), {
      onSuccess: () => [],
      onFailure: (error) => (isMissing(error) ? [workflow] : [])
    })
  })
  for (const some of Arrays.chunksOf(toRead, pageSize)) {
    const reading = Effect.forEach(some, readOne, { concurrency }).pipe(Effect.provideService(ProvesAbsence, true))
    const missing = (yield* history.together(reading)).flat()
    if (missing.length > 0) yield* engine.provenAbsent(missing)
    // It is recorded while the next ones are read.
    yield* Effect.forkChild(history.drained)
    yield* report(ids.size + read, `${instance}: ${read} of ${toRead.length} read`)
  }
  yield* history.drained
  // Commits name files, whose names have lost what file systems do not take.
  const all = [...[...recorded].map(([id, { name }]) => ({ id, name })), ...listed]
  const names = new Map(all.flatMap(({ id, name }) => (Predicate.isString(name) ? [[id, name] as const] : [])))
  const named = (change: Drift): Drift => ({ ...change, name: names.get(change.id) ?? change.name })
  return { count: ids.size, named, toRead: toRead.length - read }
})

interface ReadWorkflows {
  readonly count: number
  /** A change with the present name of its workflow. */
  readonly named: (change: Drift) => Drift
  /** Workflows that were not read, for want of time. */
  readonly toRead: number
}

/** The extent of a backup. */
export interface BackupOptions extends Omit<ReadingOptions, "isWhole"> {
  /** Whether the rows of data tables are kept, too. */
  readonly rows?: boolean | undefined
}

/**
 * Records all workflows of an instance, its tags, data tables, variables and folders. Every page is recorded as it comes, so that what was begun and cut off
 * goes on with what is missing; `until`, in `monotonicMillis`, nothing new is begun.
 */
export const backUp = Effect.fnUntraced(function* (
  engine: Client,
  { report, rows = false, until }: BackupOptions
): Effect.fn.Return<BackedUp, EngineError | HistoryError> {
  const { history, instance } = engine
  const { count, named, toRead } = yield* readAllWorkflows(engine, { isWhole: true, until, report })
  const tags = yield* listWhole(engine, engine.listTags)
  yield* history.recordNames({ list: "tags", all: tags })
  const { counts, notices } = yield* recordKeptLists(engine, { rows, until })
  yield* history.drained
  const { changes, version, when } = yield* history.sinceBackup
  const notRecorded = yield* history.setAside
  if (toRead === 0) {
    yield* history.backedUp(keptWords({ workflows: count, tags: tags.length, beside: counts }))
    yield* history.drained
  }
  return {
    instance,
    workflows: count,
    tags: tags.length,
    beside: counts,
    notices,
    since: when,
    version,
    changes: changes.map(named),
    toRead,
    notRecorded
  }
})

/** The numbers of what a backup has kept, in words. */
export const keptWords = ({
  beside: { folders = 0, rows = 0, tables = 0, variables = 0 },
  tags,
  workflows
}: Pick<BackedUp, "beside" | "tags" | "workflows">): string =>
  [
    `${workflows} workflows`,
    `${tags} tags`,
    ...Object.entries({ "data tables": tables, rows, variables, folders }).flatMap(([what, count]) =>
      count === 0 ? [] : [`${count} ${what}`]
    )
  ].join(", ")

/** The fields of a listed workflow that a backup keeps. */
const listedOf = (item: JsonObject) => ({ id: String(item.id), name: item.name, fileId: fileIdOf(item) })

const toWorkflowId = Schema.decodeUnknownEffect(WorkflowId)
