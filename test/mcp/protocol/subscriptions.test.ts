import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"

import { EmbeddedEngine } from "../../../src/engine/embedded/EmbeddedEngine.ts"
import { Stopping } from "../../../src/mcp/callContext.ts"
import * as Http from "../../support/fixtures/HttpClient.ts"
import { modernHeaders, modernRequest, notification, request } from "../../support/fixtures/messages.ts"
import * as Stdio from "../../support/fixtures/StdioClient.ts"
import { ask, TestServer } from "../../support/harness.ts"

const listen = (notifications: object, id: number | string = "listen") =>
  modernRequest("subscriptions/listen", { notifications }, id)

const subscriptionKey = "io.modelcontextprotocol/subscriptionId"
const acknowledged = (notifications: object, id = "listen") => ({
  jsonrpc: "2.0",
  method: "notifications/subscriptions/acknowledged",
  params: { notifications, _meta: { [subscriptionKey]: id } }
})
const updated = (uri: string, id = "listen") => ({
  jsonrpc: "2.0",
  method: "notifications/resources/updated",
  params: { uri, _meta: { [subscriptionKey]: id } }
})

/** The end of a subscription that the server has ended. */
const assertEnd = (message: unknown, id: number | string = "listen") => {
  assert.nestedPropertyVal(message, "id", id)
  assert.nestedPropertyVal(message, "result.resultType", "complete")
  assert.propertyVal(Object(message).result._meta, subscriptionKey, id)
}

const content = {
  nodes: [{ id: "a", name: "A", type: "engine-nodes-base.noOp", typeVersion: 1, position: [0, 0], parameters: {} }],
  connections: {}
}

const newWorkflow = Effect.map(ask("create_workflow", { name: "Watched", ...content }), ({ id }) => ({
  id: String(id),
  uri: `engine://workflows/${String(id)}?instance=staging`
}))

/** Renames a workflow at the engine itself, as a person in its editor does. */
const renameElsewhere = Effect.fnUntraced(function* (id: string) {
  const { apiKey, host, httpClient } = yield* EmbeddedEngine
  const renamed = { name: "Renamed elsewhere", nodes: [], connections: {}, settings: {} }
  const { status } = yield* HttpClientRequest.put(`${host}/api/v1/workflows/${id}`).pipe(
    HttpClientRequest.setHeader("x-n8n-api-key", Redacted.value(apiKey)),
    HttpClientRequest.bodyJsonUnsafe(renamed),
    httpClient.execute
  )
  assert.strictEqual(status, 200)
})

