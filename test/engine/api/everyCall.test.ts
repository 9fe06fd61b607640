import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { HttpClient } from "effect/http"

import { type ApiCall, describedCall, isRead, type KeptCall, pathOf } from "../../../src/engine/api/ApiCall.ts"
import version1 from "../../../src/engine/api/data/1.82.3.json" with { type: "json" }
import version2 from "../../../src/engine/api/data/2.41.1.json" with { type: "json" }
import { toolFor } from "../../../src/engine/api/toolFor.ts"
import { ApiToolset } from "../../../src/engine/api/toolset.ts"
import { EmbeddedEngine, type Version } from "../../../src/engine/embedded/EmbeddedEngine.ts"
import { withCallPlans } from "../../../src/engine/plans/toolset.ts"
import { counted, isOurs, isQuestion, problemsOf } from "../../support/apiFuzz.ts"
import { apiJobs } from "../../support/apiJobs.ts"
import { sampleArguments, sampleId, wrongArguments } from "../../support/apiSamples.ts"
import { ask, environment, refused, request } from "../../support/harness.ts"
import { planServer } from "../../support/planServer.ts"
import { engineThat, host, isOfTheApi, json, key } from "../tools/standIn.ts"

const kept: ReadonlyArray<readonly [Version, ReadonlyArray<unknown>]> = [
  ["1.82.3", version1],
  ["2.41.1", version2]
]

const isKept = Schema.is(Schema.Struct({ call: Schema.String }))
const callsOf = (all: ReadonlyArray<unknown>): ReadonlyArray<ApiCall> =>
  all.flatMap((one) => (isKept(one) ? [describedCall({ ...Object(one) } satisfies KeptCall)] : []))

/** An engine that has everything that is asked for, and keeps the requests; it tells calls where it is of generation 2. */
const engineWith = (calls: ReadonlyArray<ApiCall>, isV2: boolean) =>
  engineThat(({ method, path }) => {
    if (path.endsWith("/openapi.yml")) return json({ message: "not found" }, 404)
    if (path === "/api/v1/discover") {
      const endpoints = calls.map((call) => ({ method: call.method, path: `/api/v1${call.path}` }))
      return isV2
        ? json({ data: { scopes: [], resources: { all: { endpoints } } } })
        : json({ message: "not found" }, 404)
    }
    const [, id = sampleId] = /^\/api\/v1\/\w+\/([^/?]+)/.exec(path) ?? []
    return method === "DELETE"
      ? json({})
      : json({
          id: /^\d+$/.test(id) ? Number(id) : id,
          name: "N",
          data: [{ id: sampleId, name: "N" }],
          nodes: [],
          connections: {},
          active: false,
          nextCursor: null
        })
  })

/** The words for a call in an assistant's task. */
const wordsFor = ({ method, path }: ApiCall) => {
  const verbs: Readonly<Record<string, string>> = { GET: "read", POST: "create", DELETE: "delete" }
  const words = path
    .replace(/[{}]/g, "")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .split(/[/-]/)
  return [verbs[method] ?? "change", ...words].join(" ")
}

const decodeBest = Schema.decodeUnknownSync(Schema.Struct({ best: Schema.Struct({ call: Schema.String }) }))
const decodeNamed = Schema.decodeUnknownSync(
  Schema.Struct({
    best: Schema.optionalKey(Schema.Struct({ call: Schema.String })),
    others: Schema.optionalKey(Schema.Array(Schema.String))
  })
)

const offered = new Set(withCallPlans(ApiToolset).tools.map(({ name }) => name))
const decodeTools = (response: unknown) =>
  Schema.decodeUnknownSync(Schema.Struct({ tools: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)) }))(
    Object(response).result
  )

