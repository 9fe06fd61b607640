import * as fc from "fast-check"
import { assert, describe, it } from "vitest"

import { addressesOf, nodesWithOwnPaths, sharedAddresses } from "../../../src/engine/workflow/addresses.ts"
import { type Workflow, WorkflowId } from "../../../src/engine/workflow/models.ts"
import type { JsonObject } from "../../../src/internal/schema/JsonObject.ts"

const of = (...nodes: ReadonlyArray<JsonObject>) => addressesOf({ id: "wf1", nodes })
const webhook = (parameters: JsonObject, fields: JsonObject = {}): JsonObject => ({
  name: "My Hook",
  type: "n8n-nodes-base.webhook",
  webhookId: "id-1",
  parameters,
  ...fields
})
const only = (...nodes: ReadonlyArray<JsonObject>) => of(...nodes).map(({ method, path }) => `${method} ${path}`)

describe("the address of a webhook", () => {
  it("is its path when the node has an id, called with GET by default", () => {
    assert.deepStrictEqual(of(webhook({ path: "orders/new" })), [
      { kind: "webhook", node: "My Hook", method: "GET", path: "/webhook/orders/new", variables: [] }
    ])
  })

  it("is its id when it has no path", () => {
    assert.deepStrictEqual(only(webhook({})), ["GET /webhook/id-1"])
  })

  it("begins with workflow and node when the node has no id", () => {
    assert.deepStrictEqual(only(webhook({ path: "orders" }, { webhookId: undefined })), [
      "GET /webhook/wf1/my%2520hook/orders"
    ])
  })

  it("begins with the id when the path has variables, which are named", () => {
    assert.deepStrictEqual(of(webhook({ path: "orders/:id/:part", httpMethod: "DELETE" })), [
      {
        kind: "webhook",
        node: "My Hook",
        method: "DELETE",
        path: "/webhook/id-1/orders/:id/:part",
        variables: ["id", "part"]
      }
    ])
  })

  it("is called with POST where that is one of its methods", () => {
    assert.deepStrictEqual(only(webhook({ path: "a", httpMethod: ["GET", "POST"] })), ["POST /webhook/a"])
    assert.deepStrictEqual(only(webhook({ path: "a", httpMethod: ["PUT", "GET"] })), ["PUT /webhook/a"])
  })

  it("is unknown when only the engine can evaluate it, or when it would leave /webhook", () => {
    assert.deepStrictEqual(only(webhook({ path: "={{ $env.PATH }}" })), [])
    assert.deepStrictEqual(only(webhook({ path: "a", httpMethod: "={{ 1 }}" })), [])
    assert.deepStrictEqual(only(webhook({ path: "../../rest/users" })), [])
  })

  it("stays below /webhook whatever the path", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (path, name) => {
        for (const id of [{ webhookId: undefined }, { webhookId: "id-1" }]) {
          for (const address of of(webhook({ path }, { ...id, name }))) {
            const url = new URL(address.path, "http://engine.test")
            assert.strictEqual(url.host, "engine.test")
            assert.isTrue(url.pathname.startsWith("/webhook/"))
            assert.strictEqual(url.search + url.hash, "")
          }
        }
      })
    )
  })
})

describe("the addresses of forms and chats", () => {
  const form = { name: "Form", type: "n8n-nodes-base.formTrigger", webhookId: "f1" }
  const chat = { name: "Chat", type: "@n8n/n8n-nodes-langchain.chatTrigger", webhookId: "c1" }

  it("begin with /form for a form", () => {
    assert.deepStrictEqual(only({ ...form, parameters: { path: "sign up" } }), ["POST /form/sign%20up"])
    assert.deepStrictEqual(only({ ...form, parameters: { path: "", options: { path: "join" } } }), ["POST /form/join"])
    assert.deepStrictEqual(only(form), ["POST /form/f1"])
    assert.deepStrictEqual(only({ ...form, typeVersion: 1 }), [])
  })

  it("begin with the id of a chat that is public", () => {
    assert.deepStrictEqual(only({ ...chat, parameters: { public: true } }), ["POST /webhook/c1/chat"])
    assert.deepStrictEqual(only(chat), [])
  })

  it("come in the order webhook, form, chat, without disabled nodes and without other triggers", () => {
    const nodes = [
      { ...chat, parameters: { public: true } },
      form,
      webhook({ path: "off" }, { disabled: true }),
      webhook({ path: "on" }),
      { type: "n8n-nodes-base.scheduleTrigger" },
      {}
    ]
    assert.deepStrictEqual(
      of(...nodes).map(({ kind }) => kind),
      ["webhook", "form", "chat"]
    )
  })
})

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
    const warnings = sharedAddresses(nodes, original(...nodes))
    assert.deepStrictEqual(
      warnings.map((line) => line.replace(/ in common.*/, "")),
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
