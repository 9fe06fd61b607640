import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Schema } from "effect"

import type { Sessions } from "../../src/mcp/protocol/Session.ts"
import { ask, type Json, refused } from "../support/harness.ts"
import { inTime } from "../support/inTime.ts"
import { chain, created, decodeRun, eventually, node, unique, webhook } from "./fixtures.ts"
import { shown, TestedEngine } from "./TestedEngine.ts"

const mail = node(
  "code",
  "Mail",
  { mode: "runOnceForEachItem", jsCode: "return { json: { mail: $json.body.email.toLowerCase() } }" },
  { typeVersion: 2 }
)

const mended = [
  {
    op: "set",
    node: "Mail",
    path: "parameters.jsCode",
    value: 'return { json: { mail: ($json.body.email ?? "").toLowerCase() } }'
  }
]

const run = (id: unknown, data: Json) =>
  Effect.map(ask("execute_workflow", { id, data }), (said) => decodeRun(said).executionId)

/** A workflow that fails where the call brings no e-mail, and the numbers of its failed runs. */
const failing = Effect.fnUntraced(function* (bodies: ReadonlyArray<Json>) {
  const { id, name } = yield* created({
    name: unique("retrying"),
    nodes: [webhook({ responseMode: "onReceived" }), mail],
    connections: chain("Webhook", "Mail"),
    active: true
  })
  const executions: Array<number> = []
  for (const body of bodies) executions.push(yield* run(id, body))
  yield* eventually(
    shown(`/executions?workflowId=${id}&status=error`),
    ({ data }) => Object(data).length === bodies.length
  )
  return { id, name, executions }
})

const runsOf = (id: unknown) =>
  Effect.map(shown(`/executions?workflowId=${String(id)}&limit=100`), ({ data }) => rowsOf(data))

const rowsOf = Schema.decodeUnknownSync(Schema.Array(Schema.Record(Schema.String, Schema.Unknown)))

/** Applies a plan to its end, however many calls that takes. */
const appliedToTheEnd = Effect.fnUntraced(function* (plan_id: unknown) {
  for (let call = 0; call < 20; call++) {
    const said = yield* ask("apply_plan", { plan_id, confirm: true })
    if (said.state !== "in progress") return said
  }
  return assert.fail("the plan has no end")
})

