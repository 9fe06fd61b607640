import { assert, describe, it } from "vitest"

import { pathTest } from "../../../src/engine/workflow/addresses.ts"
import { callingInstead, callsOf, subWorkflowOf } from "../../../src/engine/workflow/subWorkflows.ts"

const calling = (parameters: object, type = "n8n-nodes-base.executeWorkflow") => ({ name: "Call", type, parameters })

describe("subWorkflowOf", () => {
  it.each<readonly [string, object, string | undefined]>([
    ["an id as text", calling({ workflowId: "abc" }), "abc"],
    [
      "a picked workflow",
      calling({ workflowId: { __rl: true, mode: "list", value: "abc", cachedResultName: "A" } }),
      "abc"
    ],
    [
      "an address",
      calling({ workflowId: { __rl: true, mode: "url", value: "https://e.test/workflow/abc/executions" } }),
      "abc"
    ],
    [
      "a tool of an agent",
      calling({ source: "database", workflowId: "abc" }, "@n8n/n8n-nodes-langchain.toolWorkflow"),
      "abc"
    ],
    ["an expression", calling({ workflowId: "={{ $json.id }}" }), undefined],
    ["a workflow in the parameters", calling({ source: "parameter", workflowId: "abc" }), undefined],
    ["another kind of node", calling({ workflowId: "abc" }, "n8n-nodes-base.set"), undefined],
    ["nothing", calling({}), undefined]
  ])("reads %s", (_, node, id) => {
    assert.strictEqual(subWorkflowOf({ ...node })?.id, id)
  })
})

describe("pathTest", () => {
  const hook = {
    name: "Hook",
    type: "n8n-nodes-base.webhook",
    webhookId: "w-1",
    parameters: { path: "/shop/:id/orders" }
  }

  it.each([
    ["shop/:id/orders", true],
    ["/webhook/shop/17/orders", true],
    ["https://host.test:8443/webhook-test/shop/17/orders/?x=1#y", true],
    ["/webhook/w-1/shop/17/orders", true],
    ["w-1", true],
    ["shop/17", false],
    ["shop/17/orders/2", false],
    ["", false]
  ])("takes %s for the path of a webhook or not", (path, expected) => {
    assert.strictEqual(pathTest(path)(hook), expected)
  })

  it("holds for a form by its own path, and for no node that does not listen", () => {
    assert.isTrue(
      pathTest("/form/ask")({ type: "n8n-nodes-base.formTrigger", parameters: { options: { path: "ask" } } })
    )
    assert.isFalse(pathTest("ask")({ type: "n8n-nodes-base.httpRequest", parameters: { path: "ask" } }))
  })
})

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
