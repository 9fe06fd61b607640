import { Effect, Option } from "effect"

import { isOpen, type PlanState, recordOf } from "../../../changes/PlanState.ts"
import { grouped } from "../../../internal/collections.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { Instances } from "../../client/Instances.ts"
import { statusOf } from "../../operator/explain/describeExecution.ts"
import { failureClassOf } from "../../operator/explain/failureRules.ts"
import { readFailed } from "../../operator/explain/readExecutions.ts"
import { failedRunOf } from "../../operator/explain/subRuns.ts"
import { ExecutionId } from "../../workflow/models.ts"
import { type Change, isRetried } from "../Change.ts"

/** Failed retries whose class is read. */
const mostRead = 40

/** The outcomes of the runs that a plan of retries has begun: how many succeeded, and the classes of those that failed again. */
export const retryReport = Effect.fnUntraced(function* (instances: Instances["Service"], state: PlanState<Change>) {
  const begun = state.plan.steps.flatMap(({ change, id }) => {
    const { created, doneAt } = recordOf(state, id)
    return isRetried(change) && doneAt !== undefined ? [{ instance: change.instance, run: created }] : []
  })
  if (begun.length === 0 || state.plan.steps.some(isOpen(state))) return {}
  const rows = yield* Effect.forEach(
    grouped(begun, ({ instance }) => instance),
    ([name, some]) =>
      Effect.flatMap(instances.resolve(name), (engine) =>
        Effect.forEach(
          some,
          ({ run }) =>
            typeof run !== "number"
              ? Effect.succeed("unknown")
              : Effect.map(
                  Effect.option(engine.getExecution(ExecutionId.make(run), false)),
                  Option.match({
                    onNone: () => "unknown",
                    onSome: (one) =>
                      statusOf(one) === "error" || statusOf(one) === "crashed" ? `failed ${run}` : statusOf(one)
                  })
                ),
          { concurrency: 4 }
        ).pipe(
          Effect.flatMap((statuses) =>
            Effect.forEach(statuses, (status, index) => {
              const id = index < mostRead ? /^failed (\d+)$/.exec(status)?.[1] : undefined
              return id === undefined
                ? Effect.succeed(status.startsWith("failed ") ? "failed: not read" : status)
                : Effect.map(Effect.option(readFailed(ExecutionId.make(Number(id)))), (read) =>
                    Option.isNone(read)
                      ? "failed: unknown"
                      : `failed: ${failureClassOf(read.value, failedRunOf(read.value))}`
                  )
            })
          ),
          Effect.provideService(EngineClient, engine)
        )
      )
  ).pipe(Effect.option)
  if (Option.isNone(rows)) return { retried: begun.length }
  const counts = new Map<string, number>()
  for (const outcome of rows.value.flat()) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  const failed = [...counts].flatMap(([outcome, count]) =>
    outcome.startsWith("failed: ") ? [[outcome.slice("failed: ".length), count] as const] : []
  )
  const others = begun.length - (counts.get("success") ?? 0) - failed.reduce((sum, [, count]) => sum + count, 0)
  return {
    retried: begun.length,
    succeeded: counts.get("success") ?? 0,
    ...(failed.length === 0 ? {} : { failed_again: Object.fromEntries(failed) }),
    ...(others === 0 ? {} : { still_open: others })
  }
})
