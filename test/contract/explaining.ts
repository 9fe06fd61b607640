import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { countTokens } from "gpt-tokenizer"

import { ask, type Json, refused } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import {
  afterStartOf,
  chain,
  created,
  decodeRun,
  eventually,
  failing,
  idsOf,
  node,
  unique,
  webhook
} from "./fixtures.ts"
import { TestedEngine } from "./TestedEngine.ts"

const run = (id: unknown, data: Json = {}) =>
  Effect.map(ask("execute_workflow", { id, data }), (answer) => decodeRun(answer).executionId)

/** An If that sends items without the field to its second output. */
const hasField = (name: string, field: string) =>
  node(
    "if",
    name,
    {
      conditions: {
        options: { caseSensitive: true, leftValue: "", typeValidation: "loose" },
        conditions: [
          {
            id: "there",
            leftValue: `={{ $json.body.${field} }}`,
            rightValue: "",
            operator: { type: "string", operation: "notEmpty", singleValue: true }
          }
        ],
        combinator: "and"
      },
      options: {}
    },
    { typeVersion: 2 }
  )

/** Fails where the call brings no e-mail. */
const mailer = Effect.gen(function* () {
  const stop = node("stopAndError", "Stop", {
    errorMessage: "=no address in order {{ $json.body.order }} for {{ $json.body.email || 'nobody' }}"
  })
  const workflow = yield* created({
    nodes: [webhook(), hasField("Has mail", "email"), node("noOp", "Send"), stop],
    connections: [
      { source: "Webhook", target: "Has mail" },
      { source: "Has mail", target: "Send" },
      { source: "Has mail", target: "Stop", sourceOutput: 1 }
    ],
    active: true
  })
  const good = yield* run(workflow.id, { email: "ann@example.com", order: 1 })
  yield* afterStartOf(good)
  const bad = yield* run(workflow.id, { order: 4711, apiKey: "sk-abcdefghijklmnopqrstuvwx" })
  return { id: workflow.id, good, bad }
})

