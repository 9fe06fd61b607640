import * as fc from "fast-check"
import { assert, describe, it } from "vitest"

import { createBody, renameNodeTypes, updateBody, bodyForms } from "../../../src/engine/client/body.ts"
import { WorkflowId, type Workflow } from "../../../src/engine/workflow/models.ts"
import { spellingFor } from "../../../src/engine/workflow/naming.ts"
import type { JsonObject } from "../../../src/internal/schema/JsonObject.ts"
import { graph, type Graph } from "./graphs.ts"

const { "1.x": strict, "2.x": full } = bodyForms

const read = ({ nodes, connections }: Graph, more: JsonObject = {}): Workflow => ({
  id: WorkflowId.make("wf1"),
  name: "Orders",
  active: true,
  nodes: nodes.map(({ type, ...node }) => ({ ...node, type: type.replace("engine-", "n8n-") })),
  connections,
  settings: { timezone: "Europe/Riga", executionOrder: "v1" },
  staticData: { lastId: 7 },
  tags: [{ id: "t1", name: "red" }],
  versionId: "v1",
  triggerCount: 1,
  shared: [],
  meta: null,
  ...more
})

const hook = {
  name: "Hook",
  type: "n8n-nodes-base.webhook",
  typeVersion: 2,
  position: [0, 0],
  id: "node-1",
  webhookId: "hook-1"
}
const current = (fields: JsonObject = {}): Workflow => ({
  id: WorkflowId.make("wf1"),
  name: "Orders",
  active: false,
  nodes: [hook],
  connections: {},
  ...fields
})

describe("updateBody without changes", () => {
  it("sends back what was read without the fields that engines call read-only", () => {
    fc.assert(
      fc.property(graph, (whole) => {
        const workflow = read(whole)
        const { name, nodes, connections, settings, staticData } = workflow
        assert.deepStrictEqual(updateBody(workflow, {}, full), {
          body: { name, nodes, connections, settings: settings ?? {}, staticData },
          dropped: []
        })
      })
    )
  })

  it("keeps pinned data and node groups where they can be sent, and leaves them to the engine where not", () => {
    const workflow = current({ pinData: { Hook: [{ json: { a: 1 } }] }, nodeGroups: [{ id: "g" }], staticData: null })
    assert.deepInclude(updateBody(workflow, {}, full).body, {
      pinData: { Hook: [{ json: { a: 1 } }] },
      nodeGroups: [{ id: "g" }]
    })
    assert.hasAllKeys(updateBody(workflow, {}, strict).body, ["name", "nodes", "connections", "settings"])
  })

  it("sends settings where the engine shows none", () => {
    assert.deepStrictEqual(updateBody(current({ settings: null }), {}, full).body.settings, {})
  })
})

describe("updateBody with a given field", () => {
  const changes = {
    name: "New",
    nodes: [{ name: "Other", type: "n8n-nodes-base.set", typeVersion: 3, position: [1, 2] }],
    connections: { Other: { main: [[{ node: "Other", type: "main", index: 0 }]] } },
    staticData: { lastId: 8 }
  }

  for (const field of ["name", "nodes", "connections", "staticData"] as const) {
    it(`replaces ${field}`, () => {
      fc.assert(
        fc.property(graph, (whole) => {
          const before = updateBody(read(whole), {}, full).body
          const after = updateBody(read(whole), { [field]: changes[field] }, full).body
          assert.deepStrictEqual(after, { ...before, [field]: changes[field] })
        })
      )
    })
  }

  it("puts settings over the old ones", () => {
    const workflow = current({ settings: { timezone: "Europe/Riga", executionTimeout: 60 } })
    assert.deepStrictEqual(updateBody(workflow, { settings: { executionTimeout: 5 } }, strict).body.settings, {
      timezone: "Europe/Riga",
      executionTimeout: 5
    })
  })
})

