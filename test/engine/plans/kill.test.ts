import { createServer } from "node:http"

import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServer } from "effect/http"

import { EmbeddedEngine, type Version } from "../../../src/engine/embedded/EmbeddedEngine.ts"
import { useCommand } from "../../cli/built.ts"
import { journey } from "./journey.ts"
import { sender } from "./process.ts"
import { seed } from "./scenario.ts"

/** An embedded engine on a port, as a process that outlives the command. */
const served = Effect.fnUntraced(function* (version: Version) {
  const routes = Layer.unwrap(EmbeddedEngine.use((engine) => Effect.succeed(engine.routes)))
  const server = HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provideMerge(EmbeddedEngine.layer({ version })),
    Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
  )
  const context = yield* Layer.build(server)
  const { apiKey } = yield* EmbeddedEngine.pipe(Effect.provide(context))
  const host = yield* HttpServer.addressFormattedWith(Effect.succeed).pipe(Effect.provide(context))
  return { host, apiKey: Redacted.value(apiKey) }
})

describe("a promotion of 150 workflows", () => {
  useCommand()

  it.live(
    "survives kill -9 in the middle, arrives field by field, and is rolled back to what was there",
    () =>
      Effect.gen(function* () {
        const places = { staging: yield* served("1.82.3"), production: yield* served("2.41.1") }
        const seeded = yield* Effect.promise(() => seed(sender(places), "Acme", 150))
        const { workflows } = yield* Effect.promise(() => journey(places, seeded))
        assert.strictEqual(workflows, 150)
      }),
    120_000
  )
})
