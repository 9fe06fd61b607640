import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { countTokens } from "gpt-tokenizer"

import { kindOfMessage, wordsOf } from "../../../src/engine/operator/explain/failure.ts"
import { fieldReferencesOf } from "../../../src/engine/operator/explain/inputFields.ts"
import { ask, type Json, operatorToolsets } from "../../support/harness.ts"
import { type ReceivedRequest, engineThat, json, serving } from "../tools/standIn.ts"

interface Run {
  readonly id: number
  readonly items: ReadonlyArray<Json>
  readonly error?: Json
  readonly more?: Json
}

const code = "const a = 1\nreturn $json.email.toLowerCase()"

/** An execution of Webhook → Make → Lower, as engines answer it. */
const execution = ({ error, id, items, more = {} }: Run): Json => {
  const made = items.map((item) => ({ json: item, pairedItem: { item: 0 } }))
  const failing = { startTime: 3, source: [{ previousNode: "Make" }] }
  return {
    id: String(id),
    finished: error === undefined,
    status: error === undefined ? "success" : "error",
    mode: "webhook",
    startedAt: new Date(Date.UTC(2026, 10, 20, 9, id)).toISOString(),
    stoppedAt: new Date(Date.UTC(2026, 10, 20, 9, id, 2)).toISOString(),
    workflowId: "orders",
    waitTill: null,
    workflowData: {
      id: "orders",
      name: "Orders",
      nodes: [
        { name: "Webhook", type: "n8n-nodes-base.webhook", typeVersion: 2, position: [0, 0], parameters: {} },
        { name: "Make", type: "n8n-nodes-base.code", typeVersion: 2, position: [0, 0], parameters: {} },
        {
          name: "Lower",
          type: "n8n-nodes-base.code",
          typeVersion: 2,
          position: [0, 0],
          parameters: { jsCode: code }
        }
      ],
      connections: {},
      settings: {}
    },
    data: {
      resultData: {
        runData: {
          Webhook: [{ startTime: 1, source: [], data: { main: [[{ json: {} }]] } }],
          Make: [{ startTime: 2, source: [{ previousNode: "Webhook" }], data: { main: [made] } }],
          Lower: [{ ...failing, ...(error === undefined ? { data: { main: [made] } } : { error }) }]
        },
        lastNodeExecuted: "Lower",
        ...(error === undefined ? {} : { error })
      },
      executionData: { nodeExecutionStack: [] }
    },
    ...more
  }
}

/** An engine that holds these executions. */
const engineWith = (...runs: ReadonlyArray<Json>) =>
  engineThat(({ path }: ReceivedRequest) => {
    const url = new URL(path, "http://engine")
    const one = /\/executions\/(\d+)/.exec(url.pathname)?.[1]
    if (one !== undefined) {
      const run = runs.find(({ id }) => id === one)
      return run === undefined ? json({ message: "Not Found" }, 404) : json(run)
    }
    if (!url.pathname.endsWith("/executions")) return json({ message: "not found" }, 404)
    const status = url.searchParams.get("status")
    return json({
      data: runs
        .filter((run) => status === null || run.status === status)
        .map((run) => ({ ...run, data: undefined, workflowData: undefined })),
      nextCursor: null
    })
  })

const explained = (runs: ReadonlyArray<Json>, args: Json = {}) =>
  ask("explain_execution", args).pipe(Effect.provide(serving(engineWith(...runs).client, {}, operatorToolsets)))

const undefinedField = {
  message: "Cannot read properties of undefined (reading 'toLowerCase') [line 2]",
  lineNumber: 2
}

const people = (count: number, more: Json = {}) =>
  Array.from({ length: count }, (_, index): Json => ({ id: index, email: `a${index}@example.com`, ...more }))

const lacking = (items: ReadonlyArray<Json>, place: number) =>
  items.map(({ email, ...rest }, index) => (index === place ? rest : { ...rest, email }))

