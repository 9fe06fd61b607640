import { Clock, Effect, Option, Predicate, Schema } from "effect"

import { fitted } from "../../internal/json/values.ts"
import { changes, reads } from "../../mcp/annotations.ts"
import { Progress } from "../../mcp/callContext.ts"
import { Elicitation } from "../../mcp/Elicitation.ts"
import { spanOf } from "../../mcp/moments.ts"
import { fittingLimit, offset as anyOffset, optional, shownNumber } from "../../mcp/parameters.ts"
import { BriefAnswers } from "../../mcp/selection.ts"
import * as Tool from "../../mcp/Tool.ts"
import { InvalidArgument, type ToolError } from "../../mcp/ToolError.ts"
import type { Report } from "../apply/runPlan.ts"
import { Background } from "../Background.ts"
import { PlanNotFound } from "../PlanError.ts"
import { unknown } from "./auditTrail.ts"
import { mostRows, type PlanSource, PlanSources, room, type ShownPlan } from "./PlanSource.ts"
import { renderPlanError } from "./renderPlanError.ts"
import * as results from "./results.ts"
import { moment, more } from "./summary.ts"

const planId = Schema.NonEmptyString.annotate({ inputSchema: { type: "string", description: "From a plan tool" } })

const offset = anyOffset.annotate(shownNumber("Rows to skip"))

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
    const plan = yield* ofPlan(plan_id, (source) => source.show(plan_id, { limit, offset }))
    const { blocked, blocked_count, notice, state, steps, total } = plan
    const { isRunning } = yield* Background
    // The work of a plan ends a moment after its last step.
    const working = state !== "applied" && isRunning(plan_id) ? "It goes on in the background. " : ""
    const said = notice === undefined ? working : `${working}${notice} `
    const rows = Math.max(steps.length, blocked.length)
    return { ...plan, next: `${said}${more(offset + rows, Math.max(total, blocked_count), thenBy[state])}` }
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
    "Apply a plan once, except where someone else has changed something since. A long or broken-off one goes on with " +
    "the next call",
  annotations: changes,
  arguments: {
    plan_id: planId,
    confirm: Schema.Boolean.annotate({ description: "true after a person has agreed to this plan" }),
    confirm_protected: optional(
      Schema.Boolean.annotate({
        description: "true after a person has agreed to what is protected"
      })
    ),
    background: optional(Schema.Boolean.annotate({ description: "Without calls; over HTTP" })),
    max_seconds: optional(
      Schema.Int.check(
        Schema.isBetween({ minimum: 1, maximum: 86_400 }, { message: "must be between 1 and 86400" })
      ).annotate({
        description: "Begin nothing after so many seconds, default 30"
      })
    )
  },
  result: results.report,
  run: Effect.fn("apply_plan")(function* ({
    background = false,
    confirm,
    confirm_protected: isProtectedConfirmed = false,
    max_seconds = 30,
    plan_id
  }) {
    if (!confirm) return yield* unconfirmed
    const { run } = yield* Background
    const { ask } = yield* Elicitation
    if (background && run === undefined) return yield* noBackground
    const progress = yield* Progress
    const onProgress = (done: number, total: number) => progress({ progress: done, total })
    const {
      adjusted: _,
      advice,
      fields,
      ...report
    } = yield* ofPlan(plan_id, (source) =>
      Effect.tap(
        // What is wrong with the plan, or is done at once, is told at once.
        source.apply(plan_id, { maxSeconds: background ? 1 : max_seconds, onProgress, isProtectedConfirmed }),
        ({ state }) =>
          background && run !== undefined && state === "in progress"
            ? run(plan_id, source.goOn(plan_id, isProtectedConfirmed || ask !== undefined))
            : Effect.void
      )
    )
    const answer = {
      ...report,
      refused: variedFirst(report.refused).slice(0, 20),
      refused_count: report.refused.length,
      unconfirmed: report.unconfirmed.slice(0, 20),
      unconfirmed_count: report.unconfirmed.length,
      ...fields,
      next: `${background && report.state === "in progress" ? goesOn : advice}${report.notice === undefined ? "" : ` ${report.notice}`}`
    }
    return (yield* BriefAnswers) ? withoutEmpty(answer) : answer
  })
})

const goesOn = "It goes on in the background, also after a restart of the server: show_plan tells how far it has come."

const noBackground = new InvalidArgument({
  argument: "background",
  problem: "must be left out here: only a server over HTTP goes on when its caller has left. Nothing was changed"
})

interface CountedReport extends Omit<Report, "adjusted"> {
  readonly refused_count: number
  readonly unconfirmed_count: number
  readonly next: string
}

