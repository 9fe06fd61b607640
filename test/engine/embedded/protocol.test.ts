import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"

import { EmbeddedEngine, type Version } from "../../../src/engine/embedded/EmbeddedEngine.ts"
import { api, flow, manual, refused, send } from "./calls.ts"

const engine = (version: Version) => EmbeddedEngine.layer({ version, apiKey: "secret" })

const checks = [
  ["reports a malformed body before an unknown path", 500, "POST", "/nope", { raw: "{", key: null }],
  ["reports an unknown path before the method and the key", 404, "PATCH", "/nope", { key: null }],
  ["reports a wrong method before the key", 405, "PATCH", "/workflows", { key: null }],
  [
    "reports a wrong key before the content type",
    401,
    "POST",
    "/workflows",
    { key: null, raw: "x", headers: { "content-type": "text/plain" } }
  ],
  [
    "reports a wrong content type before the query",
    415,
    "POST",
    "/workflows?foo=1",
    { raw: "x", headers: { "content-type": "text/plain" } }
  ],
  ["reports a wrong body last", 400, "POST", "/workflows", { raw: "{}" }]
] as const

for (const version of ["1.82.3", "2.41.1"] as const) {
  layer(engine(version))(`the order of checks of ${version}`, (it) => {
    for (const [title, status, method, path, more] of checks) {
      it.effect(title, () =>
        Effect.gen(function* () {
          assert.strictEqual((yield* api(method, path, undefined, more)).status, status)
        })
      )
    }

    it.effect("refuses a body of more than 16 MiB", () =>
      Effect.gen(function* () {
        const { status, type } = yield* api("POST", "/workflows", undefined, {
          raw: `"${"x".repeat(16 * 1024 * 1024)}"`
        })
        assert.deepStrictEqual([status, type], [413, "text/html; charset=utf-8"])
      })
    )

    it.effect("ignores letter case and a trailing slash, but not a double slash", () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* api("GET", "/Workflows/")).status, 200)
        assert.strictEqual((yield* api("GET", "//workflows")).status, 404)
        assert.strictEqual((yield* api("GET", "")).status, 404)
      })
    )

    it.effect("looks up ids of any length and encoding", () =>
      Effect.gen(function* () {
        for (const id of ["x".repeat(2000), "%C3%A9", "a%2Fb", "constructor"]) {
          assert.deepStrictEqual(yield* refused("GET", `/workflows/${id}`), [404, "Not Found"], id)
        }
        assert.strictEqual((yield* api("GET", "/workflows/%zz")).status, 400)
      })
    )

    it.effect("treats names of JavaScript's own members like any other name", () =>
      Effect.gen(function* () {
        assert.include([200, 400], (yield* api("GET", "/workflows?constructor=1&__proto__=2")).status)
        const { status } = yield* api("POST", "/workflows", undefined, { raw: `{"__proto__":{},"constructor":1}` })
        assert.strictEqual(status, 400)
      })
    )

    it.effect("answers 404 for other paths", () =>
      Effect.gen(function* () {
        const { status, text } = yield* send("GET", "/api/v2/workflows")
        assert.strictEqual(status, 404)
        assert.include(text, "Cannot GET /api/v2/workflows")
      })
    )

    it.effect("tells its health without a key", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* send("GET", "/healthz", undefined, { key: null })).json, { status: "ok" })
      })
    )
  })
}

