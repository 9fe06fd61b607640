import { createServer, type Server } from "node:http"

import { assert, layer } from "@effect/vitest"
import { Effect, Schedule, Schema } from "effect"
import { inject } from "vitest"

import { answer, chain, created, node, unique, webhook } from "../contract/fixtures.ts"
import { overReal } from "../contract/TestedEngine.ts"
import { ask, type Json } from "../support/harness.ts"

const readJson = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

/** A service that answers as many rows as is asked for, and counts who asked. */
const service = Effect.acquireRelease(
  Effect.callback<{ readonly server: Server; readonly port: number; readonly asked: Array<string> }>((resume) => {
    const asked: Array<string> = []
    const server = createServer(({ url = "" }, response) => {
      asked.push(url)
      const count = Number(new URL(url, "http://service").searchParams.get("n"))
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify(Array.from({ length: count }, (_, row) => ({ row: `${count}-${row}` }))))
    }).listen(0, "127.0.0.1", () => {
      const address = server.address()
      resume(Effect.succeed({ server, asked, port: typeof address === "object" ? (address?.port ?? 0) : 0 }))
    })
  }),
  ({ server }) => Effect.sync(() => server.close())
)

/** Three items that each become another number of rows, a loop over them with a request and a pause, code, and a choice. */
const rich = (port: number) => {
  const request = (name: string, query: string) =>
    node("httpRequest", name, { url: `=http://127.0.0.1:${port}/${query}`, options: {} }, { typeVersion: 4.2 })
  const fields = (all: Json) => ({
    assignments: Object.entries(all).map(([name, value]) => ({ id: name, name, type: "string", value }))
  })
  const code =
    "return [{ json: { rows: $('Join').all().length, made: new Date().toISOString(), ms: Date.now(), chance: Math.random() } }]"
  return {
    nodes: [
      webhook({ responseMode: "onReceived" }),
      node("splitOut", "Split", { fieldToSplitOut: "body.wanted", options: {} }),
      request("Fetch", "?n={{ $json.n }}"),
      node("set", "Join", {
        assignments: fields({
          of: "={{ $('Split').item.json.name }}",
          at: "={{ $now.toISO() }}",
          run: "={{ $execution.id }}"
        }),
        includeOtherFields: true,
        options: {}
      }),
      node("splitInBatches", "Loop", { batchSize: 2, options: {} }, { typeVersion: 3 }),
      request("Each", "each?n=1"),
      node("wait", "Pause", { amount: 1, unit: "seconds" }, { typeVersion: 1.1 }),
      node("code", "Sum", { jsCode: code }, { typeVersion: 2 }),
      node(
        "if",
        "Many?",
        {
          conditions: {
            options: { caseSensitive: true, leftValue: "", typeValidation: "strict", version: 2 },
            conditions: [
              { id: "c", leftValue: "={{ $json.rows }}", rightValue: 3, operator: { type: "number", operation: "gt" } }
            ],
            combinator: "and"
          },
          options: {}
        },
        { typeVersion: 2.2 }
      ),
      request("Tell", "tell?n=2"),
      answer("Told", "={{ $json.row }}"),
      request("Whisper", "whisper?n=1")
    ],
    connections: [
      ...chain("Webhook", "Split", "Fetch", "Join", "Loop", "Sum", "Many?", "Tell", "Told"),
      { source: "Loop", sourceOutput: 1, target: "Each" },
      ...chain("Each", "Pause", "Loop"),
      { source: "Many?", sourceOutput: 1, target: "Whisper" }
    ]
  }
}

for (const engine of inject("engines")) {
  layer(overReal(engine), { excludeTestServices: true, timeout: "60 seconds" })(
    `on the real ${engine.version}`,
    (it) => {
      it.effect(
        "a recorded run with loops, pauses and other rows for each item passes as it was, without acting outside",
        () =>
          Effect.gen(function* () {
            const { asked, port } = yield* service
            const { id } = yield* created({ name: unique("rich"), ...rich(port), active: true })
            const wanted = [2, 1, 3].map((n) => ({ n, name: `with ${n}` }))
            const { executionId } = yield* ask("execute_workflow", { id, data: { wanted, apiKey: "swordfish-17" } })
            yield* ask("get_execution", { id: executionId }).pipe(
              Effect.repeat({
                until: ({ status }) => status === "success",
                schedule: Schedule.spaced("200 millis"),
                times: 100
              })
            )
            const { notes, text, ...told } = yield* ask("record_test", { execution: executionId })
            assert.deepInclude(told, {
              mocks: { Fetch: 6, Each: 6, Pause: 6, Tell: 2, Whisper: 0 },
              expect: {
                Split: "exact",
                Fetch: "runs",
                Join: "exact",
                Loop: "exact",
                Each: "runs",
                Pause: "runs",
                Sum: "exact",
                "Many?": "exact",
                Tell: "runs",
                Told: "exact",
                Whisper: "does not run"
              }
            })
            assert.include(String(notes), "Join at, run; Loop at, run; Sum made, ms, chance; Many? made, ms, chance")
            assert.notInclude(String(text), "swordfish")
            const test = readJson(text)
            assert.deepNestedInclude(test, { "mocks.Fetch.from": [0, 0, 1, 2, 2, 2] })
            const before = asked.length
            assert.deepInclude(yield* ask("run_tests", { test }), { passed: 1, total: 1 })

            const operations = [
              { op: "replace", node: "Sum", path: "jsCode", find: "$('Join').all().length", value: "3" }
            ]
            const changed = yield* ask("run_tests", { test, id, operations })
            assert.deepNestedInclude(changed, {
              "notPassed[0].problems": [
                "first: Sum, item 1, rows: expected 6, got 3",
                "Many?, output 1: expected 1 item, got 0",
                "Many?, output 2: expected 0 items, got 1",
                "Tell: did not run",
                "Told: did not run",
                "Whisper: ran, and was not expected to"
              ]
            })
            assert.lengthOf(asked, before)
          })
      )
    }
  )
}
