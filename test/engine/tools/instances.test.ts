import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Ref } from "effect"
import { HttpClient } from "effect/http"

import { Instances } from "../../../src/engine/client/Instances.ts"
import { EngineToolset } from "../../../src/engine/toolset/toolset.ts"
import { HttpClients } from "../../../src/internal/http/HttpClients.ts"
import * as Server from "../../../src/mcp/Server.ts"
import { ask, callTool, configured, environment, refused, serverOver } from "../../support/harness.ts"
import { engineThat, host, json, key } from "./standIn.ts"

const three = {
  staging: environment(host, key),
  production: environment("http://127.0.0.1:5679", key),
  development: environment("http://127.0.0.1:5680", key)
}

const listing = () => engineThat(() => json({ data: [] }))

const over = (client: HttpClient.HttpClient) => serverOver(three, Layer.succeed(HttpClient.HttpClient, client))

describe("the instance of a tool call", () => {
  it.live("is the default one unless another is named", () => {
    const urls: Array<string> = []
    const client = HttpClient.mapRequest(listing().client, (request) => {
      urls.push(new URL(request.url).host)
      return request
    })
    return Effect.gen(function* () {
      yield* ask("list_workflows")
      yield* ask("list_workflows", { instance: "development" })
      assert.deepStrictEqual(urls, ["127.0.0.1:5678", "127.0.0.1:5680"])
    }).pipe(Effect.provide(over(client)))
  })

  const strangers = [
    ["moon", "moon"],
    ["Staging", "Staging"],
    ["", ""],
    ["__proto__", "__proto__"],
    ["constructor", "constructor"],
    ["toString", "toString"],
    [5, "5"],
    [null, "null"],
    [{}, "{}"],
    [["staging"], '["staging"]']
  ] as const

  it.live("is cut in the error where it is long, which still names the configured ones", () => {
    const { client } = listing()
    return Effect.gen(function* () {
      const { message } = yield* refused("list_workflows", { instance: "m".repeat(2_000_000) })
      assert.match(message, /^Instance m+…\(199\d{4} characters left out\)…m+ not found\. Available: staging, /)
      assert.isBelow(message.length, 2100)
    }).pipe(Effect.provide(over(client)))
  })

  for (const [instance, shown] of strangers) {
    it.live(`cannot be ${JSON.stringify(instance)}, and the error names the configured ones`, () => {
      const { asked, client } = listing()
      return Effect.gen(function* () {
        const error = yield* refused("list_workflows", { instance })
        assert.deepStrictEqual(error, {
          code: -32602,
          message: `Instance ${shown} not found. Available: staging, production, development`,
          data: { code: "INSTANCE_NOT_FOUND", availableInstances: ["staging", "production", "development"] }
        })
        assert.isEmpty(asked)
      }).pipe(Effect.provide(over(client)))
    })
  }

  it.live("is looked up after the arguments are checked, and before the engine is called", () => {
    const { asked, client } = listing()
    return Effect.gen(function* () {
      const both = yield* refused("list_workflows", { limit: 0, instance: "moon" })
      assert.strictEqual(both.message, "Invalid limit: must be between 1 and 250")
      const graph = yield* refused("create_workflow", { name: "x", nodes: [], instance: "moon" })
      assert.match(graph.message, /^Instance moon not found/)
      assert.isEmpty(asked)
    }).pipe(Effect.provide(over(client)))
  })

  it.live("is connected to once for all calls at the same time", () =>
    Effect.gen(function* () {
      const made = yield* Ref.make(0)
      const counting = Layer.succeed(
        HttpClients,
        HttpClients.of({
          make: () =>
            Effect.as(
              Ref.update(made, (count) => count + 1),
              listing().client
            )
        })
      )
      const server = Server.layer({ toolsets: [EngineToolset], version: "0.0.0-test" }).pipe(
        Layer.provide(Instances.layer),
        Layer.provide(configured(three)),
        Layer.provide(counting)
      )
      yield* Effect.forEach(
        ["staging", "production", "staging", "production", "staging", "staging"],
        (instance) => callTool("list_workflows", { instance }),
        { concurrency: "unbounded" }
      ).pipe(Effect.provide(server))
      assert.strictEqual(yield* Ref.get(made), 2)
    })
  )
})
