import { Effect } from "effect"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { Version } from "../../client/History.ts"
import type { WorkflowId } from "../../client/models.ts"
import { unreadable } from "./unreadable.ts"

/** A workflow as it was, and which version that is, in words. */
export interface Chosen {
  readonly record: JsonObject
  readonly named: string
}

/** Changes of one call that are looked at to undo them together. */
const mostOfOneCall = 20

/** The workflow as it was in a version; without one, as it was before the last change. */
export const chosen = Effect.fnUntraced(function* (id: WorkflowId, version: string | undefined) {
  const { history } = yield* EngineClient
  yield* history.settled
  return version === undefined ? yield* beforeLastChange(id) : yield* inVersion(id, version)
})

const beforeLastChange = Effect.fnUntraced(function* (id: WorkflowId) {
  const { history } = yield* EngineClient
  const { data } = yield* Effect.mapError(history.versions(id, { limit: mostOfOneCall }), unreadable)
  const [last] = data
  if (last === undefined) {
    return yield* new InvalidArgument({
      argument: "id",
      problem: `names a workflow of which no history is known: ${id}`
    })
  }
  const first = firstOfCall(data, last)
  const record = yield* Effect.mapError(history.read(id, first.version, "before"), unreadable)
  if (record === undefined) {
    return yield* new InvalidArgument({
      argument: "id",
      problem: `names a workflow with nothing to undo: before ${first.version} (${first.change}) nothing of it is known`
    })
  }
  return { record, named: `before ${first.version} (${first.by}, ${first.when}: ${first.change})` } satisfies Chosen
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
