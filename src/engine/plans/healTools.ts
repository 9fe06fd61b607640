import { Effect, Schema } from "effect"

import { summary } from "../../changes/tools/summary.ts"
import { reads, runs } from "../../mcp/annotations.ts"
import * as Tool from "../../mcp/Tool.ts"
import type { Instances } from "../client/Instances.ts"
import { operationsArgument } from "../operator/edit/edited.ts"
import { failureClasses } from "../operator/explain/failureClass.ts"
import { instanceSchema } from "../tools/overInstances.ts"
import { executionId, optional, text, timestamp } from "../tools/parameters.ts"
import { toPlanningFailure } from "./failures.ts"
import { tryFix } from "./fix/tryFix.ts"
import { WorkflowPlans } from "./Plans.ts"
import { planRetry } from "./retry/planRetry.ts"

/** A tool that plans against failures, with the services that it uses. */
type HealTool = Tool.Tool<Instances | WorkflowPlans>

const orRefuse = Effect.mapError(toPlanningFailure)

const tryFixTool: HealTool = Tool.make("try_fix", {
  title: "Try fix",
  description:
    "Try operations on a temporary copy with the input of a failed run, and on the last successes, item by item; nothing acts " +
    "outside. Plans what passes; apply_plan applies it",
  annotations: runs,
  arguments: {
    instance: optional(text("Instance").annotate({ inputSchema: instanceSchema })),
    execution: optional(executionId.annotate({ inputSchema: { type: "integer", description: "The failed run" } })),
    workflow: optional(text("Or id or name of a workflow: its last failed run")),
    operations: operationsArgument.annotate({
      inputSchema: { type: "array", items: { type: "object" }, description: "As in edit_workflow" }
    }),
    against: optional(
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10 }, { message: "must be between 0 and 10" })).annotate(
        {
          inputSchema: { type: "integer", minimum: 0, maximum: 10, description: "Successes, default 10" }
        }
      )
    ),
    keep_test: optional(Schema.Boolean.annotate({ description: "Keep the failed run as a recorded test" }))
  },
  run: Effect.fn("try_fix")((request) => tryFix(request), orRefuse)
})

const planRetryTool: HealTool = Tool.make("plan_retry", {
  title: "Plan retry",
  description:
    "Plan to run failed executions again: oldest first, once each, none that a retry has made up for. apply_plan applies it, at a pace",
  annotations: reads,
  arguments: {
    workflow: optional(text("Id or name; default all")),
    instances: optional(
      Schema.Union([Schema.Array(Schema.String), Schema.String]).annotate({
        inputSchema: { type: "array", items: { type: "string" }, description: "*: all" }
      })
    ),
    since: optional(timestamp("ISO 8601; default a day ago")),
    until: optional(timestamp("ISO 8601")),
    class: optional(
      Schema.Literals(failureClasses).annotate({
        inputSchema: { type: "string", description: "As explain_execution names it" }
      })
    ),
    latest_version: optional(Schema.Boolean.annotate({ description: "With the workflow as it is now" })),
    per_minute: optional(
      Schema.Int.check(
        Schema.isBetween({ minimum: 1, maximum: 6000 }, { message: "must be between 1 and 6000" })
      ).annotate({
        inputSchema: { type: "integer", minimum: 1, maximum: 6000, description: "Pace on each instance, default 60" }
      })
    ),
    once_per: optional(text("Path in the input, such as $json.body.order.id: the newest run of each value"))
  },
  run: Effect.fn("plan_retry")(function* (request) {
    const { plan, ...counts } = yield* planRetry(request)
    const { describing } = yield* WorkflowPlans
    return { ...(yield* summary(describing, plan, retryRoom)), ...counts }
  }, orRefuse)
})

/** Bytes for the first steps of a plan of retries, of which there is one for each workflow. */
const retryRoom = 400

/** The tools that heal failures: a fix that is proven, and runs that are made up for. */
export const healTools: ReadonlyArray<HealTool> = [tryFixTool, planRetryTool]
