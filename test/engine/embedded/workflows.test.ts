import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

import { EmbeddedEngine } from "../../../src/engine/embedded/EmbeddedEngine.ts"
import { api, chain, created, flow, listed, manual, node, refused, running, schedule, visit, webhook } from "./calls.ts"

const noTrigger = flow("broken", [node("N", "noOp")])

layer(EmbeddedEngine.layer())("workflows of 1.82.3", (it) => {
  it.effect("answers a create with what was sent, followed by what was added", () =>
    Effect.gen(function* () {
      const { json } = yield* api("POST", "/workflows", {
        settings: {},
        connections: {},
        nodes: [manual],
        name: "first"
      })
      const sent = ["settings", "connections", "nodes", "name"]
      const added = "active versionId id staticData meta pinData createdAt updatedAt triggerCount"
      assert.deepStrictEqual(Object.keys(json), [...sent, ...added.split(" ")])
      assert.match(String(json.id), /^[A-Za-z0-9]{16}$/)
    })
  )

  it.effect("replaces the settings in an update and gives nodes the ids they lack", () =>
    Effect.gen(function* () {
      const id = yield* created(flow("old", [manual], {}, { settings: { executionOrder: "v1" }, staticData: { a: 1 } }))
      const { json } = yield* api("PUT", `/workflows/${id}`, flow("new"))
      assert.deepInclude(json, { name: "new", settings: {}, staticData: { a: 1 } })
      assert.notProperty(json, "tags")
    })
  )

  it.effect("saves a refused update of an active workflow and stops running it", () =>
    Effect.gen(function* () {
      const id = yield* running(flow("fragile", [webhook("fragile")]))
      assert.strictEqual((yield* visit("fragile")).status, 200)
      assert.deepStrictEqual(yield* refused("PUT", `/workflows/${id}`, noTrigger), [
        400,
        `Workflow "broken" (ID: ${id}) has no node to start the workflow - at least one trigger, poller or webhook node is required`
      ])
      assert.deepInclude((yield* api("GET", `/workflows/${id}`)).json, { name: "broken", active: true })
      assert.strictEqual((yield* visit("fragile")).status, 404)
    })
  )

  it.effect("counts the triggers on activation and shows the count from the next read on", () =>
    Effect.gen(function* () {
      const id = yield* created(flow("counted", [schedule]))
      assert.strictEqual((yield* api("POST", `/workflows/${id}/activate`)).json.triggerCount, 0)
      const { json } = yield* api("GET", `/workflows/${id}`)
      assert.deepInclude(json, { triggerCount: 1, staticData: { "node:Cron": { recurrenceRules: [] } } })
    })
  )

  it.effect("refuses to activate a workflow that cannot run", () =>
    Effect.gen(function* () {
      const expression = (text: string) =>
        node("Cron", "scheduleTrigger", { rule: { interval: [{ field: "cronExpression", expression: text }] } })
      const problems = [
        [[node("X", "doesNotExist")], "Unrecognized node type: n8n-nodes-base.doesNotExist"],
        [[expression("99 8 * * *")], `There was a problem activating the workflow: "Invalid cron expression"`],
        [[node("T", "telegramTrigger")], "Node does not have any credentials set"]
      ] as const
      for (const [nodes, message] of problems) {
        const id = yield* created(flow("refused", nodes))
        assert.deepStrictEqual(yield* refused("POST", `/workflows/${id}/activate`), [400, message])
      }
      const id = yield* created(flow("fine", [expression("0 0 8 * * MON-FRI")]))
      assert.strictEqual((yield* api("POST", `/workflows/${id}/activate`)).status, 200)
    })
  )

  it.effect("deletes an active workflow with its executions", () =>
    Effect.gen(function* () {
      const id = yield* running(flow("doomed", [webhook("doomed")]))
      yield* visit("doomed")
      assert.lengthOf((yield* listed(`/executions?workflowId=${id}`)).data, 1)
      const { json } = yield* api("DELETE", `/workflows/${id}`)
      assert.deepInclude(json, { id, active: true })
      assert.lengthOf((yield* listed(`/executions?workflowId=${id}`)).data, 0)
      assert.deepStrictEqual(yield* refused("DELETE", `/workflows/${id}`), [404, "Not Found"])
    })
  )

  it.effect("filters a list by tags and ignores unknown ones", () =>
    Effect.gen(function* () {
      const id = yield* created(flow("tagged"))
      const { json } = yield* api("POST", "/tags", { name: "red" })
      yield* api("PUT", `/workflows/${id}/tags`, [{ id: json.id }])
      assert.lengthOf((yield* listed("/workflows?tags=red")).data, 1)
      assert.lengthOf((yield* listed("/workflows?tags=red,nope")).data, 1)
      assert.lengthOf((yield* listed("/workflows?tags=nope")).data, 0)
      assert.lengthOf((yield* listed("/workflows?tags=RED")).data, 0)
      yield* api("DELETE", `/tags/${String(json.id)}`)
      assert.deepStrictEqual((yield* api("GET", `/workflows/${id}`)).json.tags, [])
    })
  )

  it.effect("filters a list by a part of the name, with the wildcards of its database", () =>
    Effect.gen(function* () {
      yield* created(flow("Invoice (July)"))
      for (const name of ["invoice", "%20INVOICE%20", "inv%25july", "invo_ce", "%28july%29"]) {
        assert.lengthOf((yield* listed(`/workflows?name=${name}`)).data, 1, name)
      }
      assert.lengthOf((yield* listed("/workflows?name=inv.*july")).data, 0)
    })
  )
})

