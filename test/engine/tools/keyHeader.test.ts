import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { answers } from "../../internal/http/standIn.ts"
import { ask, refused } from "../../support/harness.ts"
import { type ReceivedRequest, engineThat, json, key, serving } from "./standIn.ts"

const ours = "x-engine-api-key"
const theirs = "x-n8n-api-key"

/** The headers that carried the key, request by request. */
const carried = (requests: ReadonlyArray<ReceivedRequest>) =>
  requests.map(({ headers }) => [ours, theirs].filter((header) => headers[header] !== undefined))

/** An engine that takes the key in one header only, and refuses unknown paths before it looks at the key. */
const taking = (header: string) =>
  engineThat(({ headers, path }) => {
    if (/\/(?:retry|discover)$/.test(path)) return json({ message: "not found" }, 404)
    return headers[header] === key ? json({ data: [] }) : json({ message: "unauthorized" }, 401)
  })

describe("the header of the API key", () => {
  it.live("is X-ENGINE-API-KEY where the engine takes it", () => {
    const { requests, client } = taking(ours)
    return Effect.gen(function* () {
      yield* ask("list_workflows")
      yield* ask("get_tags")
      assert.deepStrictEqual(carried(requests), [[ours], [ours]])
    }).pipe(Effect.provide(serving(client)))
  })

  it.live("is learnt from the first call where the engine takes the other one, and kept", () => {
    const { requests, client } = taking(theirs)
    return Effect.gen(function* () {
      yield* ask("list_workflows")
      yield* ask("get_tags")
      yield* ask("list_executions")
      assert.deepStrictEqual(carried(requests), [[ours], [theirs], [theirs], [theirs]])
    }).pipe(Effect.provide(serving(client)))
  })

  it.live("is not learnt from an answer for which the engine never read the key", () => {
    const { requests, client } = taking(theirs)
    return Effect.gen(function* () {
      assert.property(yield* ask("retry_execution", { id: 1 }), "guidance")
      yield* ask("list_workflows")
      // The first one asks what is offered, the third one whether it was an engine that knew no such path.
      assert.deepStrictEqual(carried(requests), [[ours], [ours], [ours], [theirs], [theirs]])
    }).pipe(Effect.provide(serving(client)))
  })

  it.live.each([
    ["a login page", () => answers(200, { "content-type": "text/html" }, "<!DOCTYPE html><title>Sign in</title>")],
    ["an empty answer", () => answers(200, { "content-type": "application/json" }, "")],
    ["JSON of something else", () => json({ status: "ok" })]
  ] as const)("is not learnt from %s in front of the engine", ([, inFront]) => {
    let isClosed = true
    const { client, requests } = engineThat(({ headers }) => {
      if (isClosed) return inFront()
      return headers[theirs] === key ? json({ data: [] }) : json({ message: "unauthorized" }, 401)
    })
    return Effect.gen(function* () {
      yield* refused("list_workflows")
      isClosed = false
      yield* ask("list_workflows")
      assert.deepStrictEqual(carried(requests), [[ours], [ours], [theirs]])
    }).pipe(Effect.provide(serving(client)))
  })

  it.live("is not tried in another form where something else asks for a login", () => {
    const { client, requests } = engineThat(() => json({ error: "login required", code: 7 }, 401))
    return Effect.gen(function* () {
      const { message } = yield* refused("list_workflows")
      assert.notInclude(message, "Check API key")
      assert.deepStrictEqual(carried(requests), [[ours]])
    }).pipe(Effect.provide(serving(client)))
  })

  it.live("is tried in two forms at most, and the first refusal is answered", () => {
    const { requests, client } = engineThat(({ headers }) =>
      json({ message: headers[ours] === undefined ? "second words" : "first words" }, 401)
    )
    return Effect.gen(function* () {
      const error = yield* refused("list_workflows")
      assert.deepStrictEqual(error, {
        code: -32000,
        message: "API call failed for instance production: Authentication failed. Check API key.",
        data: {
          code: "AUTHENTICATION_ERROR",
          instance: "production",
          httpStatus: 401,
          apiResponse: { message: "first words" }
        }
      })
      assert.lengthOf(requests, 2)
    }).pipe(Effect.provide(serving(client)))
  })

  it.live("is not learnt anew for a key that is refused later", () => {
    let isRevoked = false
    const { requests, client } = engineThat(() =>
      isRevoked ? json({ message: "unauthorized" }, 401) : json({ data: [] })
    )
    return Effect.gen(function* () {
      yield* ask("list_workflows")
      isRevoked = true
      assert.include((yield* refused("list_workflows")).data, { code: "AUTHENTICATION_ERROR" })
      assert.deepStrictEqual(carried(requests), [[ours], [ours]])
    }).pipe(Effect.provide(serving(client)))
  })

  it.live("is only the configured one where the configuration names it", () => {
    const { requests, client } = taking(ours)
    return Effect.gen(function* () {
      yield* refused("list_workflows")
      assert.deepStrictEqual(carried(requests), [[theirs]])
    }).pipe(Effect.provide(serving(client, { apiKeyHeader: "X-N8N-API-KEY" })))
  })

  it.live("is the only place of the key, beside the JSON headers", () => {
    const { requests, client } = engineThat(({ method }) =>
      method === "POST" ? json({ id: "1", name: "red" }, 201) : json({ data: [] })
    )
    return Effect.gen(function* () {
      yield* ask("list_workflows", { limit: 5, active: true })
      yield* ask("create_tag", { name: "red" })
      const [list, create] = requests
      assert.include(list?.headers, { accept: "application/json", [ours]: key })
      assert.include(create?.headers, { accept: "application/json", "content-type": "application/json", [ours]: key })
      for (const { body, path } of requests) {
        for (const form of [key, encodeURIComponent(key), btoa(key)]) assert.notInclude(path + body, form)
      }
      assert.strictEqual(list?.path, "/api/v1/workflows?active=true&limit=5")
    }).pipe(Effect.provide(serving(client)))
  })

  it.live("is learnt from an engine that was still starting when it was first called", () => {
    let calls = 0
    const starting = answers(200, { "content-type": "text/html" }, "n8n is starting up. Please wait")
    const { requests, client } = engineThat(({ headers }) => {
      if (++calls === 1) return starting
      return headers[theirs] === key ? json({ data: [] }) : json({ message: "unauthorized" }, 401)
    })
    return Effect.gen(function* () {
      yield* ask("list_workflows")
      assert.deepStrictEqual(carried(requests), [[ours], [ours], [theirs]])
    }).pipe(Effect.provide(serving(client)))
  })
})
