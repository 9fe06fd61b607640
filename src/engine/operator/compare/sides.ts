import { Effect } from "effect"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { EngineError } from "../../client/EngineError.ts"
import { isMissing } from "../../client/isMissing.ts"
import { workflowsNamed } from "../../tools/references.ts"
import { type Workflow, WorkflowId } from "../../workflow/models.ts"
import { namedVersion, type VersionFailure } from "../history/namedVersion.ts"

/** One of two workflows that are compared. */
export interface Side {
  readonly head: JsonObject
  readonly content: JsonObject
  /** Whether an engine has put in what its nodes leave out, as it does with what it runs. */
  readonly isFilled: boolean
}

/** A workflow on its engine, as it is now or in another version. */
export const sideOf = Effect.fnUntraced(function* (
  workflow: Workflow,
  version: string | undefined,
  argument: string
): Effect.fn.Return<Side, VersionFailure, EngineClient> {
  const { instance } = yield* EngineClient
  const head = { instance, id: workflow.id, name: workflow.name }
  if (version === undefined || version === "current") {
    return { head, content: workflow, isFilled: false }
  }
  const { content, isFilled, head: more } = yield* namedVersion(workflow.id, version, workflow, argument)
  return { head: { ...head, ...more }, content, isFilled }
})

/** The workflow of another instance that has the id of one, or is called as it is where none has its id. */
export const counterpartOf = Effect.fnUntraced(function* ({
  id,
  name
}: Workflow): Effect.fn.Return<Workflow, EngineError | InvalidArgument, EngineClient> {
  const { getWorkflow, instance } = yield* EngineClient
  return yield* Effect.catchIf(getWorkflow(id), isMissing, () =>
    Effect.gen(function* () {
      const [only, ...others] = yield* workflowsNamed(name)
      const ids = [only, ...others].map((one) => one?.id).join(", ")
      const problem =
        others.length > 0
          ? `${others.length + 1} workflows of instance ${instance} have the name of workflow ${id}: ${ids}`
          : `instance ${instance} has neither a workflow of id ${id} nor one called "${name}"`
      return only === undefined || others.length > 0
        ? yield* new InvalidArgument({ argument: "b", problem: `is missing: ${problem}` })
        : yield* getWorkflow(WorkflowId.make(only.id))
    })
  )
})
