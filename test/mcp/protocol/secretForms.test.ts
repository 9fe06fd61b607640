import { once } from "node:events"
import { Agent, request as httpRequest } from "node:http"

import { assert, layer } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { TestClock } from "effect/testing"

import { loopbackPage } from "../../../src/cli/http/loopbackPage.ts"
import * as Page from "../../../src/mcp/transport/page.ts"
import * as Http from "../../support/fixtures/HttpClient.ts"
import { initialize, modernHeaders, modernMeta, request } from "../../support/fixtures/messages.ts"
import { connectWith } from "../../support/fixtures/StdioClient.ts"
import { callTool, serverOverEmbedded } from "../../support/harness.ts"
import { inTime } from "../../support/inTime.ts"

const capabilities = { elicitation: { url: {} } }
const meta = { ...modernMeta, "io.modelcontextprotocol/clientCapabilities": capabilities }
const secret = "correct-horse-battery"
const values = { user: "ann", password: secret }
const credential = { name: "Shop", type: "httpBasicAuth" }

const tokens: Readonly<Record<string, string>> = { "token-of-ann": "ann", "token-of-bob": "bob" }

/** A client of the newest revision that opens addresses, and the browser of its person. */
const connect = Effect.fnUntraced(function* (isLogin = false) {
  const verify = (token: Redacted.Redacted) =>
    Effect.succeed({ subject: tokens[Redacted.value(token)], issuer: "test", mayChange: true })
  const options = { hasPage: true, ...(isLogin ? { verify } : {}) }
  const client = yield* Http.connect(
    options,
    Page.layer(options, () => Effect.undefined)
  )
  const browse = Effect.fnUntraced(function* (body: object, headers: Readonly<Record<string, string>> = {}) {
    const response = yield* client.fetch("/secrets", {
      method: "POST",
      body: JSON.stringify(body),
      headers: { origin: "http://127.0.0.1:3456", "content-type": "application/json", ...headers }
    })
    assert.isNotEmpty(response.headers.get("content-type"))
    return { status: response.status, body: Object(yield* Effect.promise(() => response.json())) }
  })
  const call = Effect.fnUntraced(function* (
    params: object = {},
    headers: Readonly<Record<string, string>> = {},
    args: object = credential
  ) {
    const message = request("tools/call", { name: "create_credential", arguments: args, _meta: meta, ...params })
    const reply = yield* client.send(message, { ...modernHeaders("tools/call", "create_credential"), ...headers })
    return Object(Object(reply.messages[0]).result)
  })
  return { ...client, browse, call }
})

const Asked = Schema.Struct({
  resultType: Schema.Literal("input_required"),
  inputRequests: Schema.Struct({
    values: Schema.Struct({
      method: Schema.Literal("elicitation/create"),
      params: Schema.Struct({ mode: Schema.Literal("url"), message: Schema.String, url: Schema.String })
    })
  }),
  requestState: Schema.String
})
const readAsked = Schema.decodeUnknownSync(Asked)

const formIn = (result: unknown) => {
  const { inputRequests, requestState } = readAsked(result)
  const { message, url } = inputRequests.values.params
  const [, origin = "", id = ""] = /^(http:\/\/127\.0\.0\.1:\d+)\/#\/enter\/([0-9a-f-]{36})$/.exec(url) ?? []
  assert.notStrictEqual(id, "", url)
  return { id, message, origin, again: { requestState, inputResponses: { values: { action: "accept" } } } }
}

/** A client over stdio that opens addresses. */
const overStdio = Effect.gen(function* () {
  const { request: send } = yield* connectWith({ openPage: loopbackPage })
  const call = (name: string, more: object = {}) =>
    Effect.map(
      send("tools/call", { name: "create_credential", arguments: { ...credential, name }, _meta: meta, ...more }),
      (answer) => Object(Object(answer).result)
    )
  return { call }
})

