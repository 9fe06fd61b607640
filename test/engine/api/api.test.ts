import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"

import { readDescription } from "../../../src/engine/api/readDescription.ts"
import { checkerOf } from "../../../src/engine/api/shapes.ts"
import { ApiToolset } from "../../../src/engine/api/toolset.ts"
import { atOnce } from "../../../src/internal/Sliced.ts"
import { answers, type Step } from "../../internal/http/standIn.ts"
import { ask, refused, serverOverEmbedded } from "../../support/harness.ts"
import { engineThat, isOfTheApi, json, serving } from "../tools/standIn.ts"

const document = `openapi: 3.0.0
info:
  title: An engine
paths:
  /data-tables:
    get:
      tags: [DataTable]
      summary: List all data tables
      parameters:
        - $ref: '#/components/parameters/limit'
        - name: filter
          in: query
          description: |
            Conditions as JSON
              - - of any depth
          schema: { type: string }
    post:
      summary: Create a data table
  /data-tables/{dataTableId}/rows:
    get:
      summary: Retrieve rows from a data table
      description: All rows, or those that match
      parameters:
        - name: dataTableId
          in: path
          required: true
          schema: { type: string }
        - $ref: '#/components/parameters/limit'
        - name: sort
          in: query
          schema: { type: string, enum: [up, down] }
  /workflows/{id}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: string } }
    get:
      summary: Retrieve a workflow
      x-required-scope: workflow:read
      example:
        main:
          - - node: Next
              index: 0
    delete:
      summary: Delete a workflow
  /round:
    get:
      summary: A call whose arguments lead into each other
      parameters:
        - name: a
          in: query
          schema: { $ref: '#/components/schemas/round' }
  /outside:
    get:
      parameters:
        - $ref: 'https://elsewhere.example/x.yml#/a'
  /deep:
    post:
      summary: A body that holds itself
      requestBody:
        content:
          application/json:
            schema: { $ref: '#/components/schemas/round' }
  /away:
    post:
      requestBody:
        content:
          application/json:
            schema: { $ref: 'file:///etc/passwd' }
  /broken:
    get: [
components:
  parameters:
    limit:
      name: limit
      in: query
      description: The most items of one answer
      schema: { type: integer, minimum: 1, maximum: 250 }
  schemas:
    round:
      properties:
        again: { $ref: '#/components/schemas/round' }
`

const secret = "xoxb-111111111111-222222222222-abcdefghijklmnopqrstuvwx"

/** An engine of this description, whose key may make these calls. */
const engineWith = (step: Step, allowed?: ReadonlyArray<string>) =>
  engineThat(({ path }) => {
    if (path === "/api/v1/openapi.yml") return step
    if (path === "/api/v1/discover") {
      const endpoints = allowed?.map((call) => {
        const [method = "", below = ""] = call.split(" ")
        return { method, path: `/api/v1${below}` }
      })
      return endpoints === undefined
        ? json({ message: "not found" }, 404)
        : json({ data: { scopes: [], resources: { all: { endpoints } } } })
    }
    if (path.startsWith("/api/v1/data-tables/t%2F1/rows")) {
      return json({
        data: Array.from({ length: 100 }, (_, id) => ({ id, note: "x".repeat(200), secret })),
        nextCursor: "n"
      })
    }
    return json({ data: [], nextCursor: null })
  })

const described = answers(200, { "content-type": "text/yaml" }, document)

const sentTo = (requests: ReadonlyArray<{ readonly path: string }>) =>
  requests.map(({ path }) => path).filter((path) => !/openapi|discover|\/tags/.test(path))

