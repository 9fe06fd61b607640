import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"

import { draftRestore } from "../../../src/engine/plans/restore/draftRestore.ts"
import { Workflow } from "../../../src/engine/workflow/models.ts"
import { atOnce } from "../../../src/internal/Sliced.ts"
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

const Named = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Array(
      Schema.Struct({
        id: Schema.String,
        name: Schema.String,
        nodes: Schema.optionalKey(
          Schema.Array(
            Schema.Struct({
              parameters: Schema.optionalKey(
                Schema.Struct({ workflowId: Schema.optionalKey(Schema.Struct({ value: Schema.Unknown })) })
              )
            })
          )
        ),
        settings: Schema.optionalKey(Schema.Struct({ errorWorkflow: Schema.optionalKey(Schema.Unknown) }))
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
        for (const unknown of ["0000000", "last"]) {
          assert.include(
            (yield* refused("plan_restore", { instance, version: unknown })).message,
            `Invalid version: ${unknown} is not in this history`
          )
        }
      }).pipe(Effect.provide(twoEmbedded([engine, engine]).pipe(Layer.provide(historyIn(directory)))))
    })
  )

  it.live("comes back whole after a deletion of everything, and may be restored to the moment when it was empty", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.gen(function* () {
        const instance = "staging"
        const backedUp = Effect.fnUntraced(function* (name: string) {
          yield* ask("backup", { instances: [name] })
          return git(directory, "rev-parse", "HEAD").trim()
        })
        const unknown = yield* backedUp("production")
        const { id: tag } = yield* ask("create_tag", { instance, name: "live" })
        for (const name of ["First", "Second"]) {
          yield* ask("create_workflow", { instance, name, nodes: [daily], connections: {}, tags: [tag], active: true })
        }
        const [full, before] = [yield* backedUp(instance), yield* stateOf]
        yield* apply(yield* ask("plan_bulk", { instance, where: { name: "*" }, action: "delete" }))
        assert.deepStrictEqual(yield* stateOf, [])
        const empty = yield* backedUp(instance)
        assert.include(yield* ask("plan_restore", { instance, version: empty }), { steps: 0 })

        const plan = yield* ask("plan_restore", { instance, version: full })
        assert.deepInclude(yield* apply(plan), { state: "applied" })
        assert.deepStrictEqual(yield* stateOf, before)
        const { steps, warnings } = yield* ask("plan_restore", { instance, version: empty })
        assert.strictEqual(steps, 0)
        assert.deepStrictEqual(warnings, [`2 workflows that were made since ${empty} are left as they are`])
        yield* apply(yield* ask("plan_rollback", { plan_id: plan["plan_id"] }))
        assert.deepStrictEqual(yield* stateOf, [])
        assert.include(
          (yield* refused("plan_restore", { instance, version: unknown })).message,
          "is a moment when nothing was known of staging"
        )
        // An instance without workflows is recorded by its backup alone.
        const instances = { instance: "production", version: yield* backedUp("production") }
        assert.include(yield* ask("plan_restore", instances), { steps: 0 })
      }).pipe(Effect.provide(twoEmbedded([engine, engine]).pipe(Layer.provide(historyIn(directory)))))
    })
  )

  it.live("is planned with a word about settings that its engine does not lose", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.gen(function* () {
        const instance = "staging"
        const { id } = yield* ask("create_workflow", { instance, name: "Ours", nodes: [daily], connections: {} })
        yield* ask("backup", { instances: [instance] })
        const version = git(directory, "rev-parse", "HEAD").trim()
        const settings = { timezone: "UTC", saveManualExecutions: true }
        yield* ask("update_workflow", { instance, id, settings })
        const { warnings } = yield* ask("plan_restore", { instance, version })
        const lasting = "Ours keeps the settings saveManualExecutions: the engine of staging cannot lose them"
        assert.deepStrictEqual(warnings, engine === "1.82.3" ? [] : [lasting])
      }).pipe(Effect.provide(twoEmbedded([engine, engine]).pipe(Layer.provide(historyIn(directory)))))
    })
  )
})