/** A report without what is none and nothing, for those who want short answers. */
const withoutEmpty = ({ created, refused, refused_count, unconfirmed, unconfirmed_count, ...rest }: CountedReport) => ({
  ...rest,
  ...(refused_count === 0 ? {} : { refused, refused_count }),
  ...(unconfirmed_count === 0 ? {} : { unconfirmed, unconfirmed_count }),
  ...(Object.keys(created).length === 0 ? {} : { created })
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
  title: "Plan rollback",
  description: "Plan to undo an applied or broken-off plan",
  annotations: reads,
  arguments: { plan_id: planId },
  result: results.rollback,
  run: Effect.fn("plan_rollback")(function* ({ plan_id }) {
    return { reverses: plan_id, ...(yield* ofPlan(plan_id, (source) => source.rollback(plan_id))) }
  })
})

export const auditLog = Tool.make("audit_log", {
  title: "Audit log",
  description: "What was planned and done, by whom (кто менял), newest first, with before and after of every step",
  annotations: reads,
  arguments: {
    plan_id: optional(planId),
    subject: optional(Schema.NonEmptyString.annotate({ description: "Only about this id" })),
    since: optional(
      Schema.String.annotate({
        description: "yesterday, 2026-11-21 or 2026-11-21T09:00:00Z"
      })
    ),
    until: optional(Schema.String.annotate({ description: "A day counts whole" })),
    plans: optional(
      Schema.Boolean.annotate({
        description: "A row for each plan and direct change"
      })
    ),
    changed_elsewhere: optional(Schema.Boolean.annotate({ description: "What others have changed since last asked" })),
    limit: fittingLimit,
    offset
  },
  aliases: { advert_id: "subject" },
  isWhole: hasLimit,
  result: results.audit,
  run: Effect.fn("audit_log")(function* ({ changed_elsewhere, limit, offset, ...given }) {
    if (changed_elsewhere === true) {
      if (Object.keys(given).length > 0) return yield* notWithElsewhere
      return yield* elsewhere(limit, offset)
    }
    const { plan_id, plans = false, since, subject, until } = given
    const now = yield* Clock.currentTimeMillis
    const sources = yield* PlanSources
    const isMatch = (wanted: string | undefined, value: string | undefined) =>
      wanted === undefined || value === wanted || value === unknown
    const all = yield* Effect.forEach(sources, ({ audit }) =>
      Effect.gen(function* () {
        const trail = yield* audit
        const from = since === undefined ? -Infinity : (yield* spanOf("since", since, now, trail.hoursAhead)).from
        const to = until === undefined ? Infinity : (yield* spanOf("until", until, now, trail.hoursAhead)).to
        if (from >= to) return yield* new InvalidArgument({ argument: "since", problem: "must not be after until" })
        const some = (plans ? trail.changes() : trail.events()).filter(({ at }) => at >= from && at < to)
        return { rows: some, detailsOf: trail.detailsOf }
      })
    )
    const matches = all.flatMap(({ rows }) => rows)
    const rows = (all.length > 1 ? matches.toSorted((a, b) => a.at - b.at) : matches)
      .filter((one) => isMatch(plan_id, one.plan) && isMatch(subject, one.subject))
      .toReversed()
    const shownRows = rows.slice(offset, offset + (limit ?? mostRows))
    const details = new Map(
      (yield* Effect.forEach(all, ({ detailsOf }) => detailsOf(shownRows))).flatMap((some) => [...some])
    )
    const page = shownRows.map(({ key, row }) => row(key === undefined ? {} : (details.get(key) ?? {})))
    const entries = limit === undefined ? fitted(page, room) : page
    return {
      total: rows.length,
      entries,
      next: more(offset + entries.length, rows.length, `show_plan shows where a plan stands, ${backOf}`)
    }
  })
})

const notWithElsewhere = new InvalidArgument({
  argument: "changed_elsewhere",
  problem: "must be given alone, perhaps with limit: it compares with the last state seen, and not with the log"
})

/** The differences from the last state seen, of all upstreams that can tell. */
const elsewhere = Effect.fnUntraced(function* (limit: number | undefined, offset: number) {
  const sources = yield* PlanSources
  const answers = yield* Effect.forEach(
    sources.flatMap(({ changedElsewhere }) => changedElsewhere ?? []),
    (ask) => ask
  )
  const since = answers.flatMap((answer) => answer.since ?? [])
  const rows = answers.flatMap(({ rows: some }) => some).map((row) => ({ ...row, at: moment(Math.min(...since)) }))
  const page = rows.slice(offset, offset + (limit ?? mostRows))
  const entries = limit === undefined ? fitted(page, room) : page
  const isAll = offset + entries.length >= rows.length
  if (isAll) yield* Effect.forEach(answers, ({ look }) => look, { discard: true })
  const seen =
    since.length === 0
      ? "Nothing was seen before: this state is kept, and the next call compares with it"
      : `Compared with ${moment(Math.min(...since))}; the next call compares with now`
  const notes = answers.flatMap(({ note }) => note ?? [])
  const next = [more(offset + entries.length, rows.length, seen), ...notes].join(". ")
  return { total: rows.length, entries: entries, next }
})

const backOf = "plan_rollback plans its rollback"
