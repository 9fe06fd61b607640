import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { ask, type Json } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import { given, manual, node, tagged, unique } from "./fixtures.ts"
import { sent, shown } from "./TestedEngine.ts"

const Row = Schema.Struct({
  after: Schema.Struct({ name: Schema.String, changes: Schema.Array(Schema.String) }),
  before: Schema.Struct({ name: Schema.String }),
  same_in: Schema.optionalKey(Schema.Array(Schema.String))
})
const rowsOf = Schema.decodeUnknownSync(Schema.Array(Row))

const apply = (plan: Json) => ask("apply_plan", { plan_id: plan["plan_id"], confirm: true })
const undone = Effect.fnUntraced(function* (plan: Json) {
  return yield* apply(yield* ask("plan_rollback", { plan_id: plan["plan_id"] }))
})

const slack = (name: string, channel: string) =>
  node("slack", name, {
    select: "channel",
    channelId: { __rl: true, mode: "name", value: channel, cachedResultName: "old name" },
    text: `=About {{ $json.id }}`
  })

/** The traps of a change that a person means by one word: a channel that begins alike, a note, an address, an old node. */
const company = Effect.fnUntraced(function* () {
  const tag = yield* tagged()
  const channel = `#${unique("alerts")}`
  const address = `https://wiki.example.com/runbooks?of=${channel}`
  const made = Effect.fnUntraced(function* (name: string, nodes: ReadonlyArray<Json>) {
    const { id } = yield* given({ name: unique(name), nodes: [manual(), ...nodes] })
    yield* sent("PUT", `/workflows/${id}/tags`, [{ id: tag.id }])
    return id
  })
  const first = yield* made("first", [slack("Post", channel)])
  const second = yield* made("second", [slack("Tell", channel)])
  const old = yield* made("old", [node("slack", "Old post", { channel, text: "hello" })])
  const near = yield* made("near", [
    slack("Database", `${channel}-db`),
    node("stickyNote", "Note", { content: `All of this goes to ${channel}.` }),
    { ...node("httpRequest", "Runbook", { url: address, options: {} }), notes: `see ${channel}` }
  ])
  return { channel, address, ids: { first, second, old, near }, tag: tag.name }
})

const nodesOf = Effect.fnUntraced(function* (id: string) {
  const { nodes } = yield* shown(`/workflows/${id}`)
  return new Map(Array.isArray(nodes) ? nodes.map((one: Json) => [String(one["name"]), one] as const) : [])
})

