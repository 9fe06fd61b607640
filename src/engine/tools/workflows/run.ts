import { Effect, Option, Random, Schedule } from "effect"

import type { Reply, UpstreamRequest } from "../../../internal/http/Upstream.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { Progress } from "../../../mcp/Progress.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { ApiError } from "../../client/EngineError.ts"
import type { Workflow } from "../../client/models.ts"
import { apiResponse, isNotListening, json, problemOf } from "../../client/replies.ts"
import type { Address } from "../../workflow/addresses.ts"
import { findRun, newestRun, notFound } from "./findRun.ts"
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

  const reply = yield* callOnceRegistered(request)
  yield* report({ progress: 2, total: 3, message: `answered with status ${reply.status}` })

  const sought = { after: before, mark, isMarked: carriesMark(address, data) }
  const execution = yield* Effect.catch(findRun(workflow, sought), ({ message }) => Effect.succeed(notFound(message)))
  const body = Option.getOrElse(json(reply), () => reply.text)
  return { ...execution, trigger: address.node, response: { httpStatus: reply.status, body } }
})

/** Webhooks keep the headers of a call in its execution, chats the name of their session. */
const carriesMark = ({ kind }: Address, { sessionId }: JsonObject) =>
  kind === "webhook" || (kind === "chat" && sessionId === undefined)

/** A webhook is registered a moment after its workflow was activated. */
const callOnceRegistered = Effect.fnUntraced(function* (request: UpstreamRequest) {
  const engine = yield* EngineClient
  const reply: Reply = yield* Effect.repeat(engine.callAddress(request), {
    while: isNotListening,
    schedule: Schedule.spaced("100 millis"),
    times: 30
  })
  if (!isNotListening(reply)) return reply
  const details = { httpStatus: reply.status, problem: problemOf(reply), apiResponse: apiResponse(reply) }
  return yield* new ApiError({ instance: engine.instance, ...details })
})
