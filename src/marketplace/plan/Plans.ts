import { Clock, Context, Effect, Hash, Layer, Semaphore } from "effect"

import { MarketplaceAds } from "../MarketplaceAds.ts"
import { limitOf, readOnlyReason } from "../MarketplaceClient.ts"
import { MarketplaceConfig } from "../MarketplaceConfig.ts"
import { AdsReadOnly, type MarketplaceError } from "../MarketplaceError.ts"
import { applyBatch, confirm } from "./applyBatch.ts"
import { batchesOf } from "./batches.ts"
import { estimate } from "./estimate.ts"
import { planProblems } from "./guards.ts"
import { type History, historyOf } from "./history.ts"
import type { Draft, Plan, Step } from "./Plan.ts"
import {
  ApplyStopped,
  GuardViolation,
  NothingToRollBack,
  PlanExpired,
  PlanNotFound,
  PlanSpent,
  type PlanStale,
  type PlanStoreFailed
} from "./PlanError.ts"
import { type Entry, PlanStore } from "./PlanStore.ts"
import { begin, type Progress, report, type Report } from "./Progress.ts"
import { wayBack } from "./wayBack.ts"

export interface ApplyOptions {
  /** No new batch is begun after this time; apply again to go on. Default: until done. */
  readonly maxSeconds?: number
  /** Called after every batch. */
  readonly onProgress?: (done: number, total: number) => Effect.Effect<void>
}

type Refusal = AdsReadOnly | GuardViolation | PlanExpired | PlanNotFound | PlanSpent | PlanStoreFailed

/** Plans that are kept, applied once, go on after a break, and can be taken back. */
export class Plans extends Context.Service<
  Plans,
  {
    /** Keeps a draft as a plan; nothing is changed. */
    readonly keep: (draft: Draft) => Effect.Effect<Plan, PlanStoreFailed>
    readonly history: (id: string) => Effect.Effect<History, PlanNotFound | PlanStoreFailed>
    /** Checks and sends what is not done yet, reads it back, and writes every step down. */
    readonly apply: (id: string, options?: ApplyOptions) => Effect.Effect<Report, ApplyStopped | PlanStale | Refusal>
    /** The plan that leads back from what a plan has done; it changes nothing until it is applied itself. */
    readonly rollback: (
      id: string
    ) => Effect.Effect<Plan, MarketplaceError | NothingToRollBack | PlanNotFound | PlanSpent | PlanStoreFailed>
    readonly entries: Effect.Effect<ReadonlyArray<Entry>, PlanStoreFailed>
    /** Writes down a change that needs no plan; `before` is the campaign's status. */
    readonly record: (action: {
      readonly operation: string
      readonly advert_id: number
      readonly before: number
      readonly outcome: string
    }) => Effect.Effect<void, PlanStoreFailed>
  }
>()("workflow-tool-server/marketplace/Plans") {
  static readonly layer: Layer.Layer<Plans, never, MarketplaceAds | MarketplaceConfig | PlanStore> = Layer.effect(
    Plans,
    Effect.gen(function* () {
      const ads = yield* MarketplaceAds
      const settings = yield* MarketplaceConfig
      const store = yield* PlanStore
      const oneAtATime = yield* Semaphore.make(1)
      const now = Clock.currentTimeMillis

      const keep = Effect.fn("Plans.keep")(function* (draft: Draft, reverses?: string) {
        const createdAt = yield* now
        const content = (Hash.string(JSON.stringify(draft.steps)) >>> 0).toString(36)
        const plan: Plan = {
          ...draft,
          id: `${draft.kind}-${createdAt.toString(36)}-${content}`,
          estimate: estimate(draft.steps, (operation) => limitOf(settings, operation)),
          createdAt,
          expiresAt: createdAt + settings.planMinutes * 60_000,
          ...(reverses === undefined ? {} : { reverses })
        }
        yield* store.append({ type: "planned", at: createdAt, plan_id: plan.id, plan })
        return plan
      })

      const history = Effect.fn("Plans.history")(function* (id: string) {
        const found = historyOf(yield* store.entries, id)
        return found ?? (yield* new PlanNotFound({ id }))
      })

      /** The history of a plan that may be applied now. */
      const applicable = Effect.fnUntraced(function* (id: string) {
        const past = yield* history(id)
        const { begun, finished, goingBack, plan, takenBack } = past
        const forbidden = readOnlyReason(settings)
        if (forbidden !== undefined) return yield* new AdsReadOnly({ operation: "apply", detail: forbidden })
        if (goingBack || takenBack) return yield* new PlanSpent({ id, state: "taken back" })
        if (finished) return yield* new PlanSpent({ id, state: "applied" })
        if (!begun && (yield* now) > plan.expiresAt) return yield* new PlanExpired({ id })
        const problems = planProblems(settings.guards, plan)
        return problems.length > 0 ? yield* new GuardViolation({ id, problems }) : past
      })

      const apply = Effect.fn("Plans.apply")(
        function* (id: string, options: ApplyOptions = {}) {
          const past = yield* applicable(id)
          const progress = begin(past)
          const until = (yield* now) + (options.maxSeconds ?? Infinity) * 1000
          for (const batch of batchesOf(past.plan.steps.filter((step) => !progress.done.has(step.id)))) {
            if ((yield* now) >= until) return report(progress, "in progress")
            yield* applyBatch(ads, store, batch, progress).pipe(
              Effect.mapError((error) => stopped(progress, error, batch.steps)),
              Effect.tapError(({ message }) =>
                Effect.flatMap(now, (at) => store.append({ type: "stopped", at, plan_id: id, problem: message }))
              )
            )
            if (options.onProgress !== undefined) yield* options.onProgress(progress.done.size, progress.total)
          }
          yield* Effect.mapError(confirm(ads, store, past.plan.steps, progress), (error) => stopped(progress, error))
          yield* store.append({ type: "finished", at: yield* now, plan_id: id })
          return report(progress, "applied")
        },
        (effect) => oneAtATime.withPermit(effect)
      )

      const rollback = Effect.fn("Plans.rollback")(function* (id: string) {
        const past = yield* history(id)
        if (past.takenBack) return yield* new PlanSpent({ id, state: "taken back" })
        const draft = yield* wayBack(ads, past)
        if (draft.steps.length === 0) return yield* new NothingToRollBack({ id, blocked: draft.blocked })
        return yield* keep(draft, id)
      })

      return Plans.of({
        keep: (draft) => keep(draft),
        history,
        apply,
        rollback,
        entries: store.entries,
        record: (action) => Effect.flatMap(now, (at) => store.append({ type: "action", at, ...action }))
      })
    })
  )
}

/** What stops an apply, told with how far it has come. */
const stopped = (
  { done, id, total }: Progress,
  error: ApplyStopped | MarketplaceError | PlanStale | PlanStoreFailed,
  at: ReadonlyArray<Step> = []
) =>
  error._tag === "PlanStale" || error._tag === "PlanStoreFailed" || error._tag === "ApplyStopped"
    ? error
    : new ApplyStopped({
        id,
        done: done.size,
        total,
        reason: error._tag,
        problem: `${placesOf(at)}${error.message}`,
        ...(error._tag === "AdsRateLimited" ? { retryAfterSeconds: error.retryAfterSeconds } : {})
      })

/** The places that one call is about, as far as they help to find the trouble. */
const placesOf = (steps: ReadonlyArray<Step>): string => {
  const [first, ...others] = steps
  if (first === undefined) return ""
  return others.length === 0 ? `At ${first.id}: ` : `At ${first.id} and ${others.length} more in the same call: `
}
