import { Clock, Context, Effect } from "effect"

import { fitted, fitting } from "../../internal/json/values.ts"
import { Audience } from "../../mcp/callContext.ts"
import type { ToolError } from "../../mcp/ToolError.ts"
import type { Report } from "../apply/runPlan.ts"
import type { Describing } from "../Driver.ts"
import { withAdvice, notice } from "../notice.ts"
import { PlanNotFound, type PlanError } from "../PlanError.ts"
import type { ApplyOptions, Plans } from "../Plans.ts"
import { type PlanState, recordOf, valuesByStep, unconfirmedOf } from "../PlanState.ts"
import { type AuditTrail, trailOf } from "./auditTrail.ts"
import { moment, stepRow, type Summary, summary } from "./summary.ts"

/** The requested part of a list. */
export interface Page {
  /** Left out: as many rows as a model should have to read at once. */
  readonly limit: number | undefined
  readonly offset: number
}

/** The state of a plan, and some of its steps. */
export type ShownPlan = ReturnType<typeof shownPlan>

/** Plans of one upstream as the tools offer them: changes in words, errors rendered by the toolset that knows them. */
export interface PlanSource {
  /** Whether the journal knows something of a plan. */
  readonly has: (id: string) => Effect.Effect<boolean>
  readonly show: (id: string, page: Page) => Effect.Effect<ShownPlan, ToolError>
  readonly apply: (id: string, options: ApplyOptions) => Effect.Effect<AppliedReport, ToolError>
  /** Applies a plan to its end without a caller. */
  readonly goOn: Plans<unknown, unknown>["goOn"]
  readonly goingOn: Plans<unknown, unknown>["goingOn"]
  readonly rollback: (id: string) => Effect.Effect<Summary, ToolError>
  /** Everything that was planned and done, in the order of writing. */
  readonly audit: Effect.Effect<AuditTrail>
  /** The differences from the state that was last asked for (`since`) which nothing of ours has made. Some upstreams cannot tell. */
  readonly changedElsewhere?: Effect.Effect<
    {
      readonly since: number | undefined
      readonly rows: ReadonlyArray<object>
      /** A sentence about what could not be compared. */
      readonly note?: string
      /** Makes the present state the one that the next call compares with, once all rows are shown. */
      readonly look: Effect.Effect<void>
    },
    ToolError
  >
  /** Whether something may be changed now. */
  readonly isWritable: Effect.Effect<boolean>
}

/** A report in the upstream's words. */
interface AppliedReport extends Report {
  /** Fields of the upstream's own. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The next thing to do. */
  readonly advice: string
}

/** The sources of plans of a server, one for each toolset that makes plans. */
export class PlanSources extends Context.Service<PlanSources, ReadonlyArray<PlanSource>>()(
  "workflow-tool-server/changes/PlanSources"
) {}

/** The plans of an upstream as a source; `render` says its errors, `outcomeOf` reads what a plan has touched as it is afterwards. */
export const make = <C, E>(
  plans: Plans<C, E>,
  render: (error: E | PlanError) => ToolError,
  outcomeOf: (state: PlanState<C>) => Effect.Effect<Readonly<Record<string, unknown>>> = () => Effect.succeed({})
): PlanSource => {
  const { describing } = plans
  return {
    has: (id) =>
      Effect.match(
        plans.outline(id, () => false),
        {
          onSuccess: () => true,
          onFailure: (error) => !(error instanceof PlanNotFound)
        }
      ),
    show: (id, page) => {
      const to = endOf(page)
      const isWanted = (place: number) => describing.overview !== undefined || (place >= page.offset && place < to)
      return Effect.zipWith(Effect.mapError(plans.outline(id, isWanted), render), Audience, (outline, audience) =>
        shownPlan(describing, outline, page, audience)
      )
    },
    apply: (id, options) =>
      Effect.gen(function* () {
        const audience = yield* Audience
        const { report, state } = yield* Effect.mapError(plans.applyWithState(id, options), render)
        const isForGood = state.plan.steps.every(({ undo }) => undo.length === 0)
        const adjustments = describing.describeAdjusted?.(report.adjusted)
        return {
          ...report,
          ...withAdvice(report, state, audience),
          fields: {
            ...adjustments?.fields,
            ...(report.state === "in progress" ? {} : yield* outcomeOf(state))
          },
          advice:
            audience === "person"
              ? outcomeIn(describing, report)
              : adviceAfter(describing, report, { isForGood, adjusted: adjustments?.advice ?? "" })
        }
      }),
    goOn: plans.goOn,
    goingOn: plans.goingOn,
    rollback: (id) => Effect.flatMap(Effect.mapError(plans.rollback(id), render), (plan) => summary(describing, plan)),
    audit: trailOf(plans),
    isWritable: Effect.map(Clock.currentTimeMillis, (now) => describing.readOnly?.(now) === undefined)
  }
}