it.live("brings pinned data back beside what another plan has changed meanwhile", () =>
  Effect.gen(function* () {
    const directory = yield* folder
    yield* Effect.gen(function* () {
      const instance = "staging"
      const { send } = yield* Beside
      const note = { name: "Note", type: "n8n-nodes-base.stickyNote", typeVersion: 1, position: [0, 200] }
      const body = (content: string, pinData: Json) => ({
        name: "Ours",
        nodes: [daily, { ...note, parameters: { content } }],
        connections: {},
        settings: {},
        pinData
      })
      const pinned = { "Every day": [{ json: { a: 1 } }] }
      const { id } = yield* send(instance, "POST", "/workflows", body("before", pinned))
      const present = Effect.map(send(instance, "GET", `/workflows/${String(id)}`), ({ nodes, pinData }) => [
        JSON.stringify(nodes).match(/before|after/g),
        pinData
      ])
      yield* ask("backup", { instances: [instance] })
      const version = git(directory, "rev-parse", "HEAD").trim()
      yield* send(instance, "PUT", `/workflows/${String(id)}`, body("before", {}))
      const restoring = yield* ask("plan_restore", { instance, version })
      const texts = { action: "replace_text", find: "before", value: "after", where: { name: "Ours" } }
      const replacing = yield* ask("plan_bulk", { instance, ...texts, in: { notes: true } })
      assert.deepInclude(yield* apply(replacing), { state: "applied" })
      assert.deepInclude(yield* apply(restoring), { state: "applied", refused: [] })
      assert.deepStrictEqual(yield* present, [["after"], pinned])
      for (const [plan, pinData] of [
        [replacing, pinned],
        [restoring, {}]
      ] as const) {
        const back = yield* ask("plan_rollback", { plan_id: plan["plan_id"] })
        assert.deepInclude(yield* apply(back), { state: "applied" })
        assert.deepStrictEqual(yield* present, [["before"], pinData])
      }
    }).pipe(Effect.provide(twoEmbedded(["2.41.1", "2.41.1"]).pipe(Layer.provide(historyIn(directory)))))
  })
)

const manual = { name: "Start", type: "n8n-nodes-base.manualTrigger", typeVersion: 1, position: [0, 0], parameters: {} }
const calling = (id: unknown) => ({
  name: "Call",
  type: "n8n-nodes-base.executeWorkflow",
  typeVersion: 1.2,
  position: [200, 0],
  parameters: { source: "database", workflowId: { __rl: true, mode: "id", value: id } }
})

describe("deleted workflows that name each other or themselves", () => {
  it.live("name the new ids when they are made anew", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.gen(function* () {
        const instance = "staging"
        const { send } = yield* Beside
        const made = (name: string) =>
          Effect.map(ask("create_workflow", { instance, name, nodes: [manual], connections: {} }), ({ id }) =>
            String(id)
          )
        const calls = (id: string, other: string) =>
          ask("update_workflow", { instance, id, nodes: [manual, calling(other)], settings: { errorWorkflow: other } })
        const [ping, pong, self] = [yield* made("Ping"), yield* made("Pong"), yield* made("Self")]
        yield* calls(ping, pong)
        yield* calls(pong, ping)
        yield* calls(self, self)
        yield* ask("workflow_history", { instance, id: self })
        const version = git(directory, "rev-parse", "HEAD").trim().slice(0, 12)
        for (const id of [ping, pong, self]) yield* ask("delete_workflow", { instance, id })

        const plan = yield* ask("plan_restore", { instance, version })
        assert.deepInclude(yield* apply(plan), { state: "applied" })
        const { data } = Named(yield* send("staging", "GET", "/workflows?limit=250"))
        const idOf = (name: string) => data.find((row) => row.name === name)?.id
        const namedBy = (name: string) => {
          const { nodes = [], settings } = data.find((row) => row.name === name) ?? {}
          return [nodes.at(-1)?.parameters?.workflowId?.value, settings?.errorWorkflow]
        }
        assert.deepStrictEqual(namedBy("Ping"), [idOf("Pong"), idOf("Pong")])
        assert.deepStrictEqual(namedBy("Pong"), [idOf("Ping"), idOf("Ping")])
        assert.deepStrictEqual(namedBy("Self"), [idOf("Self"), idOf("Self")])
        yield* apply(yield* ask("plan_rollback", { plan_id: plan["plan_id"] }))
        assert.lengthOf(Named(yield* send("staging", "GET", "/workflows?limit=250")).data, 0)

        const { id } = yield* ask("restore_workflow", { instance, id: self })
        const alone = Named({ data: [yield* send("staging", "GET", `/workflows/${String(id)}`)] }).data[0]
        assert.strictEqual(alone?.nodes?.at(-1)?.parameters?.workflowId?.value, id)
        assert.strictEqual(alone?.settings?.errorWorkflow, id)
      }).pipe(Effect.provide(twoEmbedded(["2.41.1", "2.41.1"]).pipe(Layer.provide(historyIn(directory)))))
    })
  )
})