describe("The calls of an engine's API", () => {
  it.effect("are found by a task, with the arguments of the best one", () => {
    const { client } = engineWith(described)
    return Effect.gen(function* () {
      const answer = yield* ask("find_call", { text: "the rows of a data table" })
      assert.deepInclude(answer, {
        best: {
          call: "GET /data-tables/{dataTableId}/rows",
          does: "Retrieve rows from a data table",
          arguments: {
            dataTableId: "string, required",
            limit: "integer, at least 1, at most 250: The most items of one answer",
            sort: "up | down"
          },
          tool: "read_data_table does this better"
        },
        unreadable: 5
      })
      assert.isBelow(JSON.stringify(answer).length, 1500)
      const deletion = yield* ask("find_call", { text: "delete a workflow" })
      assert.nestedPropertyVal(deletion, "best.call", "DELETE /workflows/{id}")
      assert.nestedPropertyVal(deletion, "best.tool", "delete_workflow does this")
    }).pipe(Effect.provide(serving(client, {}, [ApiToolset])))
  })

  it.effect("are made with encoded ids, and answered in 8 kB without secrets", () => {
    const { client, requests } = engineWith(described)
    return Effect.gen(function* () {
      const args = { dataTableId: "t/1", sort: "up", limit: "100" }
      const answer = yield* ask("call_engine", { call: "GET /data-tables/{dataTableId}/rows", arguments: args })
      assert.deepStrictEqual(sentTo(requests), ["/api/v1/data-tables/t%2F1/rows?limit=100&sort=up"])
      const rows = Array.isArray(answer["data"]) ? answer["data"].length : 0
      assert.isAbove(rows, 20)
      assert.deepInclude(answer, { leftOut: 100 - rows })
      assert.notProperty(answer, "nextCursor")
      assert.isAtMost(JSON.stringify(answer).length, 8000)
      assert.notInclude(JSON.stringify(answer), secret)
    }).pipe(Effect.provide(serving(client, {}, [ApiToolset])))
  })

  it.effect("are answered in 8 kB also where lists lie beside each other, or one item is larger than that", () => {
    const roles = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        slug: `role-${index}`,
        scopes: Array.from({ length: 60 }, (__, scope) => `resource${scope}:read`)
      }))
    const large = { id: "a", deep: [[[Array.from({ length: 500 }, () => "text ".repeat(50))]]] }
    const answersByPath = new Map<string, unknown>([
      ["/api/v1/roles", { global: roles(5), project: roles(7), workflow: [] }],
      ["/api/v1/community-packages", [large]],
      ["/api/v1/tags/a", large],
      ["/api/v1/tags", { data: [large], nextCursor: "engine's" }]
    ])
    const engine = engineThat(({ path }) => {
      const body = answersByPath.get(path.replace(/\?.*/, ""))
      if (path.endsWith("/discover")) return json({ data: { scopes: [], resources: { all: { endpoints } } } })
      return body === undefined ? json({ message: "not found" }, 404) : json(body)
    })
    const endpoints = ["/roles", "/community-packages", "/tags", "/tags/{tagId}"].map((path) => ({
      method: "GET",
      path: `/api/v1${path}`
    }))
    return Effect.gen(function* () {
      const read = Effect.fnUntraced(function* (call: string, args = {}) {
        const answer = yield* ask("call_engine", { call, arguments: args })
        assert.isAtMost(new TextEncoder().encode(JSON.stringify(answer)).length, 8000, call)
        return answer
      })
      const all = yield* read("GET /roles")
      assert.deepInclude(Object(all["project"])[6], { slug: "role-6" })
      assert.match(Object(all["project"])[6].scopes.at(-1), /^\d+ more$/)
      assert.include(all["advice"], "a call that reads one item shows more of it")
      assert.deepInclude(Object((yield* read("GET /community-packages"))["data"])[0], { id: "a" })
      assert.deepInclude(yield* read("GET /tags/{tagId}", { tagId: "a" }), { id: "a" })
      const { nextCursor } = yield* read("GET /tags")
      answersByPath.set("/api/v1/tags", { data: [{ id: "b" }] })
      assert.deepInclude(yield* read("GET /tags", { cursor: nextCursor }), { data: [{ id: "b" }] })
    }).pipe(Effect.provide(serving(engine.client, {}, [ApiToolset])))
  })

  it.effect("go on behind a page by a cursor of ours, which keeps the arguments", () => {
    const pages = engineThat(({ path }) => {
      if (path === "/api/v1/openapi.yml" || path === "/api/v1/discover") return json({ message: "not found" }, 404)
      const { searchParams } = new URL(`http://local${path}`)
      const isSecond = searchParams.get("cursor") === "engine's"
      return json({ data: [{ id: isSecond ? "2" : "1", name: "N" }], nextCursor: isSecond ? null : "engine's" })
    })
    return Effect.gen(function* () {
      const call = { call: "GET /executions", arguments: { workflowId: "7", limit: 1 } }
      const { data, nextCursor } = yield* ask("call_engine", call)
      assert.deepStrictEqual(data, [{ id: "1", name: "N" }])
      const second = yield* ask("call_engine", { call: "GET /executions", arguments: { cursor: nextCursor } })
      assert.deepStrictEqual(second, { data: [{ id: "2", name: "N" }] })
      const [last] = pages.requests.slice(-1)
      assert.include(last?.path, "workflowId=7")
      const other = { call: "GET /tags", arguments: { cursor: nextCursor } }
      assert.include((yield* refused("call_engine", other)).message, "must be the nextCursor of an earlier")
    }).pipe(Effect.provide(serving(pages.client, {}, [ApiToolset])))
  })

  it.effect("ask for the rights of the key once in a while", () => {
    const { client, requests } = engineWith(described, ["GET /data-tables", "GET /workflows/{id}"])
    return Effect.gen(function* () {
      yield* ask("find_call", { text: "data tables" })
      yield* ask("call_engine", { call: "GET /data-tables" })
      yield* ask("call_engine", { call: "GET /data-tables" })
      assert.lengthOf(
        requests.filter(({ path }) => path.endsWith("/discover")),
        1
      )
    }).pipe(Effect.provide(serving(client, {}, [ApiToolset])))
  })

  it.effect("are refused before anything is sent, where they change something or their arguments are wrong", () => {
    const { client, requests } = engineWith(described)
    const rows = "GET /data-tables/{dataTableId}/rows"
    return Effect.gen(function* () {
      for (const [call, args, problem] of [
        ["POST /data-tables", {}, "changes something"],
        ["DELETE /workflows/{id}", { id: "1" }, "delete_workflow does that"],
        ["GET /data-table", {}, "did you mean GET /data-tables?"],
        ["GET /../../rest/login", {}, "is no call"],
        [rows, {}, "dataTableId"],
        [rows, { dataTableId: ".." }, "neither empty nor dots alone"],
        [rows, { dataTableId: "a", sort: "sideways" }, "must be up | down"],
        [rows, { dataTableId: "a", limit: 1000 }, "at most 250"],
        [rows, { dataTableId: "a", limitt: 1 }, "limit"],
        ["GET /round", {}, "is no call"],
        ["GET /outside", {}, "is no call"],
        ["POST /deep", {}, "is no call"],
        ["POST /away", {}, "is no call"]
      ] as const) {
        const { message } = yield* refused("call_engine", { call, arguments: args })
        assert.include(message, problem, call)
      }
      assert.deepStrictEqual(sentTo(requests), [])
    }).pipe(Effect.provide(serving(client, {}, [ApiToolset])))
  })

  it.effect("are those that the key may make, where the engine tells", () => {
    const { client } = engineWith(described, ["GET /data-tables"])
    return Effect.gen(function* () {
      const { best, notice, others } = yield* ask("find_call", { text: "data tables" })
      assert.deepInclude(best, { call: "GET /data-tables" })
      assert.isUndefined(others)
      assert.include(String(notice), "4 other calls")
      const { message } = yield* refused("call_engine", { call: "GET /workflows/{id}", arguments: { id: "1" } })
      assert.include(message, "is not among the calls that this key may make: give it the scope workflow:read")
      const { notice: denied } = yield* ask("find_call", { text: "delete a workflow" })
      assert.include(String(denied), "DELETE /workflows/{id} is not among the calls that this key may make")
    }).pipe(Effect.provide(serving(client, {}, [ApiToolset])))
  })

  it.effect("about data tables name the scope that the key lacks, and are not made then", () => {
    const table = { id: "A1b2C3d4E5f6G7h8", name: "Orders", columns: [] }
    const endpoints = [{ method: "GET", path: "/api/v1/data-tables" }]
    const { client, requests } = engineThat(({ path }) => {
      if (path === "/api/v1/discover") return json({ data: { scopes: [], resources: { all: { endpoints } } } })
      return json({ data: [table], nextCursor: null })
    })
    return Effect.gen(function* () {
      for (const action of ["rows", "count"]) {
        const { message } = yield* refused("read_data_table", { action, table: "Orders" })
        assert.include(message, "the API key lacks the scope dataTableRow:read")
      }
      endpoints.pop()
      const { message } = yield* refused("read_data_table", { action: "list" }).pipe(
        Effect.provide(Layer.fresh(serving(client, {}, [ApiToolset])))
      )
      assert.include(message, "the API key lacks the scope dataTable:list")
      assert.isEmpty(requests.filter(({ path }) => path.includes("/rows")))
    }).pipe(Effect.provide(serving(client, {}, [ApiToolset])))
  })

  it.effect("are read once for many questions", () => {
    const { client, requests } = engineWith(described)
    return Effect.gen(function* () {
      const questions = ["tables", "rows", "workflow"].map((text) => ask("find_call", { text }))
      yield* Effect.all(questions, { concurrency: "unbounded" })
      assert.lengthOf(
        requests.filter(({ path }) => path.endsWith("openapi.yml")),
        1
      )
      assert.isUndefined(
        requests.filter(isOfTheApi).find(({ path, headers }) => path.endsWith("yml") && "x-n8n-api-key" in headers)
      )
    }).pipe(Effect.provide(serving(client, {}, [ApiToolset])))
  })

  for (const [kind, step] of [
    ["something else than a description", answers(200, {}, "hello: world")],
    ["a page", answers(200, { "content-type": "text/html" }, "<html></html>")],
    ["a description of 4 MB", answers(200, {}, `${document}${"#".repeat(4_000_000)}`)],
    ["nothing", json({ message: "not found" }, 404)]
  ] as const) {
    it.effect(`are those of a version that is known where the engine answers ${kind}, which is said`, () =>
      Effect.gen(function* () {
        for (const [allowed, source] of [
          [undefined, "1.82.3"],
          [["GET /users", "GET /tags"], "2.41.1"]
        ] as const) {
          const { client } = engineWith(step, allowed)
          const answer = yield* ask("find_call", { text: "users" }).pipe(
            Effect.provide(Layer.fresh(serving(client, {}, [ApiToolset])))
          )
          assert.nestedPropertyVal(answer, "best.call", "GET /users")
          assert.nestedPropertyVal(answer, "best.arguments.limit", "number, at most 250")
          assert.include(String(answer["source"]), source)
        }
      })
    )
  }

  it.effect("are made on the embedded engine, too", () =>
    Effect.gen(function* () {
      assert.isArray((yield* ask("call_engine", { call: "GET /tags" }))["data"])
    }).pipe(Effect.provide(serverOverEmbedded({ seed: true }, [ApiToolset])))
  )

  it("are left out by name where their description is hostile", () => {
    const parameter = (schema: string, name = "q") =>
      `    get:\n      parameters:\n        - { name: ${name}, in: query, schema: ${schema} }`
    const post = (properties: string) =>
      `    post:\n      requestBody:\n        content:\n          application/json:\n            schema: { properties: ${properties} }`
    const schemas = (text: string) => `components:\n  schemas:\n${text}`
    const doubled = Array.from({ length: 30 }, (_, level) => {
      const next = `{ $ref: '#/components/schemas/s${level + 1}' }`
      return `    s${level}: { allOf: [${next}, ${next}] }\n`
    }).join("")
    const anchors = Array.from(
      "bcdefgh",
      (name, at) => `      ${name}: &${name} [${`*${"abcdefg"[at]}, `.repeat(8)}1]\n`
    )
    for (const [kind, path, components, problem] of [
      ["names of every object", parameter("{ type: string }", "constructor"), "", "a name in it is one that"],
      ["fields of every object", post("{ __proto__: { type: string } }"), "", "a name in it is one that"],
      ["200,000 choices", parameter(`{ enum: [${"v, ".repeat(200_000)}v] }`), "", "/a"],
      ["20,000 choices", parameter(`{ enum: [${"v, ".repeat(20_000)}v] }`), "", "it is too large"],
      ["references without end", parameter("{ $ref: '#/components/schemas/s0' }"), schemas(doubled), "it is too large"],
      [
        "references in a ring",
        parameter("{ $ref: '#/components/schemas/a' }"),
        schemas("    a: { $ref: '#/components/schemas/b' }\n    b: { $ref: '#/components/schemas/a' }\n"),
        "lead into each other"
      ],
      ["a file", parameter("{ $ref: 'file:///etc/passwd' }"), "", "leads to nothing in the document"],
      ["another document", parameter("{ $ref: 'https://example.com/#/a' }"), "", "leads to nothing in the document"],
      ["anchors", `    get:\n      a: &a [1]\n${anchors.join("")}      parameters: [*h, *h]`, "", "it is too large"],
      ["a list in a list", `    get: ${"[".repeat(40_000)}${"]".repeat(40_000)}`, "", "/a"],
      ["a line of 2 MB", `    get: { summary: ${"x".repeat(2_000_000)} }`, "", "/a"],
      ["200 kB that may be many keys", `    ${"a: ".repeat(70_000)}\u2028`, "", "/a"],
      ["300,000 lines", "    get:\n".repeat(300_000), "", "/a"]
    ] as const) {
      const text = `openapi: 3.0.0\npaths:\n  /a:\n${path}\n  /b:\n    get: { summary: Something else }\n${components}`
      const { calls, unreadable } = Option.getOrThrow(atOnce(readDescription(text)))
      assert.deepStrictEqual([kind, ...calls.map(({ call }) => call)], [kind, "GET /b"])
      assert.include(unreadable.join(), problem, kind)
    }
    const paths = Array.from({ length: 2001 }, (_, at) => `  /p${at}:\n    get: {}\n`).join("")
    assert.isTrue(Option.isNone(atOnce(readDescription(`openapi: 3.0.0\npaths:\n${paths}`))))
  })

  it("take texts by the formats and patterns of their shapes, alternatives and parts included", () => {
    const commit = { type: "string", pattern: "^[0-9a-f]{4}([0-9a-f]{2})?$" }
    const url = { type: "object", properties: { url: { type: "string", format: "uri" } } }
    for (const [shape, right, wrong] of [
      [commit, "01af", "01a"],
      [commit, "01af9c", "01af9"],
      [{ type: "string", format: "uri" }, "https://example.com/a?b=c", "example.com"],
      [{ oneOf: [url, { type: "string" }] }, { url: "https://example.com" }, { url: "here" }],
      [{ allOf: [url] }, { url: "otlp:a" }, { url: "" }],
      [{ anyOf: [commit, { type: "string", format: "email" }] }, "ann@example.com", "ann"],
      [{ type: "string", format: "constructor" }, "a", 1]
    ] as const) {
      const check = Option.getOrThrow(checkerOf(shape))
      assert.isUndefined(check(right), JSON.stringify([shape, right]))
      assert.isDefined(check(wrong), JSON.stringify([shape, wrong]))
    }
  })

  it("match no text by a pattern that could take for ever", () => {
    for (const pattern of ["^(a+)+$", "^(a|a)*$", "^([a-z]+)*x$", "(?:", "(a".repeat(5000)]) {
      const check = Option.getOrThrow(checkerOf({ type: "string", pattern }))
      assert.isUndefined(check(`${"a".repeat(100_000)}!`), pattern.slice(0, 20))
    }
    const check = Option.getOrThrow(checkerOf({ type: "string", pattern: "^[a-z]+$" }))
    assert.deepInclude(check(`${"a".repeat(100_000)}!`), { problem: "must be like ^[a-z]+$" })
  })

  it("are read of no text that only looks like a description", () => {
    for (const text of ["", "paths:", "openapi: 3.0.0\npaths:", "openapi: 2.0\npaths:\n  /a:\n    get: {}"]) {
      const calls = Option.map(atOnce(readDescription(text)), (description) => description.calls.length)
      assert.include([undefined, 0], Option.getOrUndefined(calls), text)
    }
  })
})
