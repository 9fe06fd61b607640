import { Console, Context, Effect, Layer, Schema } from "effect"

import type { Report } from "../../changes/apply/runPlan.ts"
import type { Describing } from "../../changes/Driver.ts"
import type { Plan } from "../../changes/Plan.ts"
import { applyPlan } from "../../changes/tools/planTools.ts"
import type { Change } from "../../engine/plans/Change.ts"
import { toPlanFailure, toPlanningFailure } from "../../engine/plans/failures.ts"
import { WorkflowPlans } from "../../engine/plans/Plans.ts"
import { planPromotionTool } from "../../engine/plans/planTools.ts"
import type { Outcome } from "../../engine/plans/promotion/draftPromotion.ts"
import { planPromotion, type PromotionRequest } from "../../engine/plans/promotion/planPromotion.ts"
import { MatchFields } from "../../engine/plans/settings.ts"
import { CredentialSources } from "../../engine/tools/CredentialSources.ts"
import { oneLine } from "../../internal/foreignText.ts"
import { firstIssue } from "../../internal/schema/describeIssue.ts"
import { maskText } from "../../internal/secrets/maskSecrets.ts"
import { type Options, UsageError } from "../configuration/flags.ts"
import { readLaunch } from "../configuration/readLaunch.ts"
import { instances } from "../engine/instances.ts"
import { withFolders } from "../engine/toolFolders.ts"
import * as PlanServices from "../plans/workflowPlans.ts"
import { credentialSources } from "../toolsets/toolsets.ts"
import { asCall, isOfEngines, reported, watched } from "./watched.ts"

/** The arguments of `promote`. */
export interface PromoteRequest extends Omit<PromotionRequest, "from" | "isPersonal" | "mapping" | "to"> {
  readonly from: string | undefined
  readonly to: string | undefined
  /** As JSON, like the argument of plan_promotion. */
  readonly mapping: string | undefined
  readonly plan: boolean
  readonly apply: boolean
  readonly confirmProtected: boolean
}

/** Nothing would change, something would (or has to be looked at), and something cannot. */
const exitCodes = { nothing: 0, failed: 1, changes: 2 } as const

/**
 * Prints what a promotion would do as Markdown, for a pull request; with `--apply`, does it and prints the result. If something
 * is blocked, nothing is applied.
 */
export const runPromote = Effect.fnUntraced(function* (
  options: Options,
  { apply, confirmProtected, from, mapping: text, plan: isPlan, to, ...request }: PromoteRequest
) {
  if (apply === isPlan) return yield* new UsageError({ message: "promote needs either --plan or --apply" })
  if (from === undefined || to === undefined) {
    return yield* new UsageError({ message: "promote needs --from and --to, the names of two instances" })
  }
  const mapping = text === undefined ? undefined : yield* readMapping(text)
  const launch = yield* readLaunch(options)
  return yield* Effect.gen(function* () {
    const engines = yield* withFolders(launch, yield* instances(launch))
    const services = yield* Effect.provideContext(Layer.build(PlanServices.layer(launch)), engines)
    const plans = Context.get(services, WorkflowPlans)
    const { outcomes, plan } = yield* asCall({
      tool: planPromotionTool,
      instance: to,
      render: toPlanningFailure,
      work: planPromotion({ ...request, mapping, from, to, isPersonal: true }).pipe(
        Effect.provideContext(engines),
        Effect.provideContext(services),
        Effect.provideService(CredentialSources, credentialSources(launch))
      )
    })
    yield* Console.log(planMarkdown({ from, to, plan, outcomes, describing: plans.describing }))
    if (!apply) return plan.steps.length === 0 && plan.blocked.length === 0 ? exitCodes.nothing : exitCodes.changes
    if (plan.blocked.length > 0) {
      yield* Console.error("Nothing was applied, because something is blocked.")
      return exitCodes.failed
    }
    if (plan.steps.length === 0) return exitCodes.nothing
    const report = yield* asCall({
      tool: applyPlan,
      instance: to,
      input: { plan_id: plan.id },
      render: toPlanFailure,
      work: plans.apply(plan.id, { isProtectedConfirmed: confirmProtected })
    })
    yield* Console.log(reportMarkdown(report))
    return report.state === "applied" ? exitCodes.nothing : exitCodes.failed
  }).pipe(watched(launch), Effect.catchIf(isOfEngines, reported))
}, Effect.scoped)

/** The mapping from the command line. */
const readMapping = (text: string) =>
  Effect.mapError(Schema.decodeUnknownEffect(Schema.fromJsonString(MatchFields), strict)(text), (error) => {
    const { path, words } = firstIssue(error)
    return new UsageError({ message: `--mapping${path === "" ? "" : ` ${path}`}: expected ${words}` })
  })

const strict = { onExcessProperty: "error" } as const