layer(TestServer)("a subscription", (it) => {
  it.effect("is acknowledged with what is watched, and hears at once of a change made by this server", () =>
    Effect.gen(function* () {
      const { id, uri } = yield* newWorkflow
      const client = yield* Stdio.connect
      const uris = [uri, "engine://instances", "engine://workflows/none", "engine://workflows", "none"]
      yield* client.send(listen({ toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: uris }))
      assert.deepStrictEqual(
        yield* client.receive,
        acknowledged({ toolsListChanged: true, resourceSubscriptions: [uri] })
      )
      const change = { name: "update_workflow", arguments: { id, name: "Renamed" } }
      yield* client.send(modernRequest("tools/call", change, 2))
      assert.nestedPropertyVal(yield* client.receive, "id", 2)
      assert.deepStrictEqual(yield* client.receive, updated(uri))
    })
  )

  it.effect("hears within half a minute of what others change, once, and of a deletion", () =>
    Effect.gen(function* () {
      const { id, uri } = yield* newWorkflow
      const client = yield* Stdio.connect
      yield* client.send(listen({ resourceSubscriptions: [uri] }))
      assert.deepStrictEqual(yield* client.receive, acknowledged({ resourceSubscriptions: [uri] }))
      yield* renameElsewhere(id)
      yield* TestClock.adjust("29 seconds")
      assert.strictEqual(yield* client.pending, 0)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* client.receive, updated(uri))
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(yield* client.pending, 0)
      yield* ask("delete_workflow", { id })
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* client.receive, updated(uri))
    })
  )

  it.effect("keeps no other call waiting, and ends without an answer when the client cancels it", () =>
    Effect.gen(function* () {
      const { id, uri } = yield* newWorkflow
      const client = yield* Stdio.connect
      yield* client.send(listen({ resourceSubscriptions: [uri] }))
      yield* client.receive
      yield* client.send(notification("notifications/cancelled", { requestId: "listen" }))
      assert.deepPropertyVal(yield* client.request("ping"), "result", {})
      yield* renameElsewhere(id)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(yield* client.pending, 0)
      yield* client.close
    })
  )

  it.effect("ends with a result when the input ends, after an hour, and when the server stops", () =>
    Effect.gen(function* () {
      const first = yield* Stdio.connect
      yield* first.send(listen({ toolsListChanged: true }))
      yield* first.receive
      yield* first.close
      assertEnd(yield* first.receive)

      const second = yield* Stdio.connect
      yield* second.send(listen({ toolsListChanged: true }))
      yield* second.receive
      yield* TestClock.adjust("1 hour")
      assertEnd(yield* second.receive)

      const stopping = yield* Deferred.make<void>()
      const third = yield* Effect.provideService(Stdio.connect, Stopping, stopping)
      yield* third.send(listen({}))
      assert.deepStrictEqual(yield* third.receive, acknowledged({}))
      yield* Deferred.succeed(stopping, undefined)
      assertEnd(yield* third.receive)
    })
  )

  it.effect("gives way, the oldest first, to more than ten of one caller", () =>
    Effect.gen(function* () {
      const other = yield* Stdio.connect
      yield* other.send(listen({}))
      yield* other.receive
      const client = yield* Stdio.connect
      for (let id = 1; id <= 10; id++) {
        yield* client.send(listen({}, id))
        assert.nestedPropertyVal(yield* client.receive, "method", "notifications/subscriptions/acknowledged")
      }
      yield* client.send(listen({}, 11))
      const both = [yield* client.receive, yield* client.receive]
      assertEnd(
        both.find((message) => "result" in Object(message)),
        1
      )
      assert.isTrue(both.some((message) => "method" in Object(message)))
      assert.strictEqual(yield* other.pending, 0)
    })
  )

  it.effect("watches twenty resources at most, and one that is named twice once", () =>
    Effect.gen(function* () {
      const workflows = yield* Effect.forEach(Array.from({ length: 21 }), () => newWorkflow)
      const [{ uri: first }] = [workflows[0] ?? assert.fail()]
      const uris = workflows.map(({ uri }) => uri)
      const client = yield* Stdio.connect
      yield* client.send(listen({ resourceSubscriptions: [first, ...uris] }))
      assert.deepStrictEqual(yield* client.receive, acknowledged({ resourceSubscriptions: uris.slice(0, 20) }))
    })
  )

  it.effect("is a stream of events over HTTP, which ends where the client leaves", () =>
    Effect.gen(function* () {
      const { id, uri } = yield* newWorkflow
      const client = yield* Http.connect()
      const stream = yield* client.open(listen({ resourceSubscriptions: [uri] }), modernHeaders("subscriptions/listen"))
      assert.strictEqual(stream.headers.get("content-type"), "text/event-stream")
      assert.deepStrictEqual(yield* stream.next, acknowledged({ resourceSubscriptions: [uri] }))
      yield* ask("update_workflow", { id, name: "Renamed" })
      const update = yield* Effect.forkChild(stream.next)
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(yield* Fiber.join(update), updated(uri))
      yield* stream.leave
      const plain = yield* client.send(listen({}), modernHeaders("subscriptions/listen"))
      assert.strictEqual(plain.status, 400)
      assert.nestedPropertyVal(plain.messages[0], "error.code", -32600)
    })
  )

  it.effect("exists in no revision with a handshake", () =>
    Effect.gen(function* () {
      const client = yield* Stdio.connect
      yield* client.send(request("subscriptions/listen", { notifications: {} }))
      assert.nestedPropertyVal(yield* client.receive, "error.code", -32601)
    })
  )
})
