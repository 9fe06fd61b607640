import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"

import { answers, breaks, hangs, type Step, takes } from "../../internal/http/standIn.ts"
import { callTool, type Json } from "../../support/harness.ts"
import { inTime } from "../../support/inTime.ts"
import { type ReceivedRequest, engineThat, isOfTheApi, json, serving } from "./standIn.ts"

const webhook = { name: "Hook", type: "n8n-nodes-base.webhook", typeVersion: 2, position: [0, 0], parameters: {} }
const workflow = { id: "w1", name: "Orders", active: false, nodes: [webhook], connections: {} }

/** The error of a tool call, and how long it took. */
const refusedInTime = Effect.fnUntraced(function* (tool: string, args: Json) {
  const [{ error }, took] = yield* inTime(
    Effect.zip(
      callTool(tool, args),
      Effect.suspend(() => Clock.currentTimeMillis)
    )
  )
  return { error: error ?? assert.fail(`${tool} was not refused`), took }
})

const writes = (requests: ReadonlyArray<ReceivedRequest>) => requests.filter(({ method }) => method !== "GET")

describe("the deadline of a tool call", () => {
  it.effect("ends one upstream call after 30 seconds", () =>
    Effect.gen(function* () {
      const { error, took } = yield* refusedInTime("list_workflows", {})
      assert.deepStrictEqual(error, {
        code: -32000,
        message: "Connection timeout after 30000ms. Check instance availability.",
        data: {
          code: "TIMEOUT",
          instance: "production",
          address: "http://127.0.0.1:5678",
          milliseconds: 30_000
        }
      })
      assert.strictEqual(took, 30_000)
    }).pipe(Effect.provide(serving(engineThat(() => hangs).client)))
  )

  it.effect("ends an answer that never ends after 30 seconds", () => {
    const endless = () => answers(200, { "content-type": "application/json" }, new ReadableStream())
    return Effect.gen(function* () {
      const { error, took } = yield* refusedInTime("get_workflow", { id: "1" })
      assert.strictEqual(error.message, "Connection timeout after 30000ms. Check instance availability.")
      assert.strictEqual(took, 30_000)
    }).pipe(Effect.provide(serving(engineThat(endless).client)))
  })

  it.effect("ends all upstream calls together after 55 seconds and says how far the tool came", () => {
    const { requests, client } = engineThat(({ method, path }) =>
      method === "GET" && /^\/api\/v1\/(?:tags|discover)/.test(path)
        ? json({ data: [{ id: "t1", name: "red" }], nextCursor: null })
        : takes(20_000, json(path.endsWith("/tags") ? [{ id: "t1", name: "red" }] : workflow))
    )
    return Effect.gen(function* () {
      const args = { name: "Orders", nodes: [webhook], tags: ["t1"], active: true }
      const { error, took } = yield* refusedInTime("create_workflow", args)
      assert.isAtMost(took, 55_000)
      assert.match(
        error.message,
        /^Workflow w1 on instance production was created, but its activation failed: Connection timeout after \d+ms\. .+ The outcome of activate workflow on instance production is unknown/
      )
      assert.include(error.data, { code: "STEP_FAILED", id: "w1", step: "its activation" })
      assert.lengthOf(requests.filter(isOfTheApi), 5)
    }).pipe(Effect.provide(serving(client)))
  })
})

describe("a change whose answer is lost", () => {
  const cut: Step = (request) =>
    answers(200, {}, new ReadableStream({ pull: (controller) => controller.error(new Error("cut")) }))(request)
  const losses = [
    ["in silence", hangs, { code: "TIMEOUT", unsettled: "create workflow" }],
    ["with the connection", breaks("ECONNRESET"), { code: "OUTCOME_UNKNOWN", operation: "create workflow" }],
    ["in the middle of it", cut, { code: "OUTCOME_UNKNOWN", operation: "create workflow" }]
  ] as const
  for (const [how, step, data] of losses) {
    it.effect(`${how} is not repeated and its outcome is unknown`, () => {
      const { requests, client } = engineThat(() => step)
      return Effect.gen(function* () {
        const { error } = yield* refusedInTime("create_workflow", { name: "Orders", nodes: [webhook] })
        assert.strictEqual(error.code, -32000)
        assert.match(
          error.message,
          /\. The outcome of create workflow on instance production is unknown: it was sent, and not repeated\. Read the/
        )
        assert.include(error.data, data)
        assert.lengthOf(writes(requests), 1)
      }).pipe(Effect.provide(serving(client)))
    })
  }

  it.effect("is repeated where it cannot have reached the engine", () => {
    const { requests, client } = engineThat(() => breaks("ECONNREFUSED"))
    return Effect.gen(function* () {
      const { error } = yield* refusedInTime("create_tag", { name: "red" })
      assert.include(error.data, { code: "ECONNREFUSED", instance: "production" })
      assert.lengthOf(writes(requests), 3)
    }).pipe(Effect.provide(serving(client)))
  })
})

describe("an engine that cannot be reached", () => {
  for (const code of ["ECONNREFUSED", "ENOTFOUND", "ETIMEDOUT"]) {
    it.effect(`is reported with the code ${code}`, () =>
      Effect.gen(function* () {
        const { error } = yield* refusedInTime("list_workflows", {})
        assert.strictEqual(error.code, -32000)
        assert.match(error.message, /^Instance production cannot be reached at http:\/\/127\.0\.0\.1:5678: .+ Check /)
        assert.deepStrictEqual(error.data, { code, instance: "production", address: "http://127.0.0.1:5678" })
      }).pipe(Effect.provide(serving(engineThat(() => breaks(code)).client)))
    )
  }
})

describe("an engine that is still starting", () => {
  const starting = answers(200, { "content-type": "text/html" }, "n8n is starting up. Please wait")
  const nothingYet = answers(404, { "content-type": "text/html" }, "Cannot GET")

  it.effect("is waited for until it is up", () => {
    const steps = [starting, starting, starting, nothingYet]
    const { requests, client } = engineThat(() => steps[requests.length - 1] ?? json({ data: [] }))
    return Effect.gen(function* () {
      assert.isUndefined((yield* inTime(callTool("list_workflows"))).error)
      assert.lengthOf(requests, 5)
    }).pipe(Effect.provide(serving(client)))
  })

  it.effect("is given up after 25 seconds", () =>
    Effect.gen(function* () {
      const { error, took } = yield* refusedInTime("list_workflows", {})
      assert.strictEqual(
        error.message,
        "API error: the engine of instance production is still starting, try again in a moment"
      )
      assert.isAtMost(took, 30_000)
    }).pipe(Effect.provide(serving(engineThat(() => starting).client)))
  )
})
