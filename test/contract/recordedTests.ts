import { assert } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"

import { ask, type Json, refused } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import { answer, chain, created, eventually, failing, manual, node, unique, webhook } from "./fixtures.ts"
import { shown } from "./TestedEngine.ts"

const readJson = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

/** A request that fails at once, which its node goes on after. */
const request = (name: string) =>
  node(
    "httpRequest",
    name,
    { url: "http://127.0.0.1:9/never", options: {} },
    { typeVersion: 4.2, onError: "continueRegularOutput" }
  )

/** A workflow with a webhook, a request in its middle and one at its end, which ran once. */
const ran = Effect.fnUntraced(function* (data: Json = { name: "Ann" }) {
  const name = unique("recorded")
  const hook = webhook({ responseMode: "onReceived" })
  const workflow = yield* created({
    name,
    nodes: [
      hook,
      answer("Greet", "=Hello {{ $json.body.name }}"),
      request("Fetch"),
      answer("Say", "={{ $('Greet').first().json.said }}!"),
      request("Send")
    ],
    connections: chain("Webhook", "Greet", "Fetch", "Say", "Send"),
    active: true
  })
  const { executionId } = yield* ask("execute_workflow", { id: workflow.id, data })
  return { id: workflow.id, name, execution: executionId }
})

const recorded = (args: Json) =>
  Effect.map(ask("record_test", args), ({ text, ...told }) => ({ told, test: readJson(text) }))

const set = (name: string, value: string) => ({
  op: "set",
  node: name,
  path: "parameters.assignments.assignments[0].value",
  value
})

const temporaryCopiesOf = (name: unknown) =>
  Effect.map(
    shown(`/workflows?limit=250&name=${encodeURIComponent(`Temporary run of ${String(name)}`)}`),
    ({ data }) => data
  )

const listIn = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

