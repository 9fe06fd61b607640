import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"

import { EmbeddedEngine } from "../../../src/engine/embedded/EmbeddedEngine.ts"
import { api, chain, flow, listed, node, refusal, running, send, set, visit, webhook } from "./calls.ts"

const respond = (parameters: object = {}) =>
  node("Respond", "respondToWebhook", { options: {}, ...parameters }, { typeVersion: 1.1 })
const failing = node("Stop", "stopAndError", { errorMessage: "=No invoice {{ $json.body.number }}" })
const waiting = (seconds: number) => node("Wait", "wait", { amount: seconds, unit: "seconds" })

/** Starts a webhook that leads to these nodes, one behind the other. */
const path = (place: string, mode: string, ...nodes: ReadonlyArray<ReturnType<typeof node>>) =>
  running(flow(place, [webhook(place, mode), ...nodes], chain("Webhook", ...nodes.map(({ name }) => String(name)))))

const lastExecution = Effect.fnUntraced(function* (workflowId: string) {
  const { data } = yield* listed(`/executions?limit=1&workflowId=${workflowId}`)
  return (yield* api("GET", `/executions/${String(data[0]?.id)}?includeData=true`)).json
})

layer(EmbeddedEngine.layer())("running a workflow", (it) => {
  it.effect("answers immediately when configured to, even if the run fails later", () =>
    Effect.gen(function* () {
      const id = yield* path("at-once", "onReceived", failing)
      const { json, status } = yield* visit("at-once", { number: 7 })
      assert.deepStrictEqual([status, json], [200, { message: "Workflow was started" }])
      assert.deepInclude(yield* lastExecution(id), { status: "error", finished: false })
    })
  )

  it.effect("answers with the first item of the last node", () =>
    Effect.gen(function* () {
      yield* path(
        "last",
        "lastNode",
        set("Double", { twice: "={{ $json.body.x * 2 }}", "deep.text": "=x is {{ $json.body.x }}" })
      )
      const { json } = yield* visit("last", { x: 21 })
      assert.deepStrictEqual(json, { twice: 42, deep: { text: "x is 21" } })
    })
  )

  it.effect("answers with the response of the responding node", () =>
    Effect.gen(function* () {
      const said = { respondWith: "json", responseBody: "={{ { got: $json.body } }}" }
      yield* path("said", "responseNode", respond({ ...said, options: { responseCode: 202 } }))
      const { json, status } = yield* visit("said", { a: 1 })
      assert.deepStrictEqual([status, json], [202, { got: { a: 1 } }])
      yield* path("told", "responseNode", respond({ respondWith: "text", responseBody: "thanks" }))
      assert.include(yield* visit("told"), { text: "thanks", type: "text/html; charset=utf-8" })
    })
  )

  it.effect("fails when no node on the way can respond", () =>
    Effect.gen(function* () {
      const id = yield* running(flow("mute", [webhook("mute", "responseNode"), respond()]))
      assert.deepStrictEqual(refusal(yield* visit("mute")), [
        500,
        "Workflow Webhook Error: Workflow could not be started!"
      ])
      assert.nestedPropertyVal(
        yield* lastExecution(id),
        "data.resultData.error.message",
        "No Respond to Webhook node found in the workflow"
      )
    })
  )

  it.effect("records an execution with every step", () =>
    Effect.gen(function* () {
      const id = yield* path("steps", "lastNode", set("Note", { note: "seen" }))
      yield* visit("steps", { x: 1 })
      const execution = yield* lastExecution(id)
      assert.deepInclude(execution, { status: "success", mode: "webhook", workflowId: id })
      assert.nestedPropertyVal(execution, "data.resultData.lastNodeExecuted", "Note")
      assert.nestedPropertyVal(execution, "data.resultData.runData.Webhook[0].data.main[0][0].json.body.x", 1)
      assert.nestedPropertyVal(execution, "data.resultData.runData.Note[0].source[0].previousNode", "Webhook")
    })
  )

  it.effect("records an execution with the error and the failed node", () =>
    Effect.gen(function* () {
      const id = yield* path("fails", "lastNode", failing)
      assert.deepStrictEqual(refusal(yield* visit("fails", { number: 7 })), [500, "Error in workflow"])
      const execution = yield* lastExecution(id)
      assert.nestedPropertyVal(execution, "data.resultData.error.message", "No invoice 7")
      assert.nestedPropertyVal(execution, "data.resultData.error.node.name", "Stop")
      assert.nestedProperty(execution, "data.resultData.error.stack")
    })
  )

  it.effect("takes the branch whose conditions hold", () =>
    Effect.gen(function* () {
      const condition = {
        leftValue: "={{ $json.body.x }}",
        rightValue: 10,
        operator: { type: "number", operation: "gt" }
      }
      const nodes = [
        webhook("branch"),
        node("If", "if", { conditions: { combinator: "and", conditions: [condition] } }, { typeVersion: 2.2 }),
        set("Large", { size: "large" }),
        set("Small", { size: "small" })
      ]
      const outputs = ["Large", "Small"].map((name) => [{ node: name, type: "main", index: 0 }])
      yield* running(flow("branch", nodes, { ...chain("Webhook", "If"), If: { main: outputs } }))
      assert.deepStrictEqual((yield* visit("branch", { x: 11 })).json, { size: "large" })
      assert.deepStrictEqual((yield* visit("branch", { x: 10 })).json, { size: "small" })
    })
  )

  it.effect("passes items through nodes that are disabled or of an unknown kind", () =>
    Effect.gen(function* () {
      yield* path(
        "through",
        "lastNode",
        set("Note", { a: 1 }),
        { ...set("Off", { b: 2 }), disabled: true },
        node("Mail", "emailSend")
      )
      assert.deepStrictEqual((yield* visit("through")).json, { a: 1 })
    })
  )

  it.effect("names the code that it cannot run", () =>
    Effect.gen(function* () {
      yield* path(
        "returns",
        "lastNode",
        node("Code", "code", { jsCode: "return [{ json: { n: $input.all().length } }];" })
      )
      assert.deepStrictEqual((yield* visit("returns")).json, { n: 1 })
      const id = yield* path("loops", "lastNode", node("Code", "code", { jsCode: "for (;;) {}" }))
      assert.strictEqual((yield* visit("loops")).status, 500)
      assert.nestedPropertyVal(
        yield* lastExecution(id),
        "data.resultData.error.message",
        "The embedded engine runs no code but `return <expression>` and `throw new Error(<text>)`"
      )
    })
  )

  it.effect("ends a loop after a thousand steps", () =>
    Effect.gen(function* () {
      const nodes = [webhook("loop"), node("A", "noOp")]
      const id = yield* running(flow("loop", nodes, { ...chain("Webhook", "A", "A") }))
      assert.strictEqual((yield* visit("loop")).status, 500)
      assert.nestedPropertyVal(
        yield* lastExecution(id),
        "data.resultData.error.message",
        "The embedded engine stopped after 1000 steps"
      )
    })
  )

  it.effect("goes on when its caller disconnects", () =>
    Effect.gen(function* () {
      const id = yield* path("patient", "lastNode", waiting(60))
      const call = yield* Effect.forkChild(visit("patient"))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(call)
      assert.lengthOf((yield* listed(`/executions?workflowId=${id}`)).data, 0)
      yield* TestClock.adjust("1 minute")
      assert.deepInclude(yield* lastExecution(id), { status: "success" })
    })
  )

  it.effect("is canceled at its time limit", () =>
    Effect.gen(function* () {
      const nodes = [webhook("late"), waiting(60)]
      const id = yield* running(flow("late", nodes, chain("Webhook", "Wait"), { settings: { executionTimeout: 5 } }))
      const call = yield* Effect.forkChild(visit("late"))
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(refusal(yield* Fiber.join(call)), [500, "There was a problem executing the workflow"])
      assert.deepInclude(yield* lastExecution(id), { status: "canceled" })
    })
  )

  it.effect("is not kept when its settings say so", () =>
    Effect.gen(function* () {
      const settings = { saveDataSuccessExecution: "none" }
      const id = yield* running(flow("secret", [webhook("secret")], {}, { settings }))
      assert.strictEqual((yield* visit("secret")).status, 200)
      assert.lengthOf((yield* listed(`/executions?workflowId=${id}`)).data, 0)
    })
  )

  it.effect("names the registered method when a webhook is called with another", () =>
    Effect.gen(function* () {
      yield* path("strict", "lastNode")
      assert.deepStrictEqual(refusal(yield* send("GET", "/webhook/strict")), [
        404,
        "This webhook is not registered for GET requests. Did you mean to make a POST request?"
      ])
      assert.deepStrictEqual(refusal(yield* visit("nowhere")), [
        404,
        `The requested webhook "POST nowhere" is not registered.`
      ])
      assert.strictEqual((yield* send("POST", "/webhook/strict", undefined, { raw: "{bad" })).status, 422)
      assert.deepStrictEqual(refusal(yield* send("POST", "/webhook-test/strict", {})), [
        404,
        `The requested webhook "strict" is not registered.`
      ])
    })
  )

  it.effect("finds a webhook without an id by its workflow and node name", () =>
    Effect.gen(function* () {
      const hook = node("My Hook", "webhook", { path: "there", responseMode: "lastNode" }, { typeVersion: 2 })
      const id = yield* running(flow("named", [hook]))
      assert.strictEqual((yield* send("GET", `/webhook/${id}/my%2520hook/there?q=1`)).status, 200)
      assert.strictEqual((yield* send("GET", "/webhook/there")).status, 404)
    })
  )

  it.effect("gives the variable segments of a path as parameters", () =>
    Effect.gen(function* () {
      const hook = { ...webhook("user/:id/:part"), webhookId: "users" }
      yield* running(flow("variable", [hook]))
      const { json } = yield* visit("users/user/77/caf%C3%A9")
      assert.deepInclude(json, { params: { id: "77", part: "café" } })
    })
  )

  it.effect("answers a chat with the output of the last node", () =>
    Effect.gen(function* () {
      const chat = node("Chat", "@n8n/n8n-nodes-langchain.chatTrigger", { public: true }, { webhookId: "talk" })
      yield* running(
        flow("chat", [chat, set("Echo", { output: "=You said {{ $json.chatInput }}" })], chain("Chat", "Echo"))
      )
      assert.deepStrictEqual((yield* visit("talk/chat", { chatInput: "hello" })).json, { output: "You said hello" })
    })
  )

  it.effect("answers 404 for a chat that is not public", () =>
    Effect.gen(function* () {
      yield* running(flow("quiet", [node("Chat", "@n8n/n8n-nodes-langchain.chatTrigger", {}, { webhookId: "quiet" })]))
      assert.strictEqual((yield* visit("quiet/chat", { chatInput: "hello" })).status, 404)
    })
  )

  it.effect("goes on after a failed node that allows it, but never after a stop node", () =>
    Effect.gen(function* () {
      const onError = "continueRegularOutput"
      yield* path(
        "onward",
        "lastNode",
        { ...node("Code", "code", { jsCode: "nothing" }), onError },
        set("Note", { a: 1 })
      )
      assert.deepStrictEqual((yield* visit("onward")).json, { a: 1 })
      yield* path("on-purpose", "lastNode", { ...failing, onError }, set("Note", { a: 1 }))
      assert.strictEqual((yield* visit("on-purpose")).status, 500)
    })
  )

  it.effect("takes the fields of a form by number and passes them on by label", () =>
    Effect.gen(function* () {
      const formFields = { values: [{ fieldLabel: "Name" }, { fieldLabel: "Age", fieldType: "number" }] }
      const form = node("Form", "formTrigger", { formFields }, { typeVersion: 2.2, webhookId: "sign-up" })
      const id = yield* running(flow("form", [form]))
      const { host, httpClient } = yield* EmbeddedEngine
      const fields = { "field-0": "Ann", "field-1": "33" }
      const request = HttpClientRequest.post(`${host}/form/sign-up`).pipe(HttpClientRequest.bodyFormDataRecord(fields))
      assert.deepStrictEqual(yield* (yield* httpClient.execute(request)).json, { status: 200 })
      const json = "data.resultData.runData.Form[0].data.main[0][0].json"
      const execution = yield* lastExecution(id)
      assert.nestedPropertyVal(execution, `${json}.Name`, "Ann")
      assert.nestedPropertyVal(execution, `${json}.Age`, 33)
    })
  )
})
