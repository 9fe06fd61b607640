import { Clock, Context, Effect, Option } from "effect"

import { fitted, fitting } from "../../internal/json/values.ts"
import type { ToolError } from "../../mcp/ToolError.ts"
import type { Report } from "../apply/runPlan.ts"
import type { DescribedAction, Describing } from "../Driver.ts"
import type { ActionEntry, Kept, ProgressEntry } from "../Journal.ts"
import { notice } from "../notice.ts"
import type { Plan, Step } from "../Plan.ts"
import { PlanNotFound, type PlanError } from "../PlanError.ts"
import type { ApplyOptions, Plans } from "../Plans.ts"
import { type PlanState, recordOf, valuesByStep, unconfirmedOf } from "../PlanState.ts"
import { moment, stepRow, type Summary, summary } from "./summary.ts"

/** The requested part of a list. */
export interface Page {
  /** Left out: as many rows as a model should have to read at once. */
  readonly limit: number | undefined
  readonly offset: number
}

/** An entry of the journal as a row, with what rows are chosen by. */
export interface AuditRow {
  readonly at: number
  /** The plan that it is about; `unknown` where that cannot be told. */
  readonly plan: string | undefined
  /** The id of the thing that it is about; `unknown` where that cannot be told. */
  readonly subject: string | undefined
  /** Whether it tells of a new plan. */
  readonly isPlan: boolean
  /** Worked out for rows that are shown. */
  readonly row: () => Readonly<Record<string, unknown>>
}

/** For a line that cannot be read: it may be about any plan and anything. */
export const unknown = "unknown"

/** Where a plan stands, and some of its steps. */
export type ShownPlan = ReturnType<typeof shown>

/** Plans of one upstream as the tools offer them: changes in words, errors rendered by the toolset that knows them. */
export interface PlanSource {
  /** Whether the journal knows something of a plan. */
  readonly has: (id: string) => Effect.Effect<boolean>
  readonly show: (id: string, page: Page) => Effect.Effect<ShownPlan, ToolError>
  readonly apply: (id: string, options: ApplyOptions) => Effect.Effect<Told, ToolError>
  readonly rollback: (id: string) => Effect.Effect<Summary, ToolError>
  /** Everything that was planned and done, in the order of writing. */
  readonly audit: Effect.Effect<ReadonlyArray<AuditRow>>
  /** Whether something may be changed now. */
  readonly isWritable: Effect.Effect<boolean>
}

/** A report in the upstream's words. */
interface Told extends Report {
  /** Fields of the upstream's own. */
  readonly fields: Readonly<Record<string, unknown>>
  /** What to do next. */
  readonly advice: string
}

/** The sources of plans of a server, one for each toolset that makes plans. */
export class PlanSources extends Context.Service<PlanSources, ReadonlyArray<PlanSource>>()(
  "workflow-tool-server/changes/PlanSources"
) {}

/** The plans of an upstream as a source; `render` says its errors. */
export const make = <C, E>(plans: Plans<C, E>, render: (error: E | PlanError) => ToolError): PlanSource => {
  const { describing } = plans
  return {
    has: (id) =>
      Effect.match(plans.state(id), {
        onSuccess: () => true,
        onFailure: (error) => !(error instanceof PlanNotFound)
      }),
    show: (id, page) =>
      Effect.mapBoth(plans.state(id), { onSuccess: (state) => shown(describing, state, page), onFailure: render }),
    apply: (id, options) =>
      Effect.gen(function* () {
        const report = yield* Effect.mapError(plans.apply(id, options), render)
        const state = yield* Effect.option(plans.state(id))
        const isForGood = Option.exists(state, ({ plan }) => plan.steps.every(({ undo }) => undo.length === 0))
        const told = describing.describeAdjusted?.(report.adjusted)
        return {
          ...report,
          fields: told?.fields ?? {},
          advice: adviceAfter(describing, report, { isForGood, adjusted: told?.advice ?? "" })
        }
      }),
    rollback: (id) => Effect.flatMap(Effect.mapError(plans.rollback(id), render), (plan) => summary(describing, plan)),
    audit: Effect.map(plans.entries, (entries) => {
      const made = new Map<string, Plan<C>>()
      for (const entry of entries) if (entry.type === "planned") made.set(entry.plan_id, entry.plan)
      const steps = new Map<string, ReadonlyMap<string, Step<C>>>()
      const stepsOf = (plan: string) => {
        const known = steps.get(plan) ?? new Map(made.get(plan)?.steps.map((step) => [step.id, step]))
        steps.set(plan, known)
        return known
      }
      return entries.flatMap((entry) => rowsOf(describing, entry, stepsOf))
    }),
    isWritable: Effect.map(Clock.currentTimeMillis, (now) => describing.readOnlyReason?.(now) === undefined)
  }
}