export const recordedTests = (it: Suite) => {
  it.effect("record_test makes a test of a run, which run_tests passes without acting outside, leaving nothing", () =>
    Effect.gen(function* () {
      const { execution, id, name } = yield* ran()
      const { test, told } = yield* recorded({ execution })
      assert.deepInclude(told, { workflow: id, trigger: { node: "Webhook", items: 1 }, mocks: { Fetch: 1, Send: 1 } })
      assert.deepInclude(told, { expect: { Greet: "exact", Fetch: "runs", Say: "exact", Send: "runs" } })
      assert.deepNestedInclude(test, { "expect.Say": { exact: [{ said: "Hello Ann!" }] }, "trigger.node": "Webhook" })
      assert.deepInclude(yield* ask("run_tests", { test }), { passed: 1, total: 1 })
      assert.deepStrictEqual(yield* temporaryCopiesOf(name), [])
    })
  )

  it.effect("run_tests passes on what a workflow says of its own name and id, which a temporary copy has not", () =>
    Effect.gen(function* () {
      const name = unique("named")
      const said = answer("Say", "=run by {{ $workflow.name }} ({{ $workflow.id }})")
      const hook = webhook({ responseMode: "onReceived" })
      const { id } = yield* created({ name, nodes: [hook, said], connections: chain("Webhook", "Say"), active: true })
      const { executionId } = yield* ask("execute_workflow", { id, data: {} })
      const { test } = yield* recorded({ execution: executionId })
      assert.deepNestedInclude(test, { "expect.Say": { exact: [{ said: `run by ${name} (${id})` }] } })
      assert.deepInclude(yield* ask("run_tests", { test }), { passed: 1, total: 1 })
      const change = [set("Say", "=made by {{ $workflow.name }}")]
      assert.deepNestedInclude(yield* ask("run_tests", { test, id, operations: change }), {
        "notPassed[0].problems": [`Say, item 1, said: expected "run by ${name} (${id})", got "made by ${name}"`]
      })
    })
  )

  it.effect(
    "run_tests says where a changed workflow first differs from the recording, and saves nothing of the change",
    () =>
      Effect.gen(function* () {
        const { execution, id } = yield* ran()
        const { test } = yield* recorded({ execution })
        const was = yield* shown(`/workflows/${id}`)
        const result = yield* ask("run_tests", { test, id, operations: [set("Greet", "=Hi {{ $json.body.name }}")] })
        assert.deepInclude(result, { passed: 0, total: 1, summary: "0 passed, 1 failed" })
        assert.deepNestedInclude(result, {
          "notPassed[0].problems": [
            'first: Greet, item 1, said: expected "Hello Ann", got "Hi Ann"',
            'Say, item 1, said: expected "Hello Ann!", got "Hi Ann!"'
          ]
        })
        assert.deepStrictEqual((yield* shown(`/workflows/${id}`)).nodes, was.nodes)
      })
  )

  it.effect("run_tests passes a mock's items on by the outputs that they left by, and run by run", () =>
    Effect.gen(function* () {
      const { id, name } = yield* created({
        name: unique("forked"),
        nodes: [
          manual(),
          answer("Left", "left"),
          answer("Right", "right"),
          request("Fetch"),
          answer("Good", "={{ $json.n }}"),
          answer("Bad", "={{ $json.n }}")
        ],
        connections: [
          ...chain("Start", "Left", "Fetch"),
          ...chain("Start", "Right", "Fetch"),
          { source: "Fetch", target: "Good" },
          { source: "Fetch", target: "Bad", sourceOutput: 1 }
        ]
      })
      const mocks = { Fetch: { runs: [{ outputs: [[{ n: "1" }], [{ n: "2" }, { n: "3" }]] }, [{ n: "4" }]] } }
      const test = {
        testFormat: 1,
        name: "Forked",
        workflow: { name },
        trigger: { node: "Start", items: [{}] },
        mocks,
        expect: {
          Fetch: { exact: mocks.Fetch },
          Good: { exact: { runs: [[{ said: "1" }], [{ said: "4" }]] } },
          Bad: { exact: [{ said: "2" }, { said: "3" }] }
        }
      }
      assert.deepStrictEqual(yield* ask("run_tests", { test }), {
        passed: 1,
        total: 1,
        summary: "1 passed",
        passedFiles: ["test"]
      })
      const less = { ...test, mocks: { Fetch: { runs: mocks.Fetch.runs.slice(0, 1) } } }
      const { notPassed } = yield* ask("run_tests", { test: less, id })
      assert.deepNestedInclude(
        { notPassed },
        { "notPassed[0].problems": ["first: Fetch: expected 2 runs, got 1", "Good: expected 2 runs, got 1"] }
      )
    })
  )

  it.effect("record_test keeps no secret, and takes a run that failed as one that is to fail there", () =>
    Effect.gen(function* () {
      const hook = webhook({ responseMode: "onReceived" })
      const { id } = yield* created({
        nodes: [hook, answer("Copy", "={{ $json.body.apiKey }}"), failing()],
        connections: chain("Webhook", "Copy", "Stop"),
        active: true
      })
      const { executionId } = yield* ask("execute_workflow", { id, data: { apiKey: "swordfish-17", order: 7 } })
      const { notes, text } = yield* ask("record_test", { execution: executionId })
      assert.notInclude(String(text), "swordfish")
      assert.match(String(notes), /Secrets were masked/)
      const test = readJson(text)
      assert.deepNestedInclude(test, { status: "error", failsAt: "Stop", "expect.Copy.exact": [{ said: "[masked]" }] })
      assert.deepInclude(yield* ask("run_tests", { test }), { passed: 1 })
      const other = [
        { op: "add", node: "Halt", type: "stopAndError", from: "Copy", to: "Stop", parameters: { errorMessage: "no" } }
      ]
      assert.deepNestedInclude(yield* ask("run_tests", { test, id, operations: other }), {
        "notPassed[0].problems": ["Halt: failed: no (and was to fail at Stop)"]
      })
      const mended = yield* ask("run_tests", { test, id, operations: [{ op: "disable", node: "Stop" }] })
      assert.deepNestedInclude(mended, { "notPassed[0].problems": ["the run was expected to fail, and did not"] })
    })
  )

  it.effect("run_tests runs nothing that would act outside, and names what would", () =>
    Effect.gen(function* () {
      const { id, name } = yield* created({ nodes: [manual(), request("Fetch")], connections: chain("Start", "Fetch") })
      const test = { testFormat: 1, name: "T", workflow: { id }, trigger: { node: "Start", items: [{}] } }
      const [found] = listIn((yield* ask("run_tests", { test })).notPassed)
      assert.deepInclude(found, { outcome: "refused" })
      assert.match(String(Object(found).problems), /^Fetch \(httpRequest: GET http.*\) would really act outside/)
      assert.match(
        (yield* refused("run_tests", { test: { ...test, allow: ["Fetch"] } })).message,
        /^Invalid test: allow/
      )
      const renamed = { ...test, mocks: { Fecth: [] } }
      const [gone] = listIn((yield* ask("run_tests", { test: renamed })).notPassed)
      assert.deepInclude(gone, { outcome: "refused", problems: ["the workflow has no node Fecth: is it Fetch now?"] })
      assert.deepStrictEqual(yield* temporaryCopiesOf(name), [])
    })
  )

  it.effect("run_tests says which node a run failed at, and what did not run for it", () =>
    Effect.gen(function* () {
      const { execution, id } = yield* ran()
      const { test } = yield* recorded({ execution })
      const operations = [
        {
          op: "add",
          node: "Stop",
          type: "stopAndError",
          from: "Greet",
          to: "Fetch",
          parameters: { errorMessage: "no" }
        }
      ]
      const { notPassed } = yield* ask("run_tests", { test, id, operations })
      const [{ problems }] = listIn(notPassed).map(Object)
      assert.match(problems[0], /^first: Stop: failed: no/)
      assert.deepStrictEqual(problems.slice(1), ["Fetch: did not run", "Say: did not run", "Send: did not run"])
    })
  )

  it.effect("record_test says which runs it cannot make a test of", () =>
    Effect.gen(function* () {
      const { id } = yield* created({ nodes: [manual()], connections: [] })
      const said = (args: Json) => Effect.map(refused("record_test", args), ({ message }) => message)
      assert.match(yield* said({ workflow: id }), /^Invalid workflow: no successful run of \S+ is on record/)
      assert.match(yield* said({}), /^Invalid execution: give the id of a run, or a workflow/)
      const { execution } = yield* ran()
      assert.match(
        yield* said({ execution, expect: { Sya: "exact" } }),
        /^Invalid expect: Sya is no node that can run\. There are Webhook, Greet/
      )
    })
  )

  it.effect("run_tests deletes its copy also where the call is cancelled", () =>
    Effect.gen(function* () {
      const { name } = yield* created({
        name: unique("slow"),
        nodes: [manual(), node("wait", "Wait", { amount: 20, unit: "seconds" }, { typeVersion: 1.1 })],
        connections: chain("Start", "Wait")
      })
      const test = { testFormat: 1, name: "T", workflow: { name }, trigger: { node: "Start", items: [{}] } }
      const call = yield* Effect.forkChild(ask("run_tests", { test }))
      yield* eventually(temporaryCopiesOf(name), (copies) =>
        listIn(copies).some((copy) => Object(copy).active === true)
      )
      yield* Fiber.interrupt(call)
      yield* eventually(temporaryCopiesOf(name), (copies) => listIn(copies).length === 0)
    })
  )
}
