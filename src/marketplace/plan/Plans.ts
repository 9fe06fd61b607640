import { Clock, Context, Effect, Hash, Layer, Result, Semaphore } from "effect"

import { MarketplaceAds } from "../MarketplaceAds.ts"
import { limitOf, readOnlyReason } from "../MarketplaceClient.ts"
import { MarketplaceConfig } from "../MarketplaceConfig.ts"
import { AdsReadOnly, type MarketplaceError } from "../MarketplaceError.ts"
import { type Batch, batchesOf } from "./batches.ts"
import { changeKey, invert } from "./Change.ts"
import { byWork } from "./draft.ts"
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
  PlanStale,
  type PlanStoreFailed
} from "./PlanError.ts"
import { type Entry, PlanStore } from "./PlanStore.ts"
import * as Work from "./work.ts"

/** How far an apply has come. */
export interface Report {
  readonly plan_id: string
  readonly state: "applied" | "in progress"
  readonly done: number
  readonly total: number
  /** Steps that were as wanted without being sent. */
  readonly found: number
  /** Steps that do not show yet when read back; the marketplace's read model may take minutes. */
  readonly unconfirmed: ReadonlyArray<string>
  /** The campaigns that were created, by the step that did. */
  readonly created: Readonly<Record<string, number>>
}

export interface ApplyOptions {
  /** No new batch is begun after this time; apply again to go on. Default: until done. */
  readonly maxSeconds?: number
  /** Called after every batch. */
  readonly onProgress?: (done: number, total: number) => Effect.Effect<void>
}

type ApplyError =
  | ApplyStopped
  | GuardViolation
  | AdsReadOnly
  | PlanExpired
  | PlanNotFound
  | PlanSpent
  | PlanStale
  | PlanStoreFailed

/** How long a new campaign may take to show in the read model, which is brought up to date every 3 minutes. */
const createdVisibleMs = 200_000