/** Retries on an engine: by its own retry, or by a call anew where it has none. */
export const retryingSuite = (title: string, engine: Layer.Layer<Sessions | TestedEngine>, isReal: boolean) => {
  const suite = isReal ? layer(engine, { excludeTestServices: true, timeout: "60 seconds" }) : layer(engine)
  const inEngine = <A, E, R>(test: Effect.Effect<A, E, R>) =>
    isReal ? Effect.scoped(test) : inTime(Effect.scoped(test))
  suite(`plan_retry on ${title}`, (it) => {
    it.effect("runs all failed runs of a workflow again once it is fixed, oldest first, and none of them twice", () =>
      inEngine(
        Effect.gen(function* () {
          const canRetry = (yield* TestedEngine).isFrom("1.115.0")
          const { executions, id } = yield* failing([{ order: 1 }, { order: 2 }, { order: 3 }])
          yield* ask("edit_workflow", { id, operations: mended })
          const plan = yield* ask("plan_retry", { workflow: id, class: "data without a field", latest_version: true })
          const kind = canRetry ? "retry" : "run-anew"
          assert.deepInclude(plan, { kind: "retry", steps: 3, by_kind: { [kind]: 3 } }, JSON.stringify(plan))
          assert.deepInclude(plan, { classes: { "data without a field": 3 } })
          assert.isAtMost(JSON.stringify(plan).length, 2000)
          const report = yield* appliedToTheEnd(plan.plan_id)
          assert.deepInclude(report, { state: "applied", done: 3 }, JSON.stringify(report))
          const after = yield* eventually(
            runsOf(id),
            (rows) => rows.length === 6 && rows.every(({ stoppedAt }) => stoppedAt !== null)
          )
          const again = after.filter((row) => !executions.includes(Number(row.id))).toReversed()
          if (canRetry) {
            assert.deepStrictEqual(
              again.map(({ retryOf, status }) => [Number(retryOf), status]),
              executions.map((execution) => [execution, "success"])
            )
            assert.deepInclude(report, { retried: 3, succeeded: 3 })
          } else assert.strictEqual(again.filter(({ finished }) => finished === true).length, 3)
          const nothing = yield* ask("plan_retry", { workflow: id })
          const why = canRetry ? "a retry has succeeded" : "it was run anew"
          assert.deepInclude(nothing, { steps: 0, not_retried: { [why]: 3 } })
          const spent = yield* refused("apply_plan", { plan_id: plan.plan_id, confirm: true })
          assert.include(spent.message, "has been applied already")
          assert.strictEqual((yield* runsOf(id)).length, 6)
        })
      )
    )

    it.effect("retries one run of each key, and leaves out what another class of failure is", () =>
      inEngine(
        Effect.gen(function* () {
          const { id } = yield* failing([
            { order: { id: 7 } },
            { order: { id: 7 } },
            { order: { id: 8 } },
            { order: null }
          ])
          const plan = yield* ask("plan_retry", { workflow: id, once_per: "$json.body.order.id" })
          assert.deepInclude(plan, { steps: 3, same_key: 1, without_key: 1 }, JSON.stringify(plan))
          const none = yield* ask("plan_retry", { workflow: id, class: "rate limit" })
          assert.deepInclude(none, { steps: 0, other_classes: 4 })
          for (const once_per of [
            "$json.body.order.id + 1",
            "$json.f()",
            "process.exit()",
            "{{ $json.a }}; 1",
            "$json"
          ]) {
            const error = yield* refused("plan_retry", { workflow: id, once_per })
            assert.match(error.message, /^Invalid once_per: must be a plain path over the input/, once_per)
          }
        })
      )
    )

    it.effect("leaves out the failed runs of a key for which a later run has succeeded, and no other", () =>
      inEngine(
        Effect.gen(function* () {
          const { executions, id } = yield* failing([
            { order: { id: 7 } },
            { order: { id: 8 } },
            { order: { id: 9 } },
            { order: null }
          ])
          const again = yield* run(id, { order: { id: 7 }, email: "ANN@example.com", text: "x".repeat(300_000) })
          yield* run(id, { order: null, email: "BOB@example.com" })
          yield* eventually(ask("get_execution", { id: again }), ({ status }) => status === "success")
          const plan = yield* ask("plan_retry", { workflow: id, once_per: "$json.body.order.id" })
          assert.deepInclude(
            plan,
            { steps: 3, without_key: 1, not_retried: { "a later run of the same key has succeeded": 1 } },
            JSON.stringify(plan)
          )
          assert.notInclude(JSON.stringify(plan.first_steps), `/${executions[0]}"`)
          assert.notInclude(JSON.stringify(plan), "could not be read")
          const last = yield* run(id, { order: { id: 7 } })
          yield* eventually(ask("get_execution", { id: last }), ({ status }) => status === "error")
          const newer = yield* ask("plan_retry", { workflow: id, once_per: "$json.body.order.id" })
          assert.deepInclude(newer, { steps: 4 }, "a failure after the success is retried")
          assert.include(yield* ask("plan_retry", { workflow: id, instances: [] }), { steps: 5 })
        })
      )
    )

    it.effect("says how the retried runs have ended, by the class of those that failed again", () =>
      inEngine(
        Effect.gen(function* () {
          const canRetry = (yield* TestedEngine).isFrom("1.115.0")
          if (!canRetry) return
          const { executions, id } = yield* failing([{ order: 1 }, { order: 2 }])
          const plan = yield* ask("plan_retry", { workflow: id })
          const report = yield* appliedToTheEnd(plan.plan_id)
          assert.deepInclude(report, { retried: 2, succeeded: 0, failed_again: { "data without a field": 2 } })
          // The failed retries stand for the first runs now.
          const next = yield* ask("plan_retry", { workflow: id })
          assert.deepInclude(next, { steps: 2, not_retried: { "it was retried, and that run stands for it": 2 } })
          assert.isEmpty(executions.filter((execution) => JSON.stringify(next.first_steps).includes(`/${execution}"`)))
        })
      )
    )

    it.effect("does not retry what somebody else has retried since the plan was made", () =>
      inEngine(
        Effect.gen(function* () {
          const { isFrom, send } = yield* TestedEngine
          if (!isFrom("1.115.0")) return
          const { executions, id } = yield* failing([{ order: 1 }])
          const plan = yield* ask("plan_retry", { workflow: id })
          yield* send("POST", `/executions/${executions[0]}/retry`, {})
          const report = yield* appliedToTheEnd(plan.plan_id)
          assert.deepInclude(report, { state: "applied", found: 1 })
          assert.strictEqual((yield* runsOf(id)).length, 2)
        })
      )
    )
  })
}
