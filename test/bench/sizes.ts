import { Effect } from "effect"
import { countTokens } from "gpt-tokenizer"

import { modernMeta } from "../support/fixtures/messages.ts"
import { ask, request, TestServer } from "../support/harness.ts"

interface Size {
  readonly what: string
  readonly bytes: number
  readonly tokens: number
}

const size = (what: string, value: unknown): Size => {
  const text = JSON.stringify(value)
  return { what, bytes: Buffer.byteLength(text), tokens: countTokens(text) }
}

const node = (index: number) => ({
  name: `Step ${index}`,
  type: "engine-nodes-base.set",
  typeVersion: 3.4,
  position: [index * 220, 0],
  parameters: {
    assignments: { assignments: [{ id: `a${index}`, name: "total", value: "={{ $json.price * 2 }}", type: "number" }] }
  }
})

const trigger = {
  name: "Hook",
  type: "engine-nodes-base.webhook",
  typeVersion: 2,
  position: [0, 0],
  webhookId: "bench",
  parameters: { path: "bench", httpMethod: "POST", responseMode: "lastNode" }
}

const failing = {
  name: "Stop",
  type: "engine-nodes-base.stopAndError",
  typeVersion: 1,
  position: [2420, 0],
  parameters: { errorMessage: "No stock left" }
}

/** The price of a model for the list of tools and for the common answers. */
export const sizes = Effect.gen(function* () {
  const nodes = [trigger, ...Array.from({ length: 10 }, (_, index) => node(index + 1)), failing]
  const connections = nodes.slice(1).map(({ name }, index) => ({ source: nodes[index]?.name, target: name }))
  const { id } = yield* ask("create_workflow", { name: "Order intake", nodes, connections, active: true })
  for (let count = 1; count < 100; count++) {
    yield* ask("create_workflow", { name: `Nightly report ${count}`, nodes: [node(1)] })
  }
  const { executionId } = yield* ask("execute_workflow", { id, data: { order: 4711 } })
  const bare = yield* request("tools/list")
  const modern = yield* request("tools/list", { _meta: modernMeta })
  return [
    size("tools/list, bare", bare.result),
    size("tools/list, 2026-07-28", modern.result),
    size("list_workflows, 100 workflows", yield* ask("list_workflows", { limit: 100 })),
    size("get_workflow, 12 nodes", yield* ask("get_workflow", { id })),
    size("get_execution, failed", yield* ask("get_execution", { id: executionId })),
    size("get_execution, failed, with data", yield* ask("get_execution", { id: executionId, includeData: true }))
  ]
}).pipe(Effect.provide(TestServer))
