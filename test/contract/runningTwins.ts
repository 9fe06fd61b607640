import { assert } from "@effect/vitest"
import { Effect } from "effect"

import { ask, type Json } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import { shown } from "./TestedEngine.ts"
import { answer, chain, created, everyDay, failing, manual, node } from "./things.ts"

const listed = (path: string) =>
  Effect.map(shown(path), ({ data }): ReadonlyArray<unknown> => (Array.isArray(data) ? data : []))

/** The temporary copies of a workflow of this name. */
const twinsOf = (name: unknown) =>
  listed(`/workflows?limit=250&name=${encodeURIComponent(`Temporary run of ${String(name)}`)}`)

const rows = ({ nodes }: Json) =>
  (Array.isArray(nodes) ? nodes : []).map((row: unknown) => {
    const { first, in: taken, node: name, out, status } = Object(row)
    return { node: name, status, in: taken, out, first }
  })

const request = (name: string) =>
  node("httpRequest", name, { url: "http://127.0.0.1:9/never", options: {} }, { typeVersion: 4.2 })

export const runningTwins = (it: Suite) => {
  it.effect("run_workflow runs an inactive workflow with a manual trigger, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const before = yield* created({
        nodes: [manual(), answer("Greet", "=Hello {{ $('Start').item.json.name }}")],
        connections: chain("Start", "Greet")
      })
      const was = yield* shown(`/workflows/${before.id}`)
      const run = yield* ask("run_workflow", { id: before.id, items: [{ name: "Ann" }, { name: "Bob" }] })
      assert.deepInclude(run, { ran: true, status: "success" })
      assert.deepStrictEqual(rows(run), [
        { node: "Start", status: "success", in: undefined, out: 2, first: { name: "Ann" } },
        { node: "Greet", status: "success", in: 2, out: 2, first: { said: "Hello Ann" } }
      ])
      assert.deepStrictEqual(yield* shown(`/workflows/${before.id}`), was)
      assert.deepStrictEqual(yield* twinsOf(before.name), [])
      assert.deepStrictEqual(yield* listed(`/executions?workflowId=${before.id}`), [])
    })
  )

  it.effect("run_workflow runs an active scheduled workflow with mocks in the place of what reaches outside", () =>
    Effect.gen(function* () {
      const { id, name } = yield* created({
        nodes: [everyDay(), request("Fetch"), answer("Say", "={{ $json.title }}")],
        connections: chain("Every day", "Fetch", "Say"),
        active: true
      })
      const refusal = yield* ask("run_workflow", { id })
      assert.deepInclude(refusal, { ran: false })
      assert.deepInclude(refusal, {
        outside: [{ node: "Fetch", type: "httpRequest", does: "GET http://127.0.0.1:9/never" }]
      })
      const mocks = { Fetch: [{ title: "one" }, { title: "two" }] }
      const run = yield* ask("run_workflow", { id, mocks })
      assert.deepStrictEqual(rows(run), [
        { node: "Every day", status: "success", in: undefined, out: 1, first: {} },
        { node: "Fetch", status: "mocked", in: 1, out: 2, first: { title: "one" } },
        { node: "Say", status: "success", in: 2, out: 2, first: { said: "one" } }
      ])
      assert.include(yield* shown(`/workflows/${id}`), { active: true, name })
      assert.deepStrictEqual(yield* twinsOf(name), [])
    })
  )

  it.effect("run_workflow tells where a run failed, and deletes its copy", () =>
    Effect.gen(function* () {
      const { id, name } = yield* created({
        nodes: [manual(), failing(), answer("After", "never")],
        connections: chain("Start", "Stop", "After")
      })
      const run = yield* ask("run_workflow", { id, items: [{ order: 7 }] })
      assert.deepInclude(run, { status: "error", didNotRun: ["After"] })
      assert.deepNestedInclude(run, {
        "failed.node": "Stop",
        "failed.message": "told to stop",
        "failed.item": { index: 0, of: 1, json: { order: 7 } }
      })
      assert.deepStrictEqual(yield* twinsOf(name), [])
    })
  )
}
