import type { Describing } from "../../../changes/Driver.ts"
import type { Plan } from "../../../changes/Plan.ts"
import { countsOf, questionsOn, beyond } from "../../../engine/operator/upgrade/report.ts"
import type { Affected, Survey, UpgradeFinding } from "../../../engine/operator/upgrade/survey.ts"
import type { Change } from "../../../engine/plans/Change.ts"
import { ruleOf } from "../../../engine/upgrade/rules.ts"
import { grouped } from "../../../internal/collections.ts"
import { changesIn, plain, section } from "../promote.ts"

/** A plan with the verdicts on its workflows. */
export interface Planned {
  readonly plan: Plan<Change>
  readonly describing: Describing<Change>
  readonly verdicts: ReadonlyArray<{ readonly name: string; readonly id: string; readonly verdict: string }>
}

const table = (
  heads: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string | number>>
): ReadonlyArray<string> => [heads, heads.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`)

const rulesIn = ({ findings }: Affected): string =>
  [...grouped(findings, ({ rule }) => rule)]
    .map(([rule, all]) => `${rule}: ${[...new Set(all.map(({ field = "", node = field }) => plain(node)))].join(", ")}`)
    .join("; ")

const placeText = ({ field, line, node }: UpgradeFinding): string =>
  [node, field, line === undefined ? undefined : `line ${line}`].flatMap((part) => part ?? []).join(", ")

/** Every finding of a workflow, and what to do. */
const findingLines = ({ findings, id, name }: Affected, on: string): ReadonlyArray<string> => [
  `- **${plain(name)}** (${plain(id)})${on}`,
  ...findings.map((finding) => {
    const { message, rule } = finding
    return `  - ${rule}, ${plain(placeText(finding))}: ${plain(message)}. ${plain(ruleOf(rule)?.advice ?? "")}`
  })
]

/** The report about instances as Markdown: summary, table, findings, and of a plan its differences and proofs. */
export const upgradeMarkdown = ({
  failed,
  planned,
  source,
  surveys,
  to
}: {
  readonly to: string
  readonly source: string
  readonly surveys: ReadonlyArray<Survey>
  readonly failed: ReadonlyArray<{ readonly instance: string; readonly error: string }>
  readonly planned: Planned | undefined
}): string => {
  const newer = beyond(surveys, to)
  const keyOf = (instance: string, id: unknown) => JSON.stringify([instance, id])
  const rewritten = new Set(
    planned?.plan.steps.flatMap(({ change }) =>
      change.kind === "update" ? [keyOf(change.instance, change.workflow)] : []
    )
  )
  const rows = surveys.flatMap((survey) => survey.affected.map((affected) => ({ survey, affected })))
  const notLookedAt = surveys.flatMap(({ instance, notLookedAt: all }) => all.map((one) => `${instance}: ${one}`))
  return [
    `## Upgrade to ${plain(to)}`,
    "",
    ...(newer === undefined ? [] : [plain(newer), ""]),
    ...table(
      ["instance", "version", "workflows", "stop", "other results", "cosmetic", "clean"],
      surveys.map((survey) => {
        const { change, clean, cosmetic, stop, workflows } = countsOf(survey)
        return [plain(survey.instance), survey.way.from ?? "unknown", workflows, stop, change, cosmetic, clean]
      })
    ),
    ...section(
      "Workflows",
      rows.length === 0
        ? []
        : table(
            ["instance", "workflow", "effect", "rules and nodes", "runs"],
            rows.map(({ affected, survey }) => [
              plain(survey.instance),
              `${plain(affected.name)} (${plain(affected.id)})`,
              affected.severity,
              rulesIn(affected),
              survey.runs.since === undefined ? "unknown" : (survey.runs.counts.get(affected.id) ?? 0)
            ])
          )
    ),
    ...section(
      "What to do",
      rows.flatMap(({ affected, survey: { instance } }) =>
        rewritten.has(keyOf(instance, affected.id))
          ? []
          : findingLines(affected, surveys.length > 1 ? ` on ${plain(instance)}` : "")
      )
    ),
    ...(planned === undefined ? [] : planLines(planned)),
    ...section(
      "Questions",
      questionsOn(surveys.map(({ way }) => way)).map((one) => `- ${one}`)
    ),
    ...section("Not looked at", [
      `- Node types: ${plain(source)}`,
      ...notLookedAt.map((one) => `- ${plain(one)}`),
      ...failed.map(({ error, instance }) => `- ${plain(instance)}: ${plain(error)}`)
    ])
  ].join("\n")
}

const planLines = ({ describing, plan, verdicts }: Planned): ReadonlyArray<string> => [
  ...section(
    "Difference",
    plan.steps.flatMap(({ change }) =>
      change.kind === "update"
        ? [`- **${plain(change.name)}** on ${plain(change.instance)}`, ...changesIn(describing.describe(change).after)]
        : []
    )
  ),
  ...section(
    "Proof",
    verdicts.map(({ id, name, verdict }) => `- **${plain(name)}** (${plain(id)}): ${plain(verdict)}`)
  ),
  ...section(
    "Left as it is",
    plan.blocked.map(({ reason, what }) => `- **${plain(what)}**: ${plain(reason)}`)
  ),
  ...section(
    "Note",
    plan.warnings.map((warning) => `- ${plain(warning)}`)
  )
]
