import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"

import { ask, refused } from "../../support/harness.ts"
import { Beside, twoEmbedded } from "../plans/support.ts"

layer(twoEmbedded(["1.82.3", "2.41.1"]))("compare_workflows between two instances", (it) => {
  it.effect("finds the other workflow by its name, and says where none has it", () =>
    Effect.gen(function* () {
      const { send } = yield* Beside
      const empty = { nodes: [], connections: {}, settings: {} }
      const { id } = yield* send("staging", "POST", "/workflows", { name: "Orders", ...empty })
      const between = { a: id, instances: ["staging", "production"] }
      const { message } = yield* refused("compare_workflows", between)
      assert.strictEqual(
        message,
        `Invalid b: is missing: instance production has neither a workflow of id ${String(id)} nor one called "Orders"`
      )
      const other = yield* send("production", "POST", "/workflows", { name: "Orders", ...empty })
      assert.nestedPropertyVal(yield* ask("compare_workflows", between), "b.id", other["id"])
    })
  )

  it.effect("says the first changes of many in less than 8 kB, and counts the others", () =>
    Effect.gen(function* () {
      const { send } = yield* Beside
      const code = (word: string) =>
        Array.from(
          { length: 40 },
          (_, line) => `const longNameOfALine${line} = ${line === 20 ? `"${word}"` : line}`
        ).join("\n")
      const nodes = (word: string) =>
        Array.from({ length: 50 }, (_, place) => ({
          name: `Code ${place}`,
          type: "n8n-nodes-base.code",
          typeVersion: 2,
          position: [0, place * 100],
          parameters: { jsCode: code(word) }
        }))
      const make = (word: string) =>
        send("staging", "POST", "/workflows", { name: word, nodes: nodes(word), connections: {}, settings: {} })
      const [a, b] = [yield* make("before"), yield* make("after")]
      const answer = yield* ask("compare_workflows", { a: a["id"], b: b["id"] })
      assert.isBelow(JSON.stringify(answer).length, 8000)
      const { changes, differences } = Object(answer)
      assert.strictEqual(changes, 51)
      assert.strictEqual(differences.at(-1), `and ${changes - differences.length + 1} more changes`)
    })
  )

  it.effect("does not count the ids of assignments and conditions, which only editors use, but other ids", () =>
    Effect.gen(function* () {
      const { send } = yield* Beside
      const make = (id: string, { record = "1", value = "b" } = {}) => {
        const at = (name: string, type: string, typeVersion: number, parameters: object) => ({
          name,
          type: `n8n-nodes-base.${type}`,
          typeVersion,
          position: [0, 0],
          parameters
        })
        const condition = {
          id,
          leftValue: "={{ $json.a }}",
          rightValue: value,
          operator: { type: "string", operation: "equals" }
        }
        const conditions = { combinator: "and", conditions: [condition] }
        const nodes = [
          at("Set", "set", 3.4, { assignments: { assignments: [{ id, name: "a", type: "string", value }] } }),
          at("If", "if", 2.2, { conditions }),
          at("Switch", "switch", 3.2, { rules: { values: [{ conditions }] } }),
          at("Read", "notion", 2.2, { id: record, tags: [{ id: record, name: "x" }] })
        ]
        return send("staging", "POST", "/workflows", { name: "Same", nodes, connections: {}, settings: {} })
      }
      const { id: a } = yield* make("one")
      const { id: b } = yield* make("two")
      assert.propertyVal(yield* ask("compare_workflows", { a, b }), "same", true)
      const { id: c } = yield* make("two", { record: "2", value: "c" })
      const { differences } = yield* ask("compare_workflows", { a, b: c })
      assert.deepStrictEqual(differences, [
        'Set: assignments.assignments[0].value "b" → "c"',
        'If: conditions.conditions[0].rightValue "b" → "c"',
        'Switch: rules.values[0].conditions.conditions[0].rightValue "b" → "c"',
        'Read: id "1" → "2"',
        'Read: tags[0].id "1" → "2"'
      ])
    })
  )

  it.effect("takes workflows that both run for the same where they have the same name, and names others", () =>
    Effect.gen(function* () {
      const { send } = yield* Beside
      const make = Effect.fnUntraced(function* (instance: string, name: string, sub: string) {
        const empty = { nodes: [], connections: {}, settings: {} }
        const error = yield* send(instance, "POST", "/workflows", { ...empty, name: "On failure" })
        const called = yield* send(instance, "POST", "/workflows", { ...empty, name: sub })
        const call = {
          name: "Call",
          type: "n8n-nodes-base.executeWorkflow",
          typeVersion: 1.2,
          position: [0, 0],
          parameters: {
            source: "database",
            workflowId: { __rl: true, mode: "list", value: called["id"], cachedResultName: sub }
          }
        }
        const settings = { errorWorkflow: error["id"] }
        return yield* send(instance, "POST", "/workflows", { name, nodes: [call], connections: {}, settings })
      })
      const same = yield* make("staging", "Same", "Sub")
      yield* make("production", "Same", "Sub")
      const instances = ["staging", "production"]
      assert.propertyVal(yield* ask("compare_workflows", { a: same["id"], instances }), "same", true)
      const other = yield* make("staging", "Other", "Sub")
      yield* make("production", "Other", "Another")
      const { differences } = yield* ask("compare_workflows", { a: other["id"], instances })
      assert.deepStrictEqual(differences, ['Call: workflowId "Sub" → "Another"'])
    })
  )
})
