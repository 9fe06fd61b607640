import { Effect, Option, Predicate, Random } from "effect"

import type { Reply } from "../../../internal/http/Reply.ts"
import { again } from "../../../internal/http/resend.ts"
import type { UpstreamRequest } from "../../../internal/http/Upstream.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { runs } from "../../../mcp/annotations.ts"
import { Progress } from "../../../mcp/callContext.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { ApiError, reworded } from "../../client/EngineError.ts"
import { apiResponse, isNotListening, problemOf } from "../../client/replies.ts"
import { json } from "../../client/verdict.ts"
import { type Address, addressesOf } from "../../workflow/addresses.ts"
import type { Execution, Workflow, WorkflowId } from "../../workflow/models.ts"
import { hasOnlyManualTrigger } from "../../workflow/triggers.ts"
import * as EngineTool from "../EngineTool.ts"
import { object, optional, workflowId } from "../parameters.ts"
import { formFields, requestFor } from "./webhookRequest.ts"

export const executeWorkflow = EngineTool.make("execute_workflow", {
  title: "Execute workflow",
  description: "Run an active workflow through its webhook, form or chat trigger",
  annotations: runs,
  arguments: { id: workflowId, data: optional(object("Body of a POST, query of a GET")) },
  run: Effect.fnUntraced(function* ({ data = {}, id }) {
    const workflow = yield* EngineClient.use((engine) => engine.getWorkflow(id))
    const [address] = addressesOf(workflow)
    if (address === undefined || !workflow.active) return { guidance: guidance(workflow, address !== undefined) }
    return yield* callTrigger(workflow, address, data)
  })
})

/** Guidance for a workflow that no outside call can start. */
const guidance = ({ active, id, isArchived, nodes }: Workflow, isCallable: boolean): string => {
  if (isArchived === true) {
    return `Workflow ${id} is archived, and archived workflows do not run. Unarchive it in the engine UI or with archive_workflow, then activate it.`
  }
  if (isCallable)
    return `Workflow ${id} is not active, so that its trigger does not listen. Call activate_workflow first.`
  if (hasOnlyManualTrigger(nodes)) {
    return (
      "A workflow whose only trigger is a manual trigger cannot be executed through the API. " +
      "Execute it in the engine UI, or add a webhook or schedule trigger."
    )
  }
  return (
    `Workflow ${id} has no webhook, form or chat trigger that could be called from outside. ` +
    (active ? "It runs by its own triggers; see list_executions. " : "Activate it to let its own triggers run it. ") +
    "To run it on demand, execute it in the engine UI or add a webhook trigger."
  )
}

/** Calls the production address of an active workflow, and looks up the execution that this call started. */
const callTrigger = Effect.fnUntraced(function* (workflow: Workflow, address: Address, data: JsonObject) {
  const report = yield* Progress
  const mark = `run-${(yield* Random.nextIntBetween(0, 2 ** 48)).toString(36)}`
  const input = address.kind === "form" ? yield* Effect.fromResult(formFields(workflow, address.node, data)) : data
  const request = yield* Effect.fromResult(requestFor(address, input, mark))
  const before = yield* newestRun(workflow.id)
  yield* report({ progress: 1, total: 3, message: `calling the ${address.kind} of ${address.node}` })

  const sought = { after: before, mark, isMarked: carriesMark(address, data) }
  const reply = yield* callOnceRegistered(request, workflow.id, sought).pipe(
    Effect.catchTag("ApiError", (error) =>
      Effect.fail(reworded(error, `${error.problem.replace(/(?<![.?!])$/, ".")} ${unheard(workflow, error)}`))
    )
  )
  yield* report({ progress: 2, total: 3, message: `answered with status ${reply.status}` })

  const execution = yield* Effect.catch(findRun(workflow, sought), ({ message }) => Effect.succeed(notFound(message)))
  return { ...execution, trigger: address.node, response: responseOf(reply) }
})

/** The response of a trigger, as answers show it; a redirect leads to its location. */
export const responseOf = (reply: Reply) => {
  const location = reply.headers["location"]
  return {
    httpStatus: reply.status,
    ...(location === undefined ? {} : { location }),
    body: Option.getOrElse(json(reply), () => reply.text)
  }
}

/** Advice for an active workflow that does not listen: older engines may have given its address to another workflow. */
const unheard = ({ id }: Workflow, { instance }: ApiError) =>
  `Workflow ${id} is active on instance ${instance}, but the engine does not listen for it there, as when another workflow has ` +
  "had the same address: deactivate and activate it."

/** Webhooks keep the headers of a call in its execution, chats the name of their session. */
const carriesMark = ({ kind }: Address, { sessionId }: JsonObject) =>
  kind === "webhook" || (kind === "chat" && sessionId === undefined)

/** Pauses before a call is made again: a webhook is registered after its workflow was activated, on a busy machine seconds after. */
const pauses = ["500 millis", "1500 millis", "3 seconds"] as const

