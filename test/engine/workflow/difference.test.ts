import * as fc from "fast-check"
import { assert, describe, it } from "vitest"

import { changeLines, differences } from "../../../src/engine/workflow/difference.ts"
import type { Node } from "../../../src/engine/workflow/models.ts"
import type { JsonObject } from "../../../src/internal/schema/JsonObject.ts"
import { type Graph, graph } from "./graphs.ts"

const http = {
  id: "a",
  name: "Fetch",
  type: "n8n-nodes-base.httpRequest",
  typeVersion: 4.1,
  position: [0, 0],
  parameters: { url: "https://a", options: { timeout: 1000 } }
}
const branch = { id: "b", name: "If", type: "n8n-nodes-base.if", typeVersion: 2, position: [200, 0], parameters: {} }
const code = {
  id: "c",
  name: "Code",
  type: "n8n-nodes-base.code",
  typeVersion: 2,
  position: [400, 0],
  parameters: { jsCode: "const a = 1\nconst b = 2\nreturn $('Fetch').all()" }
}
const notify = {
  id: "d",
  name: "Notify",
  type: "n8n-nodes-base.slack",
  typeVersion: 2,
  position: [400, 200],
  parameters: { text: "hello" },
  credentials: { slackApi: { id: "1", name: "Team" } }
}
const to = (node: string, type = "main", index = 0) => ({ node, type, index })

const base = {
  id: "w1",
  name: "Orders",
  active: false,
  versionId: "v1",
  updatedAt: "2026-11-20T09:00:00.000Z",
  nodes: [http, branch, code, notify],
  connections: { Fetch: { main: [[to("If")]] }, If: { main: [[to("Code")], []] } },
  settings: { timezone: "Europe/Berlin" },
  pinData: {},
  tags: [{ id: "t1", name: "red" }]
}

const textsOf = (after: JsonObject, before: JsonObject = base) => differences(before, after).map(({ text }) => text)
const withNode = (name: string, change: JsonObject): JsonObject => ({
  ...base,
  nodes: base.nodes.map((node) => (node.name === name ? { ...node, ...change } : node))
})

/** The same with another first node. */
const changedNode =
  (change: (node: Node) => JsonObject) =>
  ({ connections, nodes: [first, ...rest] }: Graph): JsonObject => ({
    connections,
    nodes: first === undefined ? rest : [{ ...first, ...change(first) }, ...rest]
  })

/** The same arrows, each with a field that nobody knows. */
const marked = (connections: Graph["connections"]): JsonObject =>
  Object.fromEntries(
    Object.entries(connections).map(([source, types]) => [
      source,
      Object.fromEntries(
        Object.entries(types).map(([type, outputs]) => [
          type,
          outputs.map((targets) => targets?.map((target) => ({ ...target, mark: true })))
        ])
      )
    ])
  )

