import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

import { ask, type Json, refused } from "../../support/harness.ts"
import { folder, git, historyIn } from "../history/support.ts"
import { Beside, hook, twoEmbedded } from "./support.ts"

const instance = "production"

const orders = (name: string, path = "orders") => {
  const { parameters, ...rest } = hook(path)
  return {
    name,
    nodes: [{ ...rest, parameters: { ...parameters, httpMethod: "POST" } }],
    connections: {},
    settings: {}
  }
}

/** A workflow as somebody makes it in the editor. */
const made = Effect.fnUntraced(function* (at: string, body: Json, isActive: boolean) {
  const { send } = yield* Beside
  const { id } = yield* send(at, "POST", "/workflows", body)
  if (isActive) yield* send(at, "POST", `/workflows/${String(id)}/activate`, {})
  return String(id)
})

const called = Effect.fnUntraced(function* (id: string) {
  const { send, trigger } = yield* Beside
  yield* trigger(instance, "orders")
  const { data } = yield* send(instance, "GET", `/executions?workflowId=${id}`)
  return Array.isArray(data) && data.length > 0
})

const apply = (plan: Json) => ask("apply_plan", { plan_id: plan["plan_id"], confirm: true })

const activation = (names: ReadonlyArray<string>) => ({
  instance,
  action: ["activate"],
  where: { name: names.length === 1 ? names[0] : "New*" }
})

const given = (ours: string, id: string, address = "POST /webhook/orders") =>
  `${ours} gets the calls of ${address} on production in place of Owner (${id}), which stays active and is called there no ` +
  "more, not even after a rollback, until it is deactivated and activated again"

describe("a plan that gives an address of another active workflow to its own", () => {
  const older = Effect.provide(twoEmbedded(["1.82.3", "1.82.3"]))

  it.live("says so before it is applied, and its rollback that nobody gets the address back", () =>
    Effect.gen(function* () {
      const owner = yield* made(instance, orders("Owner"), true)
      const id = yield* made(instance, orders("New"), false)
      const plan = yield* ask("plan_bulk", activation(["New"]))
      assert.deepStrictEqual(plan["warnings"], [given("New", owner)])
      assert.deepInclude(yield* apply(plan), { state: "applied" })
      assert.isTrue(yield* called(id))

      const back = yield* ask("plan_rollback", { plan_id: plan["plan_id"] })
      assert.deepStrictEqual(back["warnings"], [
        `New no longer listens at POST /webhook/orders on production; Owner (${owner}), which stays active, may then be called ` +
          "there no more either: deactivate and activate it afterwards"
      ])
      assert.deepInclude(yield* apply(back), { state: "applied" })
      const { message } = yield* refused("execute_workflow", { instance, id: owner })
      assert.match(
        message,
        /is not registered\. Workflow \w+ is active on instance production, but .+: deactivate and activate it\.$/
      )
      yield* ask("deactivate_workflow", { instance, id: owner })
      yield* ask("activate_workflow", { instance, id: owner })
      assert.isTrue(yield* called(owner))
    }).pipe(older)
  )

  it.live("says nothing where the other one gives it up in the same plan, and names each that gets it", () =>
    Effect.gen(function* () {
      const owner = yield* made(instance, orders("Owner"), true)
      const first = yield* made(instance, orders("New 1"), false)
      const second = yield* made(instance, orders("New 2"), false)
      const off = { action: ["deactivate"], where: { name: "Owner" } }
      const swap = yield* ask("plan_bulk", { ...activation(["New 1"]), also: [off] })
      assert.deepStrictEqual(swap["warnings"], [])
      const { warnings } = yield* ask("plan_bulk", activation(["New 1", "New 2"]))
      const isFirst = new Intl.Collator("en", { numeric: true }).compare(first, second) < 0
      const [one, other] = isFirst ? ["New 1", "New 2"] : ["New 2", "New 1"]
      assert.deepStrictEqual(warnings, [
        given(one, owner),
        given(other, owner),
        given(other, isFirst ? first : second).replace("Owner (", `${one} (`)
      ])
    }).pipe(older)
  )

  it.live("tells it of a changed path, and of nothing that was so before", () =>
    Effect.gen(function* () {
      const owner = yield* made(instance, orders("Owner"), true)
      yield* made(instance, orders("New", "others"), true)
      const change = { instance, where: { name: "New" }, action: ["replace_text"] }
      const { warnings } = yield* ask("plan_bulk", { ...change, find: "others", value: "orders" })
      assert.deepStrictEqual(warnings, [given("New", owner)])
      const other = yield* ask("plan_bulk", { ...change, find: "others", value: "elsewhere" })
      assert.deepStrictEqual(other["warnings"], [])
    }).pipe(older)
  )

  it.live("tells it of promotions", () =>
    Effect.gen(function* () {
      const owner = yield* made(instance, orders("Owner"), true)
      yield* made("staging", orders("New"), true)
      const promotion = { from: "staging", to: instance, name: "New" }
      const { warnings } = yield* ask("plan_promotion", promotion)
      assert.deepStrictEqual(warnings, [given("New", owner)])
      const inactive = yield* ask("plan_promotion", { ...promotion, activation: "inactive" })
      assert.deepStrictEqual(inactive["warnings"], [])
    }).pipe(older)
  )

  it.live("tells it of an instance that is restored", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.gen(function* () {
        const id = yield* made(instance, orders("New"), true)
        yield* ask("backup", { instances: [instance] })
        const version = git(directory, "rev-parse", "HEAD").trim()
        yield* ask("deactivate_workflow", { instance, id })
        const owner = yield* made(instance, orders("Owner"), true)
        const { warnings } = yield* ask("plan_restore", { instance, version })
        assert.deepStrictEqual(warnings, [
          `1 workflows that were made since ${version} are left as they are`,
          given("New", owner)
        ])
      }).pipe(Effect.provide(twoEmbedded(["1.82.3", "1.82.3"]).pipe(Layer.provide(historyIn(directory)))))
    })
  )

  it.live("says that an engine of generation 2 will refuse it, which it does", () =>
    Effect.gen(function* () {
      const owner = yield* made(instance, orders("Owner"), true)
      yield* called(owner)
      yield* made(instance, orders("New"), false)
      const plan = yield* ask("plan_bulk", activation(["New"]))
      assert.deepStrictEqual(plan["warnings"], [
        `New: production refuses to run it at POST /webhook/orders, which active workflow Owner (${owner}) has`
      ])
      assert.deepInclude(yield* apply(plan), { state: "refused", refused_count: 1 })
    }).pipe(Effect.provide(twoEmbedded(["2.41.1", "2.41.1"])))
  )
})
