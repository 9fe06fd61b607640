import { DateTime, Effect, Option, Schema } from "effect"

import { reads } from "../../../mcp/annotations.ts"
import { optional } from "../../../mcp/parameters.ts"
import * as Tool from "../../../mcp/Tool.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { Plans } from "../../apply/Plans.ts"
import type { Entry, Kept } from "../../apply/PlanStore.ts"
import { labelOf } from "../../client/operations.ts"
import type { Plan } from "../../plan/Plan.ts"
import { orRefuse } from "../errors.ts"
import { advertId, limit, offset, planId } from "../parameters.ts"
import { moment, more } from "../shown.ts"
import * as results from "./results.ts"
import { stepRow } from "./stepRow.ts"

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
    limit: limit(50),
    offset
  },
  result: results.audit,
  run: Effect.fn("ads_audit_log")(function* ({ advert_id, limit, offset, plan_id, since }) {
    const from = since === undefined ? -Infinity : yield* millisOf(since)
    const entries = yield* Plans.use((plans) => plans.entries)
    const plans = new Map(
      entries.flatMap((entry) => (entry.type === "planned" ? [[entry.plan_id, entry.plan] as const] : []))
    )
    const rows = entries
      .filter((entry) => plan_id === undefined || mayBeOf(entry, plan_id))
      .filter(({ at }) => at >= from)
      .flatMap((entry) => rowsOf(entry, plans))
      .filter(({ campaign }) => advert_id === undefined || campaign === advert_id || campaign === "unknown")
      .toReversed()
    const shown = rows.slice(offset, offset + limit)
    return {
      total: rows.length,
      entries: shown.map(({ row }) => row),
      next: more(
        offset + shown.length,
        rows.length,
        "ads_show_plan shows where a plan stands, ads_rollback plans its way back"
      )
    }
  }, orRefuse)
})

/** A day begins in UTC; a time needs its offset, or it would mean another moment on every machine. */
const isoMoment = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/

const millisOf = (since: string): Effect.Effect<number, InvalidArgument> =>
  Option.match(isoMoment.test(since) ? DateTime.make(since) : Option.none(), {
    onSome: (read) => Effect.succeed(DateTime.toEpochMillis(read)),
    onNone: () => Effect.fail(notAMoment)
  })

const notAMoment = new InvalidArgument({
  argument: "since",
  problem: "must be a day or a moment, such as 2026-11-21, 2026-11-21T09:00:00Z or 2026-11-21T12:00:00+03:00"
})

/** A line that does not tell its plan may be about any. */
const mayBeOf = (entry: Kept, plan_id: string): boolean => {
  if (entry.type === "action") return false
  return entry.plan_id === plan_id || (entry.type === "unreadable" && entry.plan_id === undefined)
}

interface Found {
  readonly campaign?: number | "unknown" | undefined
  readonly row: Readonly<Record<string, unknown>>
}

/** An entry as rows: one for every step where there are steps. */
const rowsOf = (entry: Kept, plans: ReadonlyMap<string, Plan>): ReadonlyArray<Found> => {
  const at = moment(entry.at)
  switch (entry.type) {
    case "action": {
      const { advert_id, before, operation, outcome } = entry
      return [{ campaign: advert_id, row: { at, what: labelOf(operation), advert_id, status_before: before, outcome } }]
    }
    case "planned": {
      const { kind, reverses, steps } = entry.plan
      const row = { at, what: entry.type, plan_id: entry.plan_id, kind, steps: steps.length }
      return [{ row: reverses === undefined ? row : { ...row, reverses } }]
    }
    case "unreadable": {
      const { at: _, type: what, ...row } = entry
      return [{ campaign: "unknown", row: { at, what, ...row } }]
    }
    case "asked":
    case "stopped":
      return [{ row: { at, what: entry.type, plan_id: entry.plan_id, problem: entry.problem } }]
    case "finished": {
      const what = entry.refused === undefined ? entry.type : `ended, with ${entry.refused} steps refused`
      return [{ row: { at, what, plan_id: entry.plan_id } }]
    }
    default:
      return entry.steps.map((id) => stepEntry(entry, id, plans.get(entry.plan_id)))
  }
}

type WithSteps = Extract<Entry, { readonly steps: unknown }>

const stepEntry = (entry: WithSteps, id: string, plan: Plan | undefined): Found => {
  const step = plan?.steps.find((one) => one.id === id)
  const created = entry.type === "done" ? entry.created : undefined
  const target = step !== undefined && "target" in step.change ? step.change.target : created
  return {
    campaign: typeof target === "number" ? target : undefined,
    row: {
      at: moment(entry.at),
      what: entry.type === "done" && entry.found ? "found as wanted" : entry.type,
      plan_id: entry.plan_id,
      ...(step === undefined ? { step: id } : stepRow(step)),
      ...(created === undefined ? {} : { created }),
      ...("problem" in entry ? { problem: entry.problem } : {})
    }
  }
}
