import { Clock, Effect } from "effect"

import { type Batch, batchesOf } from "./batches.ts"
import { type Ads, type Finding, locate, type Located, look, type Look } from "./look.ts"
import type { Step } from "./Plan.ts"
import { ApplyStopped, PlanStale } from "./PlanError.ts"
import type { PlanStore } from "./PlanStore.ts"
import type { Progress } from "./Progress.ts"
import { send } from "./send.ts"

interface Row {
  readonly step: string
  readonly change: Located
}

/** How long a new campaign may take to show in the read model, which is brought up to date every 3 minutes. */
const createdVisibleMs = 200_000

/** One batch of a plan: looked at, sent where still to do, written down, read back. */
export const applyBatch = Effect.fnUntraced(function* (
  ads: Ads,
  store: PlanStore["Service"],
  { kind, steps }: Batch,
  progress: Progress
) {
  const journal = journalOf(store, progress)
  const rows = rowsOf(steps, progress)
  const seen = yield* look(ads, changesOf(rows))
  const known = yield* adopt(rows, seen, progress)
  for (const { campaign, step } of known) yield* journal.done([step], true, campaign)

  const findings = rows
    .filter(({ step }) => !known.some((one) => one.step === step))
    .map((row) => ({ ...row, finding: settle(row.change, seen.finding(row.change), progress) }))
  const found = (wanted: Finding) => findings.filter(({ finding }) => finding === wanted)
  const stale = found("stale").map(({ step }) => step)
  const { done, id } = progress
  yield* stale.length > 0 ? Effect.fail(new PlanStale({ id, changed: stale, done: done.size })) : Effect.void
  yield* journal.done(
    found("already").map(({ step }) => step),
    true
  )
  const pending = found("pending")
  for (const call of kind === "phrases" ? pending.map((row) => [row]) : [pending]) {
    const ids = call.map(({ step }) => step)
    yield* journal.note("begun", ids)
    yield* journal.done(ids, false, yield* send(ads, changesOf(call)))
  }
  if (kind !== "create") {
    const after = yield* look(ads, changesOf(pending))
    const tooHigh = pending.find(({ change }) => after.isHundredfold(change))
    yield* tooHigh === undefined ? Effect.void : Effect.fail(hundredfold(progress, tooHigh.step))
    const unseen = pending.filter(({ change }) => after.finding(change) !== "already").map(({ step }) => step)
    yield* journal.note("unconfirmed", unseen)
    for (const step of unseen) progress.unconfirmed.add(step)
  }
})

/** Looks once more at what did not show when it was read back, and writes down what does by now. */
export const confirm = Effect.fnUntraced(function* (
  ads: Ads,
  store: PlanStore["Service"],
  steps: ReadonlyArray<Step>,
  progress: Progress
) {
  const { unconfirmed } = progress
  for (const batch of batchesOf(steps.filter(({ id }) => unconfirmed.has(id)))) {
    const rows = rowsOf(batch.steps, progress)
    const seen = yield* look(ads, changesOf(rows))
    const shown = rows.filter(({ change }) => seen.finding(change) === "already").map(({ step }) => step)
    for (const step of shown) unconfirmed.delete(step)
    yield* journalOf(store, progress).note("confirmed", shown)
  }
})

const rowsOf = (steps: ReadonlyArray<Step>, { created }: Progress): ReadonlyArray<Row> =>
  steps.flatMap((step): ReadonlyArray<Row> => {
    const change = locate(step.change, created)
    return change === undefined ? [] : [{ step: step.id, change }]
  })

const changesOf = (rows: ReadonlyArray<Row>): ReadonlyArray<Located> => rows.map(({ change }) => change)

/** Writes steps down, here and in the journal; writes nothing for no steps. */
const journalOf = (store: PlanStore["Service"], progress: Progress) => {
  const base = Effect.map(Clock.currentTimeMillis, (at) => ({ at, plan_id: progress.id }))

  const note = (type: "begun" | "confirmed" | "unconfirmed", steps: ReadonlyArray<string>) =>
    steps.length === 0 ? Effect.void : Effect.flatMap(base, (entry) => store.append({ type, ...entry, steps }))

  const done = Effect.fnUntraced(function* (steps: ReadonlyArray<string>, found: boolean, campaign?: number) {
    if (steps.length === 0) return
    for (const step of steps) {
      progress.done.add(step)
      if (campaign !== undefined) progress.created.set(step, campaign)
    }
    if (found) progress.found += steps.length
    const created = campaign === undefined ? {} : { created: campaign }
    yield* store.append({ type: "done", ...(yield* base), steps, found, ...created })
  })
  return { note, done }
}

/**
 * The campaigns that a broken apply has created without learning their ids. One that does not show may still come to
 * light, so for a while nothing is created in its place.
 */
const adopt = Effect.fnUntraced(function* (rows: ReadonlyArray<Row>, seen: Look, progress: Progress) {
  const known: Array<{ readonly step: string; readonly campaign: number }> = []
  for (const { change, step } of rows) {
    const begunAt = progress.inDoubt.get(step)
    if (change.kind !== "create" || begunAt === undefined) continue
    const campaign = seen.named(change.name)
    if (campaign !== undefined) known.push({ step, campaign })
    const waitMs = begunAt + createdVisibleMs - (yield* Clock.currentTimeMillis)
    const isUnclear = campaign === undefined && waitMs > 0
    yield* isUnclear ? Effect.fail(unclear(progress, change.name, waitMs)) : Effect.void
  }
  return known
})

const unclear = ({ done, id, total }: Progress, name: string, waitMs: number) =>
  new ApplyStopped({
    id,
    done: done.size,
    total,
    reason: "AdsOutcomeUnknown",
    problem: `It is not known yet whether campaign "${name}" was created before the break.`,
    retryAfterSeconds: waitMs / 1000
  })

const hundredfold = ({ done, id, total }: Progress, place: string) =>
  new ApplyStopped({
    id,
    done: done.size,
    total,
    reason: "ClusterBidUnit",
    final: true,
    problem:
      `The cluster bid ${place} shows a hundred times as high as it was set: this marketplace reads rubles. It stands ` +
      "like that now: set it right in the cabinet at once. Do not apply this plan again: set wire to published, restart, " +
      "and plan the cluster bids anew."
  })

/** The read model lags behind by minutes: a way back does not trust it to show what has just been changed or made. */
const settle = ({ kind }: Located, finding: Finding, { isWayBack }: Progress): Finding =>
  isWayBack && (kind === "bid" || kind === "delete") && finding === "already" ? "pending" : finding
