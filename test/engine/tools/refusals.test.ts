import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { answers } from "../../internal/http/standIn.ts"
import { ask, type Json, refused } from "../../support/harness.ts"
import { engineThat, json, serving } from "./standIn.ts"

const node = { name: "Hook", type: "n8n-nodes-base.webhook", typeVersion: 2, position: [0, 0] }

const calls: ReadonlyArray<readonly [string, Json]> = [
  ["list_workflows", {}],
  ["create_workflow", { name: "Orders", nodes: [node] }],
  ["update_tag", { id: "1", name: "red" }],
  ["delete_credential", { id: "1" }]
]

/** Additions to the text, for callers that see nothing else. */
const added: Readonly<Record<string, string>> = {
  "404 update_tag": " (tag 1 on instance production)",
  "404 delete_credential": " (credential 1 on instance production)",
  "409 update_tag":
    " on instance production: red. Tag 1 was not renamed. Workaround: delete it with delete_tag and create one of that name with create_tag; " +
    "its workflows lose it. If another tag has that name already (see get_tags), use that one"
}

describe("the refusal of an engine", () => {
  for (const status of [400, 404, 409, 413, 415, 422, 500]) {
    it.live(`keeps its status ${status} and its words, with the instance beside them`, () => {
      const { client } = engineThat(() => json({ message: "No thanks", hint: "Ask nicely" }, status))
      return Effect.gen(function* () {
        for (const [tool, args] of calls) {
          assert.deepStrictEqual(yield* refused(tool, args), {
            code: -32000,
            message: `API error: No thanks${added[`${status} ${tool}`] ?? ""}`,
            data: {
              code: "API_ERROR",
              instance: "production",
              httpStatus: status,
              apiResponse: { message: "No thanks", hint: "Ask nicely" }
            }
          })
        }
      }).pipe(Effect.provide(serving(client)))
    })
  }

  it.live("is a lack of permissions where the key may not do it", () =>
    Effect.gen(function* () {
      for (const [tool, args] of calls) {
        assert.deepStrictEqual(yield* refused(tool, args), {
          code: -32000,
          message: "API call failed for instance production: Insufficient permissions.",
          data: {
            code: "API_ERROR",
            instance: "production",
            httpStatus: 403,
            apiResponse: { message: "Forbidden" }
          }
        })
      }
    }).pipe(Effect.provide(serving(engineThat(() => json({ message: "Forbidden" }, 403)).client)))
  )

  it.live("is never taken for success, whatever its body", () => {
    const pages = [
      answers(200, { "content-type": "text/html" }, "<h1>Please sign in</h1>"),
      answers(200, {}, "null"),
      answers(200, {}, "{"),
      json([]),
      json({ data: "none" }),
      json({ data: [{ id: 1 }], nextCursor: 7 })
    ]
    return Effect.gen(function* () {
      for (const page of pages) {
        const { data, message } = yield* refused("list_workflows").pipe(
          Effect.provide(serving(engineThat(() => page).client))
        )
        assert.match(
          message,
          /^API error: the answer of instance production has (status 200 and is|another shape than the API promises)/
        )
        assert.include(data, { code: "API_ERROR", httpStatus: 200 })
      }
    })
  })
})

describe("the refusal of a gateway in front of the engine", () => {
  const logins = {
    "a login page": answers(401, { "content-type": "text/html" }, "<html><h1>401 Authorization Required</h1></html>"),
    "a page without a type": answers(401, {}, "\n<!DOCTYPE html><title>Sign in</title>"),
    "a request for a password": answers(401, { "www-authenticate": 'Basic realm="canary"' }, ""),
    "a gateway's JSON": answers(
      401,
      { "www-authenticate": "Key", "content-type": "application/json" },
      '{"message":"No API key found"}'
    ),
    "a proxy's 407": answers(407, { "proxy-authenticate": "Basic" }, "Proxy login")
  }
  for (const [what, answer] of Object.entries(logins)) {
    it.live(`is not blamed on the engine's key: ${what}`, () =>
      Effect.gen(function* () {
        const { code, data, message } = yield* refused("list_workflows")
        assert.strictEqual(code, -32000)
        assert.match(
          message,
          /^API error: a proxy or gateway in front of instance production asks for a login of its own \(status/
        )
        assert.match(message, /`headers` or `proxy` of this instance/)
        assert.notMatch(message, /Check API key|canary/)
        assert.include(data, { code: "API_ERROR", instance: "production" })
      }).pipe(Effect.provide(serving(engineThat(() => answer).client)))
    )
  }

  it.live("a page with status 403 is the gateway's refusal, not a lack of rights of the key", () =>
    Effect.gen(function* () {
      const { data, message } = yield* refused("list_workflows")
      assert.match(
        message,
        /^API error: a proxy or gateway in front of instance production refuses the request with a page/
      )
      assert.include(data, { code: "API_ERROR", httpStatus: 403 })
    }).pipe(
      Effect.provide(
        serving(engineThat(() => answers(403, { "content-type": "text/html" }, "<h1>Blocked</h1>")).client)
      )
    )
  )

  it.live("a page with status 404 may mean that the engine is starting, which the error says", () =>
    Effect.gen(function* () {
      const { message } = yield* refused("get_workflow", { id: "1" })
      assert.match(message, /If the engine is starting, try again in a moment; else its host is not that of an engine/)
    }).pipe(
      Effect.provide(serving(engineThat(() => answers(404, { "content-type": "text/html" }, "Cannot GET /")).client))
    )
  )
})

describe("a list of an engine that is not to be trusted", () => {
  it.live("ends where its cursor repeats", () => {
    const { requests, client } = engineThat(() => json({ data: [], nextCursor: "same" }))
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* ask("list_workflows"), { data: [] })
      assert.lengthOf(requests, 2)
    }).pipe(Effect.provide(serving(client)))
  })

  it.live("holds only what was asked for, and never an empty page before the end", () => {
    const on = (id: string) => ({ id, name: id, active: true, nodes: [node], tags: [{ id: "t", name: "red" }] })
    const off = { ...on("off"), active: false }
    const pages = [[off, off], [off, on("a")], [{ ...on("b"), tags: [] }], [on("c")]]
    const { requests, client } = engineThat(({ path }) => {
      const page = Number(new URLSearchParams(path.split("?")[1]).get("cursor") ?? 0)
      return json({ data: pages[page], nextCursor: page + 1 < pages.length ? String(page + 1) : null })
    })
    return Effect.gen(function* () {
      const first = yield* ask("list_workflows", { active: true, tags: ["red"], limit: 2 })
      assert.nestedPropertyVal(first, "data[0].id", "a")
      assert.nestedPropertyVal(first, "data.length", 1)
      const second = yield* ask("list_workflows", { cursor: first.nextCursor })
      assert.nestedPropertyVal(second, "data[0].id", "c")
      assert.notProperty(second, "nextCursor")
      assert.deepStrictEqual(
        requests.map(({ path }) => path),
        ["limit=2", "cursor=1", "cursor=2", "cursor=3"].map((page) =>
          page.startsWith("limit")
            ? `/api/v1/workflows?active=true&${page}&tags=red`
            : `/api/v1/workflows?active=true&${page}&tags=red`
        )
      )
    }).pipe(Effect.provide(serving(client)))
  })
})
