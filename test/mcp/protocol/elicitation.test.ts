import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

import { Audit } from "../../../src/mcp/callContext.ts"
import { FixtureServer } from "../../support/fixtures/FixtureServer.ts"
import * as Http from "../../support/fixtures/HttpClient.ts"
import {
  formsMeta,
  initialize,
  modernHeaders,
  notification,
  request,
  toolCall
} from "../../support/fixtures/messages.ts"
import * as Stdio from "../../support/fixtures/StdioClient.ts"

const forms = { elicitation: {} }
const ask = "test_input_required_result_elicitation"

/** The id of a request of the server, and what it asks. */
const questionIn = (message: unknown) => {
  const { id, method, params } = Object(message)
  assert.strictEqual(method, "elicitation/create")
  return { id: String(id), params }
}

const answer = (id: unknown, result: object) => ({ jsonrpc: "2.0", id, result })
const yes = { action: "accept", content: { name: "Ada" } }

/** The replies that the tool has got. */
const repliesIn = (message: unknown) => {
  const { content } = Object(message).result
  return JSON.parse(content[0].text).replies
}

/** A client over stdio that has shaken hands. */
const stdioClient = Effect.fnUntraced(function* (version = "2025-11-25", capabilities: object = forms) {
  const client = yield* Stdio.connect
  yield* client.send(initialize(version, "init", capabilities))
  yield* client.receive
  return client
})

/** A client over HTTP that has shaken hands; what it sends goes under its session. */
const httpClient = Effect.fnUntraced(function* (version = "2025-11-25", capabilities: object = forms) {
  const client = yield* Http.connect()
  const { headers } = yield* client.send(initialize(version, "init", capabilities))
  const session = headers.get("mcp-session-id")
  const sessionHeaders = { "mcp-protocol-version": version, ...(session === null ? {} : { "mcp-session-id": session }) }
  return {
    session,
    open: (message: unknown) => client.open(message, sessionHeaders),
    send: (message: unknown, more: Readonly<Record<string, string>> = {}) =>
      client.send(message, { ...sessionHeaders, ...more })
  }
})

const cases: ReadonlyArray<readonly [string, object, object]> = [
  ["accepts", yes, { _tag: "Accepted", content: { name: "Ada" } }],
  ["declines", { action: "decline" }, { _tag: "Declined" }],
  ["closes the form", { action: "cancel" }, { _tag: "Cancelled" }],
  [
    "says something else",
    { action: "maybe" },
    { _tag: "Unanswered", problem: "the client's answer is not one to the question" }
  ]
]

