import { Effect } from "effect"

import { Edition } from "../../store/Edition.ts"
import { present } from "../../store/fresh.ts"
import { Store } from "../../store/Store.ts"
import { type Endpoint, ok } from "../../wire/Endpoint.ts"
import { conflict, notFound } from "../../wire/Refusal.ts"
import { withoutPins } from "./list.ts"
import { find, show } from "./lookup.ts"

export const getWorkflow: Endpoint = {
  method: "GET",
  path: "/workflows/:id",
  query: { excludePinnedData: "boolean" },
  run: Effect.fnUntraced(function* ({ at, query }) {
    const shown = yield* show(yield* find(at("id")), "get")
    return ok(query.get("excludePinnedData") === "true" ? withoutPins(shown) : shown)
  })
}

/** Versions of the past are not kept, so that none is ever found. */
export const getVersion: Endpoint = {
  method: "GET",
  path: "/workflows/:id/:versionId",
  query: {},
  run: () => Effect.fail(notFound("Version not found"))
}

/** Deletes a workflow with its executions; a 2.x engine wants it unpublished first, wholly. */
export const deleteWorkflow: Endpoint = {
  method: "DELETE",
  path: "/workflows/:id",
  query: {},
  run: Effect.fnUntraced(function* ({ at }) {
    const { commit, tables } = yield* Store
    const { isSecond } = yield* Edition
    const workflow = yield* find(at("id"))
    const { millis } = yield* present
    if (isSecond && workflow.published !== null) {
      return yield* conflict("Cannot delete a published workflow. Unpublish it before deleting.")
    }
    if (millis < workflow.busyUntil) {
      return yield* conflict("Workflow is still being unpublished. Please try again in a few moments.")
    }
    const shown = yield* show(workflow, "delete")
    const runs = [...tables.executions.values()].filter(({ workflowId }) => workflowId === workflow.id)
    yield* commit({ removedWorkflow: workflow.id }, ...runs.map(({ id }) => ({ removedExecution: id })))
    return ok(shown)
  })
}
