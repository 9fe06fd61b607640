import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { HttpClient, type HttpClientRequest, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"

import { EmbeddedEngine } from "../../../src/engine/embedded/EmbeddedEngine.ts"
import { WorkflowJournal } from "../../../src/engine/plans/Plans.ts"
import * as Message from "../../../src/mcp/protocol/Message.ts"
import { find } from "../../../src/mcp/protocol/ProtocolVersion.ts"
import { Sessions } from "../../../src/mcp/protocol/Session.ts"
import * as Http from "../../support/fixtures/HttpClient.ts"
import { initialize, modernHeaders, modernRequest, toolCall } from "../../support/fixtures/messages.ts"
import { ask, environment } from "../../support/harness.ts"
import { planServer } from "../../support/planServer.ts"
import { assertScopesAreNamed, callOf, chain, scopes } from "../../support/scopedKeys.ts"

const Discovery = Schema.Struct({
  data: Schema.StructWithRest(
    Schema.Struct({
      scopes: Schema.Array(Schema.String),
      resources: Schema.Record(
        Schema.String,
        Schema.Struct({ endpoints: Schema.Array(Schema.Struct({ method: Schema.String, path: Schema.String })) })
      )
    }),
    [Schema.Record(Schema.String, Schema.Unknown)]
  )
})
const readDiscovery = HttpClientResponse.schemaBodyJson(Discovery)

/** An engine of generation 2 whose key lacks these scopes, and the changes that it was sent. */
const scopedEngine = Effect.gen(function* () {
  const { apiKey, host, httpClient } = yield* EmbeddedEngine
  let lacking: ReadonlyArray<string> = []
  let changes: Array<string> = []
  const answer = (request: HttpClientRequest.HttpClientRequest, status: number, body: unknown) =>
    HttpClientResponse.fromWeb(request, Response.json(body, { status }))
  const without = ({ data }: typeof Discovery.Type) => {
    const isLeft = ({ method, path }: { readonly method: string; readonly path: string }) =>
      !lacking.includes(scopes[callOf(method, path)] ?? "")
    const resources = Object.entries(data.resources).map(
      ([name, { endpoints }]) => [name, { endpoints: endpoints.filter(isLeft) }] as const
    )
    const left = data.scopes.filter((scope) => !lacking.includes(scope))
    return { data: { scopes: left, resources: Object.fromEntries(resources) } }
  }
  const client = HttpClient.transform(httpClient, (proceed, request) => {
    const { pathname } = new URL(request.url, host)
    if (pathname === "/api/v1/discover") {
      return Effect.flatMap(proceed, (reply) => {
        if (reply.status !== 200) return Effect.succeed(reply)
        return Effect.map(Effect.orDie(readDiscovery(reply)), (offer) => answer(request, 200, without(offer)))
      })
    }
    const scope = scopes[callOf(request.method, pathname)]
    if (scope !== undefined) changes.push(scope)
    return scope !== undefined && lacking.includes(scope)
      ? Effect.succeed(answer(request, 403, { message: "Forbidden" }))
      : proceed
  })
  const journal = Layer.succeedContext(yield* Layer.build(WorkflowJournal.layerMemory))
  const instance = environment(host, Redacted.value(apiKey), { requestsPerSecond: 5000 })
  // What a server has learnt of a key it keeps for a while: each call is that of a new one.
  const server = (names: ReadonlyArray<string>) =>
    planServer(
      Object.fromEntries(names.map((name) => [name, instance])),
      Layer.succeed(HttpClient.HttpClient, client),
      {},
      journal
    )
  const withKeyLacking = <A, E, R>(
    missing: ReadonlyArray<string>,
    call: Effect.Effect<A, E, R>,
    names: ReadonlyArray<string> = ["production"]
  ) =>
    Effect.suspend(() => {
      lacking = missing
      changes = []
      return Effect.map(Effect.provide(call, server(names)), (outcome) => ({ outcome, changes }))
    })
  return { withKeyLacking }
})

/** A client over stdio: what it asks, and the methods of what it is sent unasked. */
const stdioClient = Effect.gen(function* () {
  const sent = new Array<string>()
  const { receive } = (yield* Sessions).open(legacy, ({ method }) => Effect.sync(() => void sent.push(method)))
  const ask = (method: string, params: object) =>
    Effect.map(receive(Message.read({ jsonrpc: "2.0", id: 1, method, params })), (outcome) =>
      Object(Option.getOrThrow(outcome).response)
    )
  const tools = Effect.map(ask("tools/list", {}), ({ result }) => {
    const listed: ReadonlyArray<{ readonly name: string }> = result.tools
    return listed.map(({ name }) => name)
  })
  return { ask, sent, tools }
})
const legacy = find("2025-11-25") ?? assert.fail("no such revision")
const listChanged = "notifications/tools/list_changed"

describe("the list of tools", () => {
  it.effect(
    "leaves out what the only key was found to lack, tells a client that has listed, and forgets it in time",
    () =>
      Effect.gen(function* () {
        const { withKeyLacking } = yield* scopedEngine
        const seen = Effect.gen(function* () {
          const { ask, sent, tools } = yield* stdioClient
          const handshake = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } }
          assert.nestedPropertyVal(yield* ask("initialize", handshake), "result.capabilities.tools.listChanged", true)
          const before = yield* tools
          assert.includeMembers(before, ["delete_tag", "create_tag", "delete_workflow", "archive_workflow"])
          yield* ask("tools/call", { name: "get_tags", arguments: {} })
          assert.deepStrictEqual(sent, [])
          const call = { name: "delete_tag", arguments: { id: "1" } }
          const { error } = yield* ask("tools/call", call)
          assert.include(error.message, "tag:delete")
          assert.deepStrictEqual(sent, [listChanged])
          const after = yield* tools
          const without = before.filter((name) => !["delete_tag", "delete_workflow", "archive_workflow"].includes(name))
          assert.deepStrictEqual(after, without)
          assert.include((yield* ask("tools/call", call)).error.message, "tag:delete")
          assert.lengthOf(sent, 1)
          yield* TestClock.adjust("5 minutes")
          yield* ask("tools/call", { name: "get_tags", arguments: {} })
          assert.lengthOf(sent, 2)
          assert.deepStrictEqual(yield* tools, before)
        })
        yield* withKeyLacking(["tag:delete", "workflow:delete"], seen)
      }).pipe(Effect.provide(EmbeddedEngine.layer({ version: "2.41.1" })))
  )

  it.effect("is announced over HTTP to subscriptions, and on the stream of the call of a session that has one", () =>
    Effect.gen(function* () {
      const { withKeyLacking } = yield* scopedEngine
      const called = toolCall("delete_tag", { id: "1" })
      const seen = Effect.gen(function* () {
        const client = yield* Http.connect()
        const listening = yield* client.open(
          modernRequest("subscriptions/listen", { notifications: { toolsListChanged: true } }),
          modernHeaders("subscriptions/listen")
        )
        assert.nestedPropertyVal(yield* listening.next, "method", "notifications/subscriptions/acknowledged")
        const handshake = yield* client.send(initialize("2025-11-25", "init", { elicitation: {} }))
        assert.nestedPropertyVal(handshake.messages[0], "result.capabilities.tools.listChanged", true)
        const session = {
          "mcp-session-id": handshake.headers.get("mcp-session-id") ?? "",
          "mcp-protocol-version": "2025-11-25"
        }
        const stream = yield* client.open(called, session)
        assert.nestedPropertyVal(yield* stream.next, "method", listChanged)
        assert.nestedPropertyVal(yield* stream.next, "error.data.code", "API_ERROR")
        assert.nestedPropertyVal(yield* listening.next, "method", listChanged)
        yield* listening.leave
        const again = yield* client.open(called, session)
        assert.nestedPropertyVal(yield* again.next, "error.data.code", "API_ERROR")
        const bare = yield* client.send(initialize("2025-11-25"))
        assert.deepNestedPropertyVal(bare.messages[0], "result.capabilities.tools", {})
      })
      yield* withKeyLacking(["tag:delete"], seen)
    }).pipe(Effect.provide(EmbeddedEngine.layer({ version: "2.41.1" })))
  )

  it.effect("keeps what another instance may allow, whose rights nobody has read", () =>
    Effect.gen(function* () {
      const { withKeyLacking } = yield* scopedEngine
      const seen = Effect.gen(function* () {
        const { ask, sent, tools } = yield* stdioClient
        const before = yield* tools
        yield* ask("tools/call", { name: "delete_tag", arguments: { id: "1", instance: "production" } })
        assert.deepStrictEqual(sent, [])
        assert.deepStrictEqual(yield* tools, before)
        yield* ask("tools/call", { name: "delete_tag", arguments: { id: "1", instance: "staging" } })
        assert.deepStrictEqual(sent, [listChanged])
        assert.notInclude(yield* tools, "delete_tag")
      })
      yield* withKeyLacking(["tag:delete"], seen, ["production", "staging"])
    }).pipe(Effect.provide(EmbeddedEngine.layer({ version: "2.41.1" })))
  )
})

describe("a key that lacks a scope", () => {
  it.live("is told by every tool and plan before it sends a change, whichever scope it is", () =>
    Effect.gen(function* () {
      const { withKeyLacking } = yield* scopedEngine
      yield* assertScopesAreNamed(withKeyLacking, "rights-of-a-key")
    }).pipe(Effect.provide(EmbeddedEngine.layer({ version: "2.41.1" })))
  )

  it.live("makes a plan that says so, and lets it change nothing", () =>
    Effect.gen(function* () {
      const { withKeyLacking } = yield* scopedEngine
      const made = yield* withKeyLacking([], ask("create_workflow", { name: "Planned", ...chain }))
      const planned = { action: ["activate"], where: { ids: [made.outcome["id"]] } }
      const { changes, outcome } = yield* withKeyLacking(["workflow:activate"], ask("plan_bulk", planned))
      assert.deepStrictEqual(changes, [])
      assert.match(JSON.stringify(outcome["warnings"]), /lacks the scope workflow:activate/)
    }).pipe(Effect.provide(EmbeddedEngine.layer({ version: "2.41.1" })))
  )
})
