import { assert, it, layer } from "@effect/vitest"
import { Clock, Effect, Schema } from "effect"
import { inject } from "vitest"

import { chain, created, decodeRun, eventually, failing, idsOf, language, node, webhook } from "../contract/fixtures.ts"
import { overReal, TestedEngine } from "../contract/TestedEngine.ts"
import { ask, type Json } from "../support/harness.ts"
import { movedClock } from "../support/movedClock.ts"
import { fakeModel, modelNode } from "./fakeModel.ts"

const run = (id: unknown, data: Json = {}) =>
  Effect.map(ask("execute_workflow", { id, data }), (answer) => decodeRun(answer).executionId)

const code = (name: string, jsCode: string, mode = "runOnceForAllItems") =>
  node("code", name, { mode, jsCode }, { typeVersion: 2 })

/** A workflow that others call; engines of generation 2 call only what is published. */
const called = Effect.fnUntraced(function* (nodes: ReadonlyArray<Json>, ...names: ReadonlyArray<string>) {
  const { isV2, send } = yield* TestedEngine
  const start = node("executeWorkflowTrigger", "Called", { inputSource: "passthrough" }, { typeVersion: 1.1 })
  const { id } = yield* created({ nodes: [start, ...nodes], connections: chain("Called", ...names) })
  if (isV2) yield* send("POST", `/workflows/${id}/activate`)
  return { __rl: true, mode: "id", value: id }
})

const orders = Array.from({ length: 5 }, (_, number) => ({
  number,
  ...(number === 3 ? {} : { email: `${number}@a.b` })
}))

const lower = code("Lower", "return { json: { mail: $json.email.toLowerCase() } }", "runOnceForEachItem")

