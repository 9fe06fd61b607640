import { Effect, Schema } from "effect"

import { EngineClient } from "../client/EngineClient.ts"
import { WorkflowId } from "../workflow/models.ts"

/** Other workflows that are looked up by their ids. */
const most = 8

const isWorkflowId = Schema.is(WorkflowId)

/** The names of the first workflows of a list, by their ids; a workflow that cannot be read is left out. */
export const namesById = Effect.fnUntraced(function* (given: ReadonlyArray<unknown>) {
  const { getWorkflow } = yield* EngineClient
  const names = yield* Effect.forEach(
    [...new Set(given)].filter(isWorkflowId).slice(0, most),
    (id) => Effect.match(getWorkflow(id), { onFailure: () => [], onSuccess: ({ name }) => [[id, name] as const] }),
    { concurrency: "unbounded" }
  )
  return new Map<string, string>(names.flat())
})
