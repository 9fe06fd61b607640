import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { ask, type Json, refused } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import { given, inEngineWords, manual, node, unique } from "./fixtures.ts"
import { shown, TestedEngine } from "./TestedEngine.ts"

const nodes = [
  { ...manual(), id: "start" },
  { ...node("noOp", "A"), id: "a" },
  { ...node("noOp", "B"), id: "b" },
  { ...node("noOp", "C"), id: "c" }
]
/** Connections from each node to the next, as the engine has them. */
const wired = (...pairs: ReadonlyArray<readonly [string, string]>) =>
  Object.fromEntries(pairs.map(([from, to]) => [from, { main: [[{ node: to, type: "main", index: 0 }]] }]))

const connections = wired(["Start", "A"], ["A", "B"], ["B", "C"])
const front = { id: "front", name: "Front", nodeIds: ["a", "b"] }
const rear = { id: "rear", name: "Rear", nodeIds: ["c"] }

/** A workflow whose nodes somebody has grouped in the editor. */
const grouped = Effect.fnUntraced(function* () {
  const { id } = yield* given({ name: unique("grouped"), nodes, connections, nodeGroups: [front, rear] })
  return id
})

const groupsOf = (id: string) => Effect.map(shown(`/workflows/${id}`), ({ nodeGroups }) => nodeGroups)

const Groups = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String, nodeIds: Schema.Array(Schema.String) }))
)
const Refusal = Schema.decodeUnknownSync(Schema.Struct({ message: Schema.String }))

