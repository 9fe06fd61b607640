import { DateTime, Effect, Option, Predicate, Schema } from "effect"

import { fitted } from "../../internal/json/values.ts"
import { changes, reads } from "../../mcp/annotations.ts"
import { Progress } from "../../mcp/callContext.ts"
import { fittingLimit, offset, optional } from "../../mcp/parameters.ts"
import * as Tool from "../../mcp/Tool.ts"
import { InvalidArgument, type ToolError } from "../../mcp/ToolError.ts"
import type { Report } from "../apply/runPlan.ts"
import { PlanNotFound } from "../PlanError.ts"
import { mostRows, type PlanSource, PlanSources, room, type ShownPlan, unknown } from "./PlanSource.ts"
import { renderPlanError } from "./renderPlanError.ts"
import * as results from "./results.ts"
import { more } from "./summary.ts"

const planId = Schema.NonEmptyString.annotate({ description: "plan_id that a plan tool returned" })

/** Asks the source that knows a plan; where none does, the only or first one says so in its words. */
const ofPlan = <A>(id: string, ask: (source: PlanSource) => Effect.Effect<A, ToolError>) =>
  PlanSources.use((sources) =>
    Effect.gen(function* () {
      const [first, ...others] = sources
      // A journal is read to tell whether it knows a plan, and may be long.
      const source =
        others.length === 0
          ? first
          : Option.getOrElse(yield* Effect.findFirst(sources, ({ has }) => has(id)), () => first)
      if (source === undefined) return yield* renderPlanError(new PlanNotFound({ id }))
      return yield* ask(source)
    })
  )

/** Whoever says how many rows to show wants them as they are. */
const hasLimit = (input: unknown) => Predicate.hasProperty(input, "limit")

export const showPlan = Tool.make("show_plan", {
  title: "Show plan",
  description: "Show the steps of a plan with before, after and reason, what is blocked, and how far it has come",
  annotations: reads,
  arguments: { plan_id: planId, limit: fittingLimit, offset },
  isWhole: hasLimit,
  result: results.shownPlan,
  run: Effect.fn("show_plan")(function* ({ limit, offset, plan_id }) {
    const shown = yield* ofPlan(plan_id, (source) => source.show(plan_id, { limit, offset }))
    const { blocked, blocked_count, notice, state, steps, total } = shown
    const said = notice === undefined ? "" : `${notice} `
    const rows = Math.max(steps.length, blocked.length)
    return { ...shown, next: `${said}${more(offset + rows, Math.max(total, blocked_count), thenBy[state])}` }
  })
})

const back = "plan_rollback plans the rollback"

const thenBy: { readonly [state in ShownPlan["state"]]: string } = {
  planned: "When a person has agreed, apply_plan applies it",
  begun: `apply_plan goes on with it; ${back}`,
  "partly applied": `apply_plan tries again what was refused; ${back}`,
  refused: "apply_plan tries again what was refused",
  applied: back,
  "rolled back": "Nothing is left to do"
}

export const applyPlan = Tool.make("apply_plan", {
  title: "Apply plan",
  description:
    "Apply a plan, once. What someone else has changed since is left alone; the rest is sent under the upstream's limits and " +
    "read back. What is refused is passed over and told. A plan that takes long, or was broken off, goes on with " +
    "the next call",
  annotations: changes,
  arguments: {
    plan_id: planId,
    confirm: Schema.Boolean.annotate({ description: "true after a person has agreed to exactly this" }),
    confirm_protected: optional(
      Schema.Boolean.annotate({
        description: "Where nobody can be asked: true after a person has agreed to protected things by name"
      })
    ),
    max_seconds: optional(
      Schema.Int.check(
        Schema.isBetween({ minimum: 1, maximum: 86_400 }, { message: "must be between 1 and 86400" })
      ).annotate({
        description: "Begin nothing new after so many seconds; default 30"
      })
    )
  },
  result: results.report,
  run: Effect.fn("apply_plan")(function* ({
    confirm,
    confirm_protected: isProtectedConfirmed = false,
    max_seconds = 30,
    plan_id
  }) {
    if (!confirm) return yield* unconfirmed
    const progress = yield* Progress
    const onProgress = (done: number, total: number) => progress({ progress: done, total })
    const {
      adjusted: _,
      advice,
      fields,
      ...report
    } = yield* ofPlan(plan_id, (source) =>
      source.apply(plan_id, { maxSeconds: max_seconds, onProgress, isProtectedConfirmed })
    )
    return {
      ...report,
      refused: variedFirst(report.refused).slice(0, 20),
      refused_count: report.refused.length,
      unconfirmed: report.unconfirmed.slice(0, 20),
      unconfirmed_count: report.unconfirmed.length,
      ...fields,
      next: `${advice}${report.notice === undefined ? "" : ` ${report.notice}`}`
    }
  })
})

const unconfirmed = new InvalidArgument({
  argument: "confirm",
  problem: "must be true, after a person has agreed; nothing was changed"
})

/** The first row with each problem, then the others. */
const variedFirst = (refused: Report["refused"]): Report["refused"] => {
  const firsts = [...new Map(refused.toReversed().map((row) => [row.problem, row])).values()].toReversed()
  return [...firsts, ...refused.filter((row) => !firsts.includes(row))]
}

export const planRollback = Tool.make("plan_rollback", {
  title: "Plan the rollback",
  description:
    "Plan the rollback of an applied or broken-off plan: it restores what was there before. Changes nothing until applied",
  annotations: reads,
  arguments: { plan_id: planId },
  result: results.rollback,
  run: Effect.fn("plan_rollback")(function* ({ plan_id }) {
    return { reverses: plan_id, ...(yield* ofPlan(plan_id, (source) => source.rollback(plan_id))) }
  })
})

export const auditLog = Tool.make("audit_log", {
  title: "Audit log",
  description: "What was planned, sent, done and stopped, newest first; with before and after for every step",
  annotations: reads,
  arguments: {
    plan_id: optional(planId),
    subject: optional(
      Schema.NonEmptyString.annotate({ description: "Only entries about the thing with this id, such as a campaign" })
    ),
    since: optional(
      Schema.String.annotate({ description: "Only entries from this moment on, e.g. 2026-11-21T09:00:00Z" })
    ),
    plans: optional(Schema.Boolean.annotate({ description: "Only what was planned: a row for each plan" })),
    limit: fittingLimit,
    offset
  },
  aliases: { advert_id: "subject" },
  isWhole: hasLimit,
  result: results.audit,
  run: Effect.fn("audit_log")(function* ({ limit, offset, plan_id, plans = false, since, subject }) {
    const from = since === undefined ? -Infinity : yield* millisOf(since)
    const sources = yield* PlanSources
    const all = (yield* Effect.forEach(sources, ({ audit }) => audit)).flat()
    const isAsked = (asked: string | undefined, told: string | undefined) =>
      asked === undefined || told === asked || told === unknown
    const rows = (sources.length > 1 ? all.toSorted((a, b) => a.at - b.at) : all)
      .filter((one) => one.at >= from && isAsked(plan_id, one.plan) && isAsked(subject, one.subject))
      .filter(({ isPlan }) => !plans || isPlan)
      .toReversed()
    const asked = rows.slice(offset, offset + (limit ?? mostRows)).map(({ row }) => row())
    const shown = limit === undefined ? fitted(asked, room) : asked
    return {
      total: rows.length,
      entries: shown,
      next: more(offset + shown.length, rows.length, `show_plan shows where a plan stands, ${backOf}`)
    }
  })
})

const backOf = "plan_rollback plans its rollback"

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