/** The answer to a form over a connection of its own, and the moment at which the server ends that. */
const overConnection = (origin: string, body: object) =>
  Effect.callback<{ readonly status: number | undefined; readonly ended: Effect.Effect<void> }>((resume) => {
    const agent = new Agent({ keepAlive: true })
    const headers = { origin, "content-type": "application/json" }
    const sent = httpRequest(`${origin}/secrets`, { agent, method: "POST", headers }, (response) => {
      const closed = once(response.socket, "close")
      const ended = Effect.asVoid(Effect.promise(() => closed))
      response.resume().on("end", () => resume(Effect.succeed({ status: response.statusCode, ended })))
    })
    sent.end(JSON.stringify(body))
  })

/** Whether somebody listens there. */
const isServed = (origin: string) => Effect.isSuccess(Effect.tryPromise(() => fetch(origin)))

layer(serverOverEmbedded({ version: "2.41.1" }))("the values of a credential", (it) => {
  it.effect("go from the page to the engine, and through neither the model nor its client", () =>
    Effect.gen(function* () {
      const { browse, call } = yield* connect()
      const { again, id, message } = formIn(yield* call())
      assert.include(message, `the new credential "Shop" (httpBasicAuth) on instance production`)
      const { body } = yield* browse({ id })
      assert.strictEqual(body.message, message)
      assert.containsAllKeys(body.schema.properties, ["user", "password"])
      assert.deepStrictEqual(yield* browse({ id, values }), { status: 200, body: { entered: true } })
      const created = yield* call(again)
      assert.deepInclude(created.structuredContent, credential)
      assert.notInclude(JSON.stringify(created), secret)
      for (const late of [{ id }, { id, values }]) assert.strictEqual((yield* browse(late)).status, 404)
      assert.notStrictEqual(formIn(yield* call()).id, id)
    })
  )

  it.effect("reach the engine as they were entered, which refuses those of another type", () =>
    Effect.gen(function* () {
      const { browse, call } = yield* connect()
      const { again, id } = formIn(yield* call({}, {}, { ...credential, name: "Wrong" }))
      yield* browse({ id, values: { nonsense: secret } })
      const refused = yield* call(again, {}, { ...credential, name: "Wrong" })
      assert.isTrue(refused.isError)
      assert.include(JSON.stringify(refused.structuredContent), "nonsense")
      assert.notInclude(JSON.stringify(refused), secret)
    })
  )

  it.effect("are waited for, and asked for again by the same address where the person takes longer", () =>
    Effect.gen(function* () {
      const { browse, call } = yield* connect()
      const slow = { ...credential, name: "Slow" }
      const first = formIn(yield* call({}, {}, slow))
      const second = formIn(yield* inTime(call(first.again, {}, slow), 1000))
      assert.strictEqual(second.id, first.id)
      yield* browse({ id: first.id, values })
      assert.deepInclude((yield* call(second.again, {}, slow)).structuredContent, slow)
    })
  )

  it.effect("are asked for in a session of an earlier revision, which hears when they are entered", () =>
    Effect.gen(function* () {
      const { browse, open, send } = yield* connect()
      const handshake = yield* send(initialize("2025-11-25", "init", capabilities))
      const session = {
        "mcp-session-id": handshake.headers.get("mcp-session-id") ?? "",
        "mcp-protocol-version": "2025-11-25"
      }
      const named = { ...credential, name: "Of a session" }
      const stream = yield* open(request("tools/call", { name: "create_credential", arguments: named }), session)
      const question = Object(yield* stream.next)
      const { elicitationId, mode, url } = question.params
      assert.strictEqual(mode, "url")
      assert.strictEqual(url, `http://127.0.0.1:3456/#/enter/${elicitationId}`)
      yield* send({ jsonrpc: "2.0", id: question.id, result: { action: "accept" } }, session)
      yield* browse({ id: elicitationId, values })
      assert.deepInclude(yield* stream.next, {
        method: "notifications/elicitation/complete",
        params: { elicitationId }
      })
      assert.nestedPropertyVal(yield* stream.next, "result.structuredContent.name", "Of a session")
      const updating = request("tools/call", { name: "update_credential", arguments: { id: "Of a session" } })
      const declined = yield* open(updating, session)
      const again = Object(yield* declined.next)
      yield* send({ jsonrpc: "2.0", id: again.id, result: { action: "decline" } }, session)
      assert.nestedPropertyVal(yield* declined.next, "error.data.code", "NOT_ENTERED")
      assert.strictEqual((yield* browse({ id: again.params.elicitationId })).status, 404)
    })
  )

  it.effect("are entered over stdio on a page of this machine, which ends with its form", () =>
    Effect.gen(function* () {
      const { call } = yield* overStdio
      const { again, id, origin } = formIn(yield* call("Over stdio"))
      assert.strictEqual((yield* overConnection(origin, { id: crypto.randomUUID() })).status, 404)
      const filled = yield* overConnection(origin, { id, values })
      assert.strictEqual(filled.status, 200)
      const created = yield* call("Over stdio", again)
      assert.nestedPropertyVal(created, "structuredContent.name", "Over stdio")
      assert.notInclude(JSON.stringify(created), secret)
      yield* filled.ended
      assert.isFalse(yield* isServed(origin))
    })
  )

  it.effect("are no longer taken over stdio once the person declines, or ten minutes are over", () =>
    Effect.gen(function* () {
      const { call } = yield* overStdio
      const declined = formIn(yield* call("Declined"))
      const left = formIn(yield* call("Left"))
      assert.notStrictEqual(declined.origin, left.origin)
      const connections = yield* Effect.forEach([declined, left], ({ id, origin }) => overConnection(origin, { id }))
      const inputResponses = { values: { action: "decline" } }
      const refused = yield* call("Declined", { requestState: declined.again.requestState, inputResponses })
      assert.nestedPropertyVal(refused, "structuredContent.error.code", "NOT_ENTERED")
      yield* connections[0]?.ended ?? Effect.void
      assert.isFalse(yield* isServed(declined.origin))
      assert.isTrue(yield* isServed(left.origin))
      yield* TestClock.adjust("10 minutes")
      yield* connections[1]?.ended ?? Effect.void
      assert.isFalse(yield* isServed(left.origin))
    })
  )

  it.effect("are taken of nobody else: not of another login, nor of a page from elsewhere, nor after ten minutes", () =>
    Effect.gen(function* () {
      const { browse, call } = yield* connect(true)
      const [ann, bob] = Object.keys(tokens).map((token) => ({ authorization: `Bearer ${token}` }))
      const { id } = formIn(yield* call({}, ann))
      assert.strictEqual((yield* browse({ id })).status, 401)
      assert.strictEqual((yield* browse({ id }, bob)).status, 404)
      assert.strictEqual((yield* browse({ id, values }, { ...ann, origin: "https://evil.example.com" })).status, 403)
      assert.strictEqual((yield* browse({ id, values: "none" }, ann)).status, 400)
      assert.strictEqual((yield* browse({ id }, ann)).status, 200)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual((yield* browse({ id, values }, ann)).status, 404)
    })
  )

  it.effect("are not asked for where nobody can enter them safely, and the refusal says what to do instead", () =>
    Effect.gen(function* () {
      const { call } = yield* connect()
      const { error } = yield* callTool("create_credential", credential)
      assert.match(error?.message ?? "", /^Invalid data: is required, .*workflow-tool-server call create_credential/)
      const options = { allowedHosts: ["tools.example.com"], hasPage: true }
      const client = yield* Http.connect(options)
      const message = request("tools/call", { name: "create_credential", arguments: credential, _meta: meta })
      const headers = { ...modernHeaders("tools/call", "create_credential"), host: "tools.example.com" }
      const plain = yield* client.send(message, headers)
      assert.nestedPropertyVal(plain.messages[0], "result.structuredContent.error.code", "NOT_ENTERED")
      assert.include(JSON.stringify(plain.messages), "Do not ask for secrets in the conversation")
      const behindTls = yield* client.send(message, { ...headers, "x-forwarded-proto": "https" })
      assert.include(JSON.stringify(behindTls.messages), "https://tools.example.com/#/enter/")
      const other = { ...credential, name: "Declined over HTTP" }
      const declined = formIn(yield* call({}, {}, other))
      const inputResponses = { values: { action: "decline" } }
      const refused = yield* call({ requestState: declined.again.requestState, inputResponses }, {}, other)
      assert.nestedPropertyVal(refused, "structuredContent.error.code", "NOT_ENTERED")
    })
  )
})