layer(FixtureServer)("a question over stdio", (it) => {
  for (const version of ["2025-06-18", "2025-11-25"]) {
    it.effect(`goes out on the same stream and brings the tool what the person does, in ${version}`, () =>
      Effect.gen(function* () {
        const client = yield* stdioClient(version)
        for (const [, result, reply] of cases) {
          yield* client.send(toolCall(ask))
          const { id, params } = questionIn(yield* client.receive)
          assert.deepStrictEqual(params, {
            message: "What is your name?",
            requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
          })
          yield* client.send(answer(id, result))
          assert.deepStrictEqual(repliesIn(yield* client.receive), [reply])
        }
      })
    )
  }

  it.effect("is not asked of a client that has not said that it shows forms, or has no way to say so", () =>
    Effect.gen(function* () {
      const silent = yield* Effect.all([
        Stdio.connect,
        stdioClient("2025-11-25", {}),
        stdioClient("2025-11-25", { elicitation: { url: {} } }),
        stdioClient("2025-03-26", forms),
        stdioClient("2024-11-05", forms)
      ])
      for (const client of silent) {
        yield* client.send(toolCall(ask))
        assert.nestedPropertyVal(yield* client.receive, "error.data.code", "NOBODY")
      }
    })
  )

  it.effect("shows the person no text that hides or turns what stands around it", () =>
    Effect.gen(function* () {
      const client = yield* stdioClient()
      yield* client.send(toolCall(ask, { message: "one\nRename \u202E evil\u2028line\u0000 to x" }))
      const { params } = questionIn(yield* client.receive)
      assert.strictEqual(params.message, "one\nRename \\u{202e} evil\\u{2028}line\\u{0} to x")
    })
  )

  it.effect("tells the tool why where the client cannot ask", () =>
    Effect.gen(function* () {
      const client = yield* stdioClient()
      yield* client.send(toolCall(ask))
      const { id } = questionIn(yield* client.receive)
      yield* client.send({ jsonrpc: "2.0", id, error: { code: -32601, message: "no\u0007forms" } })
      assert.deepStrictEqual(repliesIn(yield* client.receive), [
        { _tag: "Unanswered", problem: "the client could not ask: no\\u{7}forms" }
      ])
    })
  )

  it.effect("lets other calls through, and takes no answer but its own, once", () =>
    Effect.gen(function* () {
      const client = yield* stdioClient()
      const other = yield* stdioClient()
      yield* client.send(toolCall(ask, {}, "first"))
      const one = questionIn(yield* client.receive)
      yield* client.send(toolCall(ask, {}, "second"))
      const two = questionIn(yield* client.receive)
      assert.notStrictEqual(one.id, two.id)
      yield* other.send(answer(one.id, yes))
      for (const id of ["unknown", 1, null]) yield* client.send(answer(id, yes))
      yield* client.send(toolCall("echo", { text: "meanwhile" }, "echo"))
      assert.nestedPropertyVal(yield* client.receive, "id", "echo")
      assert.strictEqual(yield* other.pending, 0)
      yield* client.send(answer(two.id, { action: "decline" }))
      yield* client.send(answer(two.id, yes))
      const second = yield* client.receive
      assert.nestedPropertyVal(second, "id", "second")
      assert.deepStrictEqual(repliesIn(second), [{ _tag: "Declined" }])
      yield* client.send(answer(one.id, yes))
      assert.deepStrictEqual(repliesIn(yield* client.receive), [{ _tag: "Accepted", content: { name: "Ada" } }])
      assert.strictEqual(yield* client.pending, 0)
    })
  )

  it.effect("is withdrawn after five minutes, and an answer that comes too late changes nothing", () =>
    Effect.gen(function* () {
      const client = yield* stdioClient()
      yield* client.send(toolCall(ask))
      const { id } = questionIn(yield* client.receive)
      yield* TestClock.adjust("299999 millis")
      assert.strictEqual(yield* client.pending, 0)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(
        yield* client.receive,
        notification("notifications/cancelled", { requestId: id, reason: "Nobody answered in time" })
      )
      assert.deepStrictEqual(repliesIn(yield* client.receive), [
        { _tag: "Unanswered", problem: "nobody answered within 5 minutes" }
      ])
      yield* client.send(answer(id, yes))
      assert.deepNestedPropertyVal(yield* client.request("ping"), "result", {})
    })
  )

  it.effect("is withdrawn when its call is cancelled, which then has no answer", () =>
    Effect.gen(function* () {
      const client = yield* stdioClient()
      yield* client.send(toolCall(ask, {}, "call"))
      const { id } = questionIn(yield* client.receive)
      yield* client.send(notification("notifications/cancelled", { requestId: "call" }))
      assert.deepStrictEqual(
        yield* client.receive,
        notification("notifications/cancelled", { requestId: id, reason: "The call was given up" })
      )
      yield* client.send(answer(id, yes))
      yield* client.request("ping")
      assert.strictEqual(yield* client.pending, 0)
    })
  )

  it.effect("ends at once when the client can say nothing more", () =>
    Effect.gen(function* () {
      const client = yield* stdioClient()
      yield* client.send(toolCall(ask))
      questionIn(yield* client.receive)
      yield* client.close
      assert.deepStrictEqual(repliesIn(yield* client.receive), [
        { _tag: "Unanswered", problem: "the client cannot answer any more" }
      ])
    })
  )

  it.effect("is one of fifty at most that wait of one client, and another client is asked all the same", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* stdioClient(), yield* stdioClient()]
      for (let id = 0; id < 100; id++) yield* one.send(toolCall(ask, {}, id))
      const received: Array<unknown> = []
      for (let n = 0; n < 100; n++) received.push(yield* one.receive)
      const questions = received.filter((message) => Object(message).method === "elicitation/create")
      assert.lengthOf(questions, 50)
      for (const message of received.filter((message) => !questions.includes(message))) {
        assert.deepStrictEqual(repliesIn(message), [
          { _tag: "Unanswered", problem: "50 questions to you are waiting for answers already" }
        ])
      }
      yield* two.send(toolCall(ask))
      yield* two.send(answer(questionIn(yield* two.receive).id, yes))
      assert.deepStrictEqual(repliesIn(yield* two.receive), [{ _tag: "Accepted", content: { name: "Ada" } }])
      yield* one.send(answer(questionIn(questions[0]).id, yes))
      yield* one.receive
      yield* one.send(toolCall(ask, {}, "again"))
      questionIn(yield* one.receive)
    })
  )

  it.effect("takes the place of the oldest one of whoever has most of them, where there are too many", () =>
    Effect.gen(function* () {
      const many = yield* Effect.all(Array.from({ length: 4 }, () => stdioClient()))
      for (const client of many) {
        for (let id = 0; id < 50; id++) {
          yield* client.send(toolCall(ask, {}, id))
          questionIn(yield* client.receive)
        }
      }
      const late = yield* stdioClient()
      yield* late.send(toolCall(ask))
      const { id } = questionIn(yield* late.receive)
      const [first] = many
      assert.deepStrictEqual(repliesIn(yield* first?.receive ?? Effect.undefined), [
        { _tag: "Unanswered", problem: "it was withdrawn, as too many questions are waiting for answers" }
      ])
      yield* late.send(answer(id, yes))
      assert.deepStrictEqual(repliesIn(yield* late.receive), [{ _tag: "Accepted", content: { name: "Ada" } }])
    })
  )
})

