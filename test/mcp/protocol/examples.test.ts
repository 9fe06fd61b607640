import { readFileSync } from "node:fs"

import { assert, layer } from "@effect/vitest"
import { Effect, Predicate, Schema } from "effect"

import { FixtureServer } from "../../support/fixtures/FixtureServer.ts"
import * as Http from "../../support/fixtures/HttpClient.ts"
import { modernMeta, request } from "../../support/fixtures/messages.ts"
import * as Stdio from "../../support/fixtures/StdioClient.ts"

const Examples = Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown))

const examples = Object.values(
  Schema.decodeUnknownSync(Schema.fromJsonString(Examples))(
    readFileSync(new URL("../../data/mcp/2026-07-28.examples.json", import.meta.url), "utf8")
  )
).flatMap((named) => Object.values(named))

/** The value with each of its fields, at any depth, left out or replaced in turn. */
const mutations = (value: unknown): ReadonlyArray<unknown> => {
  if (!Predicate.isObject(value) && !Array.isArray(value)) return [null, 0.5, "", true, [], {}]
  return Object.entries(value).flatMap(([key, field]) => {
    const others = Object.entries(value).filter(([name]) => name !== key)
    const rebuilt = (pairs: ReadonlyArray<readonly [string, unknown]>): unknown =>
      Array.isArray(value) ? pairs.map(([, each]) => each) : Object.fromEntries(pairs)
    return [
      rebuilt(others),
      ...[null, 0.5, "", true, [], {}].map((wrong) => rebuilt([...others, [key, wrong]])),
      ...mutations(field).map((mutated) => rebuilt([...others, [key, mutated]]))
    ]
  })
}

type Kind =
  | { readonly kind: "request"; readonly id: unknown }
  | { readonly kind: "silent" }
  | { readonly kind: "wrong" }

const isId = (id: unknown) => Predicate.isString(id) || Number.isSafeInteger(id)

/** The meaning of a message in JSON-RPC and MCP, said once more and independently. */
const kindOf = (message: unknown): Kind => {
  if (!Predicate.isObject(message)) return { kind: "wrong" }
  const { error, id, jsonrpc, method, params, result }: Record<string, unknown> = { ...message }
  if (jsonrpc !== "2.0") return { kind: "wrong" }
  if (!("method" in message)) {
    const isReply = (result === undefined) !== (error === undefined) && (id === undefined || id === null || isId(id))
    return { kind: isReply ? "silent" : "wrong" }
  }
  if (!Predicate.isString(method)) return { kind: "wrong" }
  if (params !== undefined && !Predicate.isObject(params) && !Array.isArray(params)) return { kind: "wrong" }
  if (!("id" in message)) return { kind: "silent" }
  return isId(id) ? { kind: "request", id } : { kind: "wrong" }
}

/** The headers a correct client would send with the message. */
const headersOf = (message: unknown): Record<string, string> => {
  const { method, params } = Object(message)
  const version: unknown = Object(Object(params)._meta)["io.modelcontextprotocol/protocolVersion"]
  if (!Predicate.isString(version) || !Predicate.isString(method)) return {}
  const name: unknown = Object(params)[method === "resources/read" ? "uri" : "name"]
  return {
    "mcp-protocol-version": version,
    "mcp-method": method,
    ...(Predicate.isString(name) ? { "mcp-name": name } : {})
  }
}

/** Each once: what examples have in common, they mutate into. */
const messages = [
  ...new Map(
    examples
      .flatMap((example) => [example, ...mutations(example)])
      .filter((message) => !Array.isArray(message))
      .map((message) => [JSON.stringify(message), message])
  ).values()
]

/** In milliseconds; thousands of requests take seconds even where nothing else is running. */
const timeout = 120_000

layer(FixtureServer)(`the ${examples.length} official examples, mutated field by field`, (it) => {
  it.effect(
    `over HTTP: all ${messages.length} are answered as what they are`,
    () =>
      Effect.gen(function* () {
        const client = yield* Http.connect()
        for (const message of messages) {
          const reply = yield* client.send(message, headersOf(message))
          const expected = kindOf(message)
          const text = JSON.stringify(message)
          if (expected.kind === "silent") {
            assert.strictEqual(reply.status, 202, text)
            continue
          }
          assert.lengthOf(reply.messages, 1, text)
          const answer = Object(reply.messages[0])
          if (expected.kind === "request") {
            assert.strictEqual(answer.id, expected.id, text)
            assert.include([200, 400, 404], reply.status, text)
          } else {
            assert.strictEqual(reply.status, 400, text)
            assert.strictEqual(answer.error.code, -32600, text)
          }
        }
      }),
    timeout
  )

  it.effect(
    "over stdio: each gets one line or none, and the next request is served",
    () =>
      Effect.gen(function* () {
        const client = yield* Stdio.connect
        let expected = 0
        for (const message of messages) {
          yield* client.send(message)
          if (kindOf(message).kind === "silent") continue
          expected++
          yield* client.receive
        }
        assert.isAbove(expected, 1000)
        assert.strictEqual(yield* client.pending, 0)
        const pong = yield* client.request("tools/list", { _meta: modernMeta })
        assert.nestedPropertyVal(pong, "result.resultType", "complete")
      }),
    timeout
  )

  it.effect("the requests among them are served where this server has what they ask for", () =>
    Effect.gen(function* () {
      const client = yield* Http.connect()
      const served = examples.filter((example) => kindOf(example).kind === "request")
      const outcomes = new Map<string, number>()
      for (const message of served) {
        const { messages } = yield* client.send(message, headersOf(message))
        outcomes.set(Object(message).method, Object(messages[0]).error?.code ?? 0)
      }
      assert.deepEqual(Object.fromEntries(outcomes), {
        "completion/complete": -32602,
        "prompts/get": -32602,
        "prompts/list": 0,
        "resources/list": 0,
        "resources/read": -32602,
        "resources/templates/list": 0,
        "server/discover": 0,
        // These clients accept no stream.
        "subscriptions/listen": -32600,
        "tools/call": -32602,
        "tools/list": 0
      })
    })
  )
})

layer(FixtureServer)("a message with every member that no one asked for", (it) => {
  it.effect("is served as if they were not there", () =>
    Effect.gen(function* () {
      const client = yield* Http.connect()
      const { messages } = yield* client.send({ ...request("ping"), extra: { deep: [1] }, trace: null })
      assert.deepEqual(messages, [{ jsonrpc: "2.0", id: 1, result: {} }])
    })
  )
})