/** Plans that are kept, applied once, go on after a break, and can be taken back. */
export class Plans extends Context.Service<
  Plans,
  {
    /** Keeps a draft as a plan; nothing is changed. */
    readonly keep: (draft: Draft) => Effect.Effect<Plan, PlanStoreFailed>
    readonly history: (id: string) => Effect.Effect<History, PlanNotFound | PlanStoreFailed>
    /** Checks and sends what is not done yet, reads it back, and writes every step down. */
    readonly apply: (id: string, options?: ApplyOptions) => Effect.Effect<Report, ApplyError>
    /** The plan that leads back from what a plan has done; it changes nothing until it is applied itself. */
    readonly rollback: (
      id: string
    ) => Effect.Effect<Plan, MarketplaceError | NothingToRollBack | PlanNotFound | PlanSpent | PlanStoreFailed>
    readonly entries: Effect.Effect<ReadonlyArray<Entry>, PlanStoreFailed>
    /** Writes down a change that needs no plan. */
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
        const plan: Plan = {
          ...draft,
          id: `${draft.kind}-${createdAt.toString(36)}-${(Hash.string(JSON.stringify(draft.steps)) >>> 0).toString(36)}`,
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

      const mayApply = Effect.fnUntraced(function* ({ begun, finished, plan, takenBack }: History) {
        const { expiresAt, id } = plan
        const forbidden = readOnlyReason(settings)
        if (forbidden !== undefined) return yield* new AdsReadOnly({ operation: "apply", detail: forbidden })
        if (takenBack) return yield* new PlanSpent({ id, state: "taken back" })
        if (finished) return yield* new PlanSpent({ id, state: "applied" })
        if (!begun && (yield* now) > expiresAt) return yield* new PlanExpired({ id })
        const problems = planProblems(settings.guards, plan)
        if (problems.length > 0) return yield* new GuardViolation({ id, problems })
      })

      /** One batch: looked at, sent where still to do, written down, read back. */
      const runBatch = Effect.fnUntraced(function* ({ kind, steps }: Batch, progress: Progress) {
        const { created, id, inDoubt } = progress
        const located = steps.flatMap((step) => {
          const change = Work.locate(step.change, created)
          return change === undefined ? [] : [{ step: step.id, change }]
        })
        const append = (entry: { readonly type: "begun" | "unconfirmed"; readonly steps: ReadonlyArray<string> }) =>
          Effect.flatMap(now, (at) => store.append({ ...entry, at, plan_id: id }))
        const written = (some: ReadonlyArray<string>, found: boolean, campaign?: number) =>
          Effect.flatMap(now, (at) => {
            for (const step of some) progress.done.add(step)
            if (found) progress.found += some.length
            return store.append({
              type: "done",
              at,
              plan_id: id,
              steps: some,
              found,
              ...(campaign === undefined ? {} : { created: campaign })
            })
          })

        const seen = yield* Work.look(
          ads,
          located.map(({ change }) => change)
        )
        const findings = located.map((one) => ({
          ...one,
          finding: settle(one.change, seen.finding(one.change), progress)
        }))
        for (const { change, finding, step } of findings) {
          const begunAt = inDoubt.get(step)
          if (change.kind !== "create" || begunAt === undefined) continue
          const campaign = seen.named(change.name)
          if (campaign !== undefined) {
            created.set(step, campaign)
            return yield* written([step], true, campaign)
          }
          const waitMs = begunAt + createdVisibleMs - (yield* now)
          if (finding === "pending" && waitMs > 0) return yield* unclear(progress, change.name, waitMs)
        }
        const stale = findings.filter(({ finding }) => finding === "stale").map(({ step }) => step)
        if (stale.length > 0) return yield* new PlanStale({ id, changed: stale, done: progress.done.size })

        const already = findings.filter(({ finding }) => finding === "already").map(({ step }) => step)
        if (already.length > 0) yield* written(already, true)
        const pending = findings.filter(({ finding }) => finding === "pending")
        if (pending.length === 0) return
        const calls = kind === "phrases" ? pending.map((one) => [one]) : [pending]
        for (const call of calls) {
          const some = call.map(({ step }) => step)
          yield* append({ type: "begun", steps: some })
          const campaign = yield* Work.send(
            ads,
            call.map(({ change }) => change)
          )
          const [first] = some
          if (campaign !== undefined && first !== undefined) created.set(first, campaign)
          yield* written(some, false, campaign)
        }
        if (kind === "create") return
        const after = yield* Work.look(
          ads,
          pending.map(({ change }) => change)
        )
        const unseen = pending.filter(({ change }) => after.finding(change) !== "already").map(({ step }) => step)
        if (unseen.length > 0) yield* append({ type: "unconfirmed", steps: unseen })
        for (const step of unseen) progress.unconfirmed.add(step)
      })

      const applyNow = Effect.fnUntraced(function* (id: string, options: ApplyOptions) {
        const past = yield* history(id)
        yield* mayApply(past)
        const { plan } = past
        const progress: Progress = {
          id,
          total: plan.steps.length,
          done: new Set(past.done),
          isWayBack: plan.reverses !== undefined,
          inDoubt: past.inDoubt,
          created: new Map(past.created),
          unconfirmed: new Set(past.unconfirmed),
          found: 0
        }
        const until = options.maxSeconds === undefined ? Infinity : (yield* now) + options.maxSeconds * 1000
        const open = batchesOf(plan.steps.filter((step) => !progress.done.has(step.id)))
        for (const batch of open) {
          if ((yield* now) >= until) return report(progress, "in progress")
          const outcome = yield* Effect.result(runBatch(batch, progress))
          if (Result.isFailure(outcome)) {
            const failure = stopped(progress, outcome.failure)
            yield* store.append({ type: "stopped", at: yield* now, plan_id: id, problem: failure.message })
            return yield* failure
          }
          yield* options.onProgress?.(progress.done.size, progress.total) ?? Effect.void
        }
        yield* store.append({ type: "finished", at: yield* now, plan_id: id })
        return report(progress, "applied")
      })

      const rollback = Effect.fn("Plans.rollback")(function* (id: string) {
        const { created, done, inDoubt, plan, takenBack } = yield* history(id)
        if (takenBack) return yield* new PlanSpent({ id, state: "taken back" })
        const touched = plan.steps.filter((step) => done.has(step.id) || inDoubt.has(step.id))
        const known = new Map(created)
        const lost = touched.filter(({ change, id: step }) => change.kind === "create" && !known.has(step))
        if (lost.length > 0) {
          const seen = yield* Work.look(
            ads,
            lost.flatMap(({ change }) => Work.locate(change, known) ?? [])
          )
          for (const { change, id: step } of lost) {
            const campaign = change.kind === "create" ? seen.named(change.name) : undefined
            if (campaign !== undefined) known.set(step, campaign)
          }
        }
        const steps = touched
          .toReversed()
          .flatMap(({ id: step, undo }) =>
            undo.flatMap((change): ReadonlyArray<Step> => {
              const located = Work.locate(change, known)
              return located === undefined
                ? []
                : [{ id: changeKey(located), change: located, reason: `takes back: ${step}`, undo: invert(located) }]
            })
          )
          .toSorted(byWork)
        const kept = touched.filter(
          ({ change, undo }) => undo.length === 0 && "target" in change && typeof change.target === "number"
        )
        const blocked = kept.map(({ id: step }) => ({ what: step, reason: "what was there before is not known" }))
        if (steps.length === 0) return yield* new NothingToRollBack({ id })
        return yield* keep({ kind: "rollback", steps, warnings: [], blocked }, id)
      })

      return Plans.of({
        keep: (draft) => keep(draft),
        history,
        apply: Effect.fn("Plans.apply")((id: string, options: ApplyOptions = {}) =>
          oneAtATime.withPermit(applyNow(id, options))
        ),
        rollback,
        entries: store.entries,
        record: (action) => Effect.flatMap(now, (at) => store.append({ type: "action", at, ...action }))
      })
    })
  )
}

