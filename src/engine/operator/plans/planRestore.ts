import { Effect } from "effect"

import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { addressWarnings } from "../../changes/addressWarnings.ts"
import { estimate } from "../../changes/driver.ts"
import { WorkflowPlans } from "../../changes/Plans.ts"
import { isSecondGeneration } from "../../changes/RemoteState.ts"
import { draftRestore } from "../../changes/restore/draftRestore.ts"
import { withNames } from "../../changes/withNames.ts"
import { ReadOnlyInstance } from "../../client/EngineError.ts"
import { Instances } from "../../client/Instances.ts"
import { listAll, workflowsIn } from "../../client/listAll.ts"
import type { Workflow } from "../../client/models.ts"
import { notKept, unreadable } from "../history/historyErrors.ts"
import { allWorkflows, withDescriptions } from "./instanceContents.ts"

/** Plans to bring the workflows of an instance back to a commit of the history. */
export const planRestore = Effect.fn("planRestore")(function* (asked: {
  readonly instance?: string | undefined
  readonly version: string
}) {
  const client = yield* (yield* Instances).resolve(asked.instance)
  const { history, instance } = client
  if (client.isReadOnly) return yield* new ReadOnlyInstance({ instance, operation: "plan_restore" })
  if (!history.isKept) return yield* notKept
  yield* history.drained
  const recorded = yield* Effect.mapError(history.allAt(asked.version), unreadable)
  const records = workflowsIn([...recorded.values()])
  if (records.length === 0) {
    return yield* new InvalidArgument({
      argument: "version",
      problem: `is a moment when nothing was known of ${instance}: give a commit of its history, such as one of a backup`
    })
  }
  const plans = yield* WorkflowPlans
  const listed = yield* allWorkflows(client)
  const described = new Map(
    records.flatMap((record) => ("description" in record ? [[record.id, record.updatedAt]] : []))
  )
  const isTouched = ({ id, updatedAt }: Workflow) => described.has(id) && described.get(id) !== updatedAt
  const touched = new Map(
    (yield* withDescriptions(client, listed.filter(isTouched))).map((workflow) => [workflow.id, workflow])
  )
  const all = listed.map((workflow) => touched.get(workflow.id) ?? workflow)
  const tags = yield* listAll(client.listTags)
  const { unchanged, ...draft } = draftRestore({
    instance,
    version: asked.version,
    records,
    all,
    tags,
    takesPinnedData: [...all, ...records].some(isSecondGeneration)
  })
  const steps = withNames(draft.steps, { tags, workflows: all })
  const warnings = [...draft.warnings, ...addressWarnings(steps, all)]
  return { plan: yield* plans.keep({ ...draft, steps, warnings, estimate: estimate(steps) }), unchanged }
})