describe("differences", () => {
  it("says nothing of stamps, ids, positions and other ids of the same credential", () => {
    const nodes = base.nodes.map((node) => ({ ...node, id: `${node.id}2`, position: [9, 9], webhookId: "x" }))
    const credentials = { slackApi: { id: "2", name: "Team" } }
    const moved = nodes.map((node) => (node.name === "Notify" ? { ...node, credentials } : node))
    assert.deepStrictEqual(textsOf({ ...base, id: "w2", versionId: "v2", updatedAt: "later", nodes: moved }), [])
    assert.deepStrictEqual(
      differences(base, { ...base, nodes: moved }, { positions: true }).map(({ text }) => text),
      ["moved 4 nodes"]
    )
    assert.include(
      differences(base, { ...base, nodes }, { webhooks: true }).map(({ text }) => text),
      'Fetch: webhookId set to "x"'
    )
  })

  it.each<readonly [string, JsonObject, ReadonlyArray<string>]>([
    [
      "a value",
      withNode("Fetch", { parameters: { url: "https://b", options: { timeout: 1000 } } }),
      ['Fetch: url "https://a" → "https://b"']
    ],
    [
      "an option that goes",
      withNode("Fetch", { parameters: { url: "https://a", options: {} } }),
      ["Fetch: options.timeout removed (was 1000)"]
    ],
    [
      "an option that comes",
      withNode("Fetch", { parameters: { ...http.parameters, method: "POST" } }),
      ['Fetch: method set to "POST"']
    ],
    ["a node that is switched off", withNode("Code", { disabled: true }), ["Code: disabled"]],
    ["a version", withNode("Fetch", { typeVersion: 4.2 }), ["Fetch: version 4.1 → 4.2"]],
    ["a type", withNode("Code", { type: "n8n-nodes-base.set" }), ["Code: type code → set"]],
    ["a flag", withNode("Code", { retryOnFail: true }), ["Code: retryOnFail set to true"]],
    ["a note", withNode("Code", { notes: "why" }), ['Code: notes set to "why"']],
    [
      "a credential",
      withNode("Notify", { credentials: { slackApi: { id: "2", name: "Ops" } } }),
      ['Notify: credential slackApi "Team" → "Ops"']
    ],
    ["the name", { ...base, name: "Orders 2" }, ['name "Orders" → "Orders 2"']],
    ["the state", { ...base, active: true }, ["activated"]],
    [
      "a setting",
      { ...base, settings: { timezone: "UTC", executionOrder: "v1" } },
      ['setting timezone "Europe/Berlin" → "UTC"', 'setting executionOrder set to "v1"']
    ],
    ["tags", { ...base, tags: [{ id: "t9", name: "blue" }] }, ["tagged blue", "no longer tagged red"]],
    [
      "pinned data",
      { ...base, pinData: { Fetch: [{ json: {} }, { json: {} }] } },
      ["Fetch: pinned data added (2 items)"]
    ],
    [
      "an arrow that comes",
      { ...base, connections: { ...base.connections, If: { main: [[to("Code")], [to("Notify")]] } } },
      ["If: now leads (false) to Notify"]
    ],
    ["an arrow that goes", { ...base, connections: { If: base.connections.If } }, ["Fetch: no longer leads to If"]],
    [
      "an arrow that is led elsewhere",
      { ...base, connections: { ...base.connections, If: { main: [[to("Notify")]] } } },
      ["If: leads (true) to Notify instead of Code"]
    ],
    [
      "an arrow of another type",
      { ...base, connections: { ...base.connections, Code: { ai_tool: [[to("Notify", "ai_tool")]] } } },
      ["Code: now leads (ai_tool) to Notify"]
    ],
    [
      "a node that comes",
      { ...base, nodes: [...base.nodes, { name: "New", type: "n8n-nodes-base.noOp", position: [0, 0] }] },
      ["added New (noOp)"]
    ],
    [
      "a node that goes with its arrows",
      { ...base, nodes: [http, code, notify], connections: { Fetch: { main: [[to("Code")]] } } },
      ["removed If (if)", "Fetch: now leads to Code"]
    ]
  ])("tells %s", (_, after, texts) => {
    assert.deepStrictEqual(textsOf(after), texts)
  })

  it("tells a rename, and not the arrows and mentions that went with it", () => {
    const renamed = {
      ...base,
      nodes: base.nodes.map((node) =>
        node.name === "Fetch"
          ? { ...node, name: "Fetch orders" }
          : node.name === "Code"
            ? { ...node, parameters: { jsCode: code.parameters.jsCode.replace("'Fetch'", "'Fetch orders'") } }
            : node
      ),
      connections: { "Fetch orders": { main: [[to("If")]] }, If: base.connections.If }
    }
    assert.deepStrictEqual(textsOf(renamed), ["renamed Fetch → Fetch orders"])
    const newIds = { ...renamed, nodes: renamed.nodes.map((node) => ({ ...node, id: `${node.id}2` })) }
    assert.deepStrictEqual(textsOf(newIds), ["renamed Fetch → Fetch orders"])
    assert.deepStrictEqual(textsOf(base, renamed), ["renamed Fetch orders → Fetch"])
  })

  it("tells a mention that did not go with its renamed node only where its own text changed", () => {
    const left = { ...base, nodes: base.nodes.map((node) => (node.name === "Fetch" ? { ...node, name: "Get" } : node)) }
    const connections = { Get: { main: [[to("If")]] }, If: base.connections.If }
    assert.deepStrictEqual(textsOf({ ...left, connections }), ["renamed Fetch → Get"])
  })

  it("shows changed lines of code as a patch", () => {
    const after = withNode("Code", { parameters: { jsCode: code.parameters.jsCode.replace("b = 2", "b = 3") } })
    assert.deepStrictEqual(changeLines(differences(base, after)), [
      "Code: jsCode changed: +1 −1 lines\n> @@ line 1 @@\n>  const a = 1\n> -const b = 2\n> +const b = 3\n>  return $('Fetch').all()"
    ])
  })

  it("cuts long texts to where they differ", () => {
    const long = (end: string) => withNode("Fetch", { parameters: { url: `https://a/${"x".repeat(500)}${end}` } })
    const [text = ""] = textsOf(long("?limit=10"), long("?limit=20"))
    assert.include(text, "limit=10")
    assert.include(text, "limit=20")
    assert.isBelow(text.length, 250)
  })

  it("shows no secret, and still that it changed", () => {
    const header = (value: string) =>
      withNode("Fetch", { parameters: { headers: [{ name: "Authorization", value }], url: `https://u:${value}@a` } })
    const changes = differences(header("Bearer abcdefgh-1"), header("Bearer abcdefgh-2"))
    assert.lengthOf(changes, 2)
    assert.notInclude(JSON.stringify(changes), "abcdefgh")
  })

  it("does not compare what one side does not have", () => {
    const { nodes, connections } = base
    assert.deepStrictEqual(textsOf({ nodes, connections }), [])
  })

  it("tells an item that is put in between as one change", () => {
    const list = (...items: ReadonlyArray<string>) => withNode("Notify", { parameters: { list: items } })
    assert.deepStrictEqual(textsOf(list("a", "x", "b", "c"), list("a", "b", "c")), ['Notify: list[1] set to "x"'])
  })

  it("quotes names that could be taken for more than a name", () => {
    const named = (name: string, more: object = {}) => ({ ...http, name, ...more })
    const evil = "Harmless: disabled, nothing else → sent"
    const before = {
      nodes: [named(evil), named("Notify", { id: "d" })],
      connections: { [evil]: { main: [[to("Notify")]] } },
      tags: [{ id: "1", name: "red, and it is deleted" }],
      pinData: { [evil]: [{}] }
    }
    const after = {
      nodes: [named(evil, { disabled: true }), named("Notify", { id: "d" })],
      connections: {},
      tags: [],
      pinData: {}
    }
    assert.deepStrictEqual(changeLines(differences(before, after)), [
      `"${evil}": disabled`,
      `"${evil}": no longer leads to Notify`,
      `"${evil}": pinned data removed (1 item)`,
      'no longer tagged "red, and it is deleted"'
    ])
  })

  it("finds none between a workflow and itself, whatever it holds", () => {
    fc.assert(
      fc.property(graph, (workflow) => {
        assert.deepStrictEqual(differences({ ...workflow }, structuredClone({ ...workflow })), [])
      })
    )
  })

  it("finds some in both directions or in none", () => {
    fc.assert(
      fc.property(graph, graph, (a, b) => {
        const there = differences({ ...a }, { ...b }, { positions: true, webhooks: true })
        const back = differences({ ...b }, { ...a }, { positions: true, webhooks: true })
        assert.strictEqual(there.length > 0, back.length > 0)
      })
    )
  })

  it.each<readonly [string, (workflow: Graph) => JsonObject]>([
    ["a parameter", changedNode((node) => ({ parameters: { ...node.parameters, url: "\u0000 new" } }))],
    ["a version", changedNode((node) => ({ typeVersion: node.typeVersion + 1 }))],
    ["a type", changedNode((node) => ({ type: `${node.type}2` }))],
    ["a note", changedNode((node) => ({ notes: `${String(node.notes)} more` }))],
    ["a credential", changedNode(() => ({ credentials: { slackApi: { id: "9", name: "Other" } } }))],
    ["a switch", changedNode(() => ({ disabled: true }))],
    ["an unknown field", changedNode(({ newerField }) => ({ newerField: [newerField] }))],
    ["a name", changedNode(({ name }) => ({ name: `${name} renamed` }))],
    ["a node less", (workflow) => ({ ...workflow, nodes: workflow.nodes.slice(1) })],
    ["a node more", (workflow) => ({ ...workflow, nodes: [...workflow.nodes, { name: "?", type: "new" }] })],
    ["no arrows", ({ nodes }) => ({ nodes, connections: { [nodes[0]?.name ?? ""]: { other: [[to("?")]] } } })],
    ["an unknown field of an arrow", ({ connections, nodes }) => ({ nodes, connections: marked(connections) })]
  ])("sees %s in any workflow", (_, change) => {
    fc.assert(
      fc.property(graph, (workflow) => {
        const after = change(workflow)
        fc.pre(JSON.stringify(after) !== JSON.stringify(workflow))
        assert.isNotEmpty(differences({ ...workflow }, after))
        assert.isNotEmpty(differences(after, { ...workflow }))
      })
    )
  })

  it("reads anything that an engine may keep", () => {
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.array(
        fc.oneof(fc.jsonValue(), fc.record({ name: fc.jsonValue(), type: fc.jsonValue(), parameters: fc.jsonValue() }))
      )
    )
    const workflow = fc.record({ nodes: odd, connections: odd, settings: odd, tags: odd, pinData: odd, name: odd })
    fc.assert(
      fc.property(workflow, workflow, (a, b) => {
        assert.isArray(differences(structuredClone(a), structuredClone(b)))
        assert.deepStrictEqual(differences(a, structuredClone(a)), [])
      })
    )
  })
})