/** The outcome of an apply, for a person who sees what can be done next. */
const outcomeIn = <C>({ upstream }: Describing<C>, { done, refused, state, total, unconfirmed }: Report): string => {
  if (state === "in progress") return `${whatIsLeft(total - done - refused.length)}.`
  if (state !== "applied") return `${done} steps are applied, ${refused.length} are not: each says why.`
  if (total === 0) return noChanges
  return unconfirmed.length > 0 ? unconfirmedYet(upstream) : "Applied and read back."
}

const noChanges = "The plan holds no changes, and nothing was done."
const unconfirmedYet = (upstream: string) => `Applied. Some steps do not show yet; ${upstream} may take minutes.`

/** The next thing to do after an apply. */
const adviceAfter = <C>(
  { creations, upstream }: Describing<C>,
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
  if (total === 0) return noChanges
  const start =
    Object.keys(created).length === 0 ? "" : `; ${creations?.afterwards ?? "created tells the ids of what is new"}`
  const more = adjusted === "" ? "" : ` ${adjusted}`
  return unconfirmed.length > 0
    ? `${unconfirmedYet(upstream)} ${back}${start}.${more}`
    : `Applied and read back. ${back}${start}.${more}`
}

const whatIsLeft = (steps: number): string => (steps === 1 ? "1 step is left" : `${steps} steps are left`)

/** Bytes that the rows of an answer may have, and rows, unless more are asked for. */
export const room = 5000
export const mostRows = 50

/** Bytes for warnings, unless more is asked for. */
const roomForWarnings = 1200

const endOf = ({ limit, offset }: Page): number => offset + (limit ?? mostRows)

const shownPlan = <C>(
  describing: Describing<C>,
  { state, steps: wholeSteps }: Effect.Success<ReturnType<Plans<C, unknown>["outline"]>>,
  page: Page,
  audience: Audience
) => {
  const { plan } = state
  const { limit, offset } = page
  const to = endOf(page)
  const steps = plan.steps.slice(offset, to).flatMap(({ id }) => {
    const step = wholeSteps.get(id)
    if (step === undefined) return []
    const { doneAt, refused } = recordOf(state, id)
    const row = { ...stepRow(describing, step), done: doneAt !== undefined }
    return [refused === undefined ? row : { ...row, refused }]
  })
  const blocked = plan.blocked.slice(offset, to)
  // Both lists go on at the same offset.
  const pairs = Array.from({ length: Math.max(steps.length, blocked.length) }, (_, at) => [steps[at], blocked[at]])
  const rows = limit === undefined ? fitting(pairs, room) : pairs.length
  const { agreementAdvice } = describing
  const needsAgreement = agreementAdvice !== undefined && plan.warnings.some((one) => one.endsWith(agreementAdvice))
  const planned =
    audience === "person" ? plan.warnings.map((one) => one.replace(agreementAdvice ?? "", "")) : plan.warnings
  const warnings = [...planned, ...state.unreadable]
  const shownWarnings = limit === undefined ? fitted(warnings, roomForWarnings) : warnings
  const digest = describing.overview?.digest([...wholeSteps.values()])
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
      shownWarnings.length === warnings.length
        ? warnings
        : [...shownWarnings, `${warnings.length - shownWarnings.length} more warnings: give limit to see them all`],
    blocked: blocked.slice(0, rows),
    blocked_count: plan.blocked.length,
    estimate: plan.estimate,
    expires_at: moment(plan.expiresAt),
    ...(audience === "person" && needsAgreement ? { needs_agreement: true } : {}),
    ...(state.isRolledBack ? {} : withAdvice(notice(state), state, audience))
  }
}

/** The state of a plan, in a word. */
type StateWord = "applied" | "begun" | "partly applied" | "planned" | "refused" | "rolled back"

const stateOf = <C>({ done, isBegun, isFinished, isPartly, isRolledBack }: PlanState<C>): StateWord => {
  if (isRolledBack) return "rolled back"
  if (isFinished) return "applied"
  if (isPartly) return done > 0 ? "partly applied" : "refused"
  return isBegun ? "begun" : "planned"
}
