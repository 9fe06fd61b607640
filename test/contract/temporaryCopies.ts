import { assert } from "@effect/vitest"
import { Effect, Fiber, Struct } from "effect"

import { ask, type Json, refused } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import {
  answer,
  chain,
  created,
  decodeNodes,
  eventually,
  everyDay,
  failing,
  manual,
  node,
  webhook
} from "./fixtures.ts"
import { shown, TestedEngine } from "./TestedEngine.ts"

const listed = (path: string) =>
  Effect.map(shown(path), ({ data }): ReadonlyArray<unknown> => (Array.isArray(data) ? data : []))

/** A workflow but for its owner, of whom an engine notes the first successful run. */
const kept = (id: unknown) => Effect.map(shown(`/workflows/${String(id)}`), Struct.omit(["shared"]))

/** The temporary copies of a workflow of this name. */
const temporaryCopiesOf = (name: unknown) =>
  listed(`/workflows?limit=250&name=${encodeURIComponent(`Temporary run of ${String(name)}`)}`)

const rows = ({ nodes }: Json) =>
  (Array.isArray(nodes) ? nodes : []).map((row: unknown) => {
    const { in: taken, items = [], node: name, out, status } = Object(row)
    return { node: name, status, in: taken, out, first: items[0] }
  })

const request = (name: string) =>
  node("httpRequest", name, { url: "http://127.0.0.1:9/never", options: {} }, { typeVersion: 4.2 })

