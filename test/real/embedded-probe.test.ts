import { createServer } from "node:http"

import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { inject } from "vitest"

import { EmbeddedEngine, type Version } from "../../src/engine/embedded/EmbeddedEngine.ts"
import { probeDifferences } from "../engine/embedded/known-differences.ts"
import { majorOf } from "../engines/install.ts"
import { startEngine } from "../engines/start.ts"
import { answersOf } from "./probe/others.ts"
import type { Entry, Target } from "./probe/Probe.ts"

/** An embedded engine on a free port. */
const embedded = Effect.fnUntraced(function* (version: Version) {
  const routes = Layer.unwrap(EmbeddedEngine.use((engine) => Effect.succeed(engine.routes)))
  const server = HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provideMerge(EmbeddedEngine.layer({ version })),
    Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
  )
  const context = yield* Layer.build(server)
  const { apiKey } = yield* EmbeddedEngine.pipe(Effect.provide(context))
  const host = yield* HttpServer.addressFormattedWith(Effect.succeed).pipe(Effect.provide(context))
  return { host, apiKey: Redacted.value(apiKey), rest: 300 }
})

/** A real engine that no other test uses. */
const real = (version: string) =>
  Effect.acquireRelease(
    Effect.promise(() => startEngine(version)),
    ({ stop }) => Effect.promise(stop)
  ).pipe(Effect.map(({ engine: { apiKey, host } }) => ({ host, apiKey, rest: 1500 })))

const answersFrom = (target: Target) => Effect.promise(() => answersOf(target))

const text = (entry: Entry | undefined) => JSON.stringify(entry)

describe("the embedded engine", () => {
  for (const { version } of inject("engines")) {
    it.live(
      `answers every request of the probe as the real ${version} does`,
      () =>
        Effect.gen(function* () {
          const expected = yield* answersFrom(yield* real(version))
          const actual = yield* answersFrom(yield* embedded(majorOf(version) < 2 ? "1.82.3" : "2.41.1"))
          assert.isAbove(expected.length, 180)
          assert.strictEqual(new Set(expected.map(({ title }) => title)).size, expected.length, "titles are unique")
          // As JSON, so that the order of fields counts.
          const differences = expected
            .map((entry, index) => ({ title: entry.title, real: text(entry), embedded: text(actual[index]) }))
            .filter(({ embedded, real, title }) => embedded !== real && !(title in probeDifferences))
          assert.deepStrictEqual(differences, [])
          assert.strictEqual(actual.length, expected.length)
        }),
      300_000
    )
  }
})
