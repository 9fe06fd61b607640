import { Option } from "effect"
import { assert, describe, it } from "vitest"

import * as WorkflowCache from "../../../src/engine/client/WorkflowCache.ts"

const workflow = (more: object = {}) =>
  JSON.stringify({
    id: "w1",
    name: "Orders",
    active: false,
    nodes: [{ name: "Fetch", parameters: { url: "https://shop.test" } }],
    connections: {},
    ...more
  })

const read = (workflowCache: WorkflowCache.WorkflowCache, address: string, text: string) =>
  Option.getOrThrow(workflowCache(address, text))

describe("a cache of workflows", () => {
  it("are the same object once the same text has come twice, in which nothing can be changed", () => {
    const workflowCache = WorkflowCache.make()
    const [first, second, third] = [0, 1, 2].map(() => read(workflowCache, "e w1", workflow()))
    assert.notStrictEqual(first, second)
    assert.strictEqual(second, third)
    assert.isFalse(Object.isFrozen(first))
    assert.throws(() => Object.assign(third?.nodes[0]?.["parameters"] ?? {}, { url: "" }), TypeError)
    assert.deepStrictEqual(third, JSON.parse(workflow()))
  })

  it("are told apart by a letter, and by where they were read", () => {
    const workflowCache = WorkflowCache.make()
    const kept = [0, 1].map(() => read(workflowCache, "e w1", workflow()))[1]
    assert.strictEqual(read(workflowCache, "e w1", workflow({ active: true })).active, true)
    assert.notStrictEqual(read(workflowCache, "other w1", workflow()), kept)
    assert.notStrictEqual(read(workflowCache, "e w1", workflow()), kept)
    assert.strictEqual(read(workflowCache, "e w1", workflow()).active, false)
  })

  it("are not kept of a large text, nor of what is no workflow", () => {
    const workflowCache = WorkflowCache.make()
    const large = workflow({ staticData: "x".repeat(64 * 1024) })
    const [first, second, third] = [0, 1, 2].map(() => read(workflowCache, "e w1", large))
    assert.notStrictEqual(first, second)
    assert.notStrictEqual(second, third)
    for (const text of ["", "null", "{}", workflow({ nodes: null }), "{"]) {
      for (let times = 0; times < 3; times++) assert.isTrue(Option.isNone(workflowCache("e w1", text)), text)
    }
  })
})