for (const engine of inject("engines")) {
  layer(overReal(engine), { excludeTestServices: true, timeout: "60 seconds" })(
    `explain_execution on the real ${engine.version}`,
    (it) => {
      for (const mode of ["once", "each"]) {
        it.effect(`shows the node and the item of a failure in a sub-workflow that is called ${mode}`, () =>
          Effect.gen(function* () {
            const inner = yield* called([lower], "Lower")
            const middle = yield* called(
              [
                node("executeWorkflow", "Inner", { workflowId: inner, mode: "once", options: {} }, { typeVersion: 1.2 })
              ],
              "Inner"
            )
            const { id } = yield* created({
              nodes: [
                webhook(),
                code("Orders", "return $json.body.orders.map((json) => ({ json }))"),
                node("executeWorkflow", "Mail", { workflowId: middle, mode, options: {} }, { typeVersion: 1.2 })
              ],
              connections: chain("Webhook", "Orders", "Mail"),
              active: true
            })
            const execution = yield* run(id, { orders })
            const said = yield* ask("explain_execution", { id: execution })
            assert.nestedPropertyVal(said, "failed.node", "Mail")
            assert.deepNestedInclude(said, {
              "subWorkflow.workflow.id": inner.value,
              "subWorkflow.via[0].id": middle.value,
              "subWorkflow.failed.node": "Lower",
              "subWorkflow.item.json": { number: 3 },
              "subWorkflow.fields.email": mode === "once" ? "missing in 1 of 5 items (3)" : "missing",
              "item.index": 3,
              "item.json": { number: 3 }
            })
            assert.isBelow(JSON.stringify(said).length, 2400)
          })
        )
      }

      it.effect("shows the item at the origin of one that failed after a loop in batches", () =>
        Effect.gen(function* () {
          const { id } = yield* created({
            nodes: [
              webhook(),
              code("Orders", "return $json.body.orders.map(({ email, number }) => ({ json: { key: number, email } }))"),
              node("splitInBatches", "Loop", { batchSize: 2, options: {} }, { typeVersion: 3 }),
              code("Check", "return { json: { mail: $json.email.toLowerCase() } }", "runOnceForEachItem")
            ],
            connections: [
              ...chain("Webhook", "Orders", "Loop"),
              { source: "Loop", sourceOutput: 1, target: "Check" },
              { source: "Check", target: "Loop" }
            ],
            active: true
          })
          const said = yield* ask("explain_execution", { id: yield* run(id, { orders }) })
          assert.deepNestedInclude(said, { "item.index": 1, "item.of": 2, "item.json.key": 3 })
          assert.nestedPropertyVal(said, "failed.run", "2 of 2")
          assert.deepNestedInclude(said, { "origin.node": "Webhook", "origin.index": 0, "origin.of": 1 })
        })
      )

      it.effect("names the innermost line of code that the engine knows", () =>
        Effect.gen(function* () {
          const jsCode = [
            "function lower(order) {",
            "  return order.email.toLowerCase()",
            "}",
            "return $input.all().map((item) => ({ json: { mail: lower(item.json) } }))"
          ]
          const { id } = yield* created({
            nodes: [webhook(), code("Lower", jsCode.join("\n"))],
            connections: chain("Webhook", "Lower"),
            active: true
          })
          const execution = yield* run(id)
          const said = yield* ask("explain_execution", { id: execution })
          assert.nestedPropertyVal(said, "failed.code", "2: return order.email.toLowerCase()")
        })
      )

      it.effect("shows what an error workflow was started for", () =>
        Effect.gen(function* () {
          const { isV2, send } = yield* TestedEngine
          const handler = yield* created({
            nodes: [node("errorTrigger", "On error"), failing()],
            connections: chain("On error", "Stop")
          })
          if (isV2) yield* send("POST", `/workflows/${handler.id}/activate`)
          const { id, name } = yield* created({
            nodes: [webhook(), lower],
            connections: chain("Webhook", "Lower"),
            settings: { errorWorkflow: handler.id },
            active: true
          })
          const execution = yield* run(id, { order: 7 })
          const failures = Effect.map(ask("list_executions", { workflowId: handler.id }), idsOf)
          const [started] = yield* eventually(failures, (ids) => ids.length === 1)
          const said = yield* eventually(ask("explain_execution", { id: started }), (one) => one.failed !== undefined)
          assert.nestedPropertyVal(said, "failed.node", "Stop")
          assert.deepNestedInclude(said, {
            "startedByFailureOf.execution": String(execution),
            "startedByFailureOf.workflow": name,
            "startedByFailureOf.node": "Lower"
          })
          assert.match(String(Object(said.startedByFailureOf).message), /toLowerCase/)
        })
      )

      it.effect("shows the tool of an agent that failed, with what it was given", () =>
        Effect.gen(function* () {
          const { isV2 } = yield* TestedEngine
          // The engine 1.82.3 of these tests is installed without its AI nodes.
          if (!isV2) return
          const model = yield* fakeModel
          const inner = yield* called([failing()], "Stop")
          const { id } = yield* created({
            nodes: [
              webhook(),
              language("agent", "Agent", { promptType: "define", text: "={{ $json.body.q }}" }, { typeVersion: 1.9 }),
              yield* modelNode(model),
              language(
                "toolWorkflow",
                "Look up",
                { name: "lookup", description: "Looks an order up", workflowId: inner },
                { typeVersion: 2.2 }
              )
            ],
            connections: [
              ...chain("Webhook", "Agent"),
              { source: "Model", target: "Agent", sourceOutput: "ai_languageModel" },
              { source: "Look up", target: "Agent", sourceOutput: "ai_tool" }
            ],
            active: true
          })
          const said = yield* ask("explain_execution", { id: yield* run(id, { q: "2+3?" }) })
          assert.deepNestedInclude(said, {
            "failedTools[0].node": "Look up",
            "failedTools[0].subWorkflow.failed.node": "Stop",
            "failedTools[0].subWorkflow.failed.message": "told to stop"
          })
          assert.nestedProperty(said, "failedTools[0].subWorkflow.item.json")
        })
      )
    }
  )

  it.live(
    `instance_health on the real ${engine.version} says in one call which schedule did not run yesterday, and why`,
    () =>
      Effect.gen(function* () {
        const { clock, putForward } = yield* movedClock
        yield* Effect.gen(function* () {
          const rule = { interval: [{ field: "days", triggerAtHour: 9, triggerAtMinute: 0 }] }
          const { id } = yield* created({
            nodes: [node("scheduleTrigger", "Daily", { rule }, { typeVersion: 1.2 }), failing()],
            connections: chain("Daily", "Stop"),
            settings: { timezone: "Europe/Berlin" },
            active: true
          })
          putForward(3 * 86_400_000)
          const health = yield* ask("instance_health", { hours: 48 })
          assert.isAtMost(JSON.stringify(health).length, 2000)
          const rows = decodeMissed(health).data[0].missedSchedules
          const row = rows.find((one) => one.id === id)
          assert.include(row, { ran: 0 })
          // Where others did not run either, the engine is to blame; else the workflow, which has never run.
          assert.match(
            String(row?.why),
            /^(?:no run by its schedule is on record, and it was changed|the engine started no workflow by a schedule)/
          )
        }).pipe(Effect.scoped, Effect.provide(overReal(engine)), Effect.provideService(Clock.Clock, clock))
      }),
    60_000
  )
}

const Row = Schema.Record(Schema.String, Schema.Unknown)
const decodeMissed = Schema.decodeUnknownSync(
  Schema.Struct({ data: Schema.NonEmptyArray(Schema.Struct({ missedSchedules: Schema.Array(Row) })) })
)
