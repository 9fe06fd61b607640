import { Array as Arrays, Effect, Predicate, Schema } from "effect"

import { monotonicMillis } from "../../../internal/http/monotonicMillis.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import type { EngineError } from "../../client/EngineError.ts"
import type { Drift, HistoryError } from "../../client/History.ts"
import { listAll } from "../../client/listAll.ts"
import { WorkflowId } from "../../client/models.ts"
import { isIncomplete } from "../../history/record.ts"

/** What a backup of one instance came to. */
export interface BackedUp {
  readonly instance: string
  readonly workflows: number
  readonly tags: number
  /** When the last complete backup was. */
  readonly since: string | undefined
  /** What has changed since then, newest first. */
  readonly changes: ReadonlyArray<Drift>
  /** Workflows that are recorded as lists show them, for want of time; the next call reads them. */
  readonly toRead: number
}

/** Workflows of one page. */
const pageSize = 100

/** Readings of single workflows at the same time; the instance's own limits are kept as well. */
const concurrency = 8

type Client = EngineClient["Service"]
type Report = (progress: number, message: string) => Effect.Effect<void>

/**
 * Records all workflows and tags of an instance. Every page is recorded as it comes, so that what was begun and cut off
 * goes on with what is missing; `until`, in `monotonicMillis`, nothing new is begun.
 */
export const backUp = Effect.fnUntraced(function* (
  engine: Client,
  until: number,
  report: Report
): Effect.fn.Return<BackedUp, EngineError | HistoryError> {
  const { history, instance } = engine
  const listed = yield* listAll(
    (query) => engine.listWorkflows({ ...query, limit: pageSize }),
    (count) => report(count, `${instance}: ${count} workflows listed`)
  )
  const tags = yield* listAll(engine.listTags)
  yield* history.listed({ list: "tags", all: tags })
  yield* history.drained

  const ids = new Set(listed.map(({ id }) => String(id)))
  const recorded = yield* history.all
  const toRead = [...recorded].flatMap(([id, record]) => (!ids.has(id) || isIncomplete(record) ? [id] : []))
  let read = 0
  const readOne = Effect.fnUntraced(function* (id: string) {
    if ((yield* monotonicMillis) > until) return
    // Of one that is gone, or not for this key, the reading itself tells.
    yield* Effect.ignore(Effect.flatMap(Effect.orDie(toWorkflowId(id)), engine.getWorkflow))
    read++
  })
  for (const some of Arrays.chunksOf(toRead, pageSize)) {
    yield* history.together(Effect.forEach(some, readOne, { concurrency, discard: true }))
    // It is recorded while the next ones are read.
    yield* Effect.forkChild(history.drained)
    yield* report(ids.size + read, `${instance}: ${read} of ${toRead.length} read`)
  }
  yield* history.drained
  const { changes, when } = yield* history.sinceBackup
  if (read === toRead.length) {
    yield* history.backedUp(`${ids.size} workflows and ${tags.length} tags`)
    yield* history.drained
  }
  // Commits name files, whose names have lost what file systems do not take.
  const names = new Map([...recorded, ...listed.map((item) => [String(item.id), item] as const)])
  const named = changes.map((change) => {
    const name = names.get(change.id)?.["name"]
    return Predicate.isString(name) ? { ...change, name } : change
  })
  return { instance, workflows: ids.size, tags: tags.length, since: when, changes: named, toRead: toRead.length - read }
})

const toWorkflowId = Schema.decodeUnknownEffect(WorkflowId)