describe("explain_execution", () => {
  it.effect("finds the one of 50 items that lacks the field which the node asks for", () =>
    Effect.gen(function* () {
      const good = execution({ id: 1, items: people(50) })
      const bad = execution({ id: 2, items: lacking(people(50), 37), error: undefinedField })
      const explanation = yield* explained([bad, good])
      assert.deepInclude(explanation.failed, { node: "Lower", code: "2: return $json.email.toLowerCase()" })
      assert.deepInclude(explanation.item, { index: 37, of: 50, json: { id: 37 } })
      assert.deepStrictEqual(explanation.fields, {
        email: 'missing in 1 of 50 items (37); last success: in 50 of 50, text, e.g. "a0@example.com"'
      })
      assert.strictEqual(explanation.path, "Webhook 1 → Make 50 → Lower failed")
    })
  )

  it.effect("names the credential that the node used", () =>
    Effect.gen(function* () {
      const bad = execution({ id: 1, items: people(1), error: { message: "Authorization failed", httpCode: "401" } })
      const { nodes, ...workflow } = Object(bad.workflowData)
      const credentials = { httpHeaderAuth: { id: "c1", name: "Shop key" } }
      const signed = nodes.map((node: Json) => (node.name === "Lower" ? { ...node, credentials } : node))
      const explanation = yield* explained([{ ...bad, workflowData: { ...workflow, nodes: signed } }])
      assert.deepInclude(explanation.failed, { httpCode: "401", credential: "Shop key" })
    })
  )

  const inClasses: ReadonlyArray<readonly [string, Json, Json?]> = [
    ["engine restarted in the midst", {}, { status: "crashed" }],
    ["engine restarted in the midst", { message: "Workflow did not finish, possible out-of-memory issue" }],
    ["node unknown here", { message: "Unrecognized node type: n8n-nodes-gone.thing" }],
    ["node unknown here", { message: 'Node type "set" is not available in version 99. Available versions: 1, 2.' }],
    ["missing sub-workflow or credential", { message: "Workflow does not exist." }],
    ["missing sub-workflow or credential", { message: "Credentials not found" }],
    ["timed out", {}, { status: "canceled", workflowData: { settings: { executionTimeout: 2 } } }],
    ["stopped by a person", {}, { status: "canceled", workflowData: { settings: { executionTimeout: 60 } } }],
    ["credential refused", { message: "Invalid login: 535", code: "EAUTH" }],
    ["rate limit", { message: "Forbidden", description: "API rate limit exceeded", httpCode: "403" }],
    ["service down or slow", { message: "The connection was aborted", httpCode: "ECONNABORTED" }],
    ["unknown", { message: "Bad request - please check your parameters", httpCode: "400" }],
    ["unknown", { message: "order 429 of service 503 has no rate limit", description: "Error" }],
    ["unknown", { message: "The resource you are requesting could not be found", httpCode: "404" }]
  ]

  for (const [name, error, more] of inClasses) {
    it.effect(`calls ${JSON.stringify(more ?? error).slice(0, 90)} ${name}`, () =>
      Effect.gen(function* () {
        const bad = execution({ id: 1, items: people(1), error })
        const { workflowData, ...rest } = more ?? {}
        const run = { ...bad, ...rest, workflowData: { ...Object(bad.workflowData), ...Object(workflowData) } }
        assert.nestedPropertyVal(yield* explained([run], { id: 1 }), "class.name", name)
      })
    )
  }

  it.effect("takes a host that nobody knows for an outage where the same node was answered before", () =>
    Effect.gen(function* () {
      const error = { message: "getaddrinfo ENOTFOUND shop.example", httpCode: "ENOTFOUND" }
      const bad = execution({ id: 2, items: people(1), error })
      assert.nestedPropertyVal(yield* explained([bad]), "class.name", "address wrong")
      const good = execution({ id: 1, items: people(1) })
      assert.nestedPropertyVal(yield* explained([bad, good]), "class.name", "service down or slow")
    })
  )

  it.effect("tells of the last run that was stopped or ran out of time, where no run failed", () =>
    Effect.gen(function* () {
      const { workflowData, ...run } = execution({ id: 1, items: people(1), more: { status: "canceled" } })
      const timed = { ...run, workflowData: { ...Object(workflowData), settings: { executionTimeout: 2 } } }
      const explanation = yield* explained([timed], { workflowId: "orders" })
      assert.deepInclude(explanation.execution, { id: 1, status: "canceled" })
      assert.match(String(explanation.message), /ran out of time/)
      const old = engineThat(({ path }: ReceivedRequest) => {
        const url = new URL(path, "http://engine")
        if (url.pathname.endsWith("/executions/1")) return json(timed)
        if (url.searchParams.get("status") === "error") return json({ data: [], nextCursor: null })
        if (url.searchParams.has("status")) return json({ message: "must be one of: error, success, waiting" }, 400)
        const { id, startedAt, stoppedAt, workflowId } = Object(timed)
        const listed = { id, startedAt, stoppedAt, workflowId, finished: false, waitTill: null }
        return json({ data: [listed], nextCursor: null })
      })
      const sameQuestion = ask("explain_execution", { workflowId: "orders" })
      const same = yield* sameQuestion.pipe(Effect.provide(serving(old.client, {}, operatorToolsets)))
      assert.strictEqual(same.message, explanation.message)
    })
  )

  it.effect("reads a large execution so that what is kept is small, and tells the same of it", () =>
    Effect.gen(function* () {
      const long = { text: "lorem ipsum ".repeat(100) }
      const items = (count: number, place: number) => lacking(people(count, long), place)
      const runs = (count: number) => [
        execution({ id: 3, items: items(count, count - 9), error: undefinedField }),
        execution({ id: 2, items: items(count, 5), error: undefinedField }),
        execution({ id: 1, items: people(count, long) })
      ]
      const large = yield* explained(runs(2000))
      assert.deepInclude(large.item, { index: 1991, of: 2000 })
      assert.deepInclude(large.alike, { failures: 2, alike: "2 of 2 compared" })
      assert.isBelow(countTokens(JSON.stringify(large)), 800)
      const small = yield* explained(runs(100))
      assert.deepInclude(small.item, { index: 91, of: 100 })
      const sameWords = (answer: Json) =>
        JSON.stringify(answer)
          .replaceAll("2000", "N")
          .replaceAll("1991", "K")
          .replaceAll(/\b100\b/g, "N")
          .replaceAll("91", "K")
      assert.strictEqual(sameWords(large), sameWords(small))
    })
  )

  it.effect("stays under 800 tokens and shows no secret, whatever failed", () =>
    Effect.gen(function* () {
      const secret = "hunter2hunter2"
      const hostile = Object.fromEntries(
        Array.from({ length: 200 }, (_, index) => [`field ${index} ${"ü".repeat(200)}`, "漢字".repeat(5000)])
      )
      const error = {
        message: `${"Ошибка ".repeat(500)} password=${secret}`,
        description: "x".repeat(90_000),
        stack: "Error\n    at Object.run (/usr/lib/node_modules/engine/dist/run.js:3:4)",
        context: { request: { uri: `https://user:${secret}@example.com/${"a".repeat(5000)}`, method: "POST" } }
      }
      const items = [{ password: secret, headers: { authorization: `Bearer ${secret}` }, ...hostile }]
      const explanation = yield* explained([execution({ id: 2, items, error })])
      const text = JSON.stringify(explanation)
      assert.isBelow(countTokens(text), 800)
      assert.notInclude(text, secret)
      assert.notInclude(text, "node_modules")
    })
  )

  it.effect("says of a failed run without data that the engine answers none", () =>
    Effect.gen(function* () {
      const bad = execution({ id: 2, items: people(1), error: undefinedField })
      const nothing = yield* explained([{ ...bad, data: undefined }], { id: 2 })
      assert.match(String(nothing.message), /^This run failed\. The engine returns no data of it/)
    })
  )

  it.effect("tells the run that a retry mended, and the child in which a failure came about", () =>
    Effect.gen(function* () {
      const error = { message: "child told", errorResponse: { executionId: "77", workflowId: "child" } }
      const explanation = yield* explained([
        execution({ id: 2, items: people(1), error, more: { retrySuccessId: "5" } })
      ])
      assert.deepStrictEqual(explanation.subWorkflow, { execution: 77, workflowId: "child" })
      assert.nestedPropertyVal(explanation, "execution.retrySucceededAs", "5")
    })
  )
})

