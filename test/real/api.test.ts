import { readFile } from "node:fs/promises"
import path from "node:path"

import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { inject } from "vitest"

import { isRead, keptCall } from "../../src/engine/api/ApiCall.ts"
import { ApiDescriptions } from "../../src/engine/api/ApiDescriptions.ts"
import version1 from "../../src/engine/api/data/1.82.3.json" with { type: "json" }
import version2 from "../../src/engine/api/data/2.41.1.json" with { type: "json" }
import { rankCalls } from "../../src/engine/api/findCalls.ts"
import { readDescription } from "../../src/engine/api/readDescription.ts"
import { Instances } from "../../src/engine/client/Instances.ts"
import { inSlices } from "../../src/internal/effects.ts"
import { engineFolder } from "../engines/install.ts"
import { counted, isOurs, problemsOf } from "../support/apiFuzz.ts"
import { apiJobs } from "../support/apiJobs.ts"
import { sampleArguments, wrongArguments } from "../support/apiSamples.ts"
import { ask, callTool, environment, refused } from "../support/harness.ts"
import { planServer } from "../support/planServer.ts"

const decodeBest = Schema.decodeUnknownSync(Schema.Struct({ best: Schema.Struct({ call: Schema.String }) }))

for (const { apiKey, host, version } of inject("engines")) {
  const server = planServer({ real: environment(host, apiKey) }, FetchHttpClient.layer)

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

    it.effect(
      "are refused by name where arguments do not fit, and changes are planned or refused for the engine's own reasons",
      () =>
        Effect.gen(function* () {
          const engine = yield* (yield* Instances).resolve()
          const { calls } = yield* (yield* ApiDescriptions).of(engine)
          for (const call of calls) {
            const tool = isRead(call) ? "call_engine" : "plan_engine_call"
            const wrong = isOurs(call)
              ? wrongArguments(call).filter((one) => !isRead(call) || !one.wrong.startsWith("body"))
              : []
            for (const { arguments: args, body, wrong: name } of wrong) {
              const given = isRead(call) ? { arguments: args } : { arguments: args, body }
              const { error } = yield* callTool(tool, { call: call.call, ...given })
              assert.strictEqual(error?.code, -32602, `${call.call} ${name}: ${error?.message}`)
            }
            if (isRead(call) || !isOurs(call)) continue
            const { error } = yield* callTool(tool, { call: call.call, ...sampleArguments(call) })
            const { httpStatus } = { httpStatus: undefined, ...Object(error?.data) }
            const isForeseen = error === undefined || error.code === -32602
            assert.isTrue(isForeseen || httpStatus === 403 || httpStatus === 404, `${call.call}: ${error?.message}`)
          }
        })
    )

    it.effect(
      "are made where arguments that are drawn fit, and the engine neither fails nor refuses what was foreseeable",
      () =>
        Effect.gen(function* () {
          const { calls } = yield* (yield* ApiDescriptions).of(yield* (yield* Instances).resolve())
          const { client, sent } = counted(yield* HttpClient.HttpClient)
          const drawn = planServer({ real: environment(host, apiKey) }, Layer.succeed(HttpClient.HttpClient, client))
          const problems = yield* Effect.provide(problemsOf(calls, sent, 6), Layer.fresh(drawn))
          assert.deepStrictEqual(problems, [])
        }).pipe(Effect.provide(FetchHttpClient.layer))
    )

    it.effect("say that the licence lacks what the engine offers only with one", () =>
      Effect.gen(function* () {
        const { message } = yield* refused("plan_engine_call", {
          call: "POST /variables",
          body: { key: "a", value: "b" }
        })
        assert.include(message, "The licence of this engine does not include variables")
      })
    )

    it.effect("are kept for engines that do not describe theirs, as they are in this one's files", () =>
      Effect.gen(function* () {
        const file = path.join(engineFolder(version), "node_modules/n8n/dist/public-api/v1/openapi.yml")
        const text = yield* Effect.promise(() => readFile(file, "utf8"))
        const { calls, unreadable } = Option.getOrThrow(yield* inSlices(() => readDescription(text)))
        assert.deepStrictEqual(unreadable, [])
        if (version.startsWith("2.")) {
          const named = apiJobs.filter(([task, wanted]) =>
            rankCalls(calls, task)
              .slice(0, 5)
              .some(({ call }) => wanted.includes(call))
          )
          assert.isAtLeast(named.length / apiJobs.length, 0.9)
        }
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
