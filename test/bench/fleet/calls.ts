type Json = Readonly<Record<string, unknown>>

/** A call that is measured; `history` where the server keeps one, and calls of one folder follow each other. */
export interface Measured {
  readonly name: string
  readonly tool: string
  readonly args: Json | ((answers: ReadonlyMap<string, string>) => Json)
  readonly history?: true
}

const planIn = (text: string | undefined) => /(?:plan_id[\\": ]+)([\w-]+)/.exec(text ?? "")?.[1] ?? ""
const versionIn = (text: string | undefined) => /(?:version[\\": ]+)([0-9a-f]{7,40})/.exec(text ?? "")?.[1] ?? "HEAD"

/** Every tool that reads or plans, at its largest. */
export const calls: ReadonlyArray<Measured> = [
  { name: "list_workflows", tool: "list_workflows", args: { limit: 250 } },
  { name: "get_workflow, 1,000 nodes", tool: "get_workflow", args: { id: "big1000" } },
  {
    name: "get_workflow, 2 of 1,000 nodes",
    tool: "get_workflow",
    args: { id: "big1000", nodes: ["Node 1", "Node 2"] }
  },
  { name: "list_executions with data", tool: "list_executions", args: { limit: 250, includeData: true } },
  { name: "get_execution, 60 MB", tool: "get_execution", args: { id: 1059, includeData: true } },
  {
    name: "get_execution, 2 items of 60 MB",
    tool: "get_execution",
    args: { id: 1059, includeData: true, nodes: ["Node 1"], items: 2 }
  },
  { name: "explain_execution, 60 MB", tool: "explain_execution", args: { id: 1060 } },
  { name: "record_test, 60 MB", tool: "record_test", args: { execution: 1059 } },
  { name: "search_workflows, everywhere", tool: "search_workflows", args: { text: "api.example.com" } },
  { name: "search_workflows, nowhere", tool: "search_workflows", args: { text: "no such text" } },
  { name: "instance_health", tool: "instance_health", args: {} },
  { name: "check_upgrade", tool: "check_upgrade", args: {} },
  {
    name: "compare_workflows, 1,000 nodes",
    tool: "compare_workflows",
    args: { a: "big1000", instances: ["e0", "e1"] }
  },
  { name: "view_workflow, 1,000 nodes", tool: "view_workflow", args: { id: "big1000" } },
  { name: "check_workflow, 1,000 nodes", tool: "check_workflow", args: { id: "big1000" } },
  {
    name: "plan_bulk tag",
    tool: "plan_bulk",
    args: { where: { name: "*" }, action: "tag", value: "seen" }
  },
  {
    name: "plan_bulk replace_text, none",
    tool: "plan_bulk",
    args: { where: { name: "*" }, action: "replace_text", match: "part", find: "no such text", value: "x" }
  },
  {
    name: "plan_bulk replace_text, 300",
    tool: "plan_bulk",
    args: {
      where: { tags: ["promoted"] },
      action: "replace_text",
      match: "part",
      find: "api.example.com",
      value: "api.example.org"
    }
  },
  {
    name: "plan_bulk replace_text, 10,000",
    tool: "plan_bulk",
    args: {
      where: { name: "*" },
      action: "replace_text",
      match: "part",
      find: "api.example.com",
      value: "api.example.org"
    }
  },
  {
    name: "plan_bulk delete",
    tool: "plan_bulk",
    args: { where: { tags: ["promoted"] }, action: "delete" }
  },
  { name: "plan_bulk delete 10,000", tool: "plan_bulk", args: { where: { name: "*" }, action: "delete" } },
  { name: "plan_promotion of 300 changed", tool: "plan_promotion", args: { from: "e0", to: "e1", tag: "promoted" } },
  { name: "plan_promotion of 300 new", tool: "plan_promotion", args: { from: "e0", to: "empty", tag: "promoted" } },
  { name: "backup, first", tool: "backup", args: {}, history: true },
  { name: "backup, second", tool: "backup", args: {}, history: true },
  { name: "workflow_history", tool: "workflow_history", args: { id: "w1" }, history: true },
  {
    name: "plan_restore",
    tool: "plan_restore",
    args: (answers) => ({ version: versionIn(answers.get("workflow_history")) }),
    history: true
  }
]

/** Calls that follow a plan on the same server. */
export const after = (text: string): ReadonlyArray<Measured> => {
  const plan_id = planIn(text)
  return plan_id === ""
    ? []
    : [
        { name: "… show_plan", tool: "show_plan", args: { plan_id } },
        { name: "… audit_log", tool: "audit_log", args: {} }
      ]
}