it.live("makes anew what is called, and leaves a caller that has not changed whole but for the id", () =>
  Effect.gen(function* () {
    const directory = yield* folder
    yield* Effect.gen(function* () {
      const instance = "staging"
      const called = yield* ask("create_workflow", { instance, name: "Called", nodes: [daily], connections: {} })
      const set = { name: "Set", type: "n8n-nodes-base.set", typeVersion: 3.4, position: [440, 0], parameters: {} }
      const call = {
        name: "Call",
        type: "n8n-nodes-base.executeWorkflow",
        typeVersion: 1.2,
        position: [220, 0],
        parameters: { workflowId: { __rl: true, mode: "id", value: called.id } }
      }
      const { id } = yield* ask("create_workflow", {
        instance,
        name: "Caller",
        nodes: [daily, call, set],
        connections: { [daily.name]: { main: [["Call", "Set"].map((node) => ({ node, type: "main", index: 0 }))] } }
      })
      const before = yield* ask("get_workflow", { instance, id })
      yield* ask("backup", { instances: [instance] })
      const version = git(directory, "rev-parse", "HEAD").trim()
      yield* ask("delete_workflow", { instance, id: called.id })
      const plan = yield* ask("plan_restore", { instance, version })
      assert.deepInclude(plan, { steps: 2 })
      assert.deepInclude(yield* apply(plan), { state: "applied" })
      const after = yield* ask("get_workflow", { instance, id })
      const { send } = yield* Beside
      const { data } = Named(yield* send("staging", "GET", "/workflows?limit=250"))
      const anew = data.find(({ name }) => name === "Called")?.id ?? ""
      assert.notStrictEqual(anew, called.id)
      const expected = JSON.stringify(before["nodes"]).replaceAll(String(called.id), anew)
      assert.deepStrictEqual(after["nodes"], JSON.parse(expected))
      assert.deepStrictEqual(after["connections"], before["connections"])
    }).pipe(Effect.provide(twoEmbedded(["2.41.1", "2.41.1"]).pipe(Layer.provide(historyIn(directory)))))
  })
)

it("names the workflows whose pinned data an engine does not take", () => {
  const workflow = (pinData: object) =>
    Schema.decodeUnknownSync(Workflow)({
      id: "w",
      name: "Pinned",
      active: false,
      nodes: [],
      connections: {},
      settings: {},
      pinData
    })
  const wish = {
    instance: "staging",
    version: "0000000",
    records: [workflow({ Start: [{ json: {} }] })],
    all: [workflow({})],
    tags: []
  }
  const old = atOnce(draftRestore({ ...wish, takesPinnedData: false }))
  assert.deepStrictEqual(old.steps, [])
  assert.deepStrictEqual(old.warnings, ["This engine takes no pinned data: it stays as it is in Pinned"])
  const newer = atOnce(draftRestore({ ...wish, takesPinnedData: true }))
  assert.deepStrictEqual(newer.warnings, [])
  assert.lengthOf(newer.steps, 1)
})