/** What to do after an apply. */
const adviceAfter = <C>(
  { afterCreation = "created tells the ids of what is new", upstream }: Describing<C>,
  { created, done, plan_id, refused, state, total, unconfirmed }: Report,
  { adjusted, isForGood }: { readonly adjusted: string; readonly isForGood: boolean }
): string => {
  const back = isForGood ? "Nothing of it can be rolled back" : "plan_rollback plans the rollback"
  const orBack = isForGood ? "" : `; or ${back}`
  const again = `call apply_plan with plan_id ${plan_id} again`
  if (state === "in progress") return `${whatIsLeft(total - done - refused.length)}: ${again}${orBack}.`
  if (state !== "applied") {
    return (
      `${done} steps are applied, ${refused.length} are not: refused says why (show_plan lists them all). When that is ` +
      `settled, ${again}, which tries only those; or plan them anew${orBack}.`
    )
  }
  if (total === 0) return "The plan holds no changes, and nothing was done."
  const start = Object.keys(created).length === 0 ? "" : `; ${afterCreation}`
  const more = adjusted === "" ? "" : ` ${adjusted}`
  return unconfirmed.length > 0
    ? `Applied. Some steps do not show yet; ${upstream} may take minutes. ${back}${start}.${more}`
    : `Applied and read back. ${back}${start}.${more}`
}

const whatIsLeft = (steps: number): string => (steps === 1 ? "1 step is left" : `${steps} steps are left`)

/** Bytes that the rows of an answer may have, and rows, unless more are asked for. */
export const room = 5000
export const mostRows = 50

/** Bytes for warnings, unless more is asked for. */
const roomForWarnings = 1200

const shown = <C>(describing: Describing<C>, state: PlanState<C>, { limit, offset }: Page) => {
  const { plan } = state
  const to = offset + (limit ?? mostRows)
  const steps = plan.steps.slice(offset, to).map((step) => {
    const { doneAt, refused } = recordOf(state, step.id)
    const row = { ...stepRow(describing, step), done: doneAt !== undefined }
    return refused === undefined ? row : { ...row, refused }
  })
  const asked = plan.blocked.slice(offset, to)
  // Both lists go on at the same offset.
  const pairs = Array.from({ length: Math.max(steps.length, asked.length) }, (_, at) => [steps[at], asked[at]])
  const rows = limit === undefined ? fitting(pairs, room) : pairs.length
  const warnings = [...plan.warnings, ...state.unreadable]
  const told = limit === undefined ? fitted(warnings, roomForWarnings) : warnings
  const said = state.isRolledBack ? undefined : notice(state)
  const digest = describing.digestOf?.(plan.steps)
  return {
    plan_id: plan.id,
    kind: plan.kind,
    ...(digest === undefined ? {} : { digest }),
    state: stateOf(state),
    total: plan.steps.length,
    done: state.done,
    refused: valuesByStep(state, ({ refused }) => refused).length,
    unconfirmed: unconfirmedOf(state).length,
    steps: steps.slice(0, rows),
    warnings:
      told.length === warnings.length
        ? warnings
        : [...told, `${warnings.length - told.length} more warnings: give limit to see them all`],
    blocked: asked.slice(0, rows),
    blocked_count: plan.blocked.length,
    estimate: plan.estimate,
    expires_at: moment(plan.expiresAt),
    ...(said === undefined ? {} : { notice: said })
  }
}