export const replacing = (it: Suite) => {
  it.effect("replace_text replaces whole values, in whatever field they stand, and lists what is only alike", () =>
    Effect.gen(function* () {
      const { address, channel, ids, tag } = yield* company()
      const before = yield* Effect.forEach(Object.values(ids), (id) => shown(`/workflows/${id}`))
      const wish = { where: { tags: [tag] }, action: "replace_text", find: channel, value: "#ops" }
      const plan = yield* ask("plan_bulk", wish)
      assert.deepInclude(plan, {
        steps: 3,
        selected: 4,
        not_changed: {
          [`${channel}-db`]: 1,
          [`All of this goes to ${channel}.`]: 1,
          [address.slice(0, 60) + (address.length > 60 ? "…" : "")]: 1,
          [`see ${channel}`]: 1
        }
      })
      const rows = rowsOf(plan["first_steps"])
      // One step of each kind: the two new nodes are alike, the old one is another kind.
      assert.lengthOf(rows, 2)
      const others = rows.map(({ same_in = [] }) => same_in.length)
      assert.sameMembers(others, [0, 1])
      assert.isTrue(rows.every((row) => row.before.name === row.after.name))
      assert.include(yield* apply(plan), { state: "applied", done: 3 })
      const post = (yield* nodesOf(ids.first)).get("Post")
      assert.deepNestedInclude(post, {
        "parameters.channelId": { __rl: true, mode: "name", value: "#ops" },
        "parameters.text": "=About {{ $json.id }}"
      })
      assert.nestedPropertyVal((yield* nodesOf(ids.old)).get("Old post"), "parameters.channel", "#ops")
      const near = yield* nodesOf(ids.near)
      assert.nestedPropertyVal(near.get("Database"), "parameters.channelId.value", `${channel}-db`)
      assert.nestedPropertyVal(near.get("Runbook"), "parameters.url", address)
      yield* undone(plan)
      const after = yield* Effect.forEach(Object.values(ids), (id) => shown(`/workflows/${id}`))
      const graphs = (all: ReadonlyArray<Json>) =>
        all.map(({ connections, name, nodes }) => ({ name, nodes, connections }))
      assert.deepStrictEqual(graphs(after), graphs(before))

      const none = yield* ask("plan_bulk", {
        ...wish,
        where: { tags: [tag], nodeType: "httpRequest" },
        in: { field: "url" }
      })
      assert.include(none, { steps: 0 })
      assert.include(JSON.stringify(none["warnings"]), "as a whole value; not_changed holds it")
    })
  )

  it.effect("replace_text replaces parts where it is told to, in the fields and types of nodes that are named", () =>
    Effect.gen(function* () {
      const { address, channel, ids, tag } = yield* company()
      const wish = { where: { tags: [tag] }, action: "replace_text", find: channel, value: "#ops", match: "part" }
      const steps = Effect.fnUntraced(function* (scope: Json) {
        const { steps } = yield* ask("plan_bulk", { ...wish, in: scope })
        return steps
      })
      assert.strictEqual(yield* steps({}), 4)
      assert.strictEqual(yield* steps({ field: "channelId.value" }), 3)
      assert.strictEqual(yield* steps({ field: ["parameters.channelId.value", "channel"] }), 4)
      assert.strictEqual(yield* steps({ field: "channel" }), 1)
      assert.strictEqual(yield* steps({ nodeType: "n8n-nodes-base.httpRequest" }), 1)
      assert.strictEqual(yield* steps({ nodeType: "stickyNote" }), 0)
      assert.strictEqual(yield* steps({ nodeType: "stickyNote", notes: true }), 1)
      yield* apply(yield* ask("plan_bulk", { ...wish, in: { notes: true } }))
      const near = yield* nodesOf(ids.near)
      assert.nestedPropertyVal(near.get("Database"), "parameters.channelId.value", "#ops-db")
      assert.nestedPropertyVal(near.get("Note"), "parameters.content", "All of this goes to #ops.")
      assert.nestedPropertyVal(near.get("Runbook"), "parameters.url", address.replace(channel, "#ops"))
      assert.nestedPropertyVal(near.get("Runbook"), "notes", "see #ops")
    })
  )

  it.effect(
    "several actions on one workflow are one step, and plans are merged with what others have changed meanwhile",
    () =>
      Effect.gen(function* () {
        const { channel, ids, tag } = yield* company()
        const where = { tags: [tag] }
        const replaced = (find: string, value: string) => ({ action: "replace_text", find, value, where })
        const [red, blue] = [unique("red"), unique("blue")]
        const both = yield* ask("plan_bulk", {
          ...replaced(channel, "#ops"),
          also: [
            replaced("hello", "hello again"),
            { action: "tag", value: red, where },
            { action: "tag", value: blue, where }
          ]
        })
        // One for each workflow with a change, one for the tags of each, and the two new tags.
        assert.deepInclude(both, { steps: 3 + 4 + 2 })
        const text = yield* ask("plan_bulk", replaced("=About {{ $json.id }}", "Attention"))
        const same = yield* ask("plan_bulk", replaced(channel, "#elsewhere"))
        const third = yield* ask("plan_bulk", { action: "tag", value: red, where })
        assert.include(yield* apply(both), { state: "applied" })
        const old = (yield* nodesOf(ids.old)).get("Old post")
        assert.deepNestedInclude(old, { "parameters.channel": "#ops", "parameters.text": "hello again" })

        // Made before the first was applied: it touches other fields, and a tag that is there by now.
        assert.include(yield* apply(text), { state: "applied" })
        assert.include(yield* apply(third), { state: "applied" })
        const post = (yield* nodesOf(ids.first)).get("Post")
        assert.deepNestedInclude(post, { "parameters.channelId.value": "#ops", "parameters.text": "Attention" })

        // The same fields: who has changed them is told.
        const { refused, state } = yield* apply(same)
        assert.notStrictEqual(state, "applied")
        assert.match(
          JSON.stringify(refused),
          new RegExp(`plan ${String(both["plan_id"])}, applied \\d+ \\w+ ago, has changed the same \\(nodes`)
        )

        // The first goes back under the second, which stays.
        yield* undone(both)
        const back = (yield* nodesOf(ids.first)).get("Post")
        assert.deepNestedInclude(back, { "parameters.channelId.value": channel, "parameters.text": "Attention" })
        yield* undone(text)
        assert.nestedPropertyVal((yield* nodesOf(ids.first)).get("Post"), "parameters.text", "=About {{ $json.id }}")
      })
  )
}
