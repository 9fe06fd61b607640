import { readFile } from "node:fs/promises"
import path from "node:path"

import { assert, layer } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import { FetchHttpClient } from "effect/http"
import { inject } from "vitest"

import { isRead, keptCall } from "../../src/engine/api/ApiCall.ts"
import { ApiDescriptions } from "../../src/engine/api/ApiDescriptions.ts"
import version1 from "../../src/engine/api/data/1.82.3.json" with { type: "json" }
import version2 from "../../src/engine/api/data/2.41.1.json" with { type: "json" }
import { readDescription } from "../../src/engine/api/readDescription.ts"
import { ApiToolset } from "../../src/engine/api/toolset.ts"
import { Instances } from "../../src/engine/client/Instances.ts"
import { inSlices } from "../../src/internal/effects.ts"
import { engineFolder } from "../engines/install.ts"
import { ask, callTool, environment, serverOver } from "../support/harness.ts"

const decodeBest = Schema.decodeUnknownSync(Schema.Struct({ best: Schema.Struct({ call: Schema.String }) }))

for (const { apiKey, host, version } of inject("engines")) {
  const server = serverOver({ real: environment(host, apiKey) }, FetchHttpClient.layer, [ApiToolset])

  layer(server, { excludeTestServices: true })(`The reading calls of the real ${version}`, (it) => {
    const reading = Effect.gen(function* () {
      const engine = yield* (yield* Instances).resolve()
      const { calls, unreadable } = yield* (yield* ApiDescriptions).of(engine)
      assert.deepStrictEqual(unreadable, [])
      return calls.filter(isRead)
    })

    it.effect("are all found by their own words, and made or refused by the engine for a reason of its own", () =>
      Effect.gen(function* () {
        const calls = yield* reading
        assert.isAbove(calls.length, version.startsWith("2.") ? 35 : 8)
        for (const call of calls) {
          const required = call.parameters.filter(({ isRequired }) => isRequired)
          const args = Object.fromEntries(required.map(({ name }) => [name, "A1b2C3d4E5f6G7h8"]))
          const { error } = yield* callTool("call_engine", { call: call.call, arguments: args })
          if (error === undefined) continue
          const { httpStatus } = { httpStatus: undefined, ...Object(error.data) }
          // "identifier" is a format of the engine's own.
          const isOwnFormat = httpStatus === 400 && error.message.includes('match format "identifier"')
          const isForeseen = error.code === -32602 && /this key may make|must be/.test(error.message)
          const isOfEngine = isOwnFormat || httpStatus === 403 || httpStatus === 404
          assert.isTrue(isForeseen || isOfEngine, `${call.call}: ${httpStatus} ${error.message}`)
        }
      })
    )

    it.effect("are kept for engines that do not describe theirs, as they are in this one's files", () =>
      Effect.gen(function* () {
        const file = path.join(engineFolder(version), "node_modules/n8n/dist/public-api/v1/openapi.yml")
        const text = yield* Effect.promise(() => readFile(file, "utf8"))
        const { calls, unreadable } = Option.getOrThrow(yield* inSlices(() => readDescription(text)))
        assert.deepStrictEqual(unreadable, [])
        const kept: unknown = version.startsWith("2.") ? version2 : version1
        assert.deepStrictEqual<unknown>(calls.map(keptCall), kept)
      })
    )

    it.effect("answer what people ask in two calls", () =>
      Effect.gen(function* () {
        const isV2 = version.startsWith("2.")
        for (const [text, call] of [
          ["which users are there", "GET /users"],
          ["all tags", "GET /tags"],
          ...(isV2 ? ([["list the data tables", "GET /data-tables"]] as const) : [])
        ] as const) {
          const { best } = decodeBest(yield* ask("find_call", { text }))
          assert.strictEqual(best.call, call, text)
          assert.isArray((yield* ask("call_engine", { call: best.call }))["data"])
        }
      })
    )
  })
}
