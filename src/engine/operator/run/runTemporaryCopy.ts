import { Cause, Deferred, Duration, Effect, Exit, Fiber, Option, Result } from "effect"

import { monotonicMillis } from "../../../internal/http/monotonicMillis.ts"
import { Stopping } from "../../../mcp/Stopping.ts"
import { Deadline, remaining } from "../../client/Deadline.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { ApiError, type EngineError, ServerStopping } from "../../client/EngineError.ts"
import type { Execution, ExecutionId, WorkflowId } from "../../client/models.ts"
import { apiResponse, problemOf } from "../../client/replies.ts"
import { callOnceRegistered } from "../../tools/workflows/execute.ts"
import { switchOn } from "../../tools/workflows/switchOn.ts"
import { statusOf } from "../explain/describeExecution.ts"
import { readFailed } from "../explain/readExecutions.ts"
import { eraseNamed, eraseOld, eraseTemporaryCopy } from "./eraseTemporaryCopies.ts"
import type { TemporaryCopy } from "./temporaryCopy.ts"
import { TemporaryCopyJournal } from "./TemporaryCopyJournal.ts"

/** The outcome of running a temporary copy. */
export interface Outcome {
  /** Undefined if the run did not end in time. */
  readonly execution: Execution | undefined
  /** The temporary copy, if it could not be deleted, and why. */
  readonly left: { readonly id: string; readonly problem: string } | undefined
}

/** Where a temporary copy is called, and how long its run may take. */
export interface Calling {
  readonly path: string
  readonly seconds: number
}

/** How the execution of a temporary copy is read. */
export type ReadRun = (id: ExecutionId) => Effect.Effect<Execution, EngineError, EngineClient>

/**
 * Runs a temporary copy once: creates it, activates it, calls its webhook, reads the execution, and deletes it whatever
 * happened. Creating and deleting cannot be interrupted, so no copy is left unknown.
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
        const erased = yield* detached(Effect.andThen(isOver ? Effect.void : stopRuns(id), eraseTemporaryCopy(id)))
        const left = Exit.isFailure(erased) ? { id, problem: problemIn(erased.cause) } : undefined
        if (left !== undefined)
          yield* Effect.logWarning(`${name} (${id}) is left on ${engine.instance}: ${left.problem}`)
        return { isGone: left === undefined, outcome: Exit.map(exit, (execution): Outcome => ({ execution, left })) }
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

const problemIn = (cause: Cause.Cause<EngineError>): string =>
  cause.reasons.find(Cause.isFailReason)?.error.message ?? "it could not be tried"

/** Runs to the end in a fiber of its own, even if the call is interrupted or its time is over. */
const detached = Effect.fnUntraced(function* <A, E, R>(self: Effect.Effect<A, E, R>) {
  const until = (yield* monotonicMillis) + 30_000
  return yield* Fiber.await(yield* Effect.forkDetach(Effect.provideService(self, Deadline, until)))
})

const activateAndRun = Effect.fnUntraced(function* (
  id: WorkflowId,
  copy: TemporaryCopy,
  { path, seconds }: Calling,
  read: ReadRun
) {
  yield* switchOn(id)
  const inAll = Duration.millis(seconds * 1000 + grace)
  const run = Effect.gen(function* () {
    yield* callWebhook(id, copy, path)
    return yield* endedExecution(id)
  })
  const found = yield* Effect.timeoutOption(run, Duration.min(inAll, yield* remaining(inAll)))
  if (Option.isNone(found)) return undefined
  return yield* read(found.value)
})

/** Milliseconds to wait for the engine itself to end a run that takes too long. */
const grace = 3000

const callWebhook = Effect.fnUntraced(function* (id: WorkflowId, { body, creation }: TemporaryCopy, path: string) {
  const { instance } = yield* EngineClient
  const request = {
    method: "POST",
    path: `/webhook/${path}`,
    body,
    headers: { "content-type": "application/json" }
  } as const
  const sought = { after: 0, mark: path, isMarked: false }
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

/** The id of the one execution of a temporary copy, once it has ended or waits for something. */
const endedExecution = Effect.fnUntraced(function* (workflowId: WorkflowId) {
  const engine = yield* EngineClient
  for (let look = 0; ; look++) {
    if (look > 0) yield* Effect.sleep(look <= 20 ? "100 millis" : "500 millis")
    const { data } = yield* engine.listExecutions({ workflowId, limit: 1 })
    const [first] = data
    if (first !== undefined && !["new", "running"].includes(statusOf(first))) return first.id
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
