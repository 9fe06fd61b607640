import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"

import type { Entry } from "../../../src/changes/Journal.ts"
import { inMemory } from "../../../src/changes/Journal.ts"
import { EmbeddedEngine } from "../../../src/engine/embedded/EmbeddedEngine.ts"
import type { Change } from "../../../src/engine/plans/Change.ts"
import { WorkflowJournal } from "../../../src/engine/plans/Plans.ts"
import type { Options } from "../../../src/mcp/transport/http.ts"
import * as Http from "../../support/fixtures/HttpClient.ts"
import { formsMeta, initialize, modernHeaders, request, toolCall } from "../../support/fixtures/messages.ts"
import * as Stdio from "../../support/fixtures/StdioClient.ts"
import { ask } from "../../support/harness.ts"
import { inTime } from "../../support/inTime.ts"
import { Beside, hook, serverWithPlans, twoEmbedded, workflow } from "./support.ts"

const plans = { guards: { protected: { tags: [], names: ["Billing*"] } } }
const yes = { action: "accept", content: { agree: true } }
const inputResponses = { agreement: yes }

/** Everyone is who their token says. */
const login: Options = { verify: (token) => Effect.succeed({ subject: Redacted.value(token), mayChange: true }) }

/** A client of the newest revision over HTTP with this login. */
const client = Effect.fnUntraced(function* (token: string) {
  const { send } = yield* Http.connect(login)
  return Effect.fnUntraced(function* (name: string, args: object, more: object = {}) {
    const message = request("tools/call", { name, arguments: args, ...more, _meta: formsMeta })
    const headers = { ...modernHeaders("tools/call", name), authorization: `Bearer ${token}` }
    const { messages } = yield* send(message, headers)
    const { error, result } = Object(messages[0])
    assert.isUndefined(error)
    return Object(result)
  })
})

const questionIn = (result: ReturnType<typeof Object>): string => {
  assert.strictEqual(result.resultType, "input_required", JSON.stringify(result.structuredContent))
  return String(result.inputRequests.agreement.params.message)
}

describe("an agreement to a run", () => {
  const posting = (jsonBody: string) => ({
    name: "posting",
    nodes: [
      hook("posting"),
      {
        name: "Post",
        type: "n8n-nodes-base.httpRequest",
        typeVersion: 4.2,
        position: [220, 0],
        parameters: { method: "POST", url: "https://shop.example.com", sendBody: true, specifyBody: "json", jsonBody }
      }
    ],
    connections: { Hook: { main: [[{ node: "Post", type: "main", index: 0 }]] } },
    settings: {}
  })

  /** How often the server has made a temporary copy, by now. */
  const counting = Effect.gen(function* () {
    const { meddle } = yield* Beside
    let made = 0
    yield* meddle((request, proceed) => {
      if (request.method === "POST" && request.url.endsWith("/workflows")) made++
      return proceed
    })
    return () => made
  })

  const given = (id: string) => ({ id, confirm: true, instance: "staging", items: [{ amount: 5 }] })

  it.effect("runs once, however often and by whomever it is sent", () =>
    Effect.gen(function* () {
      const { id } = yield* ask("create_workflow", { ...posting('{"a":1}'), instance: "staging" })
      const made = yield* counting
      const [ann, bob] = [yield* client("ann"), yield* client("bob")]
      const args = given(String(id))
      const first = yield* ann("run_workflow", args)
      const question = questionIn(first)
      assert.include(question, '"Post" [httpRequest] POST https://shop.example.com')
      assert.include(question, String.raw`"jsonBody":"{\"a\":1}"`)
      assert.include(question, 'It begins with 1 item: [{"amount":5}]')
      const answer = { requestState: first.requestState, inputResponses }
      questionIn(yield* bob("run_workflow", args, answer))
      questionIn(yield* ann("run_workflow", { ...args, items: [{ amount: 500 }] }, answer))
      assert.strictEqual(made(), 0)
      const state = (yield* ann("run_workflow", args)).requestState
      const calls = Array.from({ length: 5 }, () => ann("run_workflow", args, { requestState: state, inputResponses }))
      const outcomes = yield* Effect.all(calls, { concurrency: "unbounded" })
      const done = outcomes.filter(({ resultType }) => resultType === "complete")
      assert.lengthOf(done, 1)
      assert.propertyVal(done[0].structuredContent, "ran", true)
      for (const other of outcomes.filter((one) => !done.includes(one))) questionIn(other)
      assert.strictEqual(made(), 1)
    }).pipe(inTime, Effect.provide(twoEmbedded(["2.41.1", "1.82.3"])))
  )

  it.effect("does not hold for a body that was exchanged after the question", () =>
    Effect.gen(function* () {
      const { send } = yield* Beside
      const id = String((yield* ask("create_workflow", { ...posting('{"a":1}'), instance: "staging" }))["id"])
      const made = yield* counting
      const ann = yield* client("ann")
      const { requestState } = yield* ann("run_workflow", given(id))
      yield* send("staging", "PUT", `/workflows/${id}`, posting('{"a":1000000}'))
      const again = yield* ann("run_workflow", given(id), { requestState, inputResponses })
      assert.include(questionIn(again), "1000000")
      assert.strictEqual(made(), 0)
      const agreed = { requestState: again.requestState, inputResponses }
      assert.propertyVal((yield* ann("run_workflow", given(id), agreed)).structuredContent, "ran", true)
    }).pipe(inTime, Effect.provide(twoEmbedded(["2.41.1", "1.82.3"])))
  )
})

