import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

import { EmbeddedEngine } from "../../../src/engine/embedded/EmbeddedEngine.ts"
import { api, chain, flow, listed, node, refused, running, set, visit, webhook } from "./calls.ts"

const failing = node("Stop", "stopAndError", { errorMessage: "told to stop" })

/** Starts a webhook that leads to one node, and tells the id of the workflow. */
const started = Effect.fnUntraced(function* (place: string, next: ReturnType<typeof node>) {
  const id = yield* running(flow(place, [webhook(place), next], chain("Webhook", String(next.name))))
  yield* TestClock.adjust("1 second")
  return id
})

const newest = Effect.fnUntraced(function* (workflowId: string) {
  const { data } = yield* listed(`/executions?limit=1&workflowId=${workflowId}`)
  return String(data[0]?.id)
})

layer(EmbeddedEngine.layer({ seed: true }))("executions of 1.82.3", (it) => {
  it.effect("gives the status of a single execution but not in lists", () =>
    Effect.gen(function* () {
      const { data } = yield* listed("/executions?status=error")
      assert.isAbove(data.length, 0)
      assert.notProperty(data[0], "status")
      assert.deepInclude((yield* api("GET", `/executions/${String(data[0]?.id)}`)).json, { status: "error" })
    })
  )

  it.effect("answers a deletion with a numeric id and never uses the id again", () =>
    Effect.gen(function* () {
      const id = yield* started("numbered", set("Note", {}))
      yield* visit("numbered")
      const first = yield* newest(id)
      assert.strictEqual((yield* api("DELETE", `/executions/${first}`)).json.id, Number(first))
      assert.deepStrictEqual(yield* refused("GET", `/executions/${first}`), [404, "Not Found"])
      yield* visit("numbered")
      assert.isAbove(Number(yield* newest(id)), Number(first))
    })
  )

  it.effect("offers no retry and refuses ids that are not numbers", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* refused("POST", "/executions/1/retry"), [404, "not found"])
      assert.deepStrictEqual(yield* refused("GET", "/executions/abc"), [400, "request/params/id must be number"])
      assert.deepStrictEqual(yield* refused("GET", "/executions/1.5"), [404, "Not Found"])
      assert.deepStrictEqual(yield* refused("GET", "/executions?status=canceled"), [
        400,
        "request/query/status must be equal to one of the allowed values: error, success, waiting"
      ])
    })
  )

  it.effect("continues a page after the last id", () =>
    Effect.gen(function* () {
      const all = (yield* listed("/executions")).data.map(({ id }) => id)
      const first = yield* listed("/executions?limit=1")
      const second = yield* listed(`/executions?cursor=${first.nextCursor}`)
      assert.deepStrictEqual(
        [...first.data, ...second.data].map(({ id }) => id),
        all.slice(0, 2)
      )
    })
  )
})

layer(EmbeddedEngine.layer({ version: "2.41.1" }))("executions of 2.41.1", (it) => {
  it.effect("retries from the node that failed", () =>
    Effect.gen(function* () {
      const id = yield* started("again", failing)
      yield* visit("again", { x: 1 })
      const failed = yield* newest(id)
      const { json } = yield* api("POST", `/executions/${failed}/retry`)
      assert.deepInclude(json, { mode: "retry", retryOf: failed, status: "error", finished: false })
      assert.nestedPropertyVal(json, "data.resultData.runData.Webhook[0].data.main[0][0].json.body.x", 1)
      assert.nestedPropertyVal(json, "data.resultData.runData.Stop[0].executionIndex", 0)
    })
  )

  it.effect("retries with the current workflow and notes the success on the original", () =>
    Effect.gen(function* () {
      const id = yield* started("repaired", failing)
      yield* visit("repaired")
      const failed = yield* newest(id)
      yield* api(
        "PUT",
        `/workflows/${id}`,
        flow("x", [webhook("repaired"), set("Stop", { a: 1 })], chain("Webhook", "Stop"))
      )
      const { json } = yield* api("POST", `/executions/${failed}/retry`, { loadWorkflow: true })
      assert.deepInclude(json, { status: "success" })
      assert.deepInclude((yield* api("GET", `/executions/${failed}`)).json, { retrySuccessId: json.id })
      assert.deepStrictEqual(yield* refused("POST", `/executions/${String(json.id)}/retry`), [
        409,
        "The execution succeeded, so it cannot be retried."
      ])
    })
  )

  it.effect("lists a running execution on request, refuses to delete it and stops it", () =>
    Effect.gen(function* () {
      const id = yield* started("long", node("Wait", "wait", { amount: 1, unit: "hours" }))
      const call = yield* Effect.forkChild(visit("long"))
      yield* TestClock.adjust("1 second")
      const { data } = yield* listed(`/executions?workflowId=${id}&status=running`)
      const execution = String(data[0]?.id)
      assert.deepStrictEqual(yield* refused("DELETE", `/executions/${execution}`), [
        400,
        "Cannot delete a running execution"
      ])
      assert.deepInclude((yield* api("POST", `/executions/${execution}/stop`)).json, { status: "canceled" })
      assert.strictEqual((yield* Fiber.join(call)).status, 500)
      assert.deepStrictEqual(yield* refused("POST", `/executions/${execution}/stop`), [
        409,
        `Only running or waiting executions can be stopped and ${execution} is currently canceled`
      ])
    })
  )

  it.effect("refuses ids that are not positive integers", () =>
    Effect.gen(function* () {
      for (const id of ["abc", "0", "-1", "1.5"]) {
        assert.deepStrictEqual(yield* refused("GET", `/executions/${id}`), [
          400,
          "request/params/executionId must be a positive integer"
        ])
      }
      assert.deepStrictEqual(yield* refused("POST", "/executions/99/retry"), [
        404,
        `The execution with the ID "99" does not exist.`
      ])
    })
  )
})
