import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"

import { Copies, makeUses, type Use } from "../../../src/mcp/Elicitation.ts"
import type { Options } from "../../../src/mcp/transport/http.ts"
import { FixtureServer } from "../../support/fixtures/FixtureServer.ts"
import * as Http from "../../support/fixtures/HttpClient.ts"
import { formsMeta, initialize, modernHeaders, request, toolCall } from "../../support/fixtures/messages.ts"
import * as Stdio from "../../support/fixtures/StdioClient.ts"

const ask = "test_input_required_result_elicitation"
const yes = { action: "accept", content: { name: "Ada" } }
const inputResponses = { user_name: yes }

/** A client of the newest revision over HTTP, by the name that it says it has, and its token. */
const client = Effect.fnUntraced(function* (name = "one", options: Options = {}, token = "") {
  const { send } = yield* Http.connect(options)
  const _meta = { ...formsMeta, "io.modelcontextprotocol/clientInfo": { name, version: "1" } }
  const call = Effect.fnUntraced(function* (more: object = {}, args: object = {}) {
    const message = request("tools/call", { name: ask, arguments: args, ...more, _meta })
    const { messages } = yield* send(message, {
      ...modernHeaders("tools/call", ask),
      ...(token === "" ? {} : { authorization: `Bearer ${token}` })
    })
    return Object(messages[0])
  })
  return { call, question: Effect.map(call(), ({ result }) => String(result.requestState)) }
})

/** The callers among several that came through with an answer, and those that are asked instead. */
const outcomeOf = ({ error, result }: ReturnType<typeof Object>): string =>
  error !== undefined
    ? error.message
    : result.resultType === "input_required"
      ? "asked"
      : JSON.parse(result.content[0].text).replies[0]._tag

/** Everyone is who their token says. */
const login: Options = {
  verify: (token) => {
    const [subject = "", issuer = ""] = Redacted.value(token).split("@")
    return Effect.succeed({ subject, issuer, mayChange: true })
  }
}

const fresh = () => Layer.fresh(FixtureServer)

