import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { answers, type Step } from "../../internal/http/standIn.ts"
import { ask, type Json, refused } from "../../support/harness.ts"
import { inTime } from "../../support/inTime.ts"
import { type ReceivedRequest, engineThat, json, serving } from "./standIn.ts"

const startUp = "n8n is starting up. Please wait"
const html = { "content-type": "text/html; charset=utf-8" }
const starting = answers(200, html, startUp)
const start = { name: "A", type: "engine-nodes-base.webhook", typeVersion: 1, position: [0, 0], parameters: {} }
const workflow = { id: "w1", name: "Orders", active: false, nodes: [start], connections: {} }

const changesIn = (requests: ReadonlyArray<ReceivedRequest>) => requests.filter(({ method }) => method !== "GET").length

describe("a change", () => {
  const lookalikes: ReadonlyArray<readonly [string, Step]> = [
    ["JSON of a workflow of that name", json({ ...workflow, name: startUp })],
    ["JSON of that text", json(startUp)],
    ["a longer text", answers(200, html, `<p>${startUp}</p>`)]
  ]
  for (const [name, step] of lookalikes) {
    it.effect(`is sent once where the answer only looks like that of an engine that is starting: ${name}`, () => {
      const { requests, client } = engineThat(() => step)
      return Effect.gen(function* () {
        yield* inTime(Effect.exit(ask("create_workflow", { name: startUp, nodes: [start] })))
        assert.strictEqual(changesIn(requests), 1)
      }).pipe(Effect.provide(serving(client)))
    })
  }

  it.effect("is sent again when a read shows that the engine has started, and not before", () => {
    let reads = 0
    const { requests, client } = engineThat(({ method, path }) => {
      if (path.endsWith("/discover")) return json({ message: "not found" }, 404)
      if (method === "GET") return ++reads < 5 ? starting : json({ data: [] })
      return reads < 5 ? starting : json(workflow, 201)
    })
    return Effect.gen(function* () {
      assert.include(yield* inTime(ask("create_workflow", { name: "Orders", nodes: [start] })), { id: "w1" })
      assert.strictEqual(changesIn(requests), 2)
    }).pipe(Effect.provide(serving(client)))
  })

  it.effect("is sent three times at most to an engine that is up for reads and says that it is starting", () => {
    const { requests, client } = engineThat(({ method }) => (method === "GET" ? json({ data: [] }) : starting))
    return Effect.gen(function* () {
      const { message } = yield* inTime(refused("create_workflow", { name: "Orders", nodes: [start] }))
      assert.strictEqual(
        message,
        "API error: the engine of instance production is still starting, try again in a moment"
      )
      assert.strictEqual(changesIn(requests), 3)
    }).pipe(Effect.provide(serving(client)))
  })

  it.effect("that is refused in words which hold those about unknown fields is sent once", () => {
    const { requests, client } = engineThat(() => json({ message: "The name 'it is read-only' is taken" }, 400))
    return Effect.gen(function* () {
      const args = { name: "it is read-only", nodes: [start], settings: { callerPolicy: "any" } }
      yield* inTime(refused("create_workflow", args))
      assert.strictEqual(changesIn(requests), 1)
    }).pipe(Effect.provide(serving(client)))
  })

  const unclear: ReadonlyArray<readonly [string, Step]> = [
    ["502 of a gateway", answers(502, html, "<h1>Bad Gateway</h1>")],
    ["502 in JSON", json({ message: "upstream failed" }, 502)],
    ["504 of a gateway", answers(504, html, "<h1>Gateway Timeout</h1>")],
    ["503 as a page", answers(503, html, "<h1>Service Unavailable</h1>")],
    ["201 with a page", answers(201, html, "<h1>Welcome</h1>")],
    ["201 with half a JSON", answers(201, { "content-type": "application/json" }, `{"id":"w1","na`)],
    ["201 with nothing", answers(201, { "content-type": "application/json" }, "")],
    ["201 with other JSON", json([], 201)]
  ]
  const tools: ReadonlyArray<readonly [string, Json]> = [
    ["create_tag", { name: "red" }],
    ["create_workflow", { name: "Orders", nodes: [start] }],
    ["delete_workflow", { id: "w1" }]
  ]
  for (const [name, step] of unclear) {
    it.effect(`has an unknown outcome, and is not repeated, after ${name}`, () =>
      Effect.gen(function* () {
        for (const [tool, args] of tools) {
          if (tool === "delete_workflow" && name === "201 with other JSON") continue
          const { requests, client } = engineThat(() => step)
          const error = yield* inTime(refused(tool, args)).pipe(Effect.provide(serving(client)))
          assert.include(error.data, { code: "OUTCOME_UNKNOWN" }, tool)
          assert.match(error.message, /^No answer from the engine: .+ is unknown: it was sent, and not repeated\./)
          assert.strictEqual(changesIn(requests), 1, tool)
        }
      })
    )
  }
})

