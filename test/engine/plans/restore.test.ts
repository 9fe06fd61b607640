import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"

import { ask, type Json, refused } from "../../support/harness.ts"
import { folder, git, historyIn } from "../history/support.ts"
import { Beside, twoEmbedded } from "./support.ts"

const daily = {
  name: "Every day",
  type: "n8n-nodes-base.scheduleTrigger",
  typeVersion: 1.2,
  position: [0, 0],
  parameters: { rule: { interval: [{ field: "days", daysInterval: 1 }] } }
}

const Rows = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Array(
      Schema.Struct({
        name: Schema.String,
        active: Schema.Boolean,
        settings: Schema.Unknown,
        tags: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String })))
      })
    )
  })
)

/** All workflows of the instance as somebody else sees them. */
const stateOf = Effect.gen(function* () {
  const { send } = yield* Beside
  const { data } = Rows(yield* send("staging", "GET", "/workflows?limit=250"))
  return data
    .map(({ tags = [], ...row }) => ({ ...row, tags: tags.map(({ name }) => name) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
})

const apply = (plan: Json) => ask("apply_plan", { plan_id: plan["plan_id"], confirm: true })

describe.each(["1.82.3", "2.41.1"] as const)("a whole instance %s", (engine) => {
  it.live("is brought back to a backup by a plan, and forth again by its rollback", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.gen(function* () {
        const instance = "staging"
        const { id: tag } = yield* ask("create_tag", { instance, name: "live" })
        const made = (name: string, more: Json = {}) =>
          ask("create_workflow", { instance, name, nodes: [daily], connections: {}, ...more })
        const changed = yield* made("Changed", { tags: [tag], settings: { timezone: "UTC" } })
        const off = yield* made("Switched off", { active: true })
        const gone = yield* made("Gone", { tags: [tag], active: true })
        yield* made("Untouched")
        yield* ask("backup", { instances: [instance] })
        const version = git(directory, "rev-parse", "--short=12", "HEAD").trim()
        const before = yield* stateOf

        yield* ask("update_workflow", {
          instance,
          id: changed.id,
          name: "Renamed",
          settings: { timezone: "Europe/Riga" }
        })
        yield* ask("deactivate_workflow", { instance, id: off.id })
        yield* ask("delete_workflow", { instance, id: gone.id })
        const broken = yield* stateOf

        const plan = yield* ask("plan_restore", { instance, version })
        assert.deepStrictEqual(yield* stateOf, broken)
        assert.deepInclude(plan, { unchanged: before.length - 3, blocked: [] })
        assert.deepInclude(yield* apply(plan), { state: "applied" })
        assert.deepStrictEqual(yield* stateOf, before)

        const back = yield* ask("plan_rollback", { plan_id: plan["plan_id"] })
        assert.deepInclude(yield* apply(back), { state: "applied" })
        assert.deepStrictEqual(yield* stateOf, broken)
        assert.include((yield* refused("plan_restore", { instance, version: "0000000" })).message, "0000000")
      }).pipe(Effect.provide(twoEmbedded([engine, engine]).pipe(Layer.provide(historyIn(directory)))))
    })
  )
})