describe("an answer", () => {
  it.effect("counts once, and the person is asked again by the same words afterwards", () =>
    Effect.gen(function* () {
      const { call, question } = yield* client()
      const requestState = yield* question
      const outcomes = yield* Effect.replicateEffect(call({ requestState, inputResponses }), 3)
      assert.deepStrictEqual(outcomes.map(outcomeOf), ["Accepted", "asked", "asked"])
      const again = outcomes[1].result.requestState
      assert.strictEqual(outcomeOf(yield* call({ requestState: again, inputResponses })), "Accepted")
    }).pipe(Effect.provide(fresh()))
  )

  it.effect("counts for one of several calls that bring it at once", () =>
    Effect.gen(function* () {
      const { call, question } = yield* client()
      const requestState = yield* question
      const calls = Array.from({ length: 20 }, () => call({ requestState, inputResponses }))
      const outcomes = (yield* Effect.all(calls, { concurrency: "unbounded" })).map(outcomeOf)
      assert.lengthOf(
        outcomes.filter((one) => one === "Accepted"),
        1
      )
      assert.lengthOf(
        outcomes.filter((one) => one === "asked"),
        19
      )
    }).pipe(Effect.provide(fresh()))
  )

  it.effect("counts for the caller that was asked, and is not used up by another one", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* client("one"), yield* client("other")]
      const requestState = yield* one.question
      assert.strictEqual(outcomeOf(yield* other.call({ requestState, inputResponses })), "asked")
      const stdio = yield* Stdio.connect
      const params = { name: ask, arguments: {}, requestState, inputResponses, _meta: formsMeta }
      yield* stdio.send(request("tools/call", params))
      assert.strictEqual(outcomeOf(Object(yield* stdio.receive)), "asked")
      assert.strictEqual(outcomeOf(yield* one.call({ requestState, inputResponses })), "Accepted")
    }).pipe(Effect.provide(fresh()))
  )

  it.effect("counts for the subject of a login, whatever client it uses, and for no other subject or issuer", () =>
    Effect.gen(function* () {
      const ann = yield* client("one", login, "ann@idp")
      for (const [name, token, expected] of [
        ["one", "bob@idp", "asked"],
        ["one", "ann@other", "asked"],
        ["other", "ann@idp", "Accepted"]
      ] as const) {
        const requestState = yield* ann.question
        const { call } = yield* client(name, login, token)
        assert.strictEqual(outcomeOf(yield* call({ requestState, inputResponses })), expected, token)
      }
    }).pipe(Effect.provide(fresh()))
  )

  it.effect("counts in the process that has asked; another one, or the restarted one, says to ask again", () =>
    Effect.gen(function* () {
      const requestState = yield* (yield* client()).question
      const { call, question } = yield* Effect.provide(client(), yield* Layer.build(fresh()))
      const refused = yield* call({ requestState, inputResponses })
      assert.match(outcomeOf(refused), /not what this process of it sent. Nothing was changed. .* asked again/)
      assert.strictEqual(outcomeOf(yield* call({ requestState: yield* question, inputResponses })), "Accepted")
    }).pipe(Effect.provide(fresh()))
  )

  it.effect("counts once among copies that share what was used, and not while nobody can tell", () => {
    const uses = makeUses()
    let isLost = false
    const shared = Layer.succeed(Copies, {
      secret: Effect.succeed(new Uint8Array(32)),
      handOn: () => Effect.void,
      handedOn: () => Effect.never,
      use: (state, until) => (isLost ? Effect.succeed<Use>("unknown") : Effect.delay(uses(state, until), 0))
    })
    const copy = Effect.suspend(() =>
      Effect.flatMap(Layer.build(Layer.provide(fresh(), shared)), (server) => Effect.provide(client(), server))
    )
    return Effect.gen(function* () {
      const [one, other] = [yield* copy, yield* copy]
      const requestState = yield* one.question
      const both = [one, other, one, other].map(({ call }) => call({ requestState, inputResponses }))
      const outcomes = (yield* Effect.all(both, { concurrency: "unbounded" })).map(outcomeOf)
      assert.deepStrictEqual(outcomes.toSorted(), ["Accepted", "asked", "asked", "asked"])
      isLost = true
      const { call, question } = other
      const answer = yield* call({ requestState: yield* question, inputResponses })
      assert.deepStrictEqual(JSON.parse(answer.result.content[0].text).replies, [
        { _tag: "Unanswered", problem: "whether the answer was used before cannot be told just now" }
      ])
    })
  })

  it.effect("to a session comes from the subject that was asked there", () =>
    Effect.gen(function* () {
      const { open, send } = yield* Http.connect(login)
      const as = (token: string) => ({ authorization: `Bearer ${token}`, "mcp-protocol-version": "2025-11-25" })
      const { headers } = yield* send(initialize("2025-11-25", "init", { elicitation: {} }), as("ann@idp"))
      const session = { "mcp-session-id": headers.get("mcp-session-id") ?? "" }
      const call = yield* open(toolCall(ask), { ...as("ann@idp"), ...session })
      const { id } = Object(yield* call.next)
      yield* send({ jsonrpc: "2.0", id, result: yes }, { ...as("bob@idp"), ...session })
      yield* send({ jsonrpc: "2.0", id, result: { action: "decline" } }, { ...as("ann@idp"), ...session })
      assert.strictEqual(outcomeOf(Object(yield* call.next)), "Declined")
    }).pipe(Effect.provide(fresh()))
  )
})

describe("used answers", () => {
  it.effect("are remembered in limited number, and what is as old as the forgotten ones counts as used", () =>
    Effect.gen(function* () {
      const use = makeUses()
      for (let n = 0; n <= 10_000; n++) assert.strictEqual(yield* use(`state ${n}`, n), "first")
      assert.strictEqual(yield* use("state 0", 0), "again")
      assert.strictEqual(yield* use("another", 0), "again")
      assert.strictEqual(yield* use("state 10000", 10_000), "again")
      assert.strictEqual(yield* use("new", 10_001), "first")
    })
  )
})
