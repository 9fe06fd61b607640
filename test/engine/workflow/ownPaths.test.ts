import { assert, describe, it } from "vitest"

import { type Workflow, WorkflowId } from "../../../src/engine/workflow/models.ts"
import { nodesWithOwnPaths, sharedAddresses } from "../../../src/engine/workflow/ownPaths.ts"

const generated = "0b9c4f5e-1c5f-4a57-9b62-3f1b8c3a9e10"
const fresh = "7d0c5f0e-4b3a-4f57-9d61-2f1b8c3a9e10"

const called = (kind: string, path: string, webhookId = fresh) => ({
  name: kind,
  type: `n8n-nodes-base.${kind}`,
  typeVersion: 2,
  webhookId,
  parameters: { path, options: {} }
})

const original = (...nodes: Workflow["nodes"]): Workflow => ({
  id: WorkflowId.make("w1"),
  name: "Original",
  active: false,
  nodes,
  connections: {},
  createdAt: "",
  updatedAt: ""
})

const paths = (nodes: ReturnType<typeof nodesWithOwnPaths>) => nodes.map(({ parameters }) => Object(parameters).path)

describe("copies of workflows", () => {
  it("leave paths that somebody chose, in the original or for the copy", () => {
    const chosen = "2c2f4a39-55a8-4f7e-b9e6-3d5f5a1c7b88"
    const nodes = [called("webhook", "orders"), called("formTrigger", chosen), called("mcpTrigger", generated)]
    assert.deepStrictEqual(paths(nodesWithOwnPaths(nodes, [called("webhook", generated)])), ["orders", chosen, fresh])
  })

  it("tell of webhooks, forms and MCP servers that their original has as well", () => {
    const nodes = [called("webhook", "orders"), called("formTrigger", "ask"), called("mcpTrigger", "shop")]
    const told = sharedAddresses(nodes, original(...nodes))
    assert.deepStrictEqual(
      told.map((line) => line.replace(/ in common.*/, "")),
      ["webhook has GET /webhook/orders", "formTrigger has POST /form/ask", "mcpTrigger has /mcp/shop"]
    )
    const disabled = nodes.map((node) => ({ ...node, disabled: true }))
    assert.deepStrictEqual(sharedAddresses(disabled, original(...nodes)), [])
    assert.deepStrictEqual(
      sharedAddresses([called("webhook", "orders/:id")], original(called("webhook", "orders/:id", generated))),
      []
    )
  })

  it("tell of the nodes that run, where those of the draft are others", () => {
    const running = {
      ...original(called("webhook", "new")),
      active: true,
      activeVersion: { nodes: [called("webhook", "old")] }
    }
    assert.include(sharedAddresses([called("webhook", "old")], running)[0], "GET /webhook/old in common with w1")
  })
})
