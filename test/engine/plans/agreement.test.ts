import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"

import { WorkflowPlans } from "../../../src/engine/plans/Plans.ts"
import { Elicitation, type Reply } from "../../../src/mcp/Elicitation.ts"
import * as Http from "../../support/fixtures/HttpClient.ts"
import { formsMeta, initialize, modernHeaders, request, toolCall } from "../../support/fixtures/messages.ts"
import * as Stdio from "../../support/fixtures/StdioClient.ts"
import { ask } from "../../support/harness.ts"
import { Beside, twoEmbedded, workflow } from "./support.ts"

const plans = { guards: { protected: { tags: [], names: ["Billing*"] } } }
const engines = twoEmbedded(["1.82.3", "2.41.1"], { plans })

const mapping = { credentials: {}, tags: {}, workflows: { Invoices: "Billing run" }, values: {} }
const renaming = twoEmbedded(["1.82.3", "2.41.1"], {
  plans,
  promotion: { mappings: [{ from: "staging", to: "production", ...mapping }] }
})

/** The names on production, in order. */
const onProduction = Effect.gen(function* () {
  const { data } = yield* (yield* Beside).send("production", "GET", "/workflows")
  return Array.isArray(data) ? data.map(({ name }) => String(name)).toSorted() : []
})

/** A plan that brings these workflows to production. */
const planned = Effect.fnUntraced(function* (...names: ReadonlyArray<string>) {
  const { send } = yield* Beside
  const ids: Array<unknown> = []
  for (const name of names) ids.push((yield* send("staging", "POST", "/workflows", workflow(name)))["id"])
  return String((yield* ask("plan_promotion", { from: "staging", to: "production", ids }))["plan_id"])
})

const forms = { elicitation: { form: {} } }

const connected = Effect.gen(function* () {
  const client = yield* Stdio.connect
  yield* client.send(initialize("2025-11-25", "init", forms))
  yield* client.receive
  const apply = (plan_id: string, id: number | string = 1) =>
    client.send(toolCall("apply_plan", { plan_id, confirm: true, confirm_protected: true }, id))
  /** The question that comes next, once it is answered so. */
  const answer = Effect.fnUntraced(function* (result: object) {
    const { id, params } = Object(yield* client.receive)
    yield* client.send({ jsonrpc: "2.0", id, result })
    return Object(params)
  })
  return { ...client, apply, answer }
})

const yes = { action: "accept", content: { agree: true } }

const refusals: ReadonlyArray<readonly [string, object, RegExp]> = [
  ["declines", { action: "decline" }, /declined; nothing was changed/],
  ["sends the form without agreeing", { action: "accept", content: { agree: false } }, /declined; nothing was changed/],
  ["closes the form", { action: "cancel" }, /closed the question without an answer; nothing was changed/],
  ["sends an empty form", { action: "accept", content: {} }, /says neither yes nor no. Nothing was changed/],
  [
    "answers by a word",
    { action: "accept", content: { agree: "true" } },
    /says neither yes nor no. Nothing was changed/
  ]
]

