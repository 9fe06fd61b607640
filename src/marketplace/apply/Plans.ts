import { Clock, Context, Effect, Hash, Layer, Result, Semaphore } from "effect"

import { limitOf, readOnlyReason } from "../client/keyRules.ts"
import { MarketplaceAds } from "../client/MarketplaceAds.ts"
import { MarketplaceConfig } from "../client/MarketplaceConfig.ts"
import { AdsReadOnly, MarketplaceError } from "../client/MarketplaceError.ts"
import { clusterUnit } from "../plan/clusterUnit.ts"
import { estimate } from "../plan/estimate.ts"
import { planProblems } from "../plan/guards.ts"
import { holdToDay, holdToGuards, warnOfRaises } from "../plan/guardWayBack.ts"
import type { Draft, Plan } from "../plan/Plan.ts"
import { bidsDayAgo, type History, historyOf, isOutrun, leadsBack } from "./history.ts"
import {
  type ApplyStopped,
  GuardViolation,
  NothingToRollBack,
  PlanExpired,
  PlanNotFound,
  PlanSpent,
  PlanStoreFailed
} from "./PlanError.ts"
import { type Kept, PlanStore } from "./PlanStore.ts"
import { begin, type Report } from "./Progress.ts"
import { runPlan } from "./runPlan.ts"
import { wayBack } from "./wayBack.ts"

/** How long an apply may take, and who hears of it. */
export interface ApplyOptions {
  /** No new batch is begun after this time; apply again to go on. Default: until done. */
  readonly maxSeconds?: number
  /** Called after every batch. */
  readonly onProgress?: (done: number, total: number) => Effect.Effect<void>
}

type Refusal = GuardViolation | MarketplaceError | PlanExpired | PlanNotFound | PlanSpent | PlanStoreFailed

/** Plans that are kept, applied once, go on after a break, and can be taken back. */
export class Plans extends Context.Service<
  Plans,
  {
    /** Keeps a draft as a plan; nothing is changed. */
    readonly keep: (draft: Draft) => Effect.Effect<Plan, PlanStoreFailed>
    readonly history: (id: string) => Effect.Effect<History, PlanNotFound | PlanStoreFailed>
    /** Checks and sends what is not done yet, reads it back, and writes every step down. */
    readonly apply: (id: string, options?: ApplyOptions) => Effect.Effect<Report, ApplyStopped | Refusal>
    /** The plan that leads back from what a plan has done; it changes nothing until it is applied itself. */
    readonly rollback: (
      id: string
    ) => Effect.Effect<Plan, MarketplaceError | NothingToRollBack | PlanNotFound | PlanSpent | PlanStoreFailed>
    readonly entries: Effect.Effect<ReadonlyArray<Kept>>
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
      const kept = yield* PlanStore
      const writing = yield* Semaphore.make(1)
      const store = PlanStore.of({ ...kept, append: (entry) => writing.withPermit(kept.append(entry)) })
      const oneAtATime = yield* Semaphore.make(1)
      const now = Clock.currentTimeMillis

      const unitOf = ({ provenUnit }: Draft) =>
        Result.getOrUndefined(clusterUnit(settings.wire, provenUnit === undefined ? [] : [provenUnit]))

      /** Leaves out what the guards forbid for one day, which only the journal can tell. */
      const keepForward = Effect.fnUntraced(function* (draft: Draft, reverses?: string) {
        const dayAgo = bidsDayAgo(yield* store.entries, yield* now)
        return yield* keep(holdToDay(settings.guards, draft, dayAgo), reverses)
      })

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
        const entries = yield* store.entries
        const found = historyOf(entries, id)
        if (found !== undefined) return found
        const lost = entries.find((entry) => entry.type === "unreadable" && entry.plan_id === id)
        return yield* lost?.type === "unreadable"
          ? new PlanStoreFailed({ problem: lost.problem })
          : new PlanNotFound({ id })
      })

      /** Where a plan stands that may be applied now. */
      const applicable = Effect.fnUntraced(function* (id: string) {
        const past = yield* history(id)
        const { begun, finished, goingBack, plan, takenBack } = past
        const forbidden = readOnlyReason(settings, yield* now)
        if (forbidden !== undefined) {
          return yield* new MarketplaceError({ operation: "apply", reason: new AdsReadOnly({ detail: forbidden }) })
        }
        const [unreadable] = past.unreadable
        if (unreadable !== undefined) {
          return yield* new PlanStoreFailed({ problem: `${unreadable}. It may be about plan ${id}: make a new plan` })
        }
        if (goingBack || takenBack) return yield* new PlanSpent({ id, state: "taken back" })
        if (finished) return yield* new PlanSpent({ id, state: "applied" })
        const original = plan.reverses === undefined ? undefined : yield* history(plan.reverses)
        if (original !== undefined) {
          if (original.takenBack) return yield* new PlanSpent({ id: original.plan.id, state: "taken back" })
          if (isOutrun(plan, original)) return yield* new PlanExpired({ id })
        }
        if (!begun && (yield* now) > plan.expiresAt) return yield* new PlanExpired({ id })
        const entries = yield* store.entries
        const dayAgo = bidsDayAgo(entries, yield* now)
        const problems = planProblems(settings.guards, plan.steps, {
          isLeadingBack: leadsBack(entries, plan),
          dayAgo,
          unit: unitOf(plan)
        })
        return problems.length > 0 ? yield* new GuardViolation({ id, problems }) : begin(past, original)
      })

      const apply = Effect.fn("Plans.apply")(function* (id: string, options: ApplyOptions = {}) {
        const { maxSeconds = Infinity, onProgress = () => Effect.void } = options
        const until = (yield* now) + maxSeconds * 1000
        const work = Effect.flatMap(applicable(id), (progress) =>
          runPlan({ ads, store, wire: settings.wire, progress, until }, onProgress)
        )
        return yield* oneAtATime.withPermit(store.hold(work))
      })

      const rollback = Effect.fn("Plans.rollback")(function* (id: string) {
        const past = yield* history(id)
        if (past.takenBack) return yield* new PlanSpent({ id, state: "taken back" })
        const way = yield* wayBack(ads, past, settings.wire)
        const isForward = leadsBack(yield* store.entries, past.plan)
        const known = (isForward ? holdToGuards : warnOfRaises)(settings.guards, way, unitOf(way))
        const left = past.unreadable.map((problem) => `${problem}: what only it tells of is not taken back here`)
        const draft = { ...known, warnings: [...known.warnings, ...left] }
        if (draft.steps.length === 0) return yield* new NothingToRollBack({ id, blocked: draft.blocked })
        return yield* isForward ? keepForward(draft, id) : keep(draft, id)
      })

      return Plans.of({
        keep: (draft) => keepForward(draft),
        history,
        apply,
        rollback,
        entries: store.entries,
        record: (action) => Effect.flatMap(now, (at) => store.append({ type: "action", at, ...action }))
      })
    })
  )
}
