import { Cause, Clock, Deferred, Duration, Effect, Exit, Fiber, Option, Result } from "effect"

import { objectOf } from "../../../internal/schema/JsonObject.ts"
import { sha256 } from "../../../internal/sha256.ts"
import { monotonicMillis } from "../../../internal/time.ts"
import { Stopping } from "../../../mcp/callContext.ts"
import { Deadline, remaining } from "../../client/Deadline.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { ApiError, type EngineError, ServerStopping, StepFailed } from "../../client/EngineError.ts"
import { apiResponse, problemOf } from "../../client/replies.ts"
import { callOnceRegistered, responseOf } from "../../tools/workflows/execute.ts"
import { switchOn } from "../../tools/workflows/switchOn.ts"
import type { Execution, ExecutionId, Workflow, WorkflowId } from "../../workflow/models.ts"
import { temporaryName } from "../../workflow/naming.ts"
import { statusOf } from "../explain/describeExecution.ts"
import { readFailed } from "../explain/readExecutions.ts"
import { jsonOf, runDataOf } from "../explain/runData.ts"
import { eraseNamed, eraseOld, eraseTemporaryCopy, LeftCopy, mayRemove } from "./eraseTemporaryCopies.ts"
import type { Part } from "./Part.ts"
import { type TemporaryCopy, temporaryCopyOf, type TemporaryCopyOptions } from "./temporaryCopy.ts"
import { TemporaryCopyJournal } from "./TemporaryCopyJournal.ts"

/** The outcome of running a temporary copy. */
interface Outcome {
  /** Undefined if the run did not end in time. */
  readonly execution: Execution | undefined
  /** The response of a Respond to Webhook node to the call. */
  readonly response: ReturnType<typeof responseOf> | undefined
  /** The temporary copy, if it could not be deleted. */
  readonly left: LeftCopy | undefined
}

/** The webhook of a temporary copy, and the time that its run may take. */
interface Calling {
  readonly path: string
  /** The secret by which its execution is recognised: nobody else can call it with this. */
  readonly secret: string
  readonly seconds: number
}

/** Reads the execution of a temporary copy. */
type ReadRun = (id: ExecutionId) => Effect.Effect<Execution, EngineError, EngineClient>

/**
 * Runs a temporary copy once, if it can be deleted again: creates it, activates it, calls its webhook, reads the execution,
 * and deletes it whatever happened. Creating and deleting cannot be interrupted, so no copy is left unknown.
 */
const runTemporaryCopy = Effect.fnUntraced(function* (
  copy: TemporaryCopy,
  calling: Calling,
  read: ReadRun = readFailed
) {
  const engine = yield* EngineClient
  const journal = yield* TemporaryCopyJournal
  const stopping = yield* Stopping
  if (Deferred.isDoneUnsafe(stopping)) return yield* new ServerStopping({ instance: engine.instance, isBegun: false })
  const { name } = copy.creation
  yield* mayRemove
  if (!cleanedUp.has(engine)) {
    cleanedUp.add(engine)
    yield* Effect.ignore(eraseOld)
  }
  return yield* Effect.uninterruptibleMask((restore) =>
    journal.during(
      { instance: engine.instance, name },
      Effect.gen(function* () {
        const made = yield* detached(engine.createWorkflow(copy.creation))
        if (Exit.isFailure(made)) {
          const gone = mayExist(made) ? Exit.isSuccess(yield* detached(eraseNamed(name))) : true
          return { isGone: gone, outcome: Exit.failCause(made.cause) }
        }
        const { id } = made.value.workflow
        const stopped = Effect.andThen(
          Deferred.await(stopping),
          Effect.fail(new ServerStopping({ instance: engine.instance, isBegun: true }))
        )
        const exit = yield* Effect.exit(restore(Effect.raceFirst(activateAndRun(id, copy, calling, read), stopped)))
        const execution = Exit.isSuccess(exit) ? exit.value.execution : undefined
        const isOver = execution !== undefined && statusOf(execution) !== "waiting"
        const erased = yield* detached(
          Effect.andThen(isOver ? Effect.void : stopRuns(id), eraseTemporaryCopy({ id, name }))
        )
        if (Exit.isSuccess(erased)) {
          return { isGone: true, outcome: Exit.map(exit, (run): Outcome => ({ ...run, left: undefined })) }
        }
        const left =
          erased.cause.reasons.find(Cause.isFailReason)?.error ??
          new LeftCopy({ id, name, instance: engine.instance, problem: "it could not be tried", isOff: false })
        yield* Effect.logWarning(left.message)
        const outcome = Exit.isSuccess(exit)
          ? Exit.succeed<Outcome>({ ...exit.value, left })
          : Exit.failCause(Cause.map(exit.cause, (error) => withLeft(error, left)))
        return { isGone: false, outcome }
      })
    )
  )
})

/** The clients of instances that this process has cleaned of older copies. */
const cleanedUp = new WeakSet<object>()

/** Whether a creation that failed may have created the workflow all the same. */
const mayExist = ({ cause }: Exit.Failure<unknown, EngineError>) =>
  cause.reasons.some((reason) => !Cause.isFailReason(reason) || isOutcomeUnknown(reason.error))

/** A gateway's 5xx does not say whether the engine was reached. */
const isOutcomeUnknown = (error: EngineError) =>
  error._tag === "OutcomeUnknown" || error._tag === "Timeout" || (error._tag === "ApiError" && error.httpStatus >= 500)