/** A promotion to describe. */
interface Promotion {
  readonly from: string
  readonly to: string
  readonly plan: Plan<Change>
  readonly outcomes: ReadonlyArray<Outcome>
  readonly describing: Pick<Describing<Change>, "describe">
}

/** Names and values come from workflows: none of them may end a line, begin a link or mention a person. */
export const plain = (text: string): string =>
  oneLine(maskText(text))
    .replace(/^>|[\\`*_[<#|~]/g, (mark) => `\\${mark}`)
    .replace(/@(?=\w)/g, "@&#8203;")

/** The same as code, of which every character stands for itself. */
const asCode = (text: string): string => {
  const line = oneLine(maskText(text))
  const ticks = Math.max(0, ...Array.from(line.matchAll(/`+/g), ([run]) => run.length))
  const fence = "`".repeat(ticks + 1)
  return ticks === 0 ? fence + line + fence : `${fence} ${line} ${fence}`
}

/** A part of a Markdown text; none where nothing stands in it. */
export const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : ["", `### ${title}`, "", ...lines]

/** A promotion as Markdown, for a pull request. */
const planMarkdown = ({ describing, from, outcomes, plan, to }: Promotion): string => {
  const count = (action: Outcome["action"]) => outcomes.filter((outcome) => outcome.action === action).length
  const head =
    `${count("create")} to create, ${count("update")} to change, ${count("leave")} to leave as they are, ` +
    `${plan.blocked.length} blocked.`
  const of = (...kinds: ReadonlyArray<Change["kind"]>) => plan.steps.filter(({ change }) => kinds.includes(change.kind))
  return [
    `## Promotion from ${plain(from)} to ${plain(to)}`,
    "",
    plan.steps.length === 0 && plan.blocked.length === 0 ? "Nothing would change." : head,
    ...section(
      "Create",
      of("create").map(({ change, reason }) =>
        change.kind === "create" ? `- **${plain(change.content.name)}**: ${plain(reason)}` : ""
      )
    ),
    ...section(
      "Make folders and variables",
      plan.steps.flatMap(({ change, reason }) =>
        change.kind === "call"
          ? [
              `- ${change.call === "POST /variables" ? "variable" : "folder"} **${plain(change.made ?? "")}**: ${plain(reason)}`
            ]
          : []
      )
    ),
    ...section(
      "Make data tables",
      plan.steps.flatMap(({ change, id, reason }) =>
        change.kind === "table" && change.action === "create"
          ? [`- **${plain(change.name)}**: ${plain(reason)}${rowsInto(plan, id)}`]
          : []
      )
    ),
    ...section(
      "Change",
      of("update").flatMap(({ change, reason }) => {
        if (change.kind !== "update") return []
        const { after } = describing.describe(change)
        return [`- **${plain(change.name)}**: ${plain(reason)}`, ...changesIn(after)]
      })
    ),
    ...section(
      "Tags",
      of("create-tag", "tags").map(({ change, reason }) =>
        "name" in change
          ? `- ${change.kind === "tags" ? "" : "new tag "}**${plain(change.name)}**: ${plain(reason)}`
          : ""
      )
    ),
    ...section(
      "Activate",
      of("active").map(({ change, reason }) =>
        "name" in change ? `- **${plain(change.name)}**: ${plain(reason)}` : ""
      )
    ),
    ...section(
      "Blocked",
      plan.blocked.map(({ reason, what }) => `- **${plain(what)}**: ${plain(reason)}`)
    ),
    ...section(
      "Note",
      plan.warnings.map((warning) => `- ${plain(warning)}`)
    )
  ].join("\n")
}

/** The number of rows that go into a table which a step makes, in words. */
const rowsInto = ({ steps }: Plan<Change>, table: string): string => {
  const rows = steps.flatMap(({ change }) =>
    change.kind === "table" && change.action === "insert" && Object(change.table).created_by === table
      ? change.rows
      : []
  )
  return rows.length === 0 ? "" : `; with ${rows.length} rows`
}

/** The lines of a change's description, which hold code. */
export const changesIn = (after: unknown): ReadonlyArray<string> => {
  const { changes = [] }: { readonly changes?: unknown } = typeof after === "object" && after !== null ? after : {}
  return Array.isArray(changes) ? changes.map((line) => `  - ${asCode(String(line))}`) : []
}

/** The result of an apply, as Markdown. */
export const reportMarkdown = ({ done, plan_id, refused, state, total }: Report): string =>
  [
    "",
    `**${state}**: ${done} of ${total} steps are done. \`plan_rollback\` with plan\\_id \`${plan_id}\` plans the rollback.`,
    ...section(
      "Refused",
      refused.map(({ problem, step }) => `- ${plain(step)}: ${plain(problem)}`)
    )
  ].join("\n")
