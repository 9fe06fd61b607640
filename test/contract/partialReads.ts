import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { ask, refused } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import { answer, chain, created, decodePage, decodeRun, idsOf, manual, node, unique, webhook } from "./fixtures.ts"
import { shown } from "./TestedEngine.ts"

const Json = Schema.Record(Schema.String, Schema.Unknown)
const decodeNodes = Schema.decodeUnknownSync(Schema.Struct({ nodes: Schema.Array(Json), connections: Json }))

/** A workflow that makes an item of each thing in a list, and changes each. */
const splitting = {
  nodes: [
    webhook(),
    node("code", "Split", { jsCode: "return $json.body.list" }, { typeVersion: 2 }),
    answer("Answer", "={{ $json.number }}")
  ],
  connections: chain("Webhook", "Split", "Answer"),
  active: true
}

export const partialReads = (it: Suite) => {
  it.effect("get_workflow shows the nodes that are asked for, and counts those it leaves out", () =>
    Effect.gen(function* () {
      const { id } = yield* created({
        nodes: [manual(), node("noOp", "Work"), node("noOp", "Rest")],
        connections: chain("Start", "Work", "Rest")
      })
      const whole = yield* ask("get_workflow", { id })
      const part = yield* ask("get_workflow", { id, nodes: ["Work"] })
      assert.deepStrictEqual(decodeNodes(part).nodes, decodeNodes(whole).nodes.slice(1, 2))
      assert.deepStrictEqual(part.connections, whole.connections)
      assert.deepStrictEqual(part.leftOut, { nodes: 2 })
      assert.match(String(part.notice), /^Only 1 of 3 nodes are shown\. Never give these to update_workflow/)
      assert.notProperty(whole, "leftOut")
      const every = yield* ask("get_workflow", { id, nodes: ["Start", "Work", "Rest"] })
      assert.deepStrictEqual(every, { leftOut: { nodes: 0 }, ...whole })
    })
  )

  it.effect("a part of a workflow that is given back as the whole is refused, and nothing is lost", () =>
    Effect.gen(function* () {
      const { id } = yield* created({
        nodes: [manual(), node("noOp", "Work"), node("noOp", "Rest")],
        connections: chain("Start", "Work", "Rest")
      })
      const { connections, nodes } = decodeNodes(yield* ask("get_workflow", { id, nodes: ["Start", "Work"] }))
      for (const given of [{ nodes }, { nodes, connections }]) {
        const { message } = yield* refused("update_workflow", { id, ...given })
        assert.match(message, /references non-existent node Rest/)
      }
      assert.lengthOf(decodeNodes(yield* shown(`/workflows/${id}`)).nodes, 3)
    })
  )

  it.effect("update_workflow refuses nodes with the version of a part, and takes other fields with it", () =>
    Effect.gen(function* () {
      const note = node("stickyNote", "Remember", { content: "why" })
      const { id } = yield* created({
        nodes: [manual(), node("noOp", "Work"), note],
        connections: chain("Start", "Work")
      })
      const whole = yield* ask("get_workflow", { id })
      const part = yield* ask("get_workflow", { id, nodes: ["Start", "Work"] })
      const { nodes } = decodeNodes(part)
      const { code, message } = yield* refused("update_workflow", { id, nodes, ifVersion: part.version })
      assert.strictEqual(code, -32602)
      assert.match(message, /^Invalid nodes: would remove nodes that were never shown.*get_workflow/)
      assert.lengthOf(decodeNodes(yield* shown(`/workflows/${id}`)).nodes, 3)

      const renamed = yield* ask("update_workflow", { id, name: unique("Renamed"), ifVersion: part.version })
      const conflict = yield* refused("update_workflow", { id, name: unique("Again"), ifVersion: part.version })
      assert.match(conflict.message, /was changed since ifVersion was read: name\./)
      const all = { id, nodes: decodeNodes(whole).nodes, ifVersion: renamed.version }
      assert.lengthOf(decodeNodes(yield* ask("update_workflow", all)).nodes, 3)
    })
  )

  it.effect("a node that a workflow does not have is named, with the one that was probably meant", () =>
    Effect.gen(function* () {
      const { id } = yield* created({ nodes: [manual(), node("noOp", "Fetch orders")] })
      const { code, message } = yield* refused("get_workflow", { id, nodes: ["Start", "Fetch order"] })
      assert.deepStrictEqual(
        [code, message],
        [
          -32602,
          `Invalid nodes: workflow ${id} has no node Fetch order. Did you mean Fetch orders? (instance production)`
        ]
      )
      const other = yield* refused("get_workflow", { id, nodes: ["x"] })
      assert.match(other.message, /has no node x\. Its nodes: Start, Fetch orders \(instance production\)$/)
    })
  )

  it.effect("get_execution shows some nodes and some items, and counts what it leaves out", () =>
    Effect.gen(function* () {
      const workflow = yield* created(splitting)
      const { executionId } = decodeRun(
        yield* ask("execute_workflow", {
          id: workflow.id,
          data: { list: [{ number: 1 }, { number: 2 }, { number: 3 }] }
        })
      )
      const id = executionId
      const all = "data.resultData.runData"

      const nodes = yield* ask("get_execution", { id, nodes: ["Split"] })
      assert.deepNestedPropertyVal(nodes, `${all}.Split[0].data.main[0][2].json`, { number: 3 })
      assert.notNestedProperty(nodes, `${all}.Webhook`)
      assert.nestedPropertyVal(nodes, "leftOut.nodes", 2)
      assert.notNestedProperty(nodes, "leftOut.items")
      assert.nestedPropertyVal(nodes, "workflowData.nodes.length", 1)
      assert.nestedPropertyVal(nodes, "leftOut.workflowData.nodes", 2)

      const items = yield* ask("get_execution", { id, items: 1 })
      assert.nestedPropertyVal(items, `${all}.Split[0].data.main[0].length`, 1)
      assert.deepNestedPropertyVal(items, "leftOut.items", { Split: 2, Answer: 2 })
      assert.match(String(items.notice), /At most 1 items of a node are shown/)

      const none = yield* ask("get_execution", { id, nodes: ["Split"], items: 0 })
      assert.nestedPropertyVal(none, `${all}.Split[0].data.main[0].length`, 0)
      assert.deepNestedPropertyVal(none, "leftOut.items", { Split: 3 })
      assert.nestedPropertyVal(none, `${all}.Split[0].executionStatus`, "success")

      const whole = yield* ask("get_execution", { id, includeData: true })
      assert.notProperty(whole, "leftOut")
      const { message } = yield* refused("get_execution", { id, nodes: ["Splitt"] })
      assert.strictEqual(
        message,
        `Invalid nodes: execution ${id} has no node Splitt. Did you mean Split? (instance production)`
      )
      const odd = yield* refused("get_execution", { id, items: 1, includeData: false })
      assert.match(odd.message, /^Invalid includeData: must be true/)
    })
  )

  it.effect("list_workflows finds what holds a part of a name, letter case aside, and to the letter", () =>
    Effect.gen(function* () {
      const mark = unique("acme")
      const names = [`${mark.toUpperCase()} Übung 100%`, `${mark} Überall 100x`, `other ${mark}_a`, `${mark}xa`]
      const ids = yield* Effect.forEach(names, (name) =>
        Effect.map(created({ name, nodes: [manual()] }), ({ id }) => id)
      )
      const found = Effect.fnUntraced(function* (name: string) {
        const { data } = decodePage(yield* ask("list_workflows", { name }))
        return new Set(data.map(({ id }) => names[ids.indexOf(String(id))]))
      })
      assert.deepStrictEqual(yield* found(mark), new Set(names))
      assert.deepStrictEqual(yield* found(`${mark} üb`), new Set(names.slice(0, 2)))
      assert.deepStrictEqual(yield* found(`${mark} übung 100%`), new Set([names[0]]))
      assert.deepStrictEqual(yield* found(`${mark}_`), new Set([names[2]]))
      assert.deepStrictEqual(yield* found(` ${mark}X`), new Set([names[3]]))
      assert.deepStrictEqual(yield* found(`${mark}-nothing`), new Set())
    })
  )

  it.effect("a cursor carries the part of the name along", () =>
    Effect.gen(function* () {
      const mark = unique("paged")
      const made = yield* Effect.forEach([1, 2, 3], (number) =>
        created({ name: `${mark} ${number}`, nodes: [manual()] })
      )
      const seen: Array<unknown> = []
      let page = decodePage(yield* ask("list_workflows", { name: mark, limit: 1 }))
      while (page.nextCursor !== undefined && seen.length < 5) {
        seen.push(...idsOf(page))
        page = decodePage(yield* ask("list_workflows", { cursor: page.nextCursor }))
      }
      seen.push(...idsOf(page))
      assert.sameMembers(
        seen,
        made.map(({ id }) => id)
      )
    })
  )
}
