import { Effect, Option } from "effect"

import { listed } from "../../../internal/foreignText.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { Version } from "../../client/History.ts"
import { undone } from "../../history/undoing.ts"
import type { VersionId, Workflow, WorkflowId } from "../../workflow/models.ts"
import {
  contentOf,
  contentOfRun,
  engineVersionIn,
  engineVersions,
  executionIn,
  nothingKept,
  previousEngineVersion
} from "./engineVersions.ts"
import { unreadable } from "./historyErrors.ts"

/** A former version of a workflow, and its description. */
interface Chosen {
  readonly record: JsonObject
  readonly named: string
}

/** Changes of one call that are undone together at most. */
const mostOfOneCall = 20

/**
 * The workflow as it was in a version of the history or the engine's own; without one, or in the previous one, as before
 * its last change.
 */
export const chosen = Effect.fnUntraced(function* (
  id: WorkflowId,
  version: string | undefined,
  current: Workflow | undefined
) {
  const { history } = yield* EngineClient
  yield* history.flushed
  if (version === undefined || version === "previous") return yield* beforeLastChange(id, current)
  const run = executionIn(version)
  if (Option.isSome(run) && current !== undefined) {
    const { content, named } = yield* contentOfRun(id, run.value)
    return { record: { ...current, ...content }, named } satisfies Chosen
  }
  const engineVersion = engineVersionIn(version)
  if (Option.isSome(engineVersion)) return yield* inEngineVersion(id, engineVersion.value, current)
  return history.isKept ? yield* inVersion(id, version) : yield* nothingKept(id)
})

const beforeLastChange = Effect.fnUntraced(function* (id: WorkflowId, current: Workflow | undefined) {
  const { history } = yield* EngineClient
  const { data } = yield* Effect.mapError(history.versions(id, { limit: mostOfOneCall }), unreadable)
  const [last] = data
  if (last !== undefined) {
    const first = firstOfCall(data, last)
    const record = yield* Effect.mapError(history.read(id, first.version, "before"), unreadable)
    const named = `before ${first.version} (${first.by}, ${first.when}: ${first.change})`
    if (record !== undefined) return { record, named } satisfies Chosen
  }
  const engineVersion = current === undefined ? undefined : yield* previousEngineVersion(current)
  if (engineVersion !== undefined) return yield* inEngineVersion(id, engineVersion.versionId, current)
  if (!history.isKept) return yield* nothingKept(id)
  return yield* new InvalidArgument({
    argument: "id",
    problem: `names a workflow with nothing to undo: nothing is known of what ${id} was before`
  })
})

/** One call of a tool may have made several changes: they are undone together. */
const firstOfCall = (versions: ReadonlyArray<Version>, last: Version): Version => {
  if (last.call === undefined) return last
  const end = versions.findIndex(({ call }) => call !== last.call)
  return versions[(end === -1 ? versions.length : end) - 1] ?? last
}

/** The change that a version stands for, in the history or of the engine's own. */
const changeIn = Effect.fnUntraced(function* (id: WorkflowId, version: string, current: Workflow | undefined) {
  const engineVersion = engineVersionIn(version)
  if (Option.isSome(engineVersion)) {
    const { record: after } = yield* inEngineVersion(id, engineVersion.value, current)
    const { versions } = yield* engineVersions(id)
    const former = versions[versions.findIndex(({ versionId }) => versionId === engineVersion.value) + 1]
    const before = former === undefined ? undefined : (yield* inEngineVersion(id, former.versionId, current)).record
    return { before, after }
  }
  const { history } = yield* EngineClient
  if (!history.isKept) return yield* nothingKept(id)
  const read = (side: "after" | "before") => Effect.mapError(history.read(id, version, side), unreadable)
  return { before: yield* read("before"), after: yield* read("after") }
})

/** The workflow as it is now without the change that a version stands for; a deletion is taken back whole. */
export const withoutChange = Effect.fnUntraced(function* (
  id: WorkflowId,
  version: string,
  current: Workflow | undefined
) {
  yield* EngineClient.use(({ history }) => history.flushed)
  const { after, before } = yield* changeIn(id, version, current)
  const refused = (problem: string) => new InvalidArgument({ argument: "version", problem })
  if (before === undefined) {
    return yield* refused(`is where workflow ${id} begins here: there is nothing before it to go back to`)
  }
  if (after === undefined || current === undefined) {
    return { record: before, named: `before ${version}` } satisfies Chosen
  }
  const { conflicts, record } = undone(current, { before, after })
  if (conflicts.length > 0) {
    return yield* refused(
      `cannot be undone alone, for this was changed again since: ${listed(conflicts, mostConflicts)}. Undo the later change ` +
        "first, or restore a version as a whole, without undo"
    )
  }
  return { record, named: `without the change ${version}` } satisfies Chosen
})

/** Places that a refusal names. */
const mostConflicts = 10

const inVersion = Effect.fnUntraced(function* (id: WorkflowId, version: string) {
  const { history } = yield* EngineClient
  const record = yield* Effect.mapError(history.read(id, version, "after"), unreadable)
  if (record === undefined) {
    return yield* new InvalidArgument({
      argument: "version",
      problem: `names a moment when workflow ${id} did not exist: give one from workflow_history before its deletion`
    })
  }
  return { record, named: version } satisfies Chosen
})

/** The engine's own versions hold nodes and connections: the rest stays as it is. */
const inEngineVersion = Effect.fnUntraced(function* (
  id: WorkflowId,
  version: VersionId,
  current: Workflow | undefined
) {
  const content = current === undefined ? undefined : yield* contentOf(id, version)
  if (content === undefined) {
    return yield* new InvalidArgument({
      argument: "version",
      problem: `is none that the engine keeps of workflow ${id}`
    })
  }
  return { record: { ...current, ...content }, named: `the engine's own version ${version}` } satisfies Chosen
})
