import { assert } from "@effect/vitest"
import { Effect } from "effect"

import { ask, type Json, refused } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import {
  answer,
  chain,
  created,
  decodeGraph,
  decodePage,
  decodeRun,
  failing,
  halfPublished,
  manual,
  node,
  tagged,
  unique,
  webhook
} from "./fixtures.ts"
import { sent, shown, TestedEngine } from "./TestedEngine.ts"

/** Puts other nodes into a workflow past the server. */
const rewritten = Effect.fnUntraced(function* (id: string, change: (node: Json) => Json) {
  const { connections, name, nodes } = decodeGraph(yield* shown(`/workflows/${id}`))
  yield* sent("PUT", `/workflows/${id}`, {
    name,
    connections,
    settings: { executionOrder: "v1" },
    nodes: nodes.map(change)
  })
})

const withUrl = (url: string) => (one: Json) =>
  one.name === "Fetch" ? { ...one, parameters: { ...Object(one.parameters), url } } : one

const fetching = () => node("httpRequest", "Fetch", { url: "https://a.test", options: {} }, { typeVersion: 4.2 })

export const comparing = (it: Suite) => {
  it.effect("compare_workflows tells in words what differs between two workflows", () =>
    Effect.gen(function* () {
      const [red, blue] = [yield* tagged(), yield* tagged()]
      const name = unique("compared")
      const first = yield* created({
        name,
        nodes: [manual(), fetching(), answer("Done", "yes")],
        connections: chain("Start", "Fetch", "Done"),
        tags: [red.id]
      })
      const second = yield* created({
        name: `${name} 2`,
        nodes: [
          { ...manual(), position: [500, 500] },
          withUrl("https://b.test")(fetching()),
          { ...answer("Finished", "yes"), position: [9, 9] },
          failing()
        ],
        connections: chain("Start", "Fetch", "Finished"),
        settings: { timezone: "UTC" },
        tags: [blue.id]
      })
      const found = yield* ask("compare_workflows", { a: first.id, b: second.id })
      assert.deepNestedInclude(found, { "a.id": first.id, "a.name": name, "b.id": second.id })
      assert.sameMembers(Object(found).differences, [
        `name "${name}" → "${name} 2"`,
        "added Stop (stopAndError)",
        'Fetch: url "https://a.test" → "https://b.test"',
        "renamed Done → Finished",
        'setting timezone set to "UTC"',
        `tagged ${blue.name}`,
        `no longer tagged ${red.name}`
      ])

      const same = yield* ask("compare_workflows", { a: first.id, instances: ["production", "staging"] })
      assert.deepNestedInclude(same, { same: true, "a.instance": "production", "b.instance": "staging" })
      assert.notProperty(same, "differences")
    })
  )

  it.effect("compare_workflows compares a workflow with what ran, without the defaults that an engine puts in", () =>
    Effect.gen(function* () {
      const { id } = yield* created({
        nodes: [webhook(), { ...fetching(), disabled: true }, answer("Done", "yes")],
        connections: chain("Webhook", "Fetch", "Done"),
        active: true
      })
      const { executionId } = decodeRun(yield* ask("execute_workflow", { id }))
      const unchanged = yield* ask("compare_workflows", { a: id, versionA: executionId })
      assert.deepNestedInclude(unchanged, { same: true, "a.execution": executionId })

      yield* rewritten(id, withUrl("https://b.test"))
      const changed = yield* ask("compare_workflows", { a: id, versionA: `${executionId}` })
      assert.deepStrictEqual(changed.differences, ['Fetch: url "https://a.test" → "https://b.test"'])
      const back = yield* ask("compare_workflows", { a: id, versionB: executionId })
      assert.deepStrictEqual(back.differences, ['Fetch: url "https://b.test" → "https://a.test"'])

      const other = yield* created({ nodes: [manual()] })
      const { message } = yield* refused("compare_workflows", { a: other.id, versionA: executionId })
      assert.strictEqual(
        message,
        `Invalid versionA: execution ${executionId} is one of workflow ${id}, not of ${other.id} (instance production)`
      )
    })
  )

  it.effect("compare_workflows compares versions where the engine keeps them, and says what to do where not", () =>
    Effect.gen(function* () {
      const { isFrom, version } = yield* TestedEngine
      const { id, versionId } = yield* created({
        nodes: [webhook(), fetching()],
        connections: chain("Webhook", "Fetch")
      })
      yield* rewritten(id, withUrl("https://b.test"))
      yield* rewritten(id, withUrl("https://c.test"))
      const previous = yield* ask("compare_workflows", { a: id, versionA: "previous" })
      const first = yield* ask("compare_workflows", { a: id, versionA: versionId })
      const lacking = (verb: string) =>
        new RegExp(`^This engine's API \\(${version}\\) cannot ${verb}.*execution as the version`)
      if (isFrom("2.35.0")) {
        assert.deepStrictEqual(previous.differences, ['Fetch: url "https://b.test" → "https://c.test"'])
        const { nextCursor, data } = decodePage(yield* shown(`/workflows/${id}/history?limit=2`))
        assert.lengthOf(data, 2)
        assert.isString(nextCursor)
      } else assert.match(String(previous.guidance), lacking("list"))
      if (isFrom("1.123.0")) {
        assert.deepStrictEqual(first.differences, ['Fetch: url "https://a.test" → "https://c.test"'])
        assert.nestedPropertyVal(first, "a.version", versionId)
        const { message } = yield* refused("compare_workflows", { a: id, versionA: "nope" })
        assert.match(message, /Version not found \(version nope of workflow /)
      } else assert.match(String(first.guidance), lacking("show"))
    })
  )

  it.effect("compare_workflows compares what is published with the draft", () =>
    Effect.gen(function* () {
      const { isFrom } = yield* TestedEngine
      const id = yield* halfPublished
      const found = yield* ask("compare_workflows", { a: id, versionA: "published" })
      if (isFrom("2.40.0")) assert.deepStrictEqual(found.differences, ["Done: disabled"])
      else assert.propertyVal(found, "same", true)
      yield* ask("deactivate_workflow", { id })
      const { message } = yield* refused("compare_workflows", { a: id, versionA: "published" })
      assert.strictEqual(
        message,
        `Invalid versionA: workflow ${id} is not published: nothing of it runs (instance production)`
      )
    })
  )

  it.effect("compare_workflows says what is missing to compare", () =>
    Effect.gen(function* () {
      const { id } = yield* created({ nodes: [manual()] })
      const alone = yield* refused("compare_workflows", { a: id })
      assert.match(alone.message, /^Invalid b: is missing/)
      const twice = yield* refused("compare_workflows", { a: id, b: id })
      assert.match(twice.message, /^Invalid b: is the same as a: give another, or two `instances`/)
      const odd = yield* refused("compare_workflows", { a: id, versionA: "../tags" })
      assert.match(odd.message, /^Invalid versionA: must be/)
      const many = yield* refused("compare_workflows", { a: id, instances: "*" })
      assert.strictEqual(many.message, "Invalid instances: must be one or two")
      const none = yield* refused("compare_workflows", { a: id, b: "nope" })
      assert.match(none.message, /Not Found \(workflow nope on instance production\)/)
    })
  )
}