describe("fields that an engine does not take", () => {
  it("are left out and named on 1.x", () => {
    const workflow = current({
      settings: { timezone: "Europe/Riga", callerPolicy: "any" },
      nodes: [{ ...hook, newerField: 1, notes: "kept" }]
    })
    const { body, dropped } = updateBody(workflow, { settings: { availableInMCP: true } }, strict)
    assert.deepStrictEqual(body.settings, { timezone: "Europe/Riga" })
    assert.deepStrictEqual(body.nodes, [{ ...hook, notes: "kept" }])
    assert.deepStrictEqual(dropped, ["settings.callerPolicy", "settings.availableInMCP", "nodes.Hook.newerField"])
  })

  it("are sent on 2.x, but for what that engine derives and keeps itself", () => {
    const workflow = current({
      settings: { callerPolicy: "any", binaryMode: "separate" },
      nodes: [{ ...hook, newerField: 1, createdAt: "2026-11-20T23:21:29.307Z" }]
    })
    assert.deepStrictEqual(updateBody(workflow, {}, full), {
      body: {
        name: "Orders",
        nodes: [{ ...hook, newerField: 1 }],
        connections: {},
        settings: { callerPolicy: "any" }
      },
      dropped: []
    })
  })

  it("leave out the editor's name of a default where the API refuses it", () => {
    const settings = { saveDataErrorExecution: "DEFAULT", saveManualExecutions: "DEFAULT", timezone: "DEFAULT" }
    const { body, dropped } = updateBody(current({ settings }), {}, strict)
    assert.deepStrictEqual(body.settings, { timezone: "DEFAULT" })
    assert.deepStrictEqual(dropped, [])
  })
})

describe("a given node without id and webhookId", () => {
  const bare = { name: "Hook", type: "engine-nodes-base.webhook", typeVersion: 2.1, position: [9, 9] }
  const nodesAfter = (...nodes: ReadonlyArray<JsonObject>) => updateBody(current(), { nodes }, strict).body.nodes

  it("keeps id and address of the current node of that name and type", () => {
    assert.deepStrictEqual(nodesAfter(bare), [{ ...bare, id: "node-1", webhookId: "hook-1" }])
  })

  it("keeps its own where it has one", () => {
    assert.deepStrictEqual(nodesAfter({ ...hook, id: "mine", webhookId: "mine too" }), [
      { ...hook, id: "mine", webhookId: "mine too" }
    ])
  })

  it("stays without them when its name or type is new, or another node has them", () => {
    assert.notProperty(nodesAfter({ ...bare, name: "Other" })[0], "id")
    assert.notProperty(nodesAfter({ ...bare, type: "n8n-nodes-base.set" })[0], "id")
    assert.notProperty(nodesAfter(bare, { ...hook, name: "Renamed" })[0], "id")
  })
})

describe("createBody", () => {
  it("sends empty settings when there are none", () => {
    assert.deepStrictEqual(createBody({ name: "New", nodes: [hook], connections: {} }, strict), {
      body: { name: "New", nodes: [hook], connections: {}, settings: {} },
      dropped: []
    })
  })

  it("spells node types as the engine with that key header does", () => {
    const neutral = { ...hook, type: "engine-nodes-base.webhook" }
    const { body } = createBody({ name: "New", nodes: [neutral, { ...hook, name: "B" }], connections: {} }, full)
    const typesFor = (header: string) => renameNodeTypes(body, spellingFor(header)).nodes.map(({ type }) => type)
    assert.deepStrictEqual(typesFor("X-N8N-API-KEY"), ["n8n-nodes-base.webhook", "n8n-nodes-base.webhook"])
    assert.deepStrictEqual(typesFor("x-engine-api-key"), ["engine-nodes-base.webhook", "n8n-nodes-base.webhook"])
  })

  it("sends static data, and names what is left out", () => {
    const creation = { name: "New", nodes: [{ ...hook, color: 1 }], connections: {}, staticData: { lastId: 1 } }
    const { body, dropped } = createBody({ ...creation, settings: { callerPolicy: "any" } }, strict)
    assert.deepStrictEqual(body, {
      name: "New",
      nodes: [hook],
      connections: {},
      settings: {},
      staticData: { lastId: 1 }
    })
    assert.deepStrictEqual(dropped, ["settings.callerPolicy", "nodes.Hook.color"])
  })
})