for (const [version, all] of kept) {
  const calls = callsOf(all)
  const engine = engineWith(calls, version.startsWith("2."))
  const server = planServer(
    { real: environment(host, key, { requestsPerSecond: 5000 }) },
    Layer.succeed(HttpClient.HttpClient, engine.client),
    {}
  )
  /** The requests since the last look that are not the server's own questions. */
  const sent = () =>
    engine.requests
      .splice(0)
      .filter((one) => isOfTheApi(one) && !/openapi|discover|tags\?limit=1$/.test(one.path))
      .map(({ method, path }) => `${method} ${path.replace(/\?.*/, "").replace("/api/v1", "")}`)
  const target = (call: ApiCall) => `${call.method} ${pathOf(call, sampleArguments(call).arguments)}`

  describe(`the calls of ${version}`, () => {
    it.effect("are reached by tools of which a model sees 2.5 kB", () =>
      Effect.gen(function* () {
        const { tools } = decodeTools(yield* request("tools/list"))
        const listed = tools.filter(({ name }) => offered.has(String(name)))
        assert.lengthOf(listed, offered.size)
        assert.isAtMost(new TextEncoder().encode(JSON.stringify(listed)).length, 2500)
      }).pipe(Effect.provide(Layer.fresh(server)))
    )

    it.effect("are named by the words of a task, in at most 1.5 kB", () =>
      Effect.gen(function* () {
        let missed = 0
        for (const call of calls) {
          const answer = yield* ask("find_call", { text: wordsFor(call) })
          assert.isAtMost(new TextEncoder().encode(JSON.stringify(answer)).length, 1500, call.call)
          if (decodeBest(answer).best.call === call.call) continue
          missed++
          const exact = decodeBest(yield* ask("find_call", { text: call.call }))
          assert.strictEqual(exact.best.call, call.call)
        }
        assert.isAtMost(missed, calls.length / 25)
      }).pipe(Effect.provide(Layer.fresh(server)))
    )

    if (version.startsWith("2.")) {
      it.effect("are named by the words of people, mostly as the best", () =>
        Effect.gen(function* () {
          const missed: Array<string> = []
          let best = 0
          for (const [text, wanted] of apiJobs) {
            const named = decodeNamed(yield* ask("find_call", { text }))
            const isWanted = (line: string) => wanted.some((call) => line === call)
            if (isWanted(named.best?.call ?? "")) best++
            else if (named.others?.some(isWanted) !== true) missed.push(text)
          }
          assert.isAtLeast(best / apiJobs.length, 0.78)
          assert.isAtMost(missed.length / apiJobs.length, 0.11, missed.join("; "))
          const { areas, calls } = yield* ask("find_call", { text: "zebras" })
          assert.deepStrictEqual(calls, [])
          assert.includeMembers(Array.isArray(areas) ? areas : [], ["User", "DataTable"])
        }).pipe(Effect.provide(Layer.fresh(server)))
      )
    }

    it.effect("are made by what find_call says of them: reading ones in two calls, changing ones in three", () =>
      Effect.gen(function* () {
        sent()
        for (const call of calls.filter(({ path }) => path !== "/discover")) {
          const args = { call: call.call, ...sampleArguments(call) }
          const tool = toolFor(call.call)
          if (isRead(call)) {
            yield* ask("call_engine", args)
            assert.include(sent(), target(call))
          } else if (tool !== undefined || call.takesFile === true) {
            const { message } = yield* refused("plan_engine_call", args)
            assert.include(message, tool ?? "takes a file", call.call)
            assert.deepStrictEqual(sent(), [])
          } else {
            const { plan_id } = yield* ask("plan_engine_call", args)
            assert.isEmpty(sent().filter((one) => !one.startsWith("GET ")))
            yield* ask("apply_plan", { plan_id: String(plan_id), confirm: true, confirm_protected: true })
            assert.deepStrictEqual(
              sent().filter((one) => !one.startsWith("GET ")),
              [target(call)],
              call.call
            )
          }
        }
      }).pipe(Effect.provide(Layer.fresh(server)))
    )

    it.effect(
      "are made where arguments that are drawn fit, and nothing is sent where they do not; the engine fails at none",
      () =>
        Effect.gen(function* () {
          const embedded = yield* EmbeddedEngine
          const stood = engineWith(calls, version.startsWith("2.")).client
          const { client, sent } = counted(
            HttpClient.make((request, url) => (isQuestion(url.pathname) ? stood : embedded.httpClient).execute(request))
          )
          const drawn = planServer(
            { real: environment(host, "embedded", { requestsPerSecond: 5000 }) },
            Layer.succeed(HttpClient.HttpClient, client),
            {}
          )
          const problems = yield* Effect.provide(problemsOf(calls, sent, 8), Layer.fresh(drawn))
          assert.deepStrictEqual(problems, [])
        }).pipe(Effect.provide(EmbeddedEngine.layer({ version })))
    )

    it.effect("are refused with the name of what is wrong, and nothing sent, whatever does not fit", () =>
      Effect.gen(function* () {
        sent()
        const made = calls.filter(isOurs)
        for (const [turn, call] of made.entries()) {
          const all = wrongArguments(call).filter(({ wrong }) => !isRead(call) || !wrong.startsWith("body"))
          // A third of them, another one for each call: the real engines are tried with all.
          for (const { wrong, ...args } of all.filter((_, index) => index % 3 === turn % 3)) {
            const given = isRead(call) ? { arguments: args.arguments } : args
            const tool = isRead(call) ? "call_engine" : "plan_engine_call"
            const { message } = yield* refused(tool, { call: call.call, ...given })
            assert.include(message, wrong, `${call.call} ${JSON.stringify(args)}`)
          }
        }
        assert.deepStrictEqual(sent(), [])
      }).pipe(Effect.provide(Layer.fresh(server)))
    )
  })
}