/** Tests of groups of nodes, which engines know from 2.30 on. */
export const groups = (it: Suite) => {
  it.effect("update_workflow leaves groups of nodes as they are, without the nodes that are gone", () =>
    Effect.gen(function* () {
      if (!(yield* TestedEngine).isFrom("2.30.0")) return
      const id = yield* grouped()
      yield* ask("update_workflow", { id, settings: { timezone: "UTC" } })
      assert.deepStrictEqual(yield* groupsOf(id), [front, rear])
      yield* ask("update_workflow", { id, nodes: nodes.slice(0, 2), connections: wired(["Start", "A"]) })
      assert.deepStrictEqual(yield* groupsOf(id), [{ ...front, nodeIds: ["a"] }])
    })
  )

  it.effect("update_workflow gives up a group that it tears apart, and says so", () =>
    Effect.gen(function* () {
      if (!(yield* TestedEngine).isFrom("2.30.0")) return
      const id = yield* grouped()
      const { notice } = yield* ask("update_workflow", { id, connections: wired(["Start", "A"], ["B", "C"]) })
      assert.strictEqual(notice, "Left out, because this engine does not take it: nodeGroups.Front")
      assert.deepStrictEqual(yield* groupsOf(id), [rear])
      const operations = [{ op: "connect", from: "Start", to: "B" }]
      assert.notProperty(yield* ask("edit_workflow", { id, operations }), "notice")
    })
  )

  it.effect("edit_workflow makes, fills, renames and dissolves groups of nodes, which view_workflow shows", () =>
    Effect.gen(function* () {
      const { isFrom } = yield* TestedEngine
      const { id } = yield* given({ name: unique("ungrouped"), nodes, connections })
      const edit = (...operations: ReadonlyArray<Json>) => ask("edit_workflow", { id, operations })
      if (!isFrom("2.30.0")) {
        const { message } = yield* refused("edit_workflow", {
          id,
          operations: [{ op: "group", name: "Front", value: "A" }]
        })
        assert.include(message, "Invalid operations[0]: this engine knows no groups of nodes. Nothing was changed")
        return
      }
      const names = Effect.map(groupsOf(id), (found) =>
        Groups(found).map(({ name, nodeIds }) => [name, ...nodeIds].join(" "))
      )
      yield* edit({ op: "group", name: "Front", value: ["A", "B"] }, { op: "group", name: "Rear", value: "C" })
      assert.deepStrictEqual(yield* names, ["Front a b", "Rear c"])
      assert.include((yield* ask("view_workflow", { id }))["sketch"], "Group Front: A, B\nGroup Rear: C")

      const [{ id: first } = { id: "" }] = Groups(yield* groupsOf(id))
      const { changes, notice } = yield* edit({ op: "group", name: "Head", value: ["B", "A"] })
      assert.deepStrictEqual({ changes, notice }, { changes: ["group Head: was called Front"], notice: undefined })
      assert.include(JSON.stringify(yield* groupsOf(id)), first)

      const added = { op: "add", node: "D", type: "noOp", from: "C", typeVersion: 1 }
      yield* edit(added, { op: "group", name: "Rear", nodes: ["B", "C", "D"] })
      const [rear, head] = Groups(yield* groupsOf(id)).toSorted((a, b) => b.name.localeCompare(a.name))
      assert.deepStrictEqual([head?.nodeIds, rear?.nodeIds.length], [["a"], 3])

      yield* edit({ op: "group", name: "Head", value: null })
      assert.deepStrictEqual(
        (yield* names).map((line) => line.split(" ")[0]),
        ["Rear"]
      )
    })
  )

  it.effect("edit_workflow sends no group that the engine would refuse, and says what is wrong with it", () =>
    Effect.gen(function* () {
      if (!(yield* TestedEngine).isFrom("2.30.0")) return
      const id = yield* grouped()
      const problem = Effect.fnUntraced(function* (...operations: ReadonlyArray<Json>) {
        return (yield* refused("edit_workflow", { id, operations })).message
      })
      assert.include(
        yield* problem({ op: "group", name: "Ends", value: ["A", "C"] }),
        'Node group "Ends" must form a single connected subgraph with a single entry and exit'
      )
      assert.include(
        yield* problem({ op: "group", name: "Front", value: ["Start", "A"] }),
        "cannot contain trigger nodes"
      )
      assert.include(
        yield* problem({ op: "group", name: "Frnt", value: null }),
        'there is no group "Frnt". Did you mean Front?'
      )
      assert.include(yield* problem({ op: "group", name: "New", value: ["A", "X"] }), 'there is no node "X"')
      assert.include(yield* problem({ op: "group", name: "New", value: [] }), "value must name the nodes of the group")
      assert.deepStrictEqual(yield* groupsOf(id), [front, rear])
    })
  )

  it.effect("refuses groups that do not hold together, in the engine's own words", () =>
    Effect.gen(function* () {
      const { isFrom, send } = yield* TestedEngine
      if (!isFrom("2.40.0")) return
      const id = yield* grouped()
      const refusal = Effect.fnUntraced(function* (...nodeGroups: ReadonlyArray<object>) {
        const body = {
          name: "Grouped",
          nodes: nodes.map((one) => inEngineWords(one)),
          connections,
          settings: {},
          nodeGroups
        }
        const { status, body: said } = yield* send("PUT", `/workflows/${id}`, body)
        assert.strictEqual(status, 400)
        return Refusal(said).message
      })
      const whole = 'Node group "Front" must form a single connected subgraph with a single entry and exit'
      assert.strictEqual(
        yield* refusal({ ...front, nodeIds: ["a", "none"] }),
        'Group "Front" references node ID "none" that does not exist in the workflow.'
      )
      assert.strictEqual(yield* refusal({ ...front, nodeIds: [] }), 'Group "Front" has no members.')
      assert.strictEqual(
        yield* refusal({ ...front, nodeIds: ["start", "a"] }),
        'Node group "Front" cannot contain trigger nodes: Start.'
      )
      assert.strictEqual(
        yield* refusal({ ...front, nodeIds: ["a", "c"] }),
        `${whole} (multiple input nodes: "A", "C").`
      )
      assert.strictEqual(
        yield* refusal(front, { ...rear, nodeIds: ["b", "c"] }),
        'Node "B" belongs to multiple groups: "Front" and "Rear".'
      )
      assert.strictEqual(yield* refusal(front, { ...rear, id: "front" }), 'Duplicate node group ID "front".')
      assert.strictEqual(yield* refusal(front, { ...rear, name: "Front" }), 'Duplicate node group name "Front".')
      assert.deepStrictEqual(yield* groupsOf(id), [front, rear])
    })
  )
}
