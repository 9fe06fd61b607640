import { assert, it } from "vitest"

import { toolHelp } from "../../../../src/cli/tasks/call/help.ts"
import { editWorkflow } from "../../../../src/engine/operator/edit/editWorkflow.ts"
import { listWorkflows } from "../../../../src/engine/tools/workflows/reads.ts"

it("the help of a tool tells what the objects in an argument hold", () => {
  const help = toolHelp(editWorkflow, false)
  assert.match(help, /^FIELDS OF --operations \(each\)$/m)
  assert.match(help, /^ {2}op TEXT {2,}Its kind \(required\)$/m)
})

it("the help tells the fields of objects within such objects by their path", () => {
  const article = {
    type: "object",
    properties: { nm_id: { type: "integer", description: "Article id" } },
    required: ["nm_id"]
  }
  const items = { type: "object", properties: { bids: { type: "array", description: "Bids", items: article } } }
  const inputSchema = () => ({ properties: { snapshot: { type: "array", items } } })
  assert.deepStrictEqual(
    toolHelp({ ...listWorkflows, inputSchema }, false)
      .split("\n")
      .slice(-4),
    [
      "",
      "FIELDS OF --snapshot (each)",
      "  bids JSON              Bids",
      "  bids[].nm_id NUMBER    Article id (required)"
    ]
  )
})

it("the help of a tool without such arguments says nothing of fields", () => {
  assert.notInclude(toolHelp(listWorkflows, false), "FIELDS OF")
})
