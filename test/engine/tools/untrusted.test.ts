import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { ask, type Json, refused } from "../../support/harness.ts"
import { engineThat, json, serving } from "./standIn.ts"

const readIds = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Array(Schema.Struct({ id: Schema.Union([Schema.String, Schema.Int]) })),
    nextCursor: Schema.optionalKey(Schema.String)
  })
)

/** Follows a list to its end. */
const pages = Effect.fnUntraced(function* (tool: string, args: Json) {
  const found: Array<ReadonlyArray<string | number>> = []
  for (let page = readIds(yield* ask(tool, args)); ; page = readIds(yield* ask(tool, { cursor: page.nextCursor }))) {
    found.push(page.data.map(({ id }) => id))
    if (page.nextCursor === undefined) return found
  }
})

describe("an engine that ignores what it is asked", () => {
  it.effect("sends more than the limit, and the list still shows every item once, page by page", () => {
    const data = [1, 2, 3, 4, 5].map((id) => ({ id: `t${id}`, name: `tag ${id}` }))
    const { client } = engineThat(() => json({ data, nextCursor: null }))
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* pages("get_tags", { limit: 2 }), [["t1", "t2"], ["t3", "t4"], ["t5"]])
    }).pipe(Effect.provide(serving(client)))
  })

  it.effect("sends executions of another state or workflow, and the list leaves them out", () => {
    const run = (id: number, status: string, workflowId: string) => ({ id: `${id}`, status, workflowId })
    const data = [run(4, "success", "w1"), run(3, "error", "w1"), run(2, "crashed", "w1"), run(1, "error", "w2")]
    const { client } = engineThat(() => json({ data, nextCursor: null }))
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* pages("list_executions", { status: "error", workflowId: "w1" }), [[3, 2]])
    }).pipe(Effect.provide(serving(client)))
  })

  it.effect("sends data that nobody asked for, and the list leaves it out", () => {
    const execution = {
      id: "7",
      status: "error",
      workflowId: "w1",
      stack: "at /srv",
      workflowData: {},
      data: { big: 1 }
    }
    const { client } = engineThat(({ path }) =>
      json(path.includes("/executions/7") ? execution : { data: [execution], nextCursor: null })
    )
    return Effect.gen(function* () {
      const metadata = { id: 7, status: "error", workflowId: "w1" }
      assert.deepStrictEqual(yield* ask("get_execution", { id: 7 }), metadata)
      assert.deepStrictEqual(yield* ask("list_executions"), { data: [metadata] })
      const whole = { ...metadata, workflowData: {}, data: { big: 1 } }
      assert.deepStrictEqual(yield* ask("get_execution", { id: 7, includeData: true }), whole)
      assert.deepStrictEqual(yield* ask("list_executions", { includeData: true }), { data: [whole] })
    }).pipe(Effect.provide(serving(client)))
  })

  it.effect("has no call to retry, and is told from one that lacks the execution", () => {
    const { client } = engineThat(({ method }) =>
      method === "POST" ? json({ message: "Not Found" }, 404) : json({ id: "7", status: "error" })
    )
    return Effect.gen(function* () {
      assert.property(yield* ask("retry_execution", { id: 7 }), "guidance")
    }).pipe(Effect.provide(serving(client)))
  })
})

describe("what the contract does not allow", () => {
  it.effect("never reaches the engine", () => {
    const { asked, client } = engineThat(() => json({}))
    const start = { name: "A", type: "engine-nodes-base.webhook", typeVersion: 1, position: [0, 0] }
    const refusals: ReadonlyArray<readonly [Json, string]> = [
      [
        { settings: { saveDataErrorExecution: "maybe" } },
        'Invalid settings.saveDataErrorExecution: must be "all" | "none"'
      ],
      [{ settings: { executionTimeout: "long" } }, "Invalid settings.executionTimeout: must be number"],
      [
        { nodes: [{ ...start, credentials: { httpBasicAuth: 5 } }] },
        "Workflow validation failed: node A has an invalid credentials: must be an object that maps credential types to { id, name }"
      ]
    ]
    return Effect.gen(function* () {
      for (const [more, message] of refusals) {
        const error = yield* refusedWith({ name: "New", nodes: [start], ...more })
        assert.strictEqual(error, message)
      }
      assert.isEmpty(asked)
    }).pipe(Effect.provide(serving(client)))
  })
})

const refusedWith = (args: Json) => Effect.map(refused("create_workflow", args), ({ message }) => message)