layer(FixtureServer)("a question over HTTP", (it) => {
  for (const version of ["2025-06-18", "2025-11-25"]) {
    it.effect(`goes out on the answer's stream, and its answer comes under the session, in ${version}`, () =>
      Effect.gen(function* () {
        const client = yield* httpClient(version)
        for (const [, result, reply] of cases) {
          const call = yield* client.open(toolCall(ask))
          assert.strictEqual(call.headers.get("content-type"), "text/event-stream")
          const { id } = questionIn(yield* call.next)
          assert.strictEqual((yield* client.send(answer(id, result))).status, 202)
          assert.deepStrictEqual(repliesIn(yield* call.next), [reply])
        }
      })
    )
  }

  it.effect("asks nobody where the client shows no forms, and begins no session where it has nothing to remember", () =>
    Effect.gen(function* () {
      for (const [version, capabilities] of [
        ["2025-11-25", {}],
        ["2025-11-25", { elicitation: { url: {} } }],
        ["2025-03-26", forms]
      ] as const) {
        const client = yield* httpClient(version, capabilities)
        if ("elicitation" in capabilities && version === "2025-11-25") assert.match(client.session ?? "", /^opens-/)
        else assert.isNull(client.session)
        const { messages } = yield* client.send(toolCall(ask), { accept: "application/json, text/event-stream" })
        assert.nestedPropertyVal(messages[0], "error.data.code", "NOBODY")
      }
    })
  )

  it.effect("takes no answer from another session, or from none", () =>
    Effect.gen(function* () {
      const [client, other] = [yield* httpClient(), yield* httpClient()]
      const bare = yield* Http.connect()
      const call = yield* client.open(toolCall(ask))
      const { id } = questionIn(yield* call.next)
      const hung = yield* other.open(toolCall(ask))
      questionIn(yield* hung.next)
      assert.strictEqual((yield* other.send(answer(id, yes))).status, 202)
      assert.strictEqual((yield* bare.send(answer(id, yes))).status, 202)
      assert.strictEqual((yield* bare.send(answer(id, yes), { "mcp-session-id": "elicits-1" })).status, 202)
      const { messages } = yield* other.send(toolCall("echo", { text: "meanwhile" }))
      assert.nestedPropertyVal(messages[0], "result.structuredContent.text", "meanwhile")
      yield* client.send(answer(id, { action: "decline" }))
      assert.deepStrictEqual(repliesIn(yield* call.next), [{ _tag: "Declined" }])
      yield* hung.leave
    })
  )

  it.effect("is asked in a session that another process has begun", () =>
    Effect.gen(function* () {
      const { session } = yield* httpClient()
      const restarted = yield* Http.connect().pipe(Effect.provide(yield* Layer.build(Layer.fresh(FixtureServer))))
      const sessionHeaders = { "mcp-protocol-version": "2025-11-25", "mcp-session-id": session ?? "" }
      const call = yield* restarted.open(toolCall(ask), sessionHeaders)
      const { id } = questionIn(yield* call.next)
      yield* restarted.send(answer(id, { action: "cancel" }), sessionHeaders)
      assert.deepStrictEqual(repliesIn(yield* call.next), [{ _tag: "Cancelled" }])
    })
  )

  it.effect("fails at once where the client takes no stream", () =>
    Effect.gen(function* () {
      const client = yield* httpClient()
      const { messages } = yield* client.send(toolCall(ask), { accept: "application/json" })
      assert.deepStrictEqual(repliesIn(messages[0]), [
        { _tag: "Unanswered", problem: "the client cannot answer any more" }
      ])
    })
  )

  it.effect("keeps its stream alive while the person thinks", () =>
    Effect.gen(function* () {
      const client = yield* httpClient()
      const call = yield* client.open(toolCall(ask))
      const { id } = questionIn(yield* call.next)
      for (let n = 0; n < 14; n++) yield* TestClock.adjust("20 seconds")
      yield* client.send(answer(id, yes))
      assert.deepStrictEqual(repliesIn(yield* call.next), [{ _tag: "Accepted", content: { name: "Ada" } }])
      assert.isAtLeast(yield* call.comments, 1)
    })
  )

  it.effect("ends when the client leaves the stream, however often", () =>
    Effect.gen(function* () {
      const client = yield* httpClient()
      for (let n = 0; n < 101; n++) {
        const call = yield* client.open(toolCall(ask))
        questionIn(yield* call.next)
        yield* call.leave
      }
    })
  )
})

