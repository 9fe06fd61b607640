import { Effect, Option, Predicate, Random } from "effect"

import type { UpstreamRequest } from "../../../internal/http/Upstream.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { Progress } from "../../../mcp/Progress.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { ApiError } from "../../client/EngineError.ts"
import type { Workflow, WorkflowId } from "../../client/models.ts"
import { apiResponse, isNotListening, json, problemOf } from "../../client/replies.ts"
import type { Address } from "../../workflow/addresses.ts"
import { findRun, lookOnce, newestRun, notFound, type Sought } from "./findRun.ts"
import { formFields } from "./formFields.ts"
import { requestFor } from "./request.ts"

/** Calls the production address of an active workflow, and looks up the execution that this call started. */
export const run = Effect.fnUntraced(function* (workflow: Workflow, address: Address, data: JsonObject) {
  const report = yield* Progress
  const mark = `run-${(yield* Random.nextIntBetween(0, 2 ** 48)).toString(36)}`
  const input = address.kind === "form" ? yield* Effect.fromResult(formFields(workflow, address.node, data)) : data
  const request = yield* Effect.fromResult(requestFor(address, input, mark))
  const before = yield* newestRun(workflow.id)
  yield* report({ progress: 1, total: 3, message: `calling the ${address.kind} of ${address.node}` })

  const sought = { after: before, mark, isMarked: carriesMark(address, data) }
  const reply = yield* callOnceRegistered(request, workflow.id, sought)
  yield* report({ progress: 2, total: 3, message: `answered with status ${reply.status}` })

  const execution = yield* Effect.catch(findRun(workflow, sought), ({ message }) => Effect.succeed(notFound(message)))
  const body = Option.getOrElse(json(reply), () => reply.text)
  return { ...execution, trigger: address.node, response: { httpStatus: reply.status, body } }
})

/** Webhooks keep the headers of a call in its execution, chats the name of their session. */
const carriesMark = ({ kind }: Address, { sessionId }: JsonObject) =>
  kind === "webhook" || (kind === "chat" && sessionId === undefined)

/** Pauses before a call is made again: a webhook is registered a moment after its workflow was activated. */
const pauses = ["500 millis", "1500 millis"] as const

/**
 * Calls until something listens. A workflow can answer in the words with which the engine says that nothing does: a call
 * is made again only where no run of it shows, and twice at most.
 */
const callOnceRegistered = Effect.fnUntraced(function* (request: UpstreamRequest, id: WorkflowId, sought: Sought) {
  const engine = yield* EngineClient
  let reply = yield* engine.callAddress(request)
  for (const pause of pauses) {
    if (!isNotListening(reply)) return reply
    yield* Effect.sleep(pause)
    if (yield* hasRun(id, sought)) return reply
    reply = yield* engine.callAddress(request)
  }
  if (!isNotListening(reply) || (yield* hasRun(id, sought))) return reply
  const details = { httpStatus: reply.status, problem: problemOf(reply), apiResponse: apiResponse(reply) }
  return yield* new ApiError({ instance: engine.instance, ...details })
})

/** Whether a run of the call shows; also where that cannot be read, so that nothing is run twice for want of a look. */
const hasRun = (id: WorkflowId, sought: Sought) =>
  Effect.match(lookOnce(id, sought), { onSuccess: Predicate.isNotUndefined, onFailure: () => true })