layer(EmbeddedEngine.layer({ version: "2.41.1" }))("workflows of 2.41.1", (it) => {
  it.effect("merges the settings in an update and makes a new version only for a new graph", () =>
    Effect.gen(function* () {
      const id = yield* created(flow("old", [{ ...manual, id: "a" }], {}, { settings: { executionOrder: "v1" } }))
      const { json: before } = yield* api("GET", `/workflows/${id}`)
      const { json: renamed } = yield* api("PUT", `/workflows/${id}`, flow("new", [{ ...manual, id: "a" }]))
      assert.deepInclude(renamed, {
        name: "new",
        settings: { executionOrder: "v1" },
        versionId: before.versionId,
        versionCounter: 1
      })
      const { json: redrawn } = yield* api("PUT", `/workflows/${id}`, flow("new", [{ ...manual, id: "b" }]))
      assert.notStrictEqual(redrawn.versionId, before.versionId)
    })
  )

  it.effect("listens to webhooks a moment after activation", () =>
    Effect.gen(function* () {
      const id = yield* running(flow("slow", [webhook("slow")]))
      assert.strictEqual((yield* visit("slow")).status, 404)
      assert.strictEqual((yield* api("GET", `/workflows/${id}`)).json.triggerCount, 0)
      yield* TestClock.adjust("200 millis")
      assert.strictEqual((yield* visit("slow")).status, 200)
      assert.strictEqual((yield* api("GET", `/workflows/${id}`)).json.triggerCount, 1)
    })
  )

  it.effect("refuses to delete a workflow that is active or still being unpublished", () =>
    Effect.gen(function* () {
      const id = yield* running(flow("kept", [schedule]))
      const remove = refused("DELETE", `/workflows/${id}`)
      assert.deepStrictEqual(yield* remove, [409, "Cannot delete a published workflow. Unpublish it before deleting."])
      yield* api("POST", `/workflows/${id}/deactivate`)
      assert.deepStrictEqual(yield* remove, [
        409,
        "Workflow is still being unpublished. Please try again in a few moments."
      ])
      yield* TestClock.adjust("100 millis")
      assert.strictEqual((yield* api("DELETE", `/workflows/${id}`)).status, 200)
    })
  )

  it.effect("keeps running the old version after a refused update", () =>
    Effect.gen(function* () {
      const id = yield* running(flow("sturdy", [webhook("sturdy")]))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* api("PUT", `/workflows/${id}`, noTrigger)).status, 400)
      assert.deepInclude((yield* api("GET", `/workflows/${id}`)).json, { name: "broken", active: true })
      assert.strictEqual((yield* visit("sturdy")).status, 200)
    })
  )

  it.effect("refuses two workflows at the same address", () =>
    Effect.gen(function* () {
      yield* running(flow("one", [webhook("place")]))
      yield* TestClock.adjust("1 second")
      const other = yield* created(flow("two", [webhook("place")]))
      assert.deepStrictEqual(yield* refused("POST", `/workflows/${other}/activate`), [
        409,
        "There is a conflict with one of the webhooks."
      ])
    })
  )

  it.effect("refuses to publish a node that lacks what it needs, unless nothing leads to it", () =>
    Effect.gen(function* () {
      const nodes = [schedule, node("Call", "httpRequest")]
      const loose = yield* created(flow("loose", nodes))
      assert.strictEqual((yield* api("POST", `/workflows/${loose}/activate`)).status, 200)
      const id = yield* created(flow("tied", nodes, chain("Cron", "Call")))
      assert.deepStrictEqual(yield* refused("POST", `/workflows/${id}/activate`), [
        400,
        `Cannot publish workflow: 1 node have configuration issues:\n\nNode "Call":\n  - Missing or invalid required parameters: url`
      ])
    })
  )

  it.effect("refuses to change or activate an archived workflow", () =>
    Effect.gen(function* () {
      const id = yield* running(flow("old", [schedule]))
      assert.deepInclude((yield* api("POST", `/workflows/${id}/archive`)).json, { isArchived: true, active: false })
      assert.deepStrictEqual(yield* refused("PUT", `/workflows/${id}`, flow("x")), [
        400,
        "Cannot update an archived workflow."
      ])
      assert.deepStrictEqual(yield* refused("POST", `/workflows/${id}/activate`), [
        400,
        "Cannot activate an archived workflow."
      ])
      assert.deepInclude((yield* api("POST", `/workflows/${id}/unarchive`)).json, { isArchived: false })
    })
  )

  it.effect("filters a list by all tags, unknown ones included", () =>
    Effect.gen(function* () {
      const id = yield* created(flow("tagged"))
      const { json } = yield* api("POST", "/tags", { name: "red" })
      yield* api("PUT", `/workflows/${id}/tags`, [{ id: json.id }])
      assert.lengthOf((yield* listed("/workflows?tags=red")).data, 1)
      assert.lengthOf((yield* listed("/workflows?tags=red,nope")).data, 0)
    })
  )
})
