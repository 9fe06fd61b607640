import { assert, describe, it } from "vitest"

import { callingInstead, callsOf } from "../../../src/engine/workflow/workflowCalls.ts"

const runs = (name: string, workflowId: unknown) => ({
  name,
  type: "n8n-nodes-base.executeWorkflow",
  typeVersion: 1.2,
  parameters: { workflowId }
})
const address = "https://n8n.example.com/workflow/old"
const listed = runs("Listed", { __rl: true, mode: "list", value: "old", cachedResultUrl: "/workflow/old", note: "old" })
const addressed = runs("Addressed", { __rl: true, mode: "url", value: address })
const plain = runs("Plain", "old")
const other = runs("Other", { __rl: true, mode: "id", value: "older" })
const settings = { executionOrder: "v1", errorWorkflow: "old", callerIds: "one, old,older" }

describe("callsOf", () => {
  it("names the nodes that run a workflow, the error workflow, and who may call", () => {
    const nodes = [listed, addressed, plain, other]
    assert.deepStrictEqual(callsOf({ nodes, settings }, "old"), [
      "Listed",
      "Addressed",
      "Plain",
      "settings.errorWorkflow",
      "settings.callerIds"
    ])
    assert.deepStrictEqual(callsOf({ nodes, settings }, "older"), ["Other", "settings.callerIds"])
    assert.deepStrictEqual(callsOf({ nodes, settings: null }, "one"), [])
  })
})

describe("callingInstead", () => {
  it("puts another workflow in the place of one, in whatever form it is named, and touches nothing else", () => {
    const { nodes, settings: changed } = callingInstead(
      { nodes: [listed, addressed, plain, other], settings },
      "old",
      "new"
    )
    assert.deepStrictEqual(nodes, [
      runs("Listed", { __rl: true, mode: "list", value: "new", cachedResultUrl: "/workflow/new", note: "old" }),
      runs("Addressed", { __rl: true, mode: "url", value: "https://n8n.example.com/workflow/new" }),
      runs("Plain", "new"),
      other
    ])
    assert.deepStrictEqual(changed, { errorWorkflow: "new", callerIds: "one,new,older" })
  })

  it("gives no part in which the workflow is not named", () => {
    assert.deepStrictEqual(callingInstead({ nodes: [plain], settings: {} }, "old", "new"), {
      nodes: [runs("Plain", "new")]
    })
    assert.deepStrictEqual(callingInstead({ nodes: [other], settings }, "none", "new"), {})
  })
})
