import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { HttpClient, type HttpClientRequest, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"

import { EmbeddedEngine } from "../../../src/engine/embedded/EmbeddedEngine.ts"
import { WorkflowJournal } from "../../../src/engine/plans/Plans.ts"
import * as Message from "../../../src/mcp/protocol/Message.ts"
import { find } from "../../../src/mcp/protocol/ProtocolVersion.ts"
import { Sessions } from "../../../src/mcp/protocol/Session.ts"
import { everyTool, idIn, type Ids } from "../../support/everyTool.ts"
import * as Http from "../../support/fixtures/HttpClient.ts"
import { initialize, modernHeaders, modernRequest, toolCall } from "../../support/fixtures/messages.ts"
import { ask, callTool, environment, type Json } from "../../support/harness.ts"
import { planServer } from "../../support/planServer.ts"

/** The scopes of changing calls, by method and the path without ids, as the real engine has them. */
const scopes: Readonly<Record<string, string>> = {
  "POST /workflows": "workflow:create",
  "PUT /workflows": "workflow:update",
  "DELETE /workflows": "workflow:delete",
  "POST /workflows/activate": "workflow:activate",
  "POST /workflows/deactivate": "workflow:deactivate",
  "POST /workflows/archive": "workflow:delete",
  "POST /workflows/unarchive": "workflow:delete",
  "PUT /workflows/tags": "workflowTags:update",
  "DELETE /executions": "execution:delete",
  "POST /executions/retry": "execution:retry",
  "POST /credentials": "credential:create",
  "PATCH /credentials": "credential:update",
  "DELETE /credentials": "credential:delete",
  "POST /tags": "tag:create",
  "PUT /tags": "tag:update",
  "DELETE /tags": "tag:delete"
}

/** A call without the ids in its path. */
const callOf = (method: string, path: string) =>
  `${method} ${path.replace(/^\/api\/v1/, "").replace(/^(\/\w+)\/[^/{]+|\/\{\w+\}/, "$1")}`

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

const schedule = { name: "Daily", type: "engine-nodes-base.scheduleTrigger", typeVersion: 1.2, position: [0, 0] }
const set = { name: "Set", type: "engine-nodes-base.set", typeVersion: 3.4, position: [200, 0], parameters: {} }
const chain = {
  nodes: [{ ...schedule, parameters: { rule: { interval: [{ field: "days" }] } } }, set],
  connections: [{ source: "Daily", target: "Set" }]
}
const id = ({ create_workflow: made }: Ids) => made

/** Calls beside those of every tool of the contract: of operators, of plans, and of several changes at once. */
const further: ReadonlyArray<readonly [tool: string, args: (ids: Ids) => Json]> = [
  ["create_tag", () => ({ name: "rights" })],
  ["create_workflow", ({ create_tag: tag }) => ({ name: "Rights", ...chain, tags: [tag], active: true })],
  ["update_workflow", (ids) => ({ id: id(ids), name: "Rights again", active: false })],
  [
    "edit_workflow",
    (ids) => ({
      id: id(ids),
      operations: [
        { op: "rename", node: "Set", name: "Put" },
        { op: "untag", value: "rights" }
      ]
    })
  ],
  [
    "edit_workflow",
    (ids) => ({ id: id(ids), copy_as: "Rights, copied", operations: [{ op: "tag", value: "rights" }] })
  ],
  ["run_workflow", (ids) => ({ id: id(ids) })],
  ["restore_workflow", (ids) => ({ id: id(ids) })],
  ["archive_workflow", (ids) => ({ id: id(ids) })],
  ["archive_workflow", (ids) => ({ id: id(ids), archived: false })],
  ["apply_plan", (ids) => ({ action: ["tag", "activate"], where: { ids: [id(ids)] }, value: "rights" })],
  ["apply_plan", (ids) => ({ action: ["delete"], where: { ids: [id(ids)] } })]
]

/** The scopes that a tool says it lacks. */
const lackedIn = (text: string) => /lacks the scopes? ([\w:, ]+?)(?:, which|\.)/.exec(text)?.[1]?.split(", ") ?? []

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
      const all = [...new Set(Object.values(scopes))]
      const ids: Record<string, unknown> = {}
      const refusals = new Map<string, ReadonlyArray<string>>()
      for (const [tool, args] of [...everyTool("rights-of-a-key"), ...further]) {
        const given = args(ids)
        const call =
          tool === "apply_plan"
            ? Effect.flatMap(ask("plan_bulk", given), ({ plan_id }) => callTool(tool, { plan_id, confirm: true }))
            : callTool(tool, given)
        const text = (lacking: ReadonlyArray<string>) =>
          Effect.map(withKeyLacking(lacking, call), ({ changes, outcome }) => {
            const words = JSON.stringify(outcome)
            if (lackedIn(words).length > 0) assert.deepStrictEqual(changes, [], `${tool}: ${words}`)
            return words
          })
        const lacked = lackedIn(yield* text(all))
        refusals.set(tool, [...(refusals.get(tool) ?? []), ...lacked])
        for (const scope of lacked) assert.deepStrictEqual(lackedIn(yield* text([scope])), [scope], tool)
        if (lacked.length === 0 && /^(?:get|list)_/.test(tool)) {
          const { outcome } = yield* withKeyLacking(all, call)
          assert.isUndefined(outcome.error, tool)
        }
        const { changes, outcome } = yield* withKeyLacking([], call)
        assert.isUndefined(outcome.error, `${tool}: ${outcome.error?.message}`)
        // Where the engine refuses a deletion because it still unpublishes, the workflow is deactivated first.
        const meantime = lacked.includes("workflow:delete") ? ["workflow:deactivate"] : []
        assert.includeMembers([...lacked, ...meantime], [...new Set(changes)], tool)
        const [first] = Object(outcome.result).content
        ids[tool] = idIn(JSON.parse(first.text)) ?? ids[tool]
      }
      assert.sameMembers(
        [...(refusals.get("create_workflow") ?? [])],
        ["workflow:create", "workflowTags:update", "workflow:create", "workflowTags:update", "workflow:activate"]
      )
      assert.sameMembers([...new Set([...refusals.values()].flat())], all)
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