export const explaining = (it: Suite) => {
  it.effect("explain_execution tells in few words why the last run of a workflow failed", () =>
    Effect.gen(function* () {
      const { bad, good, id } = yield* mailer
      const told = yield* ask("explain_execution", { workflowId: id })
      assert.nestedPropertyVal(told, "execution.id", bad)
      assert.nestedPropertyVal(told, "execution.status", "error")
      assert.deepInclude(told.failed, { node: "Stop", message: "no address in order 4711 for nobody" })
      assert.deepInclude(told, { path: "Webhook 1 → Has mail 0/1 → Stop failed" })
      assert.nestedPropertyVal(told, "item.of", 1)
      assert.nestedPropertyVal(told, "item.json.body.order", 4711)
      assert.nestedPropertyVal(told, "fields.body\\.email", "missing")
      assert.nestedPropertyVal(told, "lastSuccess.id", good)
      assert.nestedPropertyVal(told, "lastSuccess.note", "did not reach this node")
      assert.nestedPropertyVal(told, "alike.failures", 1)
      assert.deepInclude(told, { changedBetween: "nothing in the workflow" })
      assert.notInclude(JSON.stringify(told), "abcdefghijklmnop")
      assert.isBelow(countTokens(JSON.stringify(told)), 800)
      assert.deepStrictEqual(yield* ask("explain_execution", { id: bad }), told)
    })
  )

  it.effect("explain_execution counts failures alike, and says what was changed since the last success", () =>
    Effect.gen(function* () {
      const trigger = webhook()
      const { id } = yield* created({
        nodes: [trigger, node("noOp", "Work")],
        connections: chain("Webhook", "Work"),
        active: true
      })
      const good = yield* run(id)
      yield* ask("update_workflow", { id, active: false })
      const broken = { nodes: [webhook(), failing()], connections: chain("Webhook", "Stop") }
      yield* ask("update_workflow", { id, ...broken, active: true })
      yield* afterStartOf(good)
      const first = yield* run(id)
      yield* afterStartOf(first)
      const second = yield* run(id)
      const told = yield* ask("explain_execution", { workflowId: id })
      assert.nestedPropertyVal(told, "execution.id", second)
      assert.deepInclude(told.alike, { failures: 2, alike: "2 of 2 compared" })
      const { startedAt } = yield* ask("get_execution", { id: first })
      assert.nestedPropertyVal(told, "alike.first", startedAt)
      assert.match(JSON.stringify(told.changedBetween), /removed Work .*added Stop/)
    })
  )

  it.effect("explain_execution finds the one item that lacks a field, and what the last success had there", () =>
    Effect.gen(function* () {
      const { id } = yield* created({
        nodes: [
          webhook(),
          node("code", "Make", { jsCode: "return $json.body.list" }, { typeVersion: 2 }),
          node(
            "code",
            "Lower",
            { mode: "runOnceForEachItem", jsCode: "\nreturn { json: { mail: $json.email.toLowerCase() } }" },
            { typeVersion: 2 }
          )
        ],
        connections: chain("Webhook", "Make", "Lower"),
        active: true
      })
      const list = Array.from({ length: 50 }, (_, index) => ({ number: index, email: `A${index}@example.com` }))
      yield* afterStartOf(yield* run(id, { list }))
      yield* run(id, { list: list.map(({ email, number }) => (number === 37 ? { number } : { number, email })) })
      const told = yield* ask("explain_execution", { workflowId: id })
      assert.match(
        JSON.stringify(told.failed),
        /"message":"Cannot read properties of undefined \(reading 'toLowerCase'\) \[line 2.*"description":"TypeError"/
      )
      assert.deepInclude(told.failed, { code: "2: return { json: { mail: $json.email.toLowerCase() } }" })
      assert.deepInclude(told.item, { index: 37, of: 50, json: { number: 37 } })
      assert.deepStrictEqual(told.fields, {
        email: 'missing in 1 of 50 items (37); last success: in 50 of 50, text, e.g. "A0@example.com"'
      })
      assert.strictEqual(told.path, "Webhook 1 → Make 50 → Lower failed")
    })
  )

  it.effect("explain_execution says of a run that did not fail that it did not, and of none that there is none", () =>
    Effect.gen(function* () {
      const { good } = yield* mailer
      const told = yield* ask("explain_execution", { id: good })
      assert.deepInclude(told, { message: "This run did not fail.", path: "Webhook 1 → Has mail 1/0 → Send 1" })
      const { id } = yield* created({ nodes: [webhook()], connections: [] })
      const none = yield* ask("explain_execution", { workflowId: id })
      assert.deepStrictEqual(none, { message: `No failed run of workflow ${id} is on record.` })
      const unknown = yield* refused("explain_execution", { id: 999_999_999 })
      assert.strictEqual(unknown.message, "API error: Execution not found (execution 999999999 on instance production)")
      const nowhere = yield* refused("explain_execution", { workflowId: "noSuchWorkflow" })
      assert.include(nowhere.data, { httpStatus: 404 })
      const both = yield* refused("explain_execution", { workflowId: id, id: good })
      assert.strictEqual(both.code, -32602)
    })
  )

  it.effect("stop_execution ends a run that is under way, or says how to", () =>
    Effect.gen(function* () {
      const { isFrom, version } = yield* TestedEngine
      const trigger = webhook({ responseMode: "onReceived" })
      const { id } = yield* created({
        nodes: [trigger, node("wait", "Wait", { amount: 50, unit: "seconds" }, { typeVersion: 1.1 })],
        connections: chain("Webhook", "Wait"),
        active: true
      })
      if (!isFrom("2.10.0")) {
        const { guidance } = yield* ask("stop_execution", { workflowId: id })
        assert.include(
          String(guidance),
          `This engine's API (${version}) cannot stop executions: that came with 2.10.0.`
        )
        return
      }
      const underWay = Effect.map(ask("list_executions", { workflowId: id, status: "running" }), idsOf)
      yield* ask("execute_workflow", { id })
      yield* ask("execute_workflow", { id })
      const [second, first] = yield* eventually(underWay, (ids) => ids.length === 2)
      const under = yield* ask("explain_execution", { id: first })
      assert.match(String(under.message), /^This run has not ended: it has been running since \d{4}-/)

      const stopped = yield* ask("stop_execution", { id: first })
      assert.include(stopped, { message: `Execution ${String(first)} was stopped`, id: first, status: "canceled" })
      const again = yield* refused("stop_execution", { id: first })
      assert.match(again.message, /Only running or waiting executions can be stopped and \d+ is currently canceled$/)
      const told = yield* ask("explain_execution", { id: first })
      assert.match(String(told.message), /^This run was canceled/)
      assert.deepStrictEqual(yield* ask("stop_execution", { workflowId: id }), { stopped: [second] })
      assert.deepStrictEqual(yield* ask("stop_execution", { workflowId: id }), { stopped: [] })
      const unknown = yield* refused("stop_execution", { id: 999_999_999 })
      assert.strictEqual(unknown.message, "API error: Execution not found (execution 999999999 on instance production)")
    })
  )

  it.effect("archive_workflow switches a workflow off and puts it away, and brings it back, or says what to do", () =>
    Effect.gen(function* () {
      const { isFrom, version } = yield* TestedEngine
      const { id } = yield* created({ nodes: [webhook()], connections: [], active: true })
      const first = yield* ask("archive_workflow", { id })
      if (!isFrom("2.15.0")) {
        assert.include(String(first.guidance), `This engine's API (${version}) cannot archive workflows`)
        assert.include(yield* ask("get_workflow", { id }), { active: true })
        return
      }
      assert.include(first, { id, active: false, isArchived: true })
      assert.match(String(first.message), /was archived, and with that deactivated$/)
      assert.match(String((yield* ask("execute_workflow", { id })).guidance), /is archived.*Unarchive it/)
      const again = yield* ask("archive_workflow", { id, archived: true })
      assert.match(String(again.message), /was archived already: nothing changed$/)
      const conflict = yield* refused("archive_workflow", { id, archived: false, ifVersion: crypto.randomUUID() })
      assert.include(conflict.data, { code: "CONFLICT" })
      const back = yield* ask("archive_workflow", { id, archived: false, ifVersion: first.version })
      assert.include(back, { id, active: false, isArchived: false })
      const unknown = yield* refused("archive_workflow", { id: "noSuchWorkflow" })
      assert.include(unknown.data, { httpStatus: 404 })
    })
  )

  it.effect("retry_execution runs the workflow as it is now where that is asked for", () =>
    Effect.gen(function* () {
      const { isV2 } = yield* TestedEngine
      if (!isV2) return
      const trigger = webhook()
      const { id } = yield* created({
        nodes: [trigger, failing()],
        connections: chain("Webhook", "Stop"),
        active: true
      })
      const bad = yield* run(id)
      yield* ask("update_workflow", { id, nodes: [trigger, node("noOp", "Stop")] })
      assert.include(yield* ask("retry_execution", { id: bad }), { status: "error" })
      const mended = yield* ask("retry_execution", { id: bad, loadWorkflow: true })
      assert.strictEqual(mended.status, "success")
      assert.strictEqual(Number(mended.retryOf), bad)
    })
  )

  it.effect("test_credential lets the engine try a credential, or says what to do", () =>
    Effect.gen(function* () {
      const { isFrom, send, version } = yield* TestedEngine
      const data = { user: "ann", password: "b" }
      const { id } = yield* ask("create_credential", { name: unique("basic"), type: "httpBasicAuth", data })
      yield* Effect.addFinalizer(() => send("DELETE", `/credentials/${String(id)}`))
      const tested = yield* ask("test_credential", { id })
      if (!isFrom("2.20.0")) {
        assert.include(String(tested.guidance), `This engine's API (${version}) cannot test credentials`)
        return
      }
      assert.deepStrictEqual(tested, {
        id,
        works: null,
        message: "The engine has no test for this type of credential."
      })
      const unknown = yield* refused("test_credential", { id: "noSuchCredential" })
      assert.include(unknown.data, { httpStatus: 404 })
    })
  )

  it.effect("instance_health counts failures by workflow and error, and names credentials that are gone", () =>
    Effect.gen(function* () {
      const { isFrom } = yield* TestedEngine
      const { bad, id } = yield* mailer
      const lost = { httpBasicAuth: { id: "goneGONE12345678", name: "old login" } }
      const { id: other } = yield* created({
        nodes: [webhook(), node("httpRequest", "Fetch", { url: "https://example.com" }, { credentials: lost })],
        connections: chain("Webhook", "Fetch")
      })
      const health = decodeHealth(yield* ask("instance_health", { hours: 1, instances: ["production", "locked"] }))
      const [own] = health.data
      const failures = own?.failures?.find((row) => row.id === id)
      assert.deepInclude(failures, { failures: 1 })
      assert.deepInclude(failures?.errors ?? [], {
        node: "Stop",
        message: "no address in order 4711 for nobody",
        count: 1,
        execution: bad
      })
      const gone = own?.credentialsGone?.find((row) => row.id === other)
      if (isFrom("2.10.0")) assert.deepInclude(gone, { node: "Fetch", credential: "old login", type: "httpBasicAuth" })
      else {
        assert.includeMembers(own?.notLookedAt?.slice() ?? [], [
          ...(isFrom("1.115.0") ? [] : ["running executions: this engine's API does not list them"]),
          "credentials: this engine's API does not list them"
        ])
      }
      assert.strictEqual(health.errors?.[0]?.instance, "locked")
    })
  )
}

const Row = Schema.Record(Schema.String, Schema.Unknown)

const decodeHealth = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Array(
      Schema.Struct({
        instance: Schema.String,
        failures: Schema.optionalKey(
          Schema.Array(Schema.StructWithRest(Schema.Struct({ errors: Schema.optionalKey(Schema.Array(Row)) }), [Row]))
        ),
        credentialsGone: Schema.optionalKey(Schema.Array(Row)),
        notLookedAt: Schema.optionalKey(Schema.Array(Schema.String))
      })
    ),
    errors: Schema.optionalKey(Schema.Array(Schema.Struct({ instance: Schema.String, error: Schema.String })))
  })
)