describe("an agreement to a change", () => {
  it.effect("does not hold for a workflow that somebody changes while the person thinks", () =>
    Effect.gen(function* () {
      const { send } = yield* Beside
      const body = { name: "Billing run", nodes: [hook("billing")], connections: {}, settings: {} }
      const id = String((yield* send("staging", "POST", "/workflows", body))["id"])
      const client = yield* Stdio.connect
      yield* client.send(initialize("2025-11-25", "init", { elicitation: {} }))
      yield* client.receive
      const question = Effect.map(client.receive, (message) => {
        assert.nestedPropertyVal(message, "method", "elicitation/create")
        return Object(message)
      })
      yield* client.send(toolCall("delete_workflow", { id, instance: "staging" }))
      const first = yield* question
      yield* send("staging", "PUT", `/workflows/${id}`, {
        ...body,
        nodes: [hook("billing"), { ...hook("more"), name: "More" }]
      })
      yield* client.send({ jsonrpc: "2.0", id: first.id, result: yes })
      const second = yield* question
      assert.match(
        second.params.message,
        /^This is more, or another, than what was agreed to; nothing was changed yet\.\n/
      )
      assert.property(yield* send("staging", "GET", `/workflows/${id}`), "id")
      yield* client.send({ jsonrpc: "2.0", id: second.id, result: yes })
      assert.nestedProperty(yield* client.receive, "result.content")
    }).pipe(inTime, Effect.provide(twoEmbedded(["2.41.1", "1.82.3"], { plans })))
  )
})

/** Servers one after the other over the same engine and the same journal, as after a kill. */
const restarting = Effect.gen(function* () {
  const engine = Context.get(yield* Layer.build(EmbeddedEngine.layer({ version: "2.41.1" })), EmbeddedEngine)
  const journal = yield* inMemory<Change>()
  const entries: Array<Entry<Change>> = []
  const append = (entry: Entry<Change>) =>
    Effect.andThen(
      journal.append(entry),
      Effect.sync(() => entries.push(entry))
    )
  const place = { host: "http://127.0.0.1:5001", apiKey: Redacted.value(engine.apiKey) }
  const http = HttpClient.make((request) => engine.httpClient.execute(request))
  const kept = Layer.succeed(WorkflowJournal, { ...journal, append: (entry) => Effect.asVoid(append(entry)) })
  const start = Effect.suspend(() =>
    Layer.build(Layer.fresh(serverWithPlans({ production: place }, http, { plans }, kept)))
  )
  return { start, entries, append }
})

const refusing = Effect.flatMap(Beside, ({ meddle }) =>
  meddle((request, proceed) =>
    request.method === "PUT"
      ? Effect.succeed(HttpClientResponse.fromWeb(request, Response.json({ message: "not now" }, { status: 400 })))
      : proceed
  )
)

describe("an agreement to a plan", () => {
  const planned = Effect.gen(function* () {
    const { send } = yield* Beside
    for (const name of ["Billing a", "Billing b"]) yield* send("production", "POST", "/workflows", workflow(name))
    const where = { name: "Billing *" }
    const plan = yield* ask("plan_bulk", { where, action: ["tag"], value: "seen" })
    return String(plan["plan_id"])
  })

  const applying = (plan_id: string) => ({ plan_id, confirm: true })

  it.effect("is kept with its caller and digest, and covers what is left of it after a restart, for that caller", () =>
    Effect.gen(function* () {
      const { entries, start } = yield* restarting
      const killed = yield* start
      const id = yield* Effect.provide(planned, killed)
      const before = yield* Effect.provide(client("ann"), killed)
      const { requestState } = yield* before("apply_plan", applying(id))
      yield* Effect.provide(refusing, killed)
      const stopped = yield* before("apply_plan", applying(id), { requestState, inputResponses })
      assert.notStrictEqual(stopped.structuredContent.state, "applied")
      const agreements = entries.flatMap((entry) => (entry.type === "agreed" ? [entry] : []))
      assert.deepStrictEqual(
        agreements.map(({ caller, plan_id }) => [caller, plan_id]),
        [['login ["","ann"]', id]]
      )
      assert.match(agreements[0]?.digest ?? "", /^[0-9a-f]{64}$/)
      const restarted = yield* start
      const [ann, bob] = [
        yield* Effect.provide(client("ann"), restarted),
        yield* Effect.provide(client("bob"), restarted)
      ]
      questionIn(yield* bob("apply_plan", applying(id)))
      const done = (yield* ann("apply_plan", applying(id))).structuredContent
      assert.strictEqual(done.state, "applied", JSON.stringify(done.refused))
    }).pipe(inTime)
  )

  it.effect("does not hold for a plan that was exchanged in the journal", () =>
    Effect.gen(function* () {
      const { append, entries, start } = yield* restarting
      const server = yield* start
      const id = yield* Effect.provide(planned, server)
      const ann = yield* Effect.provide(client("ann"), server)
      const { requestState } = yield* ann("apply_plan", applying(id))
      const kept = entries.flatMap((entry) => (entry.type === "planned" ? [entry] : []))
      assert.lengthOf(kept, 1)
      for (const entry of kept) {
        yield* append({ ...entry, plan: { ...entry.plan, steps: entry.plan.steps.slice(1) } })
      }
      questionIn(yield* ann("apply_plan", applying(id), { requestState, inputResponses }))
    }).pipe(inTime)
  )
})
