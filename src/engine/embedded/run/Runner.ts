import { Clock, Context, Deferred, Effect, Exit, FiberMap, Layer, Option } from "effect"

import type { ExecutionRecord, Snapshot, Step } from "../store/records.ts"
import { Store } from "../store/Store.ts"
import type { Response } from "./nodes.ts"
import { type Pending, walk } from "./walk.ts"

/** A run to start. */
interface Order {
  readonly workflowId: string
  readonly snapshot: Snapshot
  readonly mode: ExecutionRecord["mode"]
  readonly retryOf?: number
  readonly start: Pending
  /** The steps of the retried run. */
  readonly steps?: ReadonlyArray<Step>
}

/** A run that was started. It continues when its caller stops waiting. */
export interface Run {
  readonly id: number
  /** The workflow's response, as soon as there is one; `undefined` if it ends without. */
  readonly response: Effect.Effect<Response | undefined>
  /** The execution, once it has ended. */
  readonly end: Effect.Effect<ExecutionRecord>
}

/** Runs workflows and records their executions. */
export class Runner extends Context.Service<
  Runner,
  {
    readonly start: (order: Order) => Effect.Effect<Run>
    /** Ends a run; false when none with this id is running. */
    readonly stop: (id: number) => Effect.Effect<boolean>
  }
>()("workflow-tool-server/embedded/engine/run/Runner") {
  static readonly layer = Layer.effect(
    Runner,
    Effect.gen(function* () {
      const { commit, exclusive, tables } = yield* Store
      const fibers = yield* FiberMap.make<number>()

      const begin = Effect.fnUntraced(function* ({ mode, retryOf, snapshot, steps, workflowId }: Order) {
        const id = tables.counters.execution + 1
        const execution: ExecutionRecord = {
          id,
          workflowId,
          mode,
          status: "running",
          retryOf: retryOf ?? null,
          retrySuccessId: null,
          startedAt: yield* Clock.currentTimeMillis,
          stoppedAt: null,
          snapshot,
          steps: steps ?? []
        }
        const [oldest] = tables.executions.size < mostExecutions ? [] : tables.executions.keys()
        yield* commit(
          { execution },
          { counters: { ...tables.counters, execution: id } },
          ...(oldest === undefined ? [] : [{ removedExecution: oldest }])
        )
        return execution
      }, exclusive)

      const finish = Effect.fnUntraced(function* (
        begun: ExecutionRecord,
        status: ExecutionRecord["status"],
        steps: ReadonlyArray<Step>
      ) {
        const execution = { ...begun, status, steps, stoppedAt: yield* Clock.currentTimeMillis }
        const original = begun.retryOf === null ? undefined : tables.executions.get(begun.retryOf)
        const isKept = begun.snapshot.settings[savedWhen[status] ?? ""] !== "none"
        yield* commit(
          ...(!tables.executions.has(begun.id) ? [] : isKept ? [{ execution }] : [{ removedExecution: begun.id }]),
          ...(original !== undefined && status === "success"
            ? [{ execution: { ...original, retrySuccessId: begun.id } }]
            : [])
        )
        return execution
      }, exclusive)

      const start = Effect.fn("Runner.start")(function* (order: Order) {
        const begun = yield* begin(order)
        const response = yield* Deferred.make<Response | undefined>()
        const end = yield* Deferred.make<ExecutionRecord>()
        const steps = [...begun.steps]
        const seconds = Number(begun.snapshot.settings.executionTimeout ?? 0)
        const walking = walk({ ...begun.snapshot, id: begun.workflowId }, order.start, steps, (said) =>
          Deferred.succeed(response, said)
        )
        const inTime = seconds > 0 ? Effect.timeoutOption(walking, `${seconds} seconds`) : Effect.asSome(walking)

        yield* Effect.interruptible(inTime).pipe(
          Effect.onExit((exit) =>
            Effect.flatMap(finish(begun, statusOf(exit, steps), steps), (done) => Deferred.succeed(end, done))
          ),
          Effect.ensuring(Deferred.succeed(response, undefined)),
          FiberMap.run(fibers, begun.id)
        )
        return { id: begun.id, response: Deferred.await(response), end: Deferred.await(end) }
      }, Effect.uninterruptible)

      const stop = Effect.fn("Runner.stop")(function* (id: number) {
        if (yield* FiberMap.has(fibers, id)) {
          yield* FiberMap.remove(fibers, id)
          return true
        }
        const execution = tables.executions.get(id)
        if (execution?.status !== "running" && execution?.status !== "waiting") return false
        yield* finish(execution, "canceled", execution.steps)
        return true
      })

      return Runner.of({ start, stop })
    })
  )
}

/** The number of executions that are kept, as by a real engine without configuration. */
const mostExecutions = 10_000

/** A run that was stopped or timed out is canceled, one that broke the engine has crashed. */
const statusOf = (exit: Exit.Exit<Option.Option<void>>, steps: ReadonlyArray<Step>): ExecutionRecord["status"] => {
  if (Exit.isFailure(exit)) return Exit.hasInterrupts(exit) ? "canceled" : "crashed"
  if (Option.isNone(exit.value)) return "canceled"
  return steps.some(({ failure }) => failure !== null) ? "error" : "success"
}

/** The setting that decides whether an execution with this end is kept. */
const savedWhen: Readonly<Record<string, string>> = {
  success: "saveDataSuccessExecution",
  error: "saveDataErrorExecution"
}