describe("the fields that parameters mention", () => {
  const referencesIn = (parameters: object, fields: ReadonlyArray<string>) => {
    const nodes = [{ name: "Node", parameters }]
    const data = { runs: [], error: undefined, lastNode: undefined, stack: [], nodes }
    return fieldReferencesOf({ data, input: [{ json: Object.fromEntries(fields.map((name) => [name, 1])) }] }, "Node")
  }
  const mentioned = (text: string, fields: ReadonlyArray<string> = []) =>
    referencesIn({ text }, fields).map(({ node, path }) =>
      [...(node === undefined ? [] : [node]), path.join(".")].join(" → ")
    )

  it("are found in expressions and in code, without the methods called on them", () => {
    assert.deepStrictEqual(mentioned("={{ $json.user.name.trim() }} {{ $json['e mail'] }} {{ $json.tags.length }}"), [
      "user.name",
      "e mail",
      "tags"
    ])
    assert.deepStrictEqual(mentioned("={{ $('Get user').item.json.id }} {{ $node[\"Old\"].json.x }}"), [
      "Get user → id",
      "Old → x"
    ])
    assert.deepStrictEqual(mentioned("for (const item of items) { item.json.total = item.json?.price }"), [
      "total",
      "price"
    ])
    assert.deepStrictEqual(
      mentioned("const order = $json\nreturn { mail: order.customer.email.toLowerCase(), x: other.y }"),
      ["customer.email"]
    )
    assert.deepStrictEqual(mentioned("const { total, items: lines = [] } = $input.item.json; const id = $json.id"), [
      "id",
      "total",
      "items"
    ])
    assert.deepStrictEqual(mentioned("email, name", ["email", "name", "id"]), ["email", "name"])
    assert.deepStrictEqual(mentioned("JSON.parse(text)"), [])
  })

  it("are never more than twelve, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 400 }), fc.array(fc.string({ maxLength: 5 })), (text, fields) => {
        assert.isAtMost(referencesIn({ a: [text, { b: `={{ $json.${text} }}` }] }, fields).length, 12)
      })
    )
  })
})

describe("the words of an error", () => {
  it("hold no path of the server, no stack and no marks of a page", () => {
    const error = {
      message: "Failed at /root/engine/node_modules/x/dist/run.js:12:3\n    at run (/root/a/b.js:1:1)",
      description: "<p>Try <code>.toNumber()</code></p>",
      httpCode: "404"
    }
    assert.deepStrictEqual(wordsOf(error, 500), {
      message: "Failed at run.js",
      description: "Try .toNumber()",
      httpCode: "404"
    })
  })

  it("are alike where only numbers, ids and quoted texts differ", () => {
    const kind = kindOfMessage('Order 4711 of "ann" failed after 30 ms (3f2c8a90-1111-4222-8333-444455556666)')
    assert.strictEqual(
      kindOfMessage('Order 4712 of "bob" failed after 9 ms (0f2c8a90-1111-4222-8333-444455556667)'),
      kind
    )
    assert.notStrictEqual(kindOfMessage("Order 4711 was refused"), kind)
  })
})
