import { Effect, Schema } from "effect"

import * as results from "../../../changes/tools/results.ts"
import { summary } from "../../../changes/tools/summary.ts"
import { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { reads } from "../../../mcp/annotations.ts"
import { masking } from "../../../mcp/masking.ts"
import * as Tool from "../../../mcp/Tool.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { decodeArguments, decodeBody, namedCall } from "../../api/decodeCall.ts"
import { allowedCalls } from "../../api/findCall.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { ReadOnlyInstance } from "../../client/EngineError.ts"
import { Instances } from "../../client/Instances.ts"
import { instanceSchema } from "../../tools/overInstances.ts"
import { optional, text } from "../../tools/parameters.ts"
import { refuseMasked } from "../../tools/refuseMasked.ts"
import { WorkflowId } from "../../workflow/models.ts"
import { toPlanningFailure } from "../failures.ts"
import { WorkflowPlans } from "../Plans.ts"
import { place } from "../Step.ts"
import { pathOf } from "./CallChange.ts"
import { readPresent } from "./callState.ts"
import { draftCall, undrafted } from "./draftCall.ts"

interface CallRequest {
  readonly instance?: string | undefined
  readonly call: string
  readonly arguments?: JsonObject | undefined
  readonly body?: unknown
}

/** Plans a call that changes something. */
const planCall = Effect.fn("planCall")(function* (request: CallRequest) {
  const client = yield* (yield* Instances).resolve(request.instance)
  const { instance } = client
  if (client.isReadOnly) return yield* new ReadOnlyInstance({ instance, operation: "plan_engine_call" })
  yield* refuseMasked({ arguments: request.arguments, body: request.body })
  const described = yield* Effect.provideService(allowedCalls(request.call), EngineClient, client)
  const { allowed: calls } = described
  const call = yield* namedCall(request.call, described, "changes")
  const args = yield* decodeArguments(call, request.arguments ?? {})
  const wanted = { instance, call, args, calls, body: yield* decodeBody(call, request.body) }
  const change = undrafted(wanted)
  const present = yield* readPresent(client, change)
  if (present === null) {
    const problem = `is about something that ${instance} does not have: ${pathOf(change)}`
    return yield* new InvalidArgument({ argument: "call", problem })
  }
  const [, workflow] = /^\/workflows\/([^/]+)/.exec(pathOf(change)) ?? []
  const subject = workflow === undefined ? undefined : yield* client.getWorkflow(WorkflowId.make(workflow))
  const about =
    subject === undefined ? {} : { name: subject.name, labels: (subject.tags ?? []).map(({ name }) => name) }
  const plans = yield* WorkflowPlans
  return yield* plans.keep(draftCall(wanted, { ...change, ...about }, present))
})

/** The tool that plans a change by a call of the engine's API. */
export const planEngineCall: Tool.Tool<Instances | WorkflowPlans> = masking(
  Tool.make("plan_engine_call", {
    title: "Plan engine call",
    description: "Plan a changing call that find_call named; apply_plan makes it",
    annotations: reads,
    arguments: {
      instance: optional(text("Instance").annotate({ inputSchema: instanceSchema })),
      call: text("Call").annotate({ inputSchema: { type: "string" } }),
      arguments: optional(JsonObject.annotate({ description: "Of path and query" })),
      body: optional(
        Schema.Union([JsonObject, Schema.Array(Schema.Unknown)]).annotate({
          inputSchema: { type: "object", description: "Fields; items: a list" }
        })
      )
    },
    result: Schema.Struct(results.summaryFields(Schema.Literal("call"), place)),
    run: Effect.fn("plan_engine_call")(function* (request) {
      const plan = yield* planCall(request)
      const { describing } = yield* WorkflowPlans
      return yield* summary(describing, plan)
    }, Effect.mapError(toPlanningFailure))
  })
)