const modernCall = (name: string, more: object = {}, args: object = {}) =>
  request("tools/call", { name, arguments: args, ...more, _meta: formsMeta })

layer(FixtureServer)("a question in 2026-07-28", (it) => {
  const rounds = Effect.gen(function* () {
    const client = yield* Http.connect()
    return Effect.fnUntraced(function* (name: string, more: object = {}, args: object = {}) {
      const { messages } = yield* client.send(modernCall(name, more, args), modernHeaders("tools/call", name))
      return Object(messages[0])
    })
  })

  it.effect("is the result of its call, which is made again with what the person does", () =>
    Effect.gen(function* () {
      const call = yield* rounds
      for (const [, result, reply] of cases.slice(0, 3)) {
        const { inputRequests, requestState, resultType } = (yield* call(ask)).result
        assert.strictEqual(resultType, "input_required")
        assert.deepStrictEqual(inputRequests, {
          user_name: {
            method: "elicitation/create",
            params: {
              message: "What is your name?",
              requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
            }
          }
        })
        const done = yield* call(ask, { requestState, inputResponses: { user_name: result, other: yes } })
        assert.deepStrictEqual(repliesIn(done), [reply])
      }
    })
  )

  it.effect("is the same over stdio", () =>
    Effect.gen(function* () {
      const client = yield* Stdio.connect
      yield* client.send(modernCall(ask))
      const { requestState } = Object(yield* client.receive).result
      yield* client.send(modernCall(ask, { requestState, inputResponses: { user_name: yes } }))
      assert.deepStrictEqual(repliesIn(yield* client.receive), [{ _tag: "Accepted", content: { name: "Ada" } }])
      assert.strictEqual(yield* client.pending, 0)
    })
  )

  it.effect("comes after another one, whose answer is kept in the state", () =>
    Effect.gen(function* () {
      const call = yield* rounds
      const name = "test_input_required_result_multi_round"
      const one = (yield* call(name)).result
      const two = (yield* call(name, { requestState: one.requestState, inputResponses: { step1: yes } })).result
      assert.hasAllKeys(two.inputRequests, ["step2"])
      const blue = { action: "accept", content: { color: "blue" } }
      const done = yield* call(name, { requestState: two.requestState, inputResponses: { step2: blue } })
      assert.deepStrictEqual(
        repliesIn(done).map(({ content }: { readonly content: unknown }) => content),
        [{ name: "Ada" }, { color: "blue" }]
      )
    })
  )

  it.effect("is asked again without its answer, without its state, for other arguments, and after five minutes", () =>
    Effect.gen(function* () {
      const call = yield* rounds
      const { requestState } = (yield* call(ask)).result
      const inputResponses = { user_name: yes }
      const again = [
        yield* call(ask, { requestState }),
        yield* call(ask, { requestState, inputResponses: { wrong: yes } }),
        yield* call(ask, { inputResponses }),
        yield* call(ask, { requestState, inputResponses }, { message: "Something else?" }),
        yield* call("test_input_required_result_request_state", { requestState, inputResponses: { confirm: yes } })
      ]
      yield* TestClock.adjust("300001 millis")
      again.push(yield* call(ask, { requestState, inputResponses }))
      for (const { result } of again) assert.strictEqual(result.resultType, "input_required")
    })
  )

  it.effect("refuses a state that was changed, and answers that are none", () =>
    Effect.gen(function* () {
      const call = yield* rounds
      const { requestState } = (yield* call(ask)).result
      const [payload, seal] = String(requestState).split(".")
      const inputResponses = { user_name: yes }
      for (const changed of [
        `${requestState}-TAMPERED`,
        `${payload}x.${seal}`,
        `${payload}`,
        `${payload}.`,
        "",
        "a.b.c",
        1
      ]) {
        const { error } = yield* call(ask, { requestState: changed, inputResponses })
        assert.deepInclude(error, { code: -32602 })
        assert.match(error.message, /requestState: is not what this server sent/)
      }
      for (const responses of [null, 1, [], { user_name: 12345 }, { user_name: { action: "maybe" } }]) {
        const { error } = yield* call(ask, { requestState, inputResponses: responses })
        assert.deepInclude(error, { code: -32602 })
        assert.match(error.message, /inputResponses/)
      }
    })
  )

  it.effect("is not asked of a client that has not said that it shows forms", () =>
    Effect.gen(function* () {
      const client = yield* Stdio.connect
      for (const elicitation of [undefined, { url: {} }]) {
        const capabilities = elicitation === undefined ? {} : { elicitation }
        const _meta = { ...formsMeta, "io.modelcontextprotocol/clientCapabilities": capabilities }
        yield* client.send(request("tools/call", { name: ask, arguments: {}, _meta }))
        assert.nestedPropertyVal(yield* client.receive, "result.structuredContent.error.code", "NOBODY")
      }
    })
  )

  it.effect("is no call that is recorded, before the call is made with its answer", () => {
    const recorded: Array<unknown> = []
    const audit = Layer.succeed(Audit, {
      introduce: () => Effect.void,
      introduced: Effect.undefined,
      record: ({ outcome }) => Effect.sync(() => void recorded.push(outcome))
    })
    return Effect.gen(function* () {
      const call = yield* rounds
      const { requestState } = (yield* call(ask)).result
      assert.deepStrictEqual(recorded, [])
      yield* call(ask, { requestState, inputResponses: { user_name: yes } })
      assert.deepStrictEqual(recorded, ["succeeded"])
    }).pipe(Effect.provide(audit))
  })
})
