import type { Json } from "../harness.ts"

/** Calls of every tool that reads or changes what strangers wrote, with a text in every argument that takes one. */
export const strangeCalls = (text: string): ReadonlyArray<readonly [tool: string, args: Json]> => {
  const short = text.slice(0, 2000)
  const nodes = [
    { name: `N ${text}`, type: "n8n-nodes-base.manualTrigger", typeVersion: 1, position: [0, 0], parameters: {} },
    {
      name: "Set",
      type: "n8n-nodes-base.code",
      typeVersion: 2,
      position: [200, 0],
      parameters: { jsCode: text, a: `=${text}` }
    }
  ]
  const connections = [{ source: `N ${text}`, target: "Set" }]
  return [
    ["list_workflows", {}],
    ["list_workflows", { name: short, tags: [short] }],
    ["get_workflow", { id: "1" }],
    ["get_workflow", { id: text }],
    ["get_workflow", { id: "1", nodes: [text] }],
    ["create_workflow", { name: text, nodes, connections, tags: [text] }],
    ["update_workflow", { id: "1", name: text }],
    ["update_workflow", { id: "1", nodes, connections }],
    ["activate_workflow", { id: "1" }],
    ["deactivate_workflow", { id: "1" }],
    ["execute_workflow", { id: "1", data: { text } }],
    ["delete_workflow", { id: "1" }],
    ["list_executions", { includeData: true }],
    ["list_executions", { status: text }],
    ["get_execution", { id: 1, includeData: true }],
    ["retry_execution", { id: 1 }],
    ["delete_execution", { id: 2 }],
    ["list_credentials", {}],
    ["get_credential", { id: "c1" }],
    ["update_credential", { id: "c1", name: text }],
    ["delete_credential", { id: "c1" }],
    ["create_credential", { name: text, type: "httpHeaderAuth", data: { name: text, value: text } }],
    ["get_credential_schema", { type: text }],
    ["get_tags", {}],
    ["create_tag", { name: text }],
    ["get_tag", { id: "t1" }],
    ["update_tag", { id: "t1", name: text }],
    ["delete_tag", { id: "t1" }],
    ["view_workflow", { id: "1" }],
    ["view_workflow", { id: "1", format: "mermaid", execution: 1 }],
    ["view_workflow", { id: "1", nodes: [`N ${text}`, "Code", text] }],
    ["check_workflow", { id: "1" }],
    ["check_workflow", { nodes, connections }],
    ["search_workflows", { text: short.slice(0, 200) }],
    ["search_workflows", { text }],
    ["search_workflows", { path: text }],
    ["search_workflows", { credential: text, nodeType: text }],
    ["compare_workflows", { a: "1", b: "2" }],
    ["compare_workflows", { a: text, b: "2" }],
    ["explain_execution", { id: 1 }],
    ["explain_execution", { workflowId: "1" }],
    ["instance_health", {}],
    ["ai_usage", {}],
    ["check_upgrade", {}],
    ["check_upgrade", { workflow: "1" }],
    ["check_upgrade", { workflow: text }],
    ["check_upgrade", { cursor: text }],
    ["find_nodes", { query: text }],
    ["describe_node", { type: text }],
    ["edit_workflow", { id: "1", operations: [{ op: "rename", node: "Code", name: text }], dry_run: true }],
    ["edit_workflow", { id: "1", operations: [{ op: "arrange" }], dry_run: true }],
    ["edit_workflow", { id: "1", operations: [{ op: "set", node: "Code", path: text, value: text }], dry_run: true }],
    [
      "edit_workflow",
      { id: "1", operations: [{ op: "replace", find: short.slice(0, 5), value: text }], dry_run: true }
    ],
    [
      "edit_workflow",
      {
        id: "1",
        operations: [
          { op: "note", value: text },
          { op: "add", type: "code", name: text }
        ],
        dry_run: true
      }
    ],
    ["plan_bulk", { action: ["replace_text"], match: "part", find: short.slice(0, 5), value: text, where: {} }],
    ["plan_bulk", { action: ["tag"], value: text, where: { text: short } }],
    ["plan_bulk", { action: ["tag"], value: "seen", where: { name: "*" } }],
    ["plan_bulk", { action: ["tag"], value: "a", where: { name: short } }],
    [
      "plan_promotion",
      { from: "production", to: "staging", ids: ["1"], mapping: { values: { [text]: text, a: "b" } } }
    ],
    ["plan_promotion", { from: "production", to: "staging", name: short }],
    ["record_test", { execution: 1, name: text, dry_run: true, expect: { Set: { [text]: text } }, ignore: [text] }],
    ["run_workflow", { id: "1", dry_run: true, items: [{ text }] }],
    ["run_workflow", { id: "1", from: "Http", confirm: true, items: [{ text }] }],
    ["run_workflow", { id: "1", dry_run: true, operations: [{ op: "remove", node: text }] }],
    ["run_tests", { test: text, id: "1" }],
    ["test_credential", { id: "c1" }],
    ["stop_execution", { id: 1 }],
    ["archive_workflow", { id: "1" }],
    ["workflow_history", { id: "1" }],
    ["restore_workflow", { id: "1", version: text, dry_run: true }],
    ["backup", {}],
    ["plan_restore", { version: text }],
    ["plan_upgrade", { where: { name: "*" }, to: "3.0", accept: ["1"] }],
    ["plan_upgrade", { where: { text }, rules: [text] }],
    ["try_fix", { execution: 1, operations: [{ op: "set", node: "Code", path: "notes", value: text }] }],
    ["plan_rotation", { credential: text, name: text, data: { user: text } }],
    ["plan_retry", { workflow: text, once_per: text }],
    ["plan_retry", { since: "2020-01-01T00:00:00Z" }],
    ["show_plan", { plan_id: text }],
    [text, { [text]: text }]
  ]
}
