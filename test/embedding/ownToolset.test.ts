import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"

import { ask, refused, request } from "../support/harness.ts"
import { Engines, RatesServer } from "./ownToolset.ts"

/** An upstream that knows one currency, and falls over when it is asked a second time. */
const rates = Layer.sync(HttpClient.HttpClient, () => {
  let asked = 0
  return HttpClient.make((request) =>
    Effect.sync(() =>
      HttpClientResponse.fromWeb(request, asked++ === 0 ? Response.json({ rates: { USD: 1.1 } }) : new Response("no"))
    )
  )
})

layer(Layer.provide(RatesServer, [Engines, rates]))("a toolset of one's own", (it) => {
  it.effect("is offered beside the engine's, its instructions too", () =>
    Effect.gen(function* () {
      const { result } = yield* request("initialize", {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "test", version: "1" }
      })
      assert.include(result?.["instructions"], "get_rate tells exchange rates.")
      assert.deepInclude(result?.["serverInfo"], { name: "rates-server", title: "rates-server" })
      assert.notProperty(result?.["serverInfo"], "icons")
      const listed = JSON.stringify((yield* request("tools/list")).result)
      assert.include(listed, '"get_rate"')
      assert.include(listed, '"list_workflows"')
    })
  )

  it.effect("answers from its upstream, and words its failures itself", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* ask("get_rate", { currency: "USD" }), { currency: "USD", rate: 1.1 })
      const error = yield* refused("get_rate", { currency: "USD" })
      assert.deepInclude(error.data, { code: "RATES_FAILED" })
    })
  )
})