describe("a plan that changes protected workflows", () => {
  it.effect("asks the person, whatever the caller says of them, and changes nothing unless they agree", () =>
    Effect.gen(function* () {
      const id = yield* planned("Billing run", 'Billing "twice"\nand more', "other")
      const client = yield* connected
      for (const [what, result, words] of refusals) {
        yield* client.apply(id)
        const { message, requestedSchema } = yield* client.answer(result)
        assert.deepStrictEqual(message.split("\n"), [
          "This promotion changes protected workflows on production:",
          String.raw`- "Billing \"twice\"\nand more" is created`,
          `- "Billing run" is created`,
          `With everything else, plan ${id} makes 3 changes. Apply it?`
        ])
        assert.deepStrictEqual(requestedSchema, {
          type: "object",
          properties: { agree: { type: "boolean", title: "Yes, do what is named above" } },
          required: ["agree"]
        })
        const { error } = Object(yield* client.receive)
        assert.strictEqual(error.data.code, "NOT_AGREED", what)
        assert.match(error.message, words, what)
      }
      assert.deepStrictEqual(yield* onProduction, [])
      assert.propertyVal(yield* ask("show_plan", { plan_id: id }), "state", "planned")
      yield* client.apply(id)
      yield* client.answer(yes)
      assert.nestedPropertyVal(yield* client.receive, "result.structuredContent.state", "applied")
      assert.lengthOf(yield* onProduction, 3)
    }).pipe(Effect.provide(engines))
  )

  it.effect("asks before its rollback, and says what that does; nobody is asked of what cannot be applied", () =>
    Effect.gen(function* () {
      const id = yield* planned("Billing run")
      const client = yield* connected
      yield* client.apply(id)
      yield* client.answer(yes)
      assert.nestedPropertyVal(yield* client.receive, "result.structuredContent.state", "applied")
      yield* client.apply(id)
      assert.nestedPropertyVal(yield* client.receive, "error.data.code", "PLAN_SPENT")
      const back = String((yield* ask("plan_rollback", { plan_id: id }))["plan_id"])
      yield* client.apply(back)
      const { message } = yield* client.answer(yes)
      assert.match(
        message,
        /^This rollback changes .* on production:\n- "Billing run" is deleted, with its executions\n/
      )
      assert.nestedPropertyVal(yield* client.receive, "result.structuredContent.state", "applied")
      assert.deepStrictEqual(yield* onProduction, [])
      const late = yield* planned("Billing late")
      yield* TestClock.adjust("61 minutes")
      yield* client.apply(late)
      assert.nestedPropertyVal(yield* client.receive, "error.data.code", "PLAN_EXPIRED")
      yield* client.apply("nowhere")
      assert.nestedPropertyVal(yield* client.receive, "error.data.code", "PLAN_NOT_FOUND")
    }).pipe(Effect.provide(engines))
  )

  it.effect("asks by the name that a workflow has now, where the plan renames it", () =>
    Effect.gen(function* () {
      yield* (yield* Beside).send("production", "POST", "/workflows", workflow("Billing run"))
      const id = yield* planned("Invoices")
      const client = yield* connected
      yield* client.apply(id)
      const { message } = yield* client.answer({ action: "decline" })
      assert.include(message, `\n- "Billing run" is changed and renamed to "Invoices"\n`)
      yield* client.receive
      assert.deepStrictEqual(yield* onProduction, ["Billing run"])
    }).pipe(Effect.provide(renaming))
  )

  it.effect("goes on without a second question after it was refused in part", () =>
    Effect.gen(function* () {
      const { meddle } = yield* Beside
      const id = yield* planned("Billing a", "Billing b")
      const client = yield* connected
      yield* meddle((request, proceed) =>
        request.method === "POST"
          ? Effect.succeed(HttpClientResponse.fromWeb(request, Response.json({ message: "not now" }, { status: 400 })))
          : proceed
      )
      yield* client.apply(id)
      yield* client.answer(yes)
      assert.nestedPropertyVal(yield* client.receive, "result.structuredContent.state", "refused")
      yield* meddle(undefined)
      yield* client.apply(id)
      assert.nestedPropertyVal(yield* client.receive, "result.structuredContent.state", "applied")
    }).pipe(Effect.provide(engines))
  )

  it.effect("holds up no other client while its question is open, and ends with it after five minutes", () =>
    Effect.gen(function* () {
      const [hung, other] = [yield* planned("Billing hung"), yield* planned("Billing other")]
      const [one, two] = [yield* connected, yield* connected]
      yield* one.apply(hung, "hung")
      const { id } = Object(yield* one.receive)
      yield* two.apply(other)
      yield* two.answer(yes)
      assert.nestedPropertyVal(yield* two.receive, "result.structuredContent.state", "applied")
      yield* two.send({ jsonrpc: "2.0", id, result: yes })
      assert.propertyVal(yield* ask("show_plan", { plan_id: hung }), "state", "planned")
      yield* TestClock.adjust("5 minutes")
      assert.nestedPropertyVal(yield* one.receive, "params.requestId", id)
      const { error } = Object(yield* one.receive)
      assert.match(error.message, /no person has agreed: nobody answered within 5 minutes. Nothing was changed/)
      assert.deepStrictEqual(yield* onProduction, ["Billing other"])
    }).pipe(Effect.provide(engines))
  )

  it.effect("changes nothing when its client leaves over HTTP, and can be applied later", () =>
    Effect.gen(function* () {
      const id = yield* planned("Billing run")
      const client = yield* Http.connect()
      const { headers } = yield* client.send(initialize("2025-06-18", "init", forms))
      const sessionHeaders = {
        "mcp-protocol-version": "2025-06-18",
        "mcp-session-id": headers.get("mcp-session-id") ?? ""
      }
      const call = toolCall("apply_plan", { plan_id: id, confirm: true, confirm_protected: true })
      const left = yield* client.open(call, sessionHeaders)
      const first = Object(yield* left.next)
      yield* left.leave
      yield* client.send({ jsonrpc: "2.0", id: first.id, result: yes }, sessionHeaders)
      assert.propertyVal(yield* ask("show_plan", { plan_id: id }), "state", "planned")
      const again = yield* client.open(call, sessionHeaders)
      const second = Object(yield* again.next)
      yield* client.send({ jsonrpc: "2.0", id: second.id, result: yes }, sessionHeaders)
      assert.nestedPropertyVal(yield* again.next, "result.structuredContent.state", "applied")
    }).pipe(Effect.provide(engines))
  )

  it.effect("asks by the result of its call in the newest revision", () =>
    Effect.gen(function* () {
      const id = yield* planned("Billing run")
      const client = yield* Http.connect()
      const call = Effect.fnUntraced(function* (more: object) {
        const params = { name: "apply_plan", arguments: { plan_id: id, confirm: true, confirm_protected: true } }
        const message = request("tools/call", { ...params, ...more, _meta: formsMeta })
        const { messages } = yield* client.send(message, modernHeaders("tools/call", "apply_plan"))
        return Object(messages[0]).result
      })
      for (const [what, result, words] of refusals) {
        const { inputRequests, requestState } = yield* call({})
        assert.include(inputRequests.agreement.params.message, `- "Billing run" is created`)
        const { isError, structuredContent } = yield* call({ requestState, inputResponses: { agreement: result } })
        assert.isTrue(isError, what)
        assert.match(structuredContent.error.message, words, what)
      }
      assert.deepStrictEqual(yield* onProduction, [])
      const { requestState } = yield* call({})
      const done = yield* call({ requestState, inputResponses: { agreement: yes } })
      assert.strictEqual(done.structuredContent.state, "applied")
    }).pipe(Effect.provide(engines))
  )

  it.effect("asks whom an embedding program names, and nobody by itself", () =>
    Effect.gen(function* () {
      const id = yield* planned("Billing run")
      const plans = yield* WorkflowPlans
      assert.strictEqual((yield* Effect.flip(plans.apply(id)))._tag, "GuardViolation")
      const questions: Array<string> = []
      const person = (reply: Reply) =>
        Layer.succeed(Elicitation, {
          ask: ({ message }) => Effect.sync(() => questions.push(message)).pipe(Effect.as(reply))
        })
      const declined = plans.apply(id, { isProtectedConfirmed: true }).pipe(Effect.flip)
      assert.deepInclude(yield* Effect.provide(declined, person({ _tag: "Declined" })), {
        _tag: "NotAgreed",
        answer: "declined"
      })
      const agreed: Reply = { _tag: "Accepted", content: { agree: true } }
      assert.propertyVal(yield* Effect.provide(plans.apply(id), person(agreed)), "state", "applied")
      assert.lengthOf(questions, 2)
    }).pipe(Effect.provide(engines))
  )

  it.effect("asks whom the program around the server names, before the client", () =>
    Effect.gen(function* () {
      const id = yield* planned("Billing run")
      const client = yield* connected
      yield* client.apply(id)
      assert.nestedPropertyVal(yield* client.receive, "error.data.answer", "declined")
    }).pipe(
      Effect.provide(
        engines.pipe(
          Layer.provide(Layer.succeed(Elicitation, { ask: () => Effect.succeed<Reply>({ _tag: "Declined" }) }))
        )
      )
    )
  )
})