/** Where a plan stands, in a word. */
type StateWord = "applied" | "begun" | "partly applied" | "planned" | "refused" | "rolled back"

const stateOf = <C>({ done, isBegun, isFinished, isPartly, isRolledBack }: PlanState<C>): StateWord => {
  if (isRolledBack) return "rolled back"
  if (isFinished) return "applied"
  if (isPartly) return done > 0 ? "partly applied" : "refused"
  return isBegun ? "begun" : "planned"
}

/** An entry as rows: one for every step where there are steps. */
const rowsOf = <C>(
  describing: Describing<C>,
  entry: Kept<C>,
  stepsOf: (plan: string) => ReadonlyMap<string, Step<C>>
): ReadonlyArray<AuditRow> => {
  const plan = "plan_id" in entry ? String(entry.plan_id) : undefined
  const about = { at: entry.at, plan, subject: undefined, isPlan: entry.type === "planned" }
  const at = moment(entry.at)
  switch (entry.type) {
    case "action": {
      const { row, subject } = describing.describeAction?.(entry) ?? actionRow(entry)
      return [{ ...about, plan: undefined, subject, row: () => ({ at, ...row }) }]
    }
    case "planned": {
      const { kind, reverses, steps } = entry.plan
      const row = { at, what: entry.type, plan_id: entry.plan_id, kind, steps: steps.length }
      return [{ ...about, row: () => (reverses === undefined ? row : { ...row, reverses }) }]
    }
    case "unreadable": {
      const { at: _, type: what, ...row } = entry
      return [{ ...about, plan: entry.plan_id ?? unknown, subject: unknown, row: () => ({ at, what, ...row }) }]
    }
    case "steps":
      return []
    case "expired": {
      const { at: _, step_count: steps, type: __, ...row } = entry
      return [{ ...about, isPlan: true, row: () => ({ at, what: "planned", ...row, steps }) }]
    }
    case "asked":
    case "stopped":
      return [{ ...about, row: () => ({ at, what: entry.type, plan_id: entry.plan_id, problem: entry.problem }) }]
    case "agreed":
      return [{ ...about, row: () => ({ at, what: entry.type, plan_id: entry.plan_id, caller: entry.caller }) }]
    case "finished": {
      const what = entry.refused === undefined ? entry.type : `ended, with ${entry.refused} steps refused`
      return [{ ...about, row: () => ({ at, what, plan_id: entry.plan_id }) }]
    }
    default:
      return entry.steps.map((id) => ({
        ...about,
        ...stepEntry(describing, entry, id, stepsOf(entry.plan_id).get(id))
      }))
  }
}

/** A change without a plan, of an upstream that says no more of it. */
const actionRow = ({ operation, outcome }: ActionEntry): DescribedAction => ({
  subject: "",
  row: { what: operation, outcome }
})

type WithSteps = Extract<ProgressEntry, { readonly steps: unknown }>

const stepEntry = <C>(describing: Describing<C>, entry: WithSteps, id: string, step: Step<C> | undefined) => {
  const created = entry.type === "done" ? entry.created : undefined
  const subject = step === undefined ? created : (describing.subjectOf(step.change) ?? created)
  return {
    subject: subject === undefined ? undefined : String(subject),
    row: () => ({
      at: moment(entry.at),
      what: whatOf(entry),
      plan_id: entry.plan_id,
      ...(step === undefined ? { step: id } : stepRow(describing, step)),
      ...(created === undefined ? {} : { created }),
      ...("problem" in entry ? { problem: entry.problem } : {})
    })
  }
}

const whatOf = (entry: WithSteps): string => {
  if (entry.type === "observed") return entry.word
  return entry.type === "done" && entry.found ? "found as wanted" : entry.type
}
