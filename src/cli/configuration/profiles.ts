import { type Selection, withoutSign } from "../../mcp/selection.ts"
import type { ToolsetName } from "./toolsetFacts.ts"

/** A selection of tools under one word. */
interface Profile extends Selection {
  /** The toolsets that its tools are in, beside `engine`. */
  readonly toolsets?: ReadonlyArray<ToolsetName>
}

const profiles = new Map<string, Profile>([
  [
    "daily",
    {
      toolsets: ["operator"],
      isBrief: true,
      // Some clients show a model the first five, and the others when it looks for them.
      names: [
        "search_workflows",
        "view_workflow",
        "edit_workflow",
        "explain_execution",
        "run_workflow",
        "create_workflow",
        "check_workflow",
        "list_executions",
        "instance_health",
        "compare_workflows",
        "workflow_history",
        "restore_workflow",
        "plan_bulk",
        "plan_promotion",
        "apply_plan",
        "plan_rollback",
        "describe_node",
        "activate_workflow"
      ],
      hidden: {
        activate_workflow: ["addTrigger", "ifVersion"],
        apply_plan: ["background", "max_seconds"],
        create_workflow: ["answer", "staticData"],
        describe_node: ["version"],
        edit_workflow: ["ifVersion"],
        list_executions: ["includeData", "limit", "projectId"],
        plan_bulk: ["also"],
        plan_promotion: ["dependencies", "folder", "include", "on_drift", "rewrite", "source"],
        restore_workflow: ["ifVersion", "relink"],
        search_workflows: ["archived"],
        view_workflow: ["format"],
        workflow_history: ["limit", "recorded"]
      }
    }
  ],
  ["all", { names: ["*"] }]
])

/** A word for tools: the name of a profile, a toolset or a tool, or a pattern, perhaps with the sign that takes away. */
export const toolName = /^-?[\w*]{1,100}$/

/** The profiles by name. */
export const profileNames: ReadonlyArray<string> = [...profiles.keys()]

/** The selection that words mean: profiles, and names and patterns of tools. */
export const selectionOf = (words: ReadonlyArray<string>): Selection => ({
  names: words.flatMap((word) => {
    const sign = word.startsWith("-") ? "-" : ""
    return profiles.get(withoutSign(word))?.names.map((name) => sign + name) ?? [word]
  }),
  isBrief: words.some((word) => profiles.get(word)?.isBrief === true),
  hidden: Object.assign({}, ...words.map((word) => profiles.get(word)?.hidden))
})

/** The toolsets that the profiles among words need. */
export const toolsetsOf = (words: ReadonlyArray<string>): ReadonlyArray<ToolsetName> =>
  words.flatMap((word) => profiles.get(word)?.toolsets ?? [])
