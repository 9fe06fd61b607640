import { Effect, Schema } from "effect"

import { runs } from "../../mcp/annotations.ts"
import * as Tool from "../../mcp/Tool.ts"
import type { Instances } from "../client/Instances.ts"
import { operationsArgument } from "../operator/edit/edited.ts"
import { instanceSchema } from "../tools/overInstances.ts"
import { executionId, optional, text } from "../tools/parameters.ts"
import { toPlanningFailure } from "./failures.ts"
import { tryFix } from "./fix/tryFix.ts"
import type { WorkflowPlans } from "./Plans.ts"

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

/** The tools that heal failures: a fix that is proven, and runs that are made up for. */
export const healTools: ReadonlyArray<HealTool> = [tryFixTool]