layer(engine("1.82.3"))("the messages of 1.82.3", (it) => {
  it.effect("distinguish a missing key from a wrong one", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* refused("GET", "/workflows", undefined, { key: null }), [
        401,
        "'X-N8N-API-KEY' header required"
      ])
      assert.deepStrictEqual(yield* refused("GET", "/workflows", undefined, { key: "wrong" }), [401, "unauthorized"])
    })
  )

  it.effect("name its version without a key", () =>
    Effect.gen(function* () {
      const { json } = yield* send("GET", "/rest/settings", undefined, { key: null })
      assert.deepStrictEqual(json, { data: { versionCli: "1.82.3" } })
    })
  )

  it.effect("name missing fields first, then unknown ones, then wrong ones", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* refused("POST", "/workflows", { foo: 1, nodes: 1 }), [
        400,
        "request/body must have required property 'name'"
      ])
      assert.deepStrictEqual(yield* refused("POST", "/workflows", { ...flow("x"), foo: 1, id: "x" }), [
        400,
        "request/body must NOT have additional properties"
      ])
      assert.deepStrictEqual(yield* refused("POST", "/workflows", { ...flow("x"), id: "x" }), [
        400,
        "request/body/id is read-only"
      ])
    })
  )

  it.effect("refuse unknown, empty and unencoded query parameters", () =>
    Effect.gen(function* () {
      const problems = {
        "foo=1": "Unknown query parameter 'foo'",
        "tags=": "Empty value found for query parameter 'tags'",
        "tags=a&tags=b": "request/query/tags must be string",
        "limit=251": "request/query/limit must be <= 250",
        "limit=abc": "request/query/limit must be number",
        "limit=1.5": "SQLITE_MISMATCH: datatype mismatch",
        "active=yes": "request/query/active must be boolean",
        "cursor=abc": "An invalid cursor was provided",
        "cursor=a!": "Parameter 'cursor' must be url encoded. Its value may not contain reserved characters."
      }
      for (const [query, message] of Object.entries(problems)) {
        assert.deepStrictEqual(yield* refused("GET", `/workflows?${query}`), [400, message], query)
      }
    })
  )
})

layer(engine("2.41.1"))("the messages of 2.41.1", (it) => {
  it.effect("do not distinguish a missing key from a wrong one", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* refused("GET", "/workflows", undefined, { key: null }), [401, "Unauthorized"])
      assert.deepStrictEqual(yield* refused("GET", "/workflows", undefined, { key: "wrong" }), [401, "Unauthorized"])
    })
  )

  it.effect("do not name its version", () =>
    Effect.gen(function* () {
      const { json } = yield* send("GET", "/rest/settings", undefined, { key: null })
      assert.deepStrictEqual(json, { data: { settingsMode: "public" } })
    })
  )

  it.effect("name read-only fields first, then wrong or missing ones, then unknown ones", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* refused("POST", "/workflows", { id: "x", name: 5 }), [
        400,
        "request/body/id is read-only"
      ])
      assert.deepStrictEqual(yield* refused("POST", "/workflows", { ...flow("x"), name: null, foo: 1 }), [
        400,
        "request/body/name Expected string, received null"
      ])
      assert.deepStrictEqual(yield* refused("POST", "/workflows", { ...flow("x"), foo: 1, bar: 2 }), [
        400,
        "request/body Unrecognized key(s) in object: 'foo', 'bar'"
      ])
    })
  )

  it.effect("name what is wrong with the graph", () =>
    Effect.gen(function* () {
      const doubled = flow("x", [manual, manual])
      assert.deepStrictEqual(yield* refused("POST", "/workflows", doubled), [
        400,
        `Workflow structure is invalid. nodes[1].name (duplicate_node_name): Duplicate node name "Start"`
      ])
      const { name: _, position: __, ...bare } = manual
      assert.deepStrictEqual(yield* refused("POST", "/workflows", flow("x", [bare])), [
        400,
        "Workflow structure is invalid. nodes[0].name (invalid_type): Required; nodes[0].position (invalid_type): Required"
      ])
    })
  )

  it.effect("ignore unknown query parameters", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* api("GET", "/workflows?foo=1&tags=&limit=1000")).status, 200)
      assert.deepStrictEqual(yield* refused("GET", "/workflows?active="), [
        400,
        "request/query/active Invalid enum value. Expected 'true' | 'false', received ''"
      ])
    })
  )

  it.effect("answer HEAD and OPTIONS", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* api("HEAD", "/workflows")).status, 200)
      assert.strictEqual((yield* api("OPTIONS", "/workflows")).text, "GET, HEAD, POST")
    })
  )
})
