import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"

import { always, mocksOf, pinnedItems } from "../../../src/engine/operator/run/mocks.ts"
import { partOf, unmockable } from "../../../src/engine/operator/run/Part.ts"
import { temporaryCopyOf } from "../../../src/engine/operator/run/temporaryCopy.ts"
import { nameOf, type Workflow, WorkflowId } from "../../../src/engine/workflow/models.ts"
import { isTrigger, kindOf } from "../../../src/engine/workflow/triggers.ts"
import type { Json } from "../../support/harness.ts"

const node = (name: string, kind: string, more: Json = {}): Json => ({
  name,
  type: `n8n-nodes-base.${kind}`,
  typeVersion: 1,
  position: [0, 0],
  parameters: {},
  ...more
})

const workflowOf = (nodes: ReadonlyArray<Json>, connections: Json, more: Json = {}): Workflow => ({
  id: WorkflowId.make("w1"),
  name: "W",
  active: true,
  nodes,
  connections,
  ...more
})

const to = (...names: ReadonlyArray<string>) => ({
  main: [names.map((name) => ({ node: name, type: "main", index: 0 }))]
})

const secret = { text: "s", digest: "d" }
const making = { name: "T", path: "p", secret, items: [{}], mocks: new Map(), seconds: 5 }

const kinds = [
  "scheduleTrigger",
  "webhook",
  "manualTrigger",
  "gmailTrigger",
  "formTrigger",
  "set",
  "httpRequest",
  "wait",
  "merge"
]

const anyWorkflow = fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 8 }).chain((chosen) => {
  const names = chosen.map((_, index) => `n${index}`)
  const wires = fc.array(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...names)), { maxLength: 14 })
  return fc.record({ wires, mocked: fc.subarray(names), start: fc.constantFrom(...names) }).map((given) => {
    const nodes = chosen.map((kind, index) =>
      node(`n${index}`, kind, { webhookId: `h${index}`, parameters: { path: "own" } })
    )
    const connections = Object.fromEntries(
      names.map((name) => [name, to(...given.wires.filter(([from]) => from === name).map(([, target]) => target))])
    )
    return {
      ...given,
      workflow: workflowOf(nodes, connections, { settings: { errorWorkflow: "w9", callerIds: "w8" } })
    }
  })
})

describe("the temporary copy of a workflow", () => {
  it("has one trigger, its webhook, whatever the workflow has, and every node's name once", () => {
    fc.assert(
      fc.property(anyWorkflow, ({ mocked, start, workflow }) => {
        const mocks = new Map(
          mocked
            .filter((name) => !isTrigger(workflow.nodes.find((one) => nameOf(one) === name) ?? {}))
            .map((name) => [name, always([{}])])
        )
        const part = Result.getOrThrow(partOf(workflow, mocks, { from: start }))
        const { creation } = temporaryCopyOf(workflow, part, { ...making, mocks })
        const triggers = creation.nodes.filter((one) => isTrigger(one)).map(nameOf)
        assert.deepStrictEqual(triggers, ["Run input"])
        assert.lengthOf(new Set(creation.nodes.map(nameOf)), creation.nodes.length)
        for (const one of workflow.nodes) assert.isTrue(creation.nodes.some((other) => nameOf(other) === nameOf(one)))
        assert.doesNotHaveAnyKeys(creation.settings, ["errorWorkflow", "callerIds"])
        for (const [name] of mocks) {
          assert.notInclude(["httpRequest"], kindOf(creation.nodes.find((one) => nameOf(one) === name) ?? {}))
        }
      })
    )
  })

  it("knows the digest of its secret alone", () => {
    const workflow = workflowOf([node("A", "manualTrigger"), node("B", "set")], { A: to("B") })
    const part = Result.getOrThrow(partOf(workflow, new Map(), {}))
    const { body, creation } = temporaryCopyOf(workflow, part, { ...making, secret: { text: "key", digest: "digest" } })
    assert.notInclude(JSON.stringify(creation), "key")
    assert.include(JSON.stringify(creation), "digest")
    assert.include(body, { secret: "key" })
    assert.deepStrictEqual(creation.connections["Run input"], to("Run guard"))
  })

  it("takes a node of another maker that nothing leads to for a trigger", () => {
    const strange = { ...node("Start", "set"), type: "n8n-nodes-other.watcher" }
    const workflow = workflowOf([strange, node("B", "set")], { Start: to("B") })
    const part = Result.getOrThrow(partOf(workflow, new Map(), { from: "Start" }))
    const { creation } = temporaryCopyOf(workflow, part, making)
    assert.notInclude(JSON.stringify(creation.nodes), "watcher")
  })

  it("gives names of its own to what it puts in, also where the workflow has the same", () => {
    const workflow = workflowOf([node("Run input", "manualTrigger"), node("Mock of B", "set"), node("B", "set")], {
      "Run input": to("Mock of B"),
      "Mock of B": to("B")
    })
    const mocks = new Map([["B", always([{ a: 1 }])]])
    const part = Result.getOrThrow(partOf(workflow, mocks, {}))
    const { body, creation, helpers } = temporaryCopyOf(workflow, part, { ...making, mocks })
    assert.deepStrictEqual([...helpers], ["Run input 1", "Run guard", "Mock of B 1"])
    assert.deepStrictEqual(creation.connections["Mock of B"], to("Mock of B 1"))
    assert.deepStrictEqual(body, { secret: "s", items: [{}], mocks: [[{ items: [{ a: 1 }] }]] })
  })
})

describe("mocks", () => {
  const workflow = workflowOf(
    [node("A", "manualTrigger"), node("B", "set")],
    {},
    { pinData: { B: [{ json: { b: 1 } }], A: [{ a: 1 }] } }
  )

  it("are the items that are pinned, in whatever form the engine keeps them", () => {
    assert.deepStrictEqual(pinnedItems(workflow, "A"), [{ a: 1 }])
    assert.deepStrictEqual(Result.getOrThrow(mocksOf(workflow, { B: "pinned" })), new Map([["B", always([{ b: 1 }])]]))
  })

  it("cannot stand for the model of an agent", () => {
    const agent = workflowOf([node("Agent", "agent"), node("Model", "lmChatOpenAi")], {
      Model: { ai_languageModel: [[{ node: "Agent", type: "ai_languageModel", index: 0 }]] }
    })
    assert.strictEqual(unmockable(agent, new Map([["Model", always([])]])), "Model serves Agent: mock Agent instead")
  })
})
