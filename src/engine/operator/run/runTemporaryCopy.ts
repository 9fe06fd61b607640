import { Cause, Deferred, Duration, Effect, Exit, Fiber, Option, Result } from "effect"

import { objectOf } from "../../../internal/schema/JsonObject.ts"
import { monotonicMillis } from "../../../internal/time.ts"
import { Stopping } from "../../../mcp/callContext.ts"
import { Deadline, remaining } from "../../client/Deadline.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { ApiError, type EngineError, ServerStopping, StepFailed } from "../../client/EngineError.ts"
import { apiResponse, problemOf } from "../../client/replies.ts"
import { callOnceRegistered } from "../../tools/workflows/execute.ts"
import { switchOn } from "../../tools/workflows/switchOn.ts"
import type { Execution, ExecutionId, WorkflowId } from "../../workflow/models.ts"
import { statusOf } from "../explain/describeExecution.ts"
import { readFailed } from "../explain/readExecutions.ts"
import { jsonOf, runDataOf } from "../explain/runData.ts"
import { eraseNamed, eraseOld, eraseTemporaryCopy } from "./eraseTemporaryCopies.ts"
import { LeftCopy } from "./LeftCopy.ts"
import { mayRemove } from "./mayRemove.ts"
import type { TemporaryCopy } from "./temporaryCopy.ts"
import { TemporaryCopyJournal } from "./TemporaryCopyJournal.ts"

/** The outcome of running a temporary copy. */
export interface Outcome {
  /** Undefined if the run did not end in time. */
  readonly execution: Execution | undefined
  /** The temporary copy, if it could not be deleted. */
  readonly left: LeftCopy | undefined
}

/** Where a temporary copy is called, and how long its run may take. */
export interface Calling {
  readonly path: string
  /** What its execution is known by: nobody else can call it with this. */
  readonly secret: string
  readonly seconds: number
}

/** How the execution of a temporary copy is read. */
export type ReadRun = (id: ExecutionId) => Effect.Effect<Execution, EngineError, EngineClient>

/**
 * Runs a temporary copy once, if it can be deleted again: creates it, activates it, calls its webhook, reads the execution,
 * and deletes it whatever happened. Creating and deleting cannot be interrupted, so no copy is left unknown.
 */
export const runTemporaryCopy = Effect.fnUntraced(function* (
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
        const isOver = Exit.isSuccess(exit) && exit.value !== undefined && statusOf(exit.value) !== "waiting"
        const erased = yield* detached(
          Effect.andThen(isOver ? Effect.void : stopRuns(id), eraseTemporaryCopy({ id, name }))
        )
        if (Exit.isSuccess(erased)) {
          return { isGone: true, outcome: Exit.map(exit, (execution): Outcome => ({ execution, left: undefined })) }
        }
        const left =
          erased.cause.reasons.find(Cause.isFailReason)?.error ??
          new LeftCopy({ id, name, instance: engine.instance, problem: "it could not be tried", isOff: false })
        yield* Effect.logWarning(left.message)
        const outcome = Exit.isSuccess(exit)
          ? Exit.succeed<Outcome>({ execution: exit.value, left })
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

  if (Option.isNone(yield* inTime(callWebhook(id, copy, calling)))) return undefined
  const ofOthers = new Set<ExecutionId>()
  for (;;) {
    const ended = yield* inTime(endedExecution(id, ofOthers))
    if (Option.isNone(ended)) return undefined
    const execution = yield* read(ended.value)
    if (bears(execution, copy, calling)) return execution
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
    return yield* isOutcomeUnknown(reply.failure) ? Effect.void : Effect.fail(reply.failure)
  }
  const { status } = reply.success
  const answersItself = creation.nodes.some(({ parameters }) => Object(parameters).responseMode === "responseNode")
  if (status < 300 || answersItself) return yield* Effect.void
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
