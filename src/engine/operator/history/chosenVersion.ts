import { Effect, Option } from "effect"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { Version } from "../../client/History.ts"
import type { VersionId, Workflow, WorkflowId } from "../../workflow/models.ts"
import {
  contentOf,
  contentOfRun,
  engineVersionIn,
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
