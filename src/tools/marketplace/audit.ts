import { Effect, Schema } from "effect"

import type { Plan } from "../../marketplace/plan/Plan.ts"
import { Plans } from "../../marketplace/plan/Plans.ts"
import type { Entry } from "../../marketplace/plan/PlanStore.ts"
import { reads } from "../annotations.ts"
import { optional } from "../parameters.ts"
import * as Tool from "../Tool.ts"
import { advertId, limit, planId } from "./parameters.ts"
import { orRefuse } from "./refusal.ts"
import { moment, stepRow } from "./shown.ts"

export const auditLog = Tool.make("ads_audit_log", {
  title: "Audit log",
  description: "What was planned, sent, done and stopped, newest first; with before and after for every step",
  annotations: reads,
  arguments: {
    plan_id: optional(planId),
    advert_id: optional(advertId),
    since: optional(
      Schema.String.annotate({ description: "Only entries from this moment on, e.g. 2026-11-21T09:00:00Z" })
    ),
    limit: limit(50)
  },
  run: Effect.fn("ads_audit_log")(function* ({ advert_id, limit, plan_id, since = "" }) {
    const entries = yield* Plans.use((plans) => plans.entries)
    const plans = new Map(
      entries.flatMap((entry) => (entry.type === "planned" ? [[entry.plan_id, entry.plan] as const] : []))
    )
    const rows = entries
      .filter((entry) => plan_id === undefined || (entry.type !== "action" && entry.plan_id === plan_id))
      .filter(({ at }) => moment(at) >= since)
      .flatMap((entry) => rowsOf(entry, plans))
      .filter((row) => advert_id === undefined || row.about.includes(String(advert_id)))
      .toReversed()
    return { total: rows.length, entries: rows.slice(0, limit).map(({ about: _, ...row }) => row) }
  }, orRefuse)
})

interface Row {
  readonly at: string
  readonly what: string
  /** The campaigns it is about, to look for. */
  readonly about: ReadonlyArray<string>
}

/** An entry as rows: one for every step where there are steps. */
const rowsOf = (entry: Entry, plans: ReadonlyMap<string, Plan>): ReadonlyArray<Row> => {
  const at = moment(entry.at)
  if (entry.type === "action") {
    const { advert_id, before, operation, outcome } = entry
    return [
      { at, what: `${operation}: ${outcome}`, about: [String(advert_id)], ...{ advert_id, status_before: before } }
    ]
  }
  const { plan_id, type: what } = entry
  const plan = plans.get(plan_id)
  if (entry.type === "planned") {
    return [
      {
        at,
        what,
        about: [],
        ...{ plan_id, kind: entry.plan.kind, steps: entry.plan.steps.length, reverses: entry.plan.reverses }
      }
    ]
  }
  if (entry.type === "stopped") return [{ at, what, about: [], ...{ plan_id, problem: entry.problem } }]
  if (entry.type === "finished") return [{ at, what, about: [], ...{ plan_id } }]
  return entry.steps.map((id) => {
    const step = plan?.steps.find((one) => one.id === id)
    const target = step !== undefined && "target" in step.change ? step.change.target : undefined
    const created = entry.type === "done" && entry.created !== undefined ? { created: entry.created } : {}
    return {
      at,
      what: entry.type === "done" && entry.found ? "found as wanted" : what,
      about: [String(target), ...Object.values(created).map(String)],
      ...{ plan_id, ...(step === undefined ? { step: id } : stepRow(step)), ...created }
    }
  })
}
