import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Schema } from "effect"
import type { HttpClientRequest } from "effect/http"

import { answers } from "../../internal/http/standIn.ts"
import { ask, refused } from "../../support/harness.ts"
import { inTime } from "../../support/inTime.ts"
import { movedClock } from "../../support/movedClock.ts"
import { Beside, twoEmbedded, workflow } from "./support.ts"

const readNames = Schema.decodeUnknownSync(
  Schema.Struct({ data: Schema.Array(Schema.Struct({ name: Schema.String })) })
)
const isCreation = ({ method, url }: HttpClientRequest.HttpClientRequest) =>
  method === "POST" && url.endsWith("/workflows")

describe("a server whose clock is an hour ahead of the engine's", () => {
  it.live("makes a deleted workflow anew once, though the answer to its creation is lost", () =>
    Effect.gen(function* () {
      const { meddle, send } = yield* Beside
      yield* send("production", "POST", "/workflows", workflow("Orders"))
      const onTime = yield* Clock.Clock
      const { clock, putForward } = yield* movedClock
      putForward(3_600_000)
      yield* Effect.gen(function* () {
        const plan = yield* ask("plan_bulk", { instance: "production", action: "delete", where: { name: "Orders" } })
        yield* ask("apply_plan", { plan_id: plan["plan_id"], confirm: true })
        const { plan_id } = yield* ask("plan_rollback", { plan_id: plan["plan_id"] })
        yield* meddle((request, proceed) => {
          const arrived = Effect.provideService(proceed, Clock.Clock, onTime)
          return isCreation(request) ? Effect.andThen(arrived, answers(502, {}, "")(request)) : arrived
        })
        yield* refused("apply_plan", { plan_id, confirm: true })
        putForward(60_000)
        assert.deepInclude(yield* ask("apply_plan", { plan_id, confirm: true }), { state: "applied", done: 1 })
      }).pipe(Effect.provideService(Clock.Clock, clock))
      const { data } = readNames(yield* send("production", "GET", "/workflows"))
      assert.deepStrictEqual(data, [{ name: "Orders" }])
    }).pipe(Effect.provide(twoEmbedded(["1.82.3", "2.41.1"])))
  )

  it.effect("waits for a creation that was lost as ever once the clock is set right", () =>
    Effect.flatMap(movedClock, ({ clock, putForward, setRight }) =>
      Effect.gen(function* () {
        const { meddle, send } = yield* Beside
        yield* send("production", "POST", "/workflows", workflow("Orders"))
        putForward(3_600_000)
        const plan = yield* ask("plan_bulk", { instance: "production", action: "delete", where: { name: "Orders" } })
        yield* ask("apply_plan", { plan_id: plan["plan_id"], confirm: true })
        const { plan_id } = yield* ask("plan_rollback", { plan_id: plan["plan_id"] })
        yield* meddle((request, proceed) => (isCreation(request) ? answers(502, {}, "")(request) : proceed))
        yield* refused("apply_plan", { plan_id, confirm: true })
        yield* meddle(undefined)
        setRight()
        assert.deepInclude(yield* ask("apply_plan", { plan_id, confirm: true }), { state: "applied", done: 1 })
        const { data } = readNames(yield* send("production", "GET", "/workflows"))
        assert.deepStrictEqual(data, [{ name: "Orders" }])
      }).pipe(Effect.provide(twoEmbedded(["1.82.3", "2.41.1"])), Effect.provideService(Clock.Clock, clock), inTime)
    )
  )
})

describe("a server whose clock is set while it does not know whether something was created", () => {
  const interrupted = Effect.gen(function* () {
    const { send } = yield* Beside
    yield* send("production", "POST", "/workflows", workflow("Orders"))
    const plan = yield* ask("plan_bulk", { instance: "production", action: "delete", where: { name: "Orders" } })
    yield* ask("apply_plan", { plan_id: plan["plan_id"], confirm: true })
    const { plan_id } = yield* ask("plan_rollback", { plan_id: plan["plan_id"] })
    return { plan_id, confirm: true }
  })

  it.effect("counts on through several calls until it creates it anew, though the clock was ahead", () =>
    Effect.flatMap(movedClock, ({ clock, putForward, setRight }) =>
      Effect.gen(function* () {
        const { meddle, send } = yield* Beside
        putForward(3_600_000)
        const args = yield* interrupted
        yield* meddle((request, proceed) => (isCreation(request) ? answers(502, {}, "")(request) : proceed))
        yield* refused("apply_plan", { ...args, max_seconds: 1 })
        yield* meddle(undefined)
        setRight()
        yield* refused("apply_plan", { ...args, max_seconds: 1 })
        yield* Effect.sleep("10 seconds")
        assert.deepInclude(yield* ask("apply_plan", { ...args, max_seconds: 1 }), { state: "applied", done: 1 })
        const { data } = readNames(yield* send("production", "GET", "/workflows"))
        assert.deepStrictEqual(data, [{ name: "Orders" }])
      }).pipe(Effect.provide(twoEmbedded(["1.82.3", "2.41.1"])), Effect.provideService(Clock.Clock, clock), inTime)
    )
  )

  it.effect("creates nothing twice, though the clock was behind and the creation arrives late", () =>
    Effect.flatMap(movedClock, ({ clock, putForward }) =>
      Effect.gen(function* () {
        const { meddle, send } = yield* Beside
        const args = yield* interrupted
        yield* meddle((request, proceed) =>
          isCreation(request)
            ? Effect.andThen(Effect.forkDetach(Effect.delay(proceed, "5 seconds")), answers(502, {}, "")(request))
            : proceed
        )
        yield* refused("apply_plan", { ...args, max_seconds: 1 })
        yield* meddle(undefined)
        putForward(3_600_000)
        assert.deepInclude(yield* ask("apply_plan", args), { state: "applied", done: 1 })
        yield* Effect.sleep("10 seconds")
        const { data } = readNames(yield* send("production", "GET", "/workflows"))
        assert.deepStrictEqual(data, [{ name: "Orders" }])
      }).pipe(Effect.provide(twoEmbedded(["1.82.3", "2.41.1"])), Effect.provideService(Clock.Clock, clock), inTime)
    )
  )
})

describe("a server whose clock is set back an hour while it applies a plan", () => {
  it.effect("begins nothing new after the seconds that it was given all the same", () =>
    Effect.flatMap(movedClock, ({ clock, putForward }) =>
      Effect.gen(function* () {
        const { meddle, send } = yield* Beside
        yield* send("production", "POST", "/workflows", workflow("Orders"))
        const action = ["tag", "activate"]
        const plan = yield* ask("plan_bulk", {
          instance: "production",
          action,
          value: "new",
          where: { name: "Orders" }
        })
        yield* meddle((request, proceed) => {
          if (request.method === "GET") return proceed
          putForward(-3_600_000)
          return Effect.andThen(Effect.sleep("2 seconds"), proceed)
        })
        const { plan_id } = plan
        const first = yield* ask("apply_plan", { plan_id, confirm: true, max_seconds: 1 })
        assert.deepInclude(first, { state: "in progress", done: 1, total: 3 })
      }).pipe(Effect.provide(twoEmbedded(["1.82.3", "2.41.1"])), Effect.provideService(Clock.Clock, clock), inTime)
    )
  )
})
