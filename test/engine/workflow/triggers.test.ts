import { Result } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"

import { addScheduleTrigger, hasOnlyManualTrigger, hasValidTrigger } from "../../../src/engine/workflow/triggers.ts"
import { validate } from "../../../src/engine/workflow/validate.ts"
import { graph } from "./graphs.ts"

const both = (kind: string) => [{ type: `engine-nodes-base.${kind}` }, { type: `n8n-nodes-base.${kind}` }]

describe("a workflow can be activated", () => {
  it.each([
    "scheduleTrigger",
    "webhook",
    "formTrigger",
    "slackTrigger",
    "gmailTrigger",
    "rssFeedReadTrigger",
    "cron",
    "interval",
    "emailReadImap"
  ])("with %s, under either prefix", (kind) => {
    assert.isTrue(both(kind).every((node) => hasValidTrigger([node])))
  })

  it("can be activated with a chat or a community trigger beside other nodes", () => {
    assert.isTrue(hasValidTrigger([{ type: "n8n-nodes-base.set" }, { type: "@n8n/n8n-nodes-langchain.chatTrigger" }]))
    assert.isTrue(hasValidTrigger([{ type: "n8n-nodes-weather.stormTrigger" }]))
  })
})

describe("a workflow cannot be activated", () => {
  it.each([
    "manualTrigger",
    "errorTrigger",
    "executeWorkflowTrigger",
    "evaluationTrigger",
    "respondToWebhook",
    "code",
    "start"
  ])("with %s, under either prefix", (kind) => {
    assert.isTrue(both(kind).every((node) => !hasValidTrigger([node])))
  })

  it("cannot be activated without nodes or with a disabled trigger", () => {
    assert.isFalse(hasValidTrigger([]))
    assert.isFalse(hasValidTrigger([{ type: "n8n-nodes-base.webhook", disabled: true }]))
    assert.isFalse(hasValidTrigger([{ type: 5 }, {}]))
  })
})

describe("hasOnlyManualTrigger", () => {
  const manual = { type: "engine-nodes-base.manualTrigger" }
  const webhook = { type: "engine-nodes-base.webhook" }

  it("is true when nothing else starts the workflow", () => {
    assert.isTrue(hasOnlyManualTrigger([manual, { type: "engine-nodes-base.code" }]))
    assert.isTrue(hasOnlyManualTrigger([manual, { ...webhook, disabled: true }]))
  })

  it("is false when something else starts the workflow, or nothing", () => {
    assert.isFalse(hasOnlyManualTrigger([manual, webhook]))
    assert.isFalse(hasOnlyManualTrigger([{ type: "engine-nodes-base.code" }]))
    assert.isFalse(hasOnlyManualTrigger([]))
  })
})

describe("addScheduleTrigger", () => {
  it("puts the trigger left of the first node and connects it", () => {
    const first = { name: "Fetch", type: "n8n-nodes-base.httpRequest", typeVersion: 4.2, position: [500, 300] }
    const { added, nodes, connections } = addScheduleTrigger({ nodes: [first], connections: {} })
    assert.strictEqual(added, "Schedule Trigger")
    assert.strictEqual(nodes[0], first)
    assert.deepInclude(nodes[1], {
      name: "Schedule Trigger",
      type: "engine-nodes-base.scheduleTrigger",
      typeVersion: 1.2,
      position: [280, 300]
    })
    assert.deepStrictEqual(connections, {
      "Schedule Trigger": { main: [[{ node: "Fetch", type: "main", index: 0 }]] }
    })
  })

  it("gives the trigger a name that no node has", () => {
    const nodes = ["Schedule Trigger", "Schedule Trigger1"].map((name) => ({ name }))
    assert.strictEqual(addScheduleTrigger({ nodes, connections: {} }).added, "Schedule Trigger2")
  })

  it("keeps any valid workflow valid and otherwise the same, and makes it activatable", () => {
    fc.assert(
      fc.property(graph, (whole) => {
        const { added, ...extended } = addScheduleTrigger(whole)
        assert.isTrue(Result.isSuccess(validate({ ...extended, active: true })))
        assert.deepStrictEqual(extended.nodes.slice(0, -1), [...whole.nodes])
        const others = Object.entries(extended.connections).filter(([name]) => name !== added)
        assert.deepStrictEqual(others, Object.entries(whole.connections))
      })
    )
  })
})