describe("a deletion that the engine answers with 500", () => {
  const fault = json({ message: "Internal Server Error" }, 500)

  it.effect("is sent three times at most while the workflow is still there", () => {
    const { requests, client } = engineThat(({ method }) => (method === "DELETE" ? fault : json(workflow)))
    return Effect.gen(function* () {
      yield* inTime(refused("delete_workflow", { id: "w1" }))
      assert.strictEqual(changesIn(requests), 3)
    }).pipe(Effect.provide(serving(client)))
  })

  it.effect("is not repeated where the workflow is gone, or cannot be read", () =>
    Effect.gen(function* () {
      for (const read of [json({ message: "Not Found" }, 404), fault]) {
        const { requests, client } = engineThat(({ method }) => (method === "DELETE" ? fault : read))
        yield* inTime(refused("delete_workflow", { id: "w1" })).pipe(Effect.provide(serving(client)))
        assert.strictEqual(changesIn(requests), 1)
      }
    })
  )
})

describe("a workflow that answers 404 in the engine's words to the letter", () => {
  const answer = json(
    { code: 404, message: 'The requested webhook "POST orders" is not registered.', hint: "Activate" },
    404
  )
  const active = {
    ...workflow,
    active: true,
    nodes: [
      {
        ...start,
        type: "n8n-nodes-base.webhook",
        webhookId: "orders",
        parameters: { path: "orders", httpMethod: "POST" }
      }
    ]
  }

  /** An engine on which each call leaves a record that shows, one that does not, or one that cannot be read. */
  const engine = (records: "kept" | "not kept" | "unreadable") => {
    const runs: Array<Json> = []
    let calls = 0
    const { client } = engineThat(({ headers, path }) => {
      if (path.startsWith("/webhook/")) {
        calls++
        if (records === "kept") runs.unshift({ id: calls, status: "success", data: headers })
        return answer
      }
      if (records === "unreadable" && calls > 0) return json({ message: "down" }, 500)
      if (path.startsWith("/api/v1/executions/")) return json(runs[0])
      if (path.startsWith("/api/v1/executions")) return json({ data: runs, nextCursor: null })
      return json(active)
    })
    return { calls: () => calls, server: serving(client) }
  }

  it.effect("is run once where its run is recorded, and its answer is shown", () => {
    const { calls, server } = engine("kept")
    return Effect.gen(function* () {
      const answer = yield* inTime(ask("execute_workflow", { id: "w1" }))
      assert.deepNestedInclude(answer, { executionId: 1, status: "success", "response.httpStatus": 404 })
      assert.strictEqual(calls(), 1)
    }).pipe(Effect.provide(server))
  })

  it.effect("is run four times at most where runs are not recorded", () => {
    const { calls, server } = engine("not kept")
    return Effect.gen(function* () {
      yield* inTime(refused("execute_workflow", { id: "w1" }))
      assert.strictEqual(calls(), 4)
    }).pipe(Effect.provide(server))
  })

  it.effect("is run once where the records cannot be read", () => {
    const { calls, server } = engine("unreadable")
    return Effect.gen(function* () {
      yield* inTime(Effect.exit(ask("execute_workflow", { id: "w1" })))
      assert.strictEqual(calls(), 1)
    }).pipe(Effect.provide(server))
  })
})