/** A failure whose temporary copy is left as well. */
const withLeft = (error: EngineError, { id, instance, message }: LeftCopy) =>
  new StepFailed({
    instance,
    id,
    done: "created as a temporary copy",
    step: "its run",
    problem: `${error.message} ${message}`
  })

/** Runs to the end in a fiber of its own, even if the call is interrupted or its time is over. */
const detached = Effect.fnUntraced(function* <A, E, R>(self: Effect.Effect<A, E, R>) {
  const until = (yield* monotonicMillis) + 30_000
  return yield* Fiber.await(yield* Effect.forkDetach(Effect.provideService(self, Deadline, until)))
})

const activateAndRun = Effect.fnUntraced(function* (
  id: WorkflowId,
  copy: TemporaryCopy,
  calling: Calling,
  read: ReadRun
) {
  yield* switchOn(id)
  const inAll = Duration.millis(calling.seconds * 1000 + grace)
  const until = (yield* monotonicMillis) + Duration.toMillis(Duration.min(inAll, yield* remaining(inAll)))
  const inTime = <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.flatMap(monotonicMillis, (now) => Effect.timeoutOption(self, Math.max(0, until - now)))

  const called = yield* inTime(callWebhook(id, copy, calling))
  const response = Option.getOrUndefined(called)
  if (Option.isNone(called)) return { execution: undefined, response }
  const ofOthers = new Set<ExecutionId>()
  for (;;) {
    const ended = yield* inTime(endedExecution(id, ofOthers))
    if (Option.isNone(ended)) return { execution: undefined, response }
    const execution = yield* read(ended.value)
    if (bears(execution, copy, calling)) return { execution, response }
    ofOthers.add(ended.value)
  }
})

/** Whether an execution is the one of our call. */
const bears = (execution: Execution, { hook }: TemporaryCopy, { secret }: Calling): boolean => {
  const run = runDataOf(execution)?.runs.find(({ node }) => node === hook)
  return objectOf(objectOf(jsonOf(run?.outputs[0]?.[0])).body).secret === secret
}

/** Milliseconds to wait for the engine itself to end a run that takes too long. */
const grace = 3000

const callWebhook = Effect.fnUntraced(function* (
  id: WorkflowId,
  { body, creation }: TemporaryCopy,
  { path, secret }: Calling
) {
  const { instance } = yield* EngineClient
  const request = {
    method: "POST",
    path: `/webhook/${path}`,
    body,
    headers: { "content-type": "application/json" }
  } as const
  const sought = { after: 0, mark: secret, isMarked: true }
  const reply = yield* Effect.result(callOnceRegistered(request, id, sought))
  if (Result.isFailure(reply)) {
    // The execution will show whether the run was started.
    return yield* isOutcomeUnknown(reply.failure) ? Effect.undefined : Effect.fail(reply.failure)
  }
  const { status } = reply.success
  const answersItself = creation.nodes.some(({ parameters }) => Object(parameters).responseMode === "responseNode")
  if (answersItself) return responseOf(reply.success)
  if (status < 300) return undefined
  const details = {
    httpStatus: status,
    problem: problemOf(reply.success, instance),
    apiResponse: apiResponse(reply.success)
  }
  return yield* new ApiError({ instance, ...details })
})

/** The id of the first execution of a temporary copy but for those of others, once it has ended or waits for something. */
const endedExecution = Effect.fnUntraced(function* (workflowId: WorkflowId, ofOthers: ReadonlySet<ExecutionId>) {
  const engine = yield* EngineClient
  for (let look = 0; ; look++) {
    if (look > 0) yield* Effect.sleep(look <= 20 ? "100 millis" : "500 millis")
    const { data } = yield* engine.listExecutions({ workflowId, limit: 100 })
    const first = data.findLast((one) => !ofOthers.has(one.id) && !["new", "running"].includes(statusOf(one)))
    if (first !== undefined) return first.id
  }
})

/** Stops what still runs if the engine can; otherwise the workflow's own time limit will. */
const stopRuns = (workflowId: WorkflowId) =>
  EngineClient.use((engine) =>
    Effect.forEach(["new", "running", "waiting"] as const, (status) =>
      Effect.ignore(
        Effect.flatMap(engine.listExecutions({ workflowId, status, limit: 10 }), ({ data }) =>
          Effect.forEach(data, ({ id }) => Effect.ignore(engine.stopExecutionIfSupported(id)))
        )
      )
    )
  )

/** Runs a part of a workflow once through a temporary copy that nobody else can call; `read` reads its execution. */
export const runPart = Effect.fnUntraced(function* (
  workflow: Workflow,
  part: Part,
  options: Omit<TemporaryCopyOptions, "name" | "path" | "secret">,
  read?: ReadRun
) {
  const mark = (yield* random).replaceAll("-", "").slice(0, 12)
  const now = new Date(yield* Clock.currentTimeMillis).toISOString()
  const path = yield* random
  const text = yield* random
  const secret = { text, digest: sha256(text) }
  const name = temporaryName(workflow.name, mark, now)
  const copy = temporaryCopyOf(workflow, part, { ...options, path, secret, name })
  const outcome = yield* runTemporaryCopy(copy, { path, secret: text, seconds: options.seconds }, read)
  return { ...outcome, copy }
})

/** A random text that cannot be guessed. */
const random = Effect.sync(() => crypto.randomUUID())
