import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { objectOf, objectsOf } from "../../src/internal/schema/JsonObject.ts"
import { killedAt, sender } from "../engine/plans/process.ts"
import { served } from "../engine/plans/served.ts"
import { type Place, workflowUsing } from "../engine/plans/support.ts"
import type { Json } from "../support/harness.ts"
import { useCommand } from "./servers.ts"

useCommand()

type Call = (name: string, args: object) => Promise<Json>
type Send = (method: string, path: string, body?: unknown) => Promise<Json>

/** Lives of plans that run at the same time, each with an engine of its own: they wait more than they work. */
const atOnce = 10

/** One life after the other, each killed one moment later, until one ends before that. */
const killedEverywhere = Effect.fnUntraced(function* (life: (call: Call, send: Send) => Promise<void>) {
  const lifeUntil = Effect.fnUntraced(function* (turn: number) {
    const place: Place = yield* served("2.41.1")
    return yield* Effect.promise(async () => {
      const { call, kills, leave } = await killedAt(turn, place)
      const send = sender({ local: place })
      try {
        await life(call, (method, path, body) => send("local", method, path, body))
      } catch (error) {
        throw new Error(`killed at moment ${turn}: ${String(error)}`, { cause: error })
      }
      await leave()
      return kills()
    })
  }, Effect.scoped)
  for (let first = 1; ; first += atOnce) {
    const turns = Array.from({ length: atOnce }, (_, index) => first + index)
    const kills = yield* Effect.forEach(turns, lifeUntil, { concurrency: "unbounded" })
    if (kills.includes(0)) return first + kills.indexOf(0) - 1
  }
})

const applied = async (call: Call, { plan_id }: Json) => {
  const report = await call("apply_plan", { plan_id, confirm: true }).catch((error: Error) =>
    // The last line of the journal was written before the answer was lost.
    error.message.includes("has been applied already") ? call("show_plan", { plan_id }) : Promise.reject(error)
  )
  assert.deepInclude(report, { state: "applied", done: 1 })
}

const rolledBack = async (call: Call, plan: Json) =>
  applied(call, await call("plan_rollback", { plan_id: plan["plan_id"] }))

describe("kill -9 at every request", { concurrent: true }, () => {
  it.live("of a rotation leaves no credential in silence, and switches and switches back all the same", () =>
    Effect.gen(function* () {
      const kills = yield* killedEverywhere(async (call, send) => {
        const data = { user: "ann", password: "hidden-4711" }
        const { id: former } = await send("POST", "/credentials", { name: "Mail", type: "httpBasicAuth", data })
        const { id: workflow } = await send("POST", "/workflows", workflowUsing("Post", String(former)))
        const content = async () => {
          const { connections, name, nodes, settings } = await send("GET", `/workflows/${String(workflow)}`)
          return { connections, name, nodes, settings }
        }
        const before = await content()
        const plan = await call("plan_rotation", { credential: "Mail", data })
        const { data: all } = await send("GET", "/credentials")
        for (const { id } of objectsOf(all)) {
          if (id !== former) assert.include(JSON.stringify(plan), String(id))
        }
        await applied(call, plan)
        const { local } = objectOf(plan["created"])
        const used = (await content()).nodes
        assert.nestedPropertyVal(objectsOf(used)[0], "credentials.httpBasicAuth.id", local)
        await rolledBack(call, plan)
        assert.deepStrictEqual(await content(), before)
        assert.deepStrictEqual((await send("GET", "/credentials"))["data"], all)
      })
      assert.isAbove(kills, 20)
    })
  )

  it.live("of calls of the API doubles and loses none, and brings back every field", () =>
    Effect.gen(function* () {
      const kills = yield* killedEverywhere(async (call, send) => {
        const variables = async () => objectsOf((await send("GET", "/variables"))["data"])
        await send("POST", "/variables", { key: "region", value: "eu" })
        const before = await variables()
        const planned = (name: string, args: object) => call("plan_engine_call", { call: name, ...args })
        const id = { arguments: { id: before[0]?.["id"] } }

        const created = await planned("POST /variables", { body: { key: "size", value: "1" } })
        await applied(call, created)
        assert.deepStrictEqual(
          (await variables()).map(({ key }) => key),
          ["region", "size"]
        )
        const changed = await planned("PUT /variables/{id}", { ...id, body: { key: "region", value: "us" } })
        await applied(call, changed)
        assert.deepStrictEqual(
          (await variables()).map(({ value }) => value),
          ["us", "1"]
        )
        await rolledBack(call, changed)
        await rolledBack(call, created)
        assert.deepStrictEqual(await variables(), before)
        const deleted = await planned("DELETE /variables/{id}", id)
        await applied(call, deleted)
        assert.deepStrictEqual(await variables(), [])
        await rolledBack(call, deleted)
        const [again] = await variables()
        assert.deepStrictEqual([{ ...again, id: before[0]?.["id"] }], before)
      })
      assert.isAbove(kills, 30)
    })
  )
})
