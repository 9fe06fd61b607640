import { Effect, Option } from "effect"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { EngineError } from "../../client/EngineError.ts"
import type { Version } from "../../client/History.ts"
import { isMissing } from "../../client/isMissing.ts"
import { describe } from "../../history/describe.ts"
import { firstSeen } from "../../history/message.ts"
import { isSameButForIds } from "../../history/record.ts"
import type { VersionEntry, VersionId, Workflow, WorkflowId } from "../../workflow/models.ts"

/** Versions of an engine that are listed at most. */
const most = 250

/** Versions that are read at the same time to compare them. */
const concurrency = 5

/** The versions that the engine itself keeps, newest first; none where it keeps none, or does not show them. */
export const engineVersions = Effect.fnUntraced(function* (id: WorkflowId) {
  const engine = yield* EngineClient
  return yield* Effect.match(engine.listVersionsIfSupported(id, { limit: most }), {
    onSuccess: (listed): EngineVersions => ({
      versions: Option.match(listed, { onNone: () => [], onSome: ({ data }) => data })
    }),
    onFailure: (error): EngineVersions => ({ versions: [], ...(isMissing(error) ? {} : { problem: error.message }) })
  })
})

/** Versions of the engine's own, and the problem where they could not be read. */
interface EngineVersions {
  readonly versions: ReadonlyArray<VersionEntry>
  readonly problem?: string
}

/**
 * Rows of workflow_history for versions of the engine's own, each with its changes since the version before; none for one in
 * which nodes have only got other ids.
 */
export const engineRows = Effect.fnUntraced(function* (
  id: WorkflowId,
  wanted: ReadonlyArray<VersionEntry>,
  all: ReadonlyArray<VersionEntry>
) {
  return yield* Effect.forEach(
    wanted,
    Effect.fnUntraced(function* (entry) {
      const before = all[all.indexOf(entry) + 1]
      const change = before === undefined ? "oldest version of the engine's own" : yield* difference(id, before, entry)
      if (change === undefined) return []
      const row = {
        version: String(entry.versionId),
        when: entry.createdAt ?? "",
        by: entry.authors ?? "unknown",
        from: "engine",
        ...(entry.name === undefined || entry.name === null ? {} : { name: entry.name }),
        change
      }
      return [row]
    }),
    { concurrency }
  ).pipe(Effect.map((rows) => rows.flat()))
})

/** Versions of the history and of the engine's own in one list; those of the same millisecond stand in the engine's order. */
export const newestFirst = <Own extends { readonly version: string; readonly when: string }>(
  ours: ReadonlyArray<Version>,
  engines: ReadonlyArray<Own>,
  all: ReadonlyArray<Pick<VersionEntry, "authors" | "versionId">>
) => {
  const authors = new Map(all.map(({ authors, versionId }) => [String(versionId), authors ?? undefined]))
  const placeOf = (version: string | undefined) => all.findIndex(({ versionId }) => String(versionId) === version)
  return [
    ...ours.map((version) => ({
      row: historyRow(version, authors.get(version.engineVersion ?? "")),
      place: placeOf(version.engineVersion)
    })),
    ...engines.map((row) => ({ row, place: placeOf(row.version) }))
  ]
    .toSorted((a, b) => millis(b.row.when) - millis(a.row.when) || a.place - b.place)
    .map(({ row }) => row)
}

/** The engine knows who has written what is recorded here as it was seen. */
const historyRow = ({ by, change, reason, tool, version, when }: Version, author: string | undefined) => ({
  version,
  when,
  by: change === firstSeen ? (author ?? by) : by,
  ...(tool === undefined ? {} : { tool }),
  ...(reason === undefined ? {} : { reason }),
  change
})

/** Milliseconds of a time of the history or the engine; 0 for none. */
export const millis = (time: string) => (time === "" ? 0 : Date.parse(time))

const difference = Effect.fnUntraced(function* (id: WorkflowId, before: VersionEntry, after: VersionEntry) {
  const contents = yield* Effect.all([contentOf(id, before.versionId), contentOf(id, after.versionId)])
  const [was, is] = contents
  if (was === undefined || is === undefined) return "no longer kept by the engine"
  return isSameButForIds(was, is) ? undefined : describe(was, is)
})

/** Nodes and connections of a version of the engine's own; undefined where the engine has no such version. */
export const contentOf = Effect.fnUntraced(function* (
  id: WorkflowId,
  version: VersionId
): Effect.fn.Return<JsonObject | undefined, EngineError, EngineClient> {
  const engine = yield* EngineClient
  const content = yield* engine
    .getVersionIfSupported(id, version)
    .pipe(Effect.catchIf(isMissing, () => Effect.succeedNone))
  return Option.match(content, {
    onNone: () => undefined,
    onSome: ({ connections, nodeGroups, nodes }): JsonObject => ({
      nodes,
      connections,
      ...(nodeGroups === undefined ? {} : { nodeGroups })
    })
  })
})

/** Versions of the engine's own that are looked through for one that differs. */
const mostAlike = 10

/** The newest version of the engine's own that differs from the present one in more than the ids of its nodes. */
export const previousEngineVersion = Effect.fnUntraced(function* ({ connections, id, nodes, versionId }: Workflow) {
  const { versions } = yield* engineVersions(id)
  const present = versions.findIndex((version) => version.versionId === versionId)
  const former = versions.slice(present + 1, present + 1 + mostAlike)
  const isOther = (entry: VersionEntry) =>
    Effect.map(
      contentOf(id, entry.versionId),
      (content) =>
        content !== undefined && !isSameButForIds({ ...content, nodeGroups: undefined }, { nodes, connections })
    )
  return Option.getOrUndefined(Option.map(yield* Effect.findFirst(former, isOther), (entry) => entry.versionId))
})