export const temporaryCopies = (it: Suite) => {
  it.effect("run_workflow runs an inactive workflow with a manual trigger, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const before = yield* created({
        nodes: [manual(), answer("Greet", "=Hello {{ $('Start').item.json.name }}")],
        connections: chain("Start", "Greet")
      })
      const was = yield* kept(before.id)
      const run = yield* ask("run_workflow", { id: before.id, items: [{ name: "Ann" }, { name: "Bob" }] })
      assert.deepInclude(run, { ran: true, status: "success" })
      assert.deepStrictEqual(rows(run), [
        { node: "Start", status: "success", in: undefined, out: 2, first: { name: "Ann" } },
        { node: "Greet", status: "success", in: 2, out: 2, first: { said: "Hello Ann" } }
      ])
      assert.deepStrictEqual(yield* kept(before.id), was)
      assert.deepStrictEqual(yield* temporaryCopiesOf(before.name), [])
      assert.deepStrictEqual(yield* listed(`/executions?workflowId=${before.id}`), [])
    })
  )

  it.effect("run_workflow runs an active scheduled workflow with mocks in the place of what reaches outside", () =>
    Effect.gen(function* () {
      const { id, name } = yield* created({
        nodes: [everyDay(), request("Fetch"), answer("Say", "={{ $json.title }}")],
        connections: chain("Every day", "Fetch", "Say"),
        active: true
      })
      const refusal = yield* ask("run_workflow", { id })
      assert.deepInclude(refusal, { ran: false })
      assert.deepInclude(refusal, {
        outside: [],
        reads: [{ node: "Fetch", type: "httpRequest", does: "GET http://127.0.0.1:9/never" }]
      })
      assert.match(String(refusal.guidance), /name those that may in confirm: \["Fetch"\]$/)
      const mocks = { Fetch: [{ title: "one" }, { title: "two" }] }
      const run = yield* ask("run_workflow", { id, mocks })
      assert.deepStrictEqual(rows(run), [
        { node: "Every day", status: "success", in: undefined, out: 1, first: {} },
        { node: "Fetch", status: "mocked", in: 1, out: 2, first: { title: "one" } },
        { node: "Say", status: "success", in: 2, out: 2, first: { said: "one" } }
      ])
      assert.include(yield* shown(`/workflows/${id}`), { active: true, name })
      assert.deepStrictEqual(yield* temporaryCopiesOf(name), [])
    })
  )

  it.effect("run_workflow tells where a run failed, and deletes its copy", () =>
    Effect.gen(function* () {
      const { id, name } = yield* created({
        nodes: [manual(), failing(), answer("After", "never")],
        connections: chain("Start", "Stop", "After")
      })
      const run = yield* ask("run_workflow", { id, items: [{ order: 7 }] })
      assert.deepInclude(run, { status: "error", didNotRun: ["After"] })
      assert.deepNestedInclude(run, {
        "failed.node": "Stop",
        "failed.message": "told to stop",
        "failed.item": { index: 0, of: 1, json: { order: 7 } }
      })
      assert.deepStrictEqual(yield* temporaryCopiesOf(name), [])
    })
  )

  it.effect("run_workflow runs a draft that is saved nowhere, with operations over it", () =>
    Effect.gen(function* () {
      const { id } = yield* created({ nodes: [manual(), answer("Say", "old")], connections: chain("Start", "Say") })
      const was = yield* kept(id)
      const value = "={{ $('Start').item.json.n }}"
      const operations = [{ op: "set", node: "Say", path: "parameters.assignments.assignments[0].value", value }]
      const run = yield* ask("run_workflow", { id, items: [{ n: "new" }], operations })
      assert.deepInclude(rows(run).at(-1), { node: "Say", first: { said: "new" } })
      assert.deepStrictEqual(yield* kept(id), was)
    })
  )

  it.effect("run_workflow shows what a mocked node would have sent, for the first items", () =>
    Effect.gen(function* () {
      const parameters = {
        method: "POST",
        url: "=http://127.0.0.1:9/{{ $json.order }}",
        sendBody: true,
        bodyParameters: { parameters: [{ name: "to", value: "={{ $json.mail }}" }] },
        options: {}
      }
      const { id, name } = yield* created({
        nodes: [manual(), node("httpRequest", "Send", parameters, { typeVersion: 4.2 }), answer("Say", "sent")],
        connections: chain("Start", "Send", "Say")
      })
      const items = [
        { order: 7, mail: "ann@example.com" },
        { order: 8, mail: "bob@example.com" }
      ]
      const run = yield* ask("run_workflow", { id, items, mocks: { Send: [{}, {}] } })
      const sent = (order: number, value: string) => ({
        method: "POST",
        url: `http://127.0.0.1:9/${order}`,
        sendBody: true,
        bodyParameters: { parameters: { to: value } }
      })
      assert.deepNestedPropertyVal(run, "nodes[1].wouldSend", [sent(7, "ann@example.com"), sent(8, "bob@example.com")])
      assert.deepStrictEqual(
        rows(run).map(({ node, out, status }) => [node, status, out]),
        [
          ["Start", "success", 2],
          ["Send", "mocked", 2],
          ["Say", "success", 2]
        ]
      )
      assert.deepNestedPropertyVal(run, "nodes[2].items", [{ said: "sent" }, { said: "sent" }])
      assert.deepStrictEqual(yield* temporaryCopiesOf(name), [])
    })
  )

  it.effect("run_workflow lets a mock fail as its node would, tried again and past its output for errors", () =>
    Effect.gen(function* () {
      const tried = { retryOnFail: true, maxTries: 2, waitBetweenTries: 300, onError: "continueErrorOutput" }
      const { id } = yield* created({
        nodes: [
          manual(),
          node(
            "httpRequest",
            "Book",
            { url: "=http://127.0.0.1:9/{{ $json.id }}", options: {} },
            { ...tried, typeVersion: 4.2 }
          ),
          answer("Booked", "fine"),
          answer("Failed", "={{ $json.error }}")
        ],
        connections: [...chain("Start", "Book", "Booked"), { source: "Book", sourceOutput: 1, target: "Failed" }]
      })
      const mocks = { Book: { error: 'The "books" are closed' } }
      const run = yield* ask("run_workflow", { id, items: [{ id: 3 }], mocks })
      assert.deepInclude(run, { status: "success", didNotRun: ["Booked"] })
      assert.deepNestedInclude(run, {
        "nodes[1].node": "Book",
        "nodes[1].status": "mocked",
        "nodes[1].out": [0, 1],
        "nodes[1].tries": 2,
        "nodes[1].wouldSend[0].url": "http://127.0.0.1:9/3"
      })
      assert.match(String(rows(run).at(-1)?.first?.said), /^The "books" are closed/)

      yield* ask("edit_workflow", {
        id,
        operations: [
          { op: "set", node: "Book", path: "onError", value: null },
          { op: "set", node: "Book", path: "retryOnFail", value: false }
        ]
      })
      const stopped = yield* ask("run_workflow", { id, mocks })
      assert.deepInclude(stopped, { status: "error" })
      assert.nestedPropertyVal(stopped, "failed.node", "Book")
      assert.match(String(Object(stopped.failed).message), /^The "books" are closed/)
      assert.notNestedProperty(stopped, "nodes[1].tries")
    })
  )

  it.effect("run_workflow asks for permission node by node, and for none to call what acts nowhere", () =>
    Effect.gen(function* () {
      const inner = yield* created({
        nodes: [
          node("executeWorkflowTrigger", "Called", { inputSource: "passthrough" }, { typeVersion: 1.1 }),
          answer("Inner", "inside")
        ],
        connections: chain("Called", "Inner")
      })
      const workflowId = { __rl: true, mode: "id", value: inner.id }
      const { id } = yield* created({
        nodes: [
          manual(),
          node("executeWorkflow", "Call", { workflowId, options: {} }, { typeVersion: 1.2 }),
          request("Fetch"),
          node("httpRequest", "Send", { method: "POST", url: "http://127.0.0.1:9/", options: {} }, { typeVersion: 4.2 })
        ],
        connections: chain("Start", "Call", "Fetch", "Send")
      })
      const names = (rows: unknown) => decodeNodes(rows).map((row) => row.node)
      const refusal = yield* ask("run_workflow", { id })
      assert.deepStrictEqual(names(refusal.outside), ["Send"])
      assert.deepStrictEqual(names(refusal.reads), ["Fetch"])
      const some = yield* ask("run_workflow", { id, confirm: ["Send"] })
      assert.deepInclude(some, { ran: false, outside: [] })
      assert.deepStrictEqual(names(some.reads), ["Fetch"])
      assert.include(yield* ask("run_workflow", { id, confirm: ["Fetch"], to: "Fetch", mocks: { Call: [{}] } }), {
        ran: true
      })
      const { message } = yield* refused("run_workflow", { id, confirm: ["Fetsh"] })
      assert.match(message, /^Invalid confirm: workflow \S+ has no node Fetsh\. Did you mean Fetch\?/)

      yield* ask("edit_workflow", {
        id: inner.id,
        operations: [{ op: "add", node: "Post", type: "httpRequest", from: "Inner" }]
      })
      const acting = yield* ask("run_workflow", { id, to: "Call" })
      assert.deepStrictEqual(names(acting.outside), ["Call"])
    })
  )

  it.effect("run_workflow starts at a node and ends at another, and runs no other branch", () =>
    Effect.gen(function* () {
      const { id, name } = yield* created({
        nodes: [manual(), request("Fetch"), answer("First", "={{ $json.n }}"), answer("Second", "2"), failing()],
        connections: [...chain("Start", "Fetch", "First", "Second", "Stop"), ...chain("First", "Stop")]
      })
      const run = yield* ask("run_workflow", { id, from: "First", to: "Second", items: [{ n: "a" }, { n: "b" }] })
      assert.deepInclude(run, { status: "success" })
      assert.deepStrictEqual(
        rows(run).map(({ node, out }) => [node, out]),
        [
          ["First", 2],
          ["Second", 2]
        ]
      )
      const upTo = yield* ask("run_workflow", { id, to: "First", mocks: { Fetch: [{ n: "c" }] } })
      assert.deepStrictEqual(
        rows(upTo).map(({ first, node }) => [node, first]),
        [
          ["Start", {}],
          ["Fetch", { n: "c" }],
          ["First", { said: "c" }]
        ]
      )
      assert.deepStrictEqual(yield* temporaryCopiesOf(name), [])
    })
  )

  it.effect("run_workflow keeps each item of a mock with the item that it came from", () =>
    Effect.gen(function* () {
      const { id } = yield* created({
        nodes: [manual(), request("Fetch"), answer("Say", "={{ $('Start').item.json.n }}{{ $json.m }}")],
        connections: chain("Start", "Fetch", "Say")
      })
      const items = [{ n: "a" }, { n: "b" }]
      const paired = yield* ask("run_workflow", { id, items, mocks: { Fetch: [{ m: "1" }, { json: { m: "2" } }] } })
      assert.deepInclude(rows(paired).at(-1), { out: 2, first: { said: "a1" } })
      const none = yield* ask("run_workflow", { id, items, mocks: { Fetch: [] } })
      assert.deepInclude(none, { status: "success", didNotRun: ["Say"] })
    })
  )

  it.effect("run_workflow takes the place of any trigger, fires no other one, and runs no other workflow", () =>
    Effect.gen(function* () {
      const other = yield* created({
        nodes: [node("errorTrigger", "Failed"), answer("Noted", "x")],
        connections: chain("Failed", "Noted")
      })
      const hook = webhook()
      const { id } = yield* created({
        nodes: [
          hook,
          everyDay(),
          node("errorTrigger", "On error"),
          node("executeWorkflowTrigger", "Called"),
          failing()
        ],
        connections: [
          ...chain("Webhook", "Stop"),
          ...chain("Every day", "Stop"),
          ...chain("On error", "Stop"),
          ...chain("Called", "Stop")
        ],
        settings: { errorWorkflow: other.id }
      })
      for (const from of ["Webhook", "Every day", "On error", "Called"]) {
        const run = yield* ask("run_workflow", { id, from, items: [{ by: from }] })
        assert.deepInclude(run, { status: "error" })
        assert.deepInclude(rows(run)[0], { node: from, first: { by: from } })
        assert.lengthOf(rows(run), 2)
      }
      assert.deepStrictEqual(yield* listed(`/executions?workflowId=${other.id}`), [])
      assert.deepStrictEqual(yield* listed(`/executions?workflowId=${id}`), [])
    })
  )

  it.effect("run_workflow shows the response of a node that answers the caller", () =>
    Effect.gen(function* () {
      const respond = node("respondToWebhook", "Respond", {
        respondWith: "json",
        responseBody: '{ "a": 1 }',
        options: { responseCode: 418 }
      })
      const { id } = yield* created({
        nodes: [webhook({ responseMode: "responseNode" }), respond, answer("After", "done")],
        connections: chain("Webhook", "Respond", "After")
      })
      const run = yield* ask("run_workflow", { id, items: [{ body: { n: 1 } }] })
      assert.deepInclude(run, { status: "success", response: { httpStatus: 418, body: { a: 1 } } })
      assert.deepInclude(rows(run).at(-1), { node: "After", first: { said: "done" } })
      const before = yield* ask("run_workflow", { id, items: [{ body: { n: 1 } }], mocks: { Respond: [{ a: 2 }] } })
      assert.notProperty(before, "response")
    })
  )

  it.effect("run_workflow lets the engine end a run that takes too long, and deletes its copy", () =>
    Effect.gen(function* () {
      const { id, name } = yield* created({
        nodes: [
          manual(),
          node("wait", "Wait", { amount: 20, unit: "seconds" }, { typeVersion: 1.1 }),
          answer("After", "x")
        ],
        connections: chain("Start", "Wait", "After")
      })
      const run = yield* ask("run_workflow", { id, timeout: 1 })
      assert.include(run, { status: "canceled" })
      assert.match(
        String(run.note),
        /^The run had not ended after 1 s, and was stopped\. It may have waited at Wait: mock what waits\.$/
      )
      assert.include(run.didNotRun, "After")
      assert.deepStrictEqual(yield* temporaryCopiesOf(name), [])
    })
  )

  it.effect("run_workflow deletes its copy also where the call is cancelled", () =>
    Effect.gen(function* () {
      const { id, name } = yield* created({
        nodes: [manual(), node("wait", "Wait", { amount: 20, unit: "seconds" }, { typeVersion: 1.1 })],
        connections: chain("Start", "Wait")
      })
      const call = yield* Effect.forkChild(ask("run_workflow", { id }))
      yield* eventually(temporaryCopiesOf(name), (copies) => copies.some((copy) => Object(copy).active === true))
      yield* Fiber.interrupt(call)
      yield* eventually(temporaryCopiesOf(name), (copies) => copies.length === 0)
    })
  )

  for (const [when, moment] of [
    ["before it is called", { method: "POST", path: /^\/webhook\// }],
    ["before its run is looked for", { method: "GET", path: "/api/v1/executions" }]
  ] as const) {
    it.effect(`run_workflow runs nothing for a stranger who calls its copy ${when}, and reports its own run`, () =>
      Effect.gen(function* () {
        const engine = yield* TestedEngine
        const { id, name } = yield* created({
          nodes: [manual(), answer("Greet", "=Hello {{ $json.name }}")],
          connections: chain("Start", "Greet")
        })
        let ran: ReadonlyArray<ReadonlyArray<string>> = []
        const stranger = Effect.gen(function* () {
          const [copy] = yield* temporaryCopiesOf(name)
          const { id: copyId, nodes } = Object(copy)
          const digest = /[\da-f]{64}/.exec(JSON.stringify(nodes))?.[0]
          const hook = decodeNodes(nodes).find(({ type }) => type === "n8n-nodes-base.webhook")
          const body = { secret: digest, items: [{ name: "Mallory" }], mocks: [] }
          yield* eventually(
            engine.call("POST", `/webhook/${Object(hook?.parameters).path}`, body),
            ({ status }) => status === 200
          )
          const executions = listed(`/executions?workflowId=${copyId}&includeData=true`)
          const runs = Effect.map(executions, (all) =>
            all.map((one) => Object.keys(Object(one).data?.resultData?.runData ?? {}))
          )
          ran = yield* eventually(runs, (all) => all.some((names) => names.length === 2))
        })
        const happen = Effect.provideService(stranger, TestedEngine, engine)
        yield* engine.interrupt({ ...moment, after: 0, happen })
        const run = yield* ask("run_workflow", { id, items: [{ name: "Ann" }] })
        assert.deepInclude(run, { status: "success" })
        assert.deepInclude(rows(run).at(-1), { node: "Greet", first: { said: "Hello Ann" } })
        assert.deepInclude(ran, ["Run input", "Run guard"])
        assert.deepStrictEqual(yield* temporaryCopiesOf(name), [])
      })
    )
  }

  it.effect("run_workflow says what it cannot do before it makes anything", () =>
    Effect.gen(function* () {
      const { id, name } = yield* created({ nodes: [manual(), request("Fetch")], connections: chain("Start", "Fetch") })
      const said = (args: Json) => Effect.map(refused("run_workflow", { id, ...args }), ({ message }) => message)
      assert.match(yield* said({ from: "Fecth" }), /^Invalid from: there is no node Fecth. Did you mean Fetch\?/)
      assert.match(yield* said({ from: "Fetch", to: "Start" }), /^Invalid to: no path leads from Fetch to Start/)
      assert.match(yield* said({ mocks: { Fetch: "pinned" } }), /has no pinned items/)
      assert.match(yield* said({ mocks: { Start: [] } }), /Start is a trigger/)
      assert.match(yield* said({ mocks: { Fetch: [1] } }), /must be a list of items/)
      assert.deepInclude(yield* ask("run_workflow", { id, dry_run: true, confirm: true }), {
        ran: false,
        nodes: ["Start", "Fetch"]
      })
      assert.deepStrictEqual(yield* temporaryCopiesOf(name), [])
      const real = yield* ask("run_workflow", { id, confirm: true })
      assert.isTrue(real.ran)
    })
  )
}
