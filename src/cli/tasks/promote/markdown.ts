import type { Report } from "../../../changes/apply/runPlan.ts"
import type { Describing } from "../../../changes/Driver.ts"
import type { Plan } from "../../../changes/Plan.ts"
import type { Change } from "../../../engine/plans/Change.ts"
import type { Outcome } from "../../../engine/plans/promotion/draftPromotion.ts"
import { oneLine } from "../../../internal/foreignText.ts"
import { maskText } from "../../../internal/secrets/maskSecrets.ts"

/** A promotion to describe. */
export interface Told {
  readonly from: string
  readonly to: string
  readonly plan: Plan<Change>
  readonly outcomes: ReadonlyArray<Outcome>
  readonly describing: Pick<Describing<Change>, "describe">
}

/** Names and values come from workflows: none of them may end a line, begin a link or mention a person. */
const plain = (text: string): string =>
  oneLine(maskText(text))
    .replace(/[\\`*_{}[\]<>#|~!]/g, (mark) => `\\${mark}`)
    .replace(/@(?=\w)/g, "@&#8203;")

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : ["", `### ${title}`, "", ...lines]

/** A promotion as Markdown, for a pull request. */
export const planMarkdown = ({ describing, from, outcomes, plan, to }: Told): string => {
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
      "Change",
      of("update").flatMap(({ change, reason }) => {
        if (change.kind !== "update") return []
        const { after } = describing.describe(change)
        return [
          `- **${plain(change.name)}**: ${plain(reason)}`,
          ...changesIn(after).map((line) => `  - ${plain(line)}`)
        ]
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

const changesIn = (after: unknown): ReadonlyArray<string> => {
  const { changes = [] }: { readonly changes?: unknown } = typeof after === "object" && after !== null ? after : {}
  return Array.isArray(changes) ? changes.map(String) : []
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
