import { assert } from "@effect/vitest"
import { Effect } from "effect"

import { ask, refused } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import {
  answer,
  chain,
  created,
  decodeNodes,
  eventually,
  everyDay,
  failing,
  given,
  manual,
  node,
  unique,
  webhook,
  without
} from "./fixtures.ts"
import { TestedEngine } from "./TestedEngine.ts"

const answering = (parameters: object, value: string) => ({
  nodes: [webhook({ ...parameters }), answer("Answer", value)],
  connections: chain("Webhook", "Answer"),
  active: true
})

/** A webhook as a caller writes it who knows nothing of its id. */
const withoutId = (name: string) => {
  const path = unique("bare")
  return { path, bare: { ...without(webhook({ path, responseMode: "onReceived" }), "webhookId"), name } }
}

/** The answer to a POST to a production address. */
const called = Effect.fnUntraced(function* (path: string) {
  return (yield* (yield* TestedEngine).call("POST", `/webhook/${path}`)).status
})

export const running = (it: Suite) => {
  it.effect("execute_workflow sends its data as the body of a POST webhook and answers with the execution", () =>
    Effect.gen(function* () {
      const { id } = yield* created(answering({}, "={{ $json.body.name }}"))
      const run = yield* ask("execute_workflow", { id, data: { name: "Ann" } })
      assert.isNumber(run.executionId)
      assert.deepInclude(run, {
        status: "success",
        trigger: "Webhook",
        response: { httpStatus: 200, body: { said: "Ann" } }
      })
    })
  )

  it.effect("execute_workflow sends its data as the query of a GET webhook", () =>
    Effect.gen(function* () {
      const { id } = yield* created(answering({ httpMethod: "GET" }, "={{ $json.query.name }}"))
      const run = yield* ask("execute_workflow", { id, data: { name: "Ann & Bob" } })
      assert.deepInclude(run, { status: "success", response: { httpStatus: 200, body: { said: "Ann & Bob" } } })
    })
  )

  it.effect("execute_workflow fills the variables of a webhook's path from its data", () =>
    Effect.gen(function* () {
      const path = `${unique("orders")}/:order`
      const { id } = yield* created(answering({ path }, "={{ $json.params.order }} {{ $json.body.name }}"))
      const run = yield* ask("execute_workflow", { id, data: { order: 7, name: "Ann" } })
      assert.deepInclude(run, { response: { httpStatus: 200, body: { said: "7 Ann" } } })
      assert.strictEqual(
        (yield* refused("execute_workflow", { id, data: { name: "Ann" } })).message.slice(0, 66),
        "Invalid data: must hold a value for the path variable order of /we"
      )
      for (const order of ["7/8", "..", "."]) {
        const { message } = yield* refused("execute_workflow", { id, data: { order } })
        assert.match(
          message,
          /^Invalid data: order is one segment of \/webhook\/.*: it can hold no slash, and be neither/
        )
      }
    })
  )

  it.effect("execute_workflow finds a webhook that was made without an id of its own", () =>
    Effect.gen(function* () {
      const bare = { ...without(webhook(), "webhookId"), name: "My Hook" }
      const { id } = yield* given({ name: unique("bare"), nodes: [bare] })
      yield* ask("activate_workflow", { id })
      assert.include(yield* ask("execute_workflow", { id }), { status: "success", trigger: "My Hook" })
    })
  )

  it.effect("a webhook that comes without an id is given one, answers at its own path, and keeps both in updates", () =>
    Effect.gen(function* () {
      const { bare, path } = withoutId("Hook")
      const workflow = yield* created({ nodes: [bare], active: true })
      assert.strictEqual(workflow.notice, `Hook was given a webhookId, and answers at POST /webhook/${path}.`)
      const [node] = decodeNodes(workflow.nodes)
      assert.isString(node?.webhookId)
      assert.include(yield* ask("execute_workflow", { id: workflow.id }), { status: "success", trigger: "Hook" })
      assert.strictEqual(yield* called(path), 200)

      const second = { ...withoutId("Other").bare, position: [0, 200] }
      const updated = yield* ask("update_workflow", { id: workflow.id, nodes: [bare, second] })
      assert.notInclude(updated.notice, "Hook was")
      assert.include(updated.notice, "Other was given a webhookId")
      assert.strictEqual(decodeNodes(updated.nodes)[0]?.webhookId, node?.webhookId)
    })
  )

  it.effect("a webhook that others made without an id stays where it is called, and writes say where that is", () =>
    Effect.gen(function* () {
      const { isV2 } = yield* TestedEngine
      const { bare, path } = withoutId("Hook")
      const { id } = yield* given({ name: unique("bare"), nodes: [bare] })
      const { notice } = yield* ask("activate_workflow", { id })
      const said = `Hook has no webhookId, so that it answers at POST /webhook/${id}/hook/${path}`
      assert.strictEqual(JSON.stringify(notice ?? "").includes(said), !isV2)
      const { nodes } = yield* ask("get_workflow", { id })
      const updated = yield* ask("update_workflow", { id, nodes, name: unique("named") })
      assert.strictEqual(JSON.stringify(updated.notice ?? "").includes(said), !isV2)
      assert.deepStrictEqual(updated.nodes, nodes)
      // Engines of generation 2 register webhooks after they have answered.
      yield* eventually(called(isV2 ? path : `${id}/hook/${path}`), (status) => status === 200)
    })
  )

  it.effect("execute_workflow answers what a Respond node says, whatever its status", () =>
    Effect.gen(function* () {
      const respond = node("respondToWebhook", "Respond", {
        respondWith: "json",
        responseBody: '{ "sorry": true }',
        options: { responseCode: 418 }
      })
      const { id } = yield* created({
        nodes: [webhook({ responseMode: "responseNode" }), respond],
        connections: chain("Webhook", "Respond"),
        active: true
      })
      const run = yield* ask("execute_workflow", { id })
      assert.deepInclude(run, { status: "success", response: { httpStatus: 418, body: { sorry: true } } })
    })
  )

  it.effect("execute_workflow answers a redirect of a Respond node with the run that made it", () =>
    Effect.gen(function* () {
      const redirectURL = "https://elsewhere.example/done?x=1"
      const respond = node("respondToWebhook", "Respond", { respondWith: "redirect", redirectURL })
      for (const httpMethod of ["POST", "GET"]) {
        const { id } = yield* created({
          nodes: [webhook({ responseMode: "responseNode", httpMethod }), respond],
          connections: chain("Webhook", "Respond"),
          active: true
        })
        const run = yield* ask("execute_workflow", { id })
        assert.isNumber(run["executionId"])
        assert.deepInclude(run, { status: "success", response: { httpStatus: 307, location: redirectURL, body: {} } })
      }
    })
  )

  it.effect("execute_workflow tells a run that failed from one that did not", () =>
    Effect.gen(function* () {
      const { id } = yield* created({
        nodes: [webhook(), failing()],
        connections: chain("Webhook", "Stop"),
        active: true
      })
      const run = yield* ask("execute_workflow", { id })
      assert.deepInclude(run, {
        status: "error",
        response: { httpStatus: 500, body: { message: "Error in workflow" } }
      })
    })
  )

  it.effect("execute_workflow fills a form by the labels of its fields", () =>
    Effect.gen(function* () {
      const form = node(
        "formTrigger",
        "Form",
        {
          formTitle: "Order",
          formFields: { values: [{ fieldLabel: "Name" }, { fieldLabel: "How many", fieldType: "number" }] },
          options: {}
        },
        { webhookId: crypto.randomUUID() }
      )
      const { id } = yield* created({ nodes: [form], active: true })
      const run = yield* ask("execute_workflow", { id, data: { Name: "Ann", "How many": 3 } })
      assert.include(run, { status: "success", trigger: "Form" })
      const execution = yield* ask("get_execution", { id: run.executionId, includeData: true })
      const filled = "data.resultData.runData.Form[0].data.main[0][0].json"
      assert.nestedPropertyVal(execution, `${filled}.Name`, "Ann")
      assert.nestedPropertyVal(execution, `${filled}.How many`, 3)

      const { code, message } = yield* refused("execute_workflow", { id, data: { Nmae: "Ann" } })
      assert.deepStrictEqual(
        [code, message],
        [-32602, "Invalid data: the form Form has no field Nmae. Its fields: Name, How many (instance production)"]
      )
    })
  )

  it.effect("execute_workflow speaks to a public chat, where the engine has chats", () =>
    Effect.gen(function* () {
      const { isV2 } = yield* TestedEngine
      const chat = {
        ...node("noOp", "Chat", { public: true, options: { responseMode: "lastNode" } }),
        type: "@n8n/n8n-nodes-langchain.chatTrigger",
        typeVersion: 1.1,
        webhookId: crypto.randomUUID()
      }
      const nodes = [chat, answer("Answer", "=You said {{ $json.chatInput }}")]
      const { id } = yield* created({ nodes, connections: chain("Chat", "Answer") })
      if (!isV2) return
      yield* ask("activate_workflow", { id })
      const run = yield* ask("execute_workflow", { id, data: { chatInput: "hello" } })
      assert.deepInclude(run, { status: "success", trigger: "Chat" })
      assert.deepNestedInclude(run, { "response.httpStatus": 200, "response.body.said": "You said hello" })
    })
  )

  it.effect("execute_workflow guides the caller where a workflow has only a manual trigger", () =>
    Effect.gen(function* () {
      const { id } = yield* created({ nodes: [manual(), node("noOp", "Work")], connections: chain("Start", "Work") })
      assert.deepStrictEqual(yield* ask("execute_workflow", { id }), {
        guidance:
          "A workflow whose only trigger is a manual trigger cannot be executed through the API. " +
          "Execute it in the engine UI, or add a webhook or schedule trigger."
      })
    })
  )

  it.effect("execute_workflow guides the caller where nothing listens", () =>
    Effect.gen(function* () {
      const asleep = yield* created({ nodes: [webhook()] })
      assert.deepStrictEqual(yield* ask("execute_workflow", { id: asleep.id }), {
        guidance: `Workflow ${asleep.id} is not active, so that its trigger does not listen. Call activate_workflow first.`
      })
      const scheduled = yield* created({ nodes: [everyDay()], active: true })
      assert.deepStrictEqual(yield* ask("execute_workflow", { id: scheduled.id }), {
        guidance:
          `Workflow ${scheduled.id} has no webhook, form or chat trigger that could be called from outside. ` +
          "It runs by its own triggers; see list_executions. " +
          "To run it on demand, execute it in the engine UI or add a webhook trigger."
      })
      const loose = yield* given({ name: unique("loose"), nodes: [node("noOp", "Work")] })
      assert.match(String((yield* ask("execute_workflow", { id: loose.id })).guidance), /Activate it to let its own/)
    })
  )

  it.effect("execute_workflow admits that runs which are not saved leave no record", () =>
    Effect.gen(function* () {
      const settings = { saveDataSuccessExecution: "none" }
      const { id } = yield* created({ ...answering({}, "done"), settings })
      const run = yield* ask("execute_workflow", { id })
      assert.deepInclude(run, {
        executionId: null,
        status: "unknown",
        response: { httpStatus: 200, body: { said: "done" } }
      })
    })
  )

  it.effect("several calls of one workflow at once each find their own execution", () =>
    Effect.gen(function* () {
      const { id } = yield* created(answering({}, "={{ $json.body.name }}"))
      yield* ask("execute_workflow", { id })
      const runs = yield* Effect.forEach(
        ["Ann", "Bob", "Cleo"],
        (name) => Effect.map(ask("execute_workflow", { id, data: { name } }), (run) => ({ name, run })),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(new Set(runs.map(({ run }) => run.executionId)), 3)
      for (const { name, run } of runs) {
        const execution = yield* ask("get_execution", { id: run.executionId, includeData: true })
        assert.nestedPropertyVal(execution, "data.resultData.runData.Webhook[0].data.main[0][0].json.body.name", name)
      }
    })
  )
}