/**
 * Calls until something listens. A workflow can answer in the words with which the engine says that nothing does: a call
 * is made again only where no run of it shows, and three times at most.
 */
export const callOnceRegistered = Effect.fnUntraced(function* (
  request: UpstreamRequest,
  id: WorkflowId,
  sought: Sought
) {
  const engine = yield* EngineClient
  let reply = yield* engine.callAddress(request)
  for (const pause of pauses) {
    if (!isNotListening(reply)) return reply
    yield* Effect.sleep(pause)
    if (yield* hasRun(id, sought)) return reply
    reply = yield* again("nothing listens", engine.callAddress(request))
  }
  if (!isNotListening(reply) || (yield* hasRun(id, sought))) return reply
  const details = {
    httpStatus: reply.status,
    problem: problemOf(reply, engine.instance),
    apiResponse: apiResponse(reply)
  }
  return yield* new ApiError({ instance: engine.instance, ...details })
})

/** Whether the call has a run; also true where that cannot be read, so that nothing runs twice. */
const hasRun = (id: WorkflowId, sought: Sought) =>
  Effect.match(lookOnce(id, sought), { onSuccess: Predicate.isNotUndefined, onFailure: () => true })

interface Sought {
  /** Id of the newest execution before the call; ours is newer. */
  readonly after: number
  readonly mark: string
  /** Whether the trigger writes the mark into the data of the execution. */
  readonly isMarked: boolean
}

/** Attempts to read the record of a run: engines write it after the answer, a busy one seconds after it. */
const looks = 28
const quickLooks = 20
const pauseBefore = (look: number) => (look <= quickLooks ? "100 millis" : "500 millis")

/** Id of the newest execution of a workflow; 0 when it has none. */
const newestRun = Effect.fnUntraced(function* (workflowId: WorkflowId) {
  const engine = yield* EngineClient
  const { data } = yield* engine.listExecutions({ workflowId, limit: 1 })
  return Math.max(0, ...data.map(({ id }) => id))
})

/**
 * The execution that one call started, ended if that does not take long: found by its mark, or, where the trigger keeps
 * none, as the only new one.
 */
const findRun = Effect.fnUntraced(function* (workflow: Workflow, sought: Sought) {
  const { id, settings } = workflow
  const attempts = settings?.saveDataSuccessExecution === "none" ? 3 : looks
  const dismissed = new Set<number>()
  let execution: Execution | undefined
  for (let look = 1; look <= attempts && isUnderWay(execution); look++) {
    if (look > 1) yield* Effect.sleep(pauseBefore(look))
    execution = yield* lookOnce(id, sought, dismissed)
  }
  if (execution !== undefined)
    return { executionId: execution.id, status: execution.status ?? "unknown", ...outdated(workflow, execution) }
  return notFound("the engine shows no record of this run: it may still be running, or runs like it are not saved")
})

/**
 * Engines put a new version live in the background; until then a call runs the old one, and succeeds. Before 2.41 they name the
 * version of the draft, whatever ran (2.40.7): that says nothing.
 */
const outdated = ({ activeVersionId, versionId }: Workflow, { workflowVersionId }: Execution) =>
  Predicate.isString(activeVersionId) &&
  Predicate.isString(workflowVersionId) &&
  ![activeVersionId, versionId].includes(workflowVersionId)
    ? {
        note:
          `The engine ran version ${workflowVersionId} of this workflow instead of the published ${activeVersionId}, ` +
          "which it was still putting live. To run that one, call again."
      }
    : {}

/** The answer where the run was not found: it did take place, and nobody should be led to run it again. */
const notFound = (problem: string) => ({
  executionId: null,
  status: "unknown",
  note: `The call was sent and answered as shown, but ${problem}. See list_executions.`
})

/** Reads once; other runs that have ended are dismissed, and not read again. */
const lookOnce = Effect.fnUntraced(function* (
  workflowId: WorkflowId,
  { after, isMarked, mark }: Sought,
  dismissed: Set<number> = new Set()
) {
  const engine = yield* EngineClient
  const { data } = yield* engine.listExecutions({ workflowId, limit: 10 })
  const newer = data.filter(({ id }) => id > after && !dismissed.has(id))
  const [first, ...others] = newer
  if (first === undefined) return undefined
  if (!isMarked) return others.length === 0 ? yield* engine.getExecution(first.id, false) : undefined
  for (const candidate of newer) {
    const whole = yield* engine.getExecution(candidate.id, true)
    if (bears(whole, mark)) return whole
    if (!isUnderWay(whole)) dismissed.add(whole.id)
  }
  return undefined
})

const isUnderWay = (execution: Execution | undefined): boolean =>
  execution === undefined || execution.status === "new" || execution.status === "running"

const bears = ({ data }: Execution, mark: string): boolean => JSON.stringify(data ?? null).includes(mark)
