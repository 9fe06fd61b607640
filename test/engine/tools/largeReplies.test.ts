import { assert, it } from "@effect/vitest"
import { Effect } from "effect"

import { AnswerLimit } from "../../../src/mcp/Tool.ts"
import { answers } from "../../internal/http/standIn.ts"
import { ask, refused } from "../../support/harness.ts"
import { engineThat, serving } from "./standIn.ts"

const piece = 16 * 1024

/** An engine whose one answer comes in pieces, without its length being told, and how much of it was read. */
const engineInPieces = (body: unknown) => {
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  const read = { bytes: 0, of: bytes.length }
  const { client } = engineThat(() => {
    read.bytes = 0
    const stream = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          if (read.bytes >= bytes.length) return controller.close()
          controller.enqueue(bytes.slice(read.bytes, read.bytes + piece))
          read.bytes += piece
        }
      },
      { highWaterMark: 0 }
    )
    return answers(200, { "content-type": "application/json; charset=utf-8" }, stream)
  })
  return { client, read }
}

const text = 'é}]"\\'.repeat(2000)
const node = (name: string) => ({
  name,
  type: "n8n-nodes-base.set",
  typeVersion: 3,
  position: [0, 0],
  parameters: { text }
})
const workflow = (id: number) => ({
  id: String(id),
  name: `Workflow ${id} "x"`,
  active: false,
  nodes: [node("A"), node("B")],
  connections: {},
  settings: {},
  tags: [{ id: "t", name: "red", createdAt: "2026-01-01" }]
})

it.effect("a list of large workflows is shown whatever their size, its nodes counted", () => {
  const { client, read } = engineInPieces({
    data: Array.from({ length: 50 }, (_, id) => workflow(id)),
    nextCursor: null
  })
  return Effect.gen(function* () {
    const { data } = yield* ask("list_workflows")
    const [first, ...others] = Array.isArray(data) ? data : []
    const tags = [{ id: "t", name: "red" }]
    assert.deepStrictEqual(first, { id: "0", name: 'Workflow 0 "x"', active: false, nodes: 2, tags })
    assert.lengthOf(others, 49)
    assert.isAbove(read.of, 1_000_000)
  }).pipe(Effect.provideService(AnswerLimit, 20_000), Effect.provide(serving(client)))
})

const item = (id: number) => ({ json: { id, text }, pairedItem: { item: 0 } })
const run = (items: number) => ({
  startTime: 1,
  data: { main: [Array.from({ length: items }, (_, id) => item(id)), [item(0)]] },
  inputOverride: { main: [[item(0), item(1), item(2)]] }
})
const execution = {
  id: "7",
  status: "success",
  data: {
    resultData: {
      runData: { A: [run(30), run(2)], B: [run(40)], 'C"': [run(1)] },
      lastNodeExecuted: "B",
      pinData: { A: [item(1), item(2)] }
    },
    executionData: { nodeExecutionStack: [item(9)] }
  },
  workflowData: { ...workflow(1), pinData: { A: [item(1), item(2)], B: [item(3)] } }
}

it.effect("a part of a large execution says the same as of a small one", () => {
  const { client } = engineInPieces(execution)
  return Effect.gen(function* () {
    const { data, leftOut, notice, workflowData } = yield* ask("get_execution", { id: 7, nodes: ["A", 'C"'], items: 1 })
    const kept = { startTime: 1, inputOverride: { main: [[item(0)]] } }
    assert.deepStrictEqual(data, {
      resultData: {
        runData: {
          A: [
            { ...kept, data: { main: [[item(0)], []] } },
            { ...kept, data: { main: [[], []] } }
          ],
          'C"': [{ ...kept, data: { main: [[item(0)], []] } }]
        },
        lastNodeExecuted: "B",
        pinData: { A: [item(1)] }
      }
    })
    const fields = ["data.executionData"]
    const part = { nodes: 1, fields: ["active", "connections", "settings", "tags"] }
    assert.deepStrictEqual(leftOut, { nodes: 1, items: { A: 33, 'C"': 1 }, workflowData: part, fields })
    assert.match(String(notice), /^Only 2 of the 3 nodes that ran are shown\./)
    assert.deepStrictEqual(Object(workflowData).nodes, [node("A")])
    assert.notProperty(workflowData, "connections")
    assert.deepStrictEqual(Object(workflowData).pinData, { A: [item(1)] })
  }).pipe(Effect.provide(serving(client)))
})

it.effect("what is too large to be shown is not read to its end, and the error says how to ask for less", () => {
  const large = engineInPieces(workflow(1))
  const runs = engineInPieces(execution)
  return Effect.gen(function* () {
    const { data, message } = yield* Effect.provide(refused("get_workflow", { id: "1" }), serving(large.client))
    assert.match(message, /^The answer is \d+ bytes or more, more than the limit of 2000\. Give `nodes` to read some/)
    assert.deepInclude(data, { code: "ANSWER_TOO_LARGE", limit: 2000 })
    yield* Effect.provide(refused("get_execution", { id: 7, includeData: true }), serving(runs.client))
    assert.isAtMost(large.read.bytes, 2 * piece)
    assert.isAtMost(runs.read.bytes, 2 * piece)
    assert.isAbove(runs.read.of, 20 * piece)
  }).pipe(Effect.provideService(AnswerLimit, 2000))
})

it.effect("some nodes of a workflow are shown, however large the others are", () => {
  const { client } = engineInPieces({ ...workflow(1), nodes: [node("A"), { ...node("B"), parameters: {} }] })
  return Effect.gen(function* () {
    const { nodes } = yield* ask("get_workflow", { id: "1", nodes: ["B"] })
    assert.deepStrictEqual(nodes, [{ ...node("B"), parameters: {} }])
  }).pipe(Effect.provideService(AnswerLimit, 4000), Effect.provide(serving(client)))
})
