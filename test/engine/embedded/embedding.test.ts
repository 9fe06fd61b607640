import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse, HttpClientRequest } from "effect/http"

import { EmbeddedEngine } from "../../../src/engine/embedded/EmbeddedEngine.ts"
import { api, created, flow, listed, refused, visit } from "./calls.ts"

it.effect("answers on a host's router beside the host's own routes", () =>
  Effect.gen(function* () {
    const { routes } = yield* EmbeddedEngine
    const id = yield* created(flow("seen from both sides"))
    const app = Layer.merge(routes, HttpRouter.add("GET", "/about", HttpServerResponse.text("mine")))
    const handle = yield* HttpRouter.toHttpEffect(app)
    const get = (path: string) => {
      const request = HttpClientRequest.get(`http://somebody.test${path}`, { headers: { "X-N8N-API-KEY": "embedded" } })
      return handle.pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, HttpServerRequest.fromClientRequest(request)),
        Effect.flatMap((response) => HttpServerResponse.toClientResponse(response).text)
      )
    }
    assert.include(yield* get(`/api/v1/workflows/${id}`), "seen from both sides")
    assert.strictEqual(yield* get("/about"), "mine")
  }).pipe(Effect.provide(EmbeddedEngine.layer()))
)

it.effect("keeps two engines apart", () =>
  Effect.gen(function* () {
    const engine = Layer.fresh(EmbeddedEngine.layer())
    yield* Effect.provide(created(flow("here")), engine)
    assert.lengthOf((yield* Effect.provide(listed("/workflows"), engine)).data, 0)
  })
)

for (const version of ["1.82.3", "2.41.1"] as const) {
  it.effect(`seeds ${version} with workflows that run and executions that ended`, () =>
    Effect.gen(function* () {
      const { data } = yield* listed("/workflows")
      assert.lengthOf(data, 30)
      assert.lengthOf(
        data.filter(({ active }) => active === true),
        version === "1.82.3" ? 25 : 28
      )
      const before = (yield* listed("/executions?limit=1")).data[0]
      assert.deepStrictEqual((yield* visit("orders", { id: 7, amount: 5000 })).json, {
        order: 7,
        status: "needs approval"
      })
      assert.deepStrictEqual((yield* visit("orders", { id: 8, amount: 5 })).json, { order: 8, status: "accepted" })
      const after = (yield* listed("/executions?limit=1")).data[0]
      assert.strictEqual(Number(after?.id), Number(before?.id) + 2)
      const failed = (yield* listed("/executions?status=error")).data
      assert.isAbove(failed.length, 10)
      assert.isTrue(
        failed.every(({ stoppedAt }) => Date.parse(String(stoppedAt)) < 0),
        "they ended before the start"
      )
      assert.isAbove((yield* listed("/tags")).data.length, 5)
    }).pipe(Effect.provide(EmbeddedEngine.layer({ version, seed: true })))
  )

  it.effect(`activates every inactive seeded workflow of ${version} that has a trigger`, () =>
    Effect.gen(function* () {
      const { data } = yield* listed("/workflows?active=false")
      const posts = data.find(({ name }) => name === "Social posts")
      assert.strictEqual((yield* api("POST", `/workflows/${String(posts?.id)}/activate`)).status, 200)
      assert.strictEqual((yield* refused("POST", "/workflows/Wr1cLz9pMi6AoB8v/activate"))[0], 400)
    }).pipe(Effect.provide(EmbeddedEngine.layer({ version, seed: true })))
  )
}
