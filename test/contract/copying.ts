import { assert } from "@effect/vitest"
import { Effect } from "effect"

import { ask, type Json, refused } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import {
  answer,
  chain,
  cleared,
  created,
  decodeNodes,
  decodeRun,
  eventually,
  given,
  tagged,
  unique,
  webhook
} from "./fixtures.ts"
import { sent, shown, TestedEngine } from "./TestedEngine.ts"

/** A copy made through the server, gone when the test ends. */
const copied = Effect.fnUntraced(function* (id: string, ...operations: ReadonlyArray<Json>) {
  const made = yield* ask("edit_workflow", { id, operations, copy_as: unique("copy") })
  const copy = String(made["id"])
  yield* Effect.addFinalizer(() => cleared(copy))
  return { copy, notice: String(made["notice"]), nodes: decodeNodes((yield* shown(`/workflows/${copy}`))["nodes"]) }
})

/** Tests of what copies of workflows share with their originals. */
export const copying = (it: Suite) => {
  it.effect("edit_workflow saves a copy under another name, inactive and with its tags, and leaves the original", () =>
    Effect.gen(function* () {
      const { id: tag, name: tagName } = yield* tagged()
      const nodes = [webhook({ path: unique("copied") }), answer("Answer", "a")]
      const { id } = yield* created({ nodes, tags: [tag], active: true })
      const before = yield* shown(`/workflows/${id}`)
      const name = unique("copy")
      const operations = [{ op: "remove", node: "Answer" }]
      const made = yield* ask("edit_workflow", { id, operations, copy_as: name })
      assert.deepInclude(made, { name, active: false })
      assert.notStrictEqual(made["id"], id)
      const copy = yield* shown(`/workflows/${String(made["id"])}`)
      assert.deepInclude(copy, { name, active: false })
      const [hook, ...others] = decodeNodes(copy["nodes"])
      assert.lengthOf(others, 0)
      assert.notStrictEqual(hook?.["webhookId"], decodeNodes(before["nodes"])[0]?.["webhookId"])
      assert.include(JSON.stringify(copy["tags"]), tagName)
      assert.deepStrictEqual(yield* shown(`/workflows/${id}`), before)
      const whole = yield* ask("edit_workflow", { id, copy_as: unique("copy") })
      assert.lengthOf(decodeNodes((yield* shown(`/workflows/${String(whole["id"])}`))["nodes"]), 2)
      const error = yield* refused("edit_workflow", { id, operations: [] })
      assert.include(error.message, "must hold at least one operation")
      for (const { id: one } of [made, whole]) yield* ask("delete_workflow", { id: one })
    })
  )

  it.effect("edit_workflow gives a copy a path of its own where an editor chose it, and both answer", () =>
    Effect.gen(function* () {
      const path = crypto.randomUUID()
      const both = { path, responseMode: "lastNode" }
      const nodes = [
        { ...webhook(both), webhookId: path },
        { ...webhook({ ...both, httpMethod: "GET" }), name: "Reader", webhookId: crypto.randomUUID() },
        answer("Answer", "={{ $workflow.id }}")
      ]
      const connections = [...chain("Webhook", "Answer"), ...chain("Reader", "Answer")]
      const { id } = yield* created({ nodes, connections, active: true })
      const { copy, nodes: own, notice } = yield* copied(id)
      const [hook, reader] = own
      const { path: fresh } = Object(hook?.["parameters"])
      assert.strictEqual(fresh, hook?.["webhookId"])
      assert.notStrictEqual(fresh, path)
      assert.strictEqual(Object(reader?.["parameters"]).path, fresh)
      assert.include(notice, `Webhook was given a webhookId, and answers at POST /webhook/${String(fresh)}.`)
      assert.notInclude(notice, "in common")
      yield* ask("activate_workflow", { id: copy })
      for (const one of [id, copy]) {
        const run = yield* ask("execute_workflow", { id: one })
        assert.include(JSON.stringify(run["response"]), one)
        assert.isAbove(decodeRun(run).executionId, 0)
      }
    })
  )

  it.effect(
    "edit_workflow keeps a path that somebody chose, says who answers there, and changes it in the same call",
    () =>
      Effect.gen(function* () {
        const { call, isV2 } = yield* TestedEngine
        const path = unique("orders")
        const nodes = [webhook({ path, httpMethod: "GET" }), answer("Answer", "={{ $workflow.id }}")]
        const { id } = yield* created({ nodes, connections: chain("Webhook", "Answer"), active: true })
        const shared = `Webhook has GET /webhook/${path} in common with ${id}: only one of both can answer there`
        const { copy, notice } = yield* copied(id)
        assert.include(notice, shared)
        const tried = yield* ask("edit_workflow", { id, operations: [], copy_as: unique("copy"), dry_run: true })
        assert.include(tried["notice"], shared)

        yield* eventually(call("GET", `/webhook/${path}`), ({ body }) => JSON.stringify(body).includes(id))
        const taken = new RegExp(
          `Node Webhook now gets the calls of GET /webhook/${path} in place of node Webhook of workflow .+ \\(${id}\\), which`
        )
        if (isV2) {
          const { message } = yield* refused("activate_workflow", { id: copy })
          assert.include(message, `GET /webhook/${path} of node Webhook is taken by node Webhook of workflow`)
        } else {
          assert.match(String((yield* ask("activate_workflow", { id: copy }))["notice"]), taken)
          yield* eventually(call("GET", `/webhook/${path}`), ({ body }) => JSON.stringify(body).includes(copy))
          yield* ask("deactivate_workflow", { id: copy })
          assert.match(String((yield* ask("update_workflow", { id: copy, active: true }))["notice"]), taken)
          yield* ask("deactivate_workflow", { id: copy })
          yield* eventually(call("GET", `/webhook/${path}`), ({ status }) => status === 404)
          assert.deepInclude(yield* shown(`/workflows/${id}`), { active: true })
          yield* ask("deactivate_workflow", { id })
          assert.notProperty(yield* ask("activate_workflow", { id }), "notice")
          yield* eventually(call("GET", `/webhook/${path}`), ({ body }) => JSON.stringify(body).includes(id))
        }

        const other = unique("orders")
        const operations = [{ op: "set", node: "Webhook", path: "parameters.path", value: other }]
        const moved = yield* copied(id, ...operations)
        assert.notInclude(moved.notice, "in common")
        yield* ask("activate_workflow", { id: moved.copy })
        yield* eventually(call("GET", `/webhook/${other}`), ({ body }) => JSON.stringify(body).includes(moved.copy))
        if (isV2) return
        const back = [{ op: "set", node: "Webhook", path: "parameters.path", value: path }]
        assert.match(String((yield* ask("edit_workflow", { id: moved.copy, operations: back }))["notice"]), taken)
        yield* eventually(call("GET", `/webhook/${path}`), ({ body }) => JSON.stringify(body).includes(moved.copy))
        const again = [{ op: "disable", node: "Answer" }]
        assert.notProperty(yield* ask("edit_workflow", { id: moved.copy, operations: again }), "notice")
      })
  )

  it.effect("edit_workflow copies the description, and no static data", () =>
    Effect.gen(function* () {
      const { isV2 } = yield* TestedEngine
      const staticData = { "node:Webhook": { lastItem: 7 } }
      const body = { name: unique("described"), nodes: [webhook(), answer("Answer", "a")], connections: {} }
      const { id } = yield* given({ ...body, staticData })
      const { nodes } = yield* shown(`/workflows/${id}`)
      const description = "Takes orders"
      if (isV2) yield* sent("PUT", `/workflows/${id}`, { ...body, nodes, settings: {}, description })
      const { copy } = yield* copied(id)
      const whole = yield* shown(`/workflows/${copy}`)
      assert.isNull(whole["staticData"])
      assert.strictEqual(whole["description"], isV2 ? description : undefined)
    })
  )
}