/** Where an apply stands while it runs. */
interface Progress {
  readonly id: string
  readonly total: number
  readonly isWayBack: boolean
  readonly done: Set<string>
  readonly inDoubt: ReadonlyMap<string, number>
  readonly created: Map<string, number>
  readonly unconfirmed: Set<string>
  found: number
}

/** The read model may still show an old bid that has just been changed, so a way back never trusts it to be there. */
const settle = (change: Work.Located, finding: Work.Finding, { isWayBack }: Progress): Work.Finding =>
  isWayBack && change.kind === "bid" && finding === "already" ? "pending" : finding

const report = (progress: Progress, state: Report["state"]): Report => ({
  plan_id: progress.id,
  state,
  done: progress.done.size,
  total: progress.total,
  found: progress.found,
  unconfirmed: [...progress.unconfirmed],
  created: Object.fromEntries(progress.created)
})

const unclear = ({ done, id, total }: Progress, name: string, waitMs: number) =>
  new ApplyStopped({
    id,
    done: done.size,
    total,
    cause: "AdsOutcomeUnknown",
    problem: `It is not known yet whether campaign "${name}" was created before the break.`,
    retryAfterSeconds: waitMs / 1000
  })

const stopped = ({ done, id, total }: Progress, error: ApplyStopped | MarketplaceError | PlanStale | PlanStoreFailed) =>
  error._tag === "PlanStale" || error._tag === "PlanStoreFailed" || error._tag === "ApplyStopped"
    ? error
    : new ApplyStopped({
        id,
        done: done.size,
        total,
        cause: error._tag,
        problem: error.message,
        ...(error._tag === "AdsRateLimited" ? { retryAfterSeconds: error.retryAfterSeconds } : {})
      })
