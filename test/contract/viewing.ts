import { assert } from "@effect/vitest"
import { Effect } from "effect"

import { ask, type Json, refused } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import {
  answer,
  created,
  decodeGraph,
  decodeRun,
  given,
  halfPublished,
  manual,
  node,
  tagged,
  unique,
  webhook
} from "./fixtures.ts"
import { shown, TestedEngine } from "./TestedEngine.ts"

const linesOf = ({ sketch }: Json) => String(sketch).split("\n")

const branch = (value: number) =>
  node(
    "if",
    "Large?",
    {
      conditions: {
        combinator: "and",
        conditions: [
          {
            id: "c",
            leftValue: "={{ $json.body.amount }}",
            rightValue: value,
            operator: { type: "number", operation: "gte" }
          }
        ],
        options: { caseSensitive: true, leftValue: "", typeValidation: "strict", version: 2 }
      },
      options: {}
    },
    { typeVersion: 2.2 }
  )

const branches = [
  { source: "Webhook", target: "Large?" },
  { source: "Large?", target: "Ask", sourceOutput: 0 },
  { source: "Large?", target: "Accept", sourceOutput: 1 }
]

export const viewing = (it: Suite) => {
  it.effect("view_workflow sketches a workflow in a line for each node, with what identifies it", () =>
    Effect.gen(function* () {
      const tag = yield* tagged()
      const name = unique("sketched")
      const other = yield* created({ name: `${name} sub`, nodes: [manual()] })
      const hook: Json = webhook()
      const { id } = yield* created({
        name,
        nodes: [
          hook,
          branch(1000),
          { ...answer("Ask", "ask"), disabled: true },
          node("executeWorkflow", "Accept", { source: "database", workflowId: other.id }, { retryOnFail: true })
        ],
        connections: branches,
        settings: { timezone: "Europe/Berlin", errorWorkflow: other.id },
        tags: [tag.id]
      })
      const view = yield* ask("view_workflow", { id })
      assert.deepInclude(view, { id, name, active: false, tags: [tag.name], errorWorkflow: `${name} sub` })
      assert.nestedPropertyVal(view, "settings.timezone", "Europe/Berlin")
      assert.notNestedProperty(view, "settings.executionOrder")
      assert.deepStrictEqual(linesOf(view), [
        `Webhook [webhook] POST /${String(hook.webhookId)}, answers with the last node → Large?`,
        "Large? [if] $json.body.amount ≥ 1000 → (true) Ask; (false) Accept",
        "Ask [set] said = ask · DISABLED",
        `Accept [executeWorkflow] "${name} sub" · retries 3×`
      ])

      const drawing = yield* ask("view_workflow", { id, format: "mermaid" })
      assert.match(String(drawing.sketch), /^flowchart LR\n {2}n1\(\["Webhook<br\/>POST/)
      assert.include(String(drawing.sketch), '  n2 -->|"false"| n4')
    })
  )

  it.effect("view_workflow shows single nodes as they are stored, and its version guards an update", () =>
    Effect.gen(function* () {
      const { id } = yield* created({ nodes: [manual(), answer("Ask", "ask"), answer("Accept", "yes")] })
      const stored = decodeGraph(yield* shown(`/workflows/${id}`))
      const view = yield* ask("view_workflow", { id, nodes: ["Ask"] })
      assert.deepStrictEqual(
        view.nodes,
        stored.nodes.filter((one) => one.name === "Ask")
      )
      assert.notProperty(view, "sketch")

      const { version } = yield* ask("view_workflow", { id })
      const partial = yield* refused("update_workflow", { id, nodes: stored.nodes.slice(0, 1), ifVersion: version })
      assert.match(partial.message, /would remove nodes that were never shown/)
      yield* ask("update_workflow", { id, name: unique("renamed"), ifVersion: version })
      const late = yield* refused("update_workflow", { id, name: unique("again"), ifVersion: version })
      assert.match(late.message, /was changed since ifVersion was read: name/)

      const { message } = yield* refused("view_workflow", { id, nodes: ["Aks"] })
      assert.strictEqual(
        message,
        `Invalid nodes: workflow ${id} has no node Aks. Did you mean Ask? (instance production)`
      )
    })
  )

  it.effect("view_workflow lays a run over the workflow", () =>
    Effect.gen(function* () {
      const { id } = yield* created({
        nodes: [
          webhook(),
          branch(1000),
          node("stopAndError", "Ask", { errorMessage: "too much\nfor us" }),
          answer("Accept", "yes")
        ],
        connections: branches,
        active: true
      })
      const { executionId } = decodeRun(yield* ask("execute_workflow", { id, data: { amount: 5000 } }))
      const view = yield* ask("view_workflow", { id, execution: executionId })
      assert.deepNestedInclude(view, { "execution.id": executionId, "execution.status": "error" })
      assert.match(String(view.execution && Object(view.execution).error), /^too much/)
      const [hook = "", large = "", ask_ = "", accept = ""] = linesOf(view)
      assert.match(hook, / · ran: 1 item, \d+ ms → Large\?$/)
      assert.match(large, / · ran: 1(?:\|0)? items?, \d+ ms → \(true\) Ask; \(false\) Accept$/)
      assert.match(ask_, /^Ask \[stopAndError\] .* · FAILED after \d+ ms: too much/)
      assert.match(accept, /^Accept \[set\] said = yes · not reached$/)

      const other = yield* created({ nodes: [manual()] })
      const { message } = yield* refused("view_workflow", { id: other.id, execution: executionId })
      assert.strictEqual(
        message,
        `Invalid execution: is a run of workflow ${id}, not of ${other.id} (instance production)`
      )
    })
  )

  it.effect("view_workflow tells what of a draft does not run yet, where an engine publishes apart", () =>
    Effect.gen(function* () {
      const { isFrom } = yield* TestedEngine
      const whole = yield* created({ nodes: [webhook()], connections: [], active: true })
      assert.notProperty(yield* ask("view_workflow", { id: whole.id }), "unpublishedChanges")
      const id = yield* halfPublished
      const view = yield* ask("view_workflow", { id })
      if (isFrom("2.40.0")) assert.deepStrictEqual(view.unpublishedChanges, ["Done: disabled"])
      else assert.notProperty(view, "unpublishedChanges")
      assert.match(String(view.sketch), /Done \[set\] said = yes · DISABLED$/)
    })
  )

  it.effect("view_workflow draws a workflow with unknown types and nodes that nothing leads to", () =>
    Effect.gen(function* () {
      const nodes = [
        manual(),
        node("doesNotExist", "Odd", { operation: "sing", table: "songs" }),
        node("noOp", "Apart")
      ]
      const { id } = yield* given({
        name: unique("odd"),
        nodes,
        connections: { Start: { main: [[{ node: "Odd", type: "main", index: 0 }]] } }
      })
      assert.deepStrictEqual(linesOf(yield* ask("view_workflow", { id })), [
        "Start [manualTrigger] → Odd",
        "Odd [doesNotExist] sing songs",
        "No trigger leads to:",
        "Apart [noOp]"
      ])
    })
  )
}
