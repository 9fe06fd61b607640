import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { answers, type Step } from "../../internal/http/standIn.ts"
import { ask, type Json, operatorToolsets, refused } from "../../support/harness.ts"
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
    const { client } = engineThat(({ method, path }) => {
      if (path.includes("/tags")) return json({ data: [], nextCursor: null })
      const isThere = method === "GET" && path.includes("/executions")
      return isThere ? json({ id: "7", status: "error" }) : json({ message: "Not Found" }, 404)
    })
    return Effect.gen(function* () {
      assert.property(yield* ask("retry_execution", { id: 7 }), "guidance")
    }).pipe(Effect.provide(serving(client)))
  })
})

const start = { name: "A", type: "engine-nodes-base.webhook", typeVersion: 1, position: [0, 0], parameters: {} }
const workflow = { id: "w1", name: "Orders", active: false, nodes: [start], connections: {}, tags: [] }

/** Successes that no engine answers; whatever was asked for is there as before. */
const empty: Readonly<Record<string, Step>> = {
  "nothing, with status 204": answers(204, {}, null),
  "JSON of another product": json({ error: "unauthorized" }),
  "an empty object": json({})
}

describe("a success that is not the engine's", () => {
  for (const [what, answer] of Object.entries(empty)) {
    it.effect(`deletes nothing and tags nothing: ${what}`, () => {
      const { client } = engineThat(({ method, path }) => {
        if (method !== "GET") return answer
        if (path.includes("/tags/")) return json({ id: "t1", name: "red" })
        if (path.includes("/tags")) return json({ data: [{ id: "t1", name: "red" }], nextCursor: null })
        return json(path.includes("/executions") ? { id: "7", status: "error" } : workflow)
      })
      return Effect.gen(function* () {
        const calls: ReadonlyArray<readonly [string, Json]> = [
          ["delete_workflow", { id: "w1" }],
          ["delete_execution", { id: 7 }],
          ["delete_tag", { id: "t1" }],
          ["delete_credential", { id: "c1" }],
          ["edit_workflow", { id: "w1", operations: [{ op: "tag", value: "red" }] }]
        ]
        for (const [tool, args] of calls) {
          const { data, message } = yield* refused(tool, args)
          assert.match(message, /outcome of [a-z ]+ on instance production is unknown/, tool)
          assert.include(["OUTCOME_UNKNOWN", "STEP_FAILED"], Object(data).code, tool)
        }
      }).pipe(Effect.provide(serving(client, {}, operatorToolsets)))
    })
  }

  it.effect("is about another thing than was asked for, and is not taken for it", () => {
    const { asked, client } = engineThat(({ path }) =>
      path.includes("/executions") ? json({ id: "8", status: "success" }) : json({ ...workflow, id: "w2" })
    )
    return Effect.gen(function* () {
      const calls: ReadonlyArray<readonly [string, Json]> = [
        ["get_workflow", { id: "w1" }],
        ["update_workflow", { id: "w1", name: "Other" }],
        ["get_execution", { id: 7 }]
      ]
      for (const [tool, args] of calls) {
        const { message } = yield* refused(tool, args)
        assert.match(message, /is about something else than (workflow w1|execution 7)$/, tool)
      }
      assert.isTrue(asked.every(({ method }) => method === "GET"))
    }).pipe(Effect.provide(serving(client)))
  })

  it.effect("is no word of a call that is not offered, where the engine lists it", () => {
    const endpoints = [
      { operationId: "getCredentials", method: "GET", path: "/api/v1/credentials" },
      { operationId: "retryExecution", method: "POST", path: "/api/v1/executions/{id}/retry" }
    ]
    const { client } = engineThat(({ method, path }) => {
      if (path === "/api/v1/discover") return json({ data: { scopes: [], resources: { all: { endpoints } } } })
      if (path.startsWith("/api/v1/tags")) return json({ data: [], nextCursor: null })
      if (path.includes("/executions") && method === "GET") return json({ id: "7", status: "error" })
      return json({ message: path.includes("/executions") ? "Not Found" : "not found" }, 404)
    })
    return Effect.gen(function* () {
      for (const [tool, args] of [
        ["list_credentials", {}],
        ["retry_execution", { id: 7 }]
      ] as const) {
        const { message } = yield* refused(tool, args)
        assert.include(message, "something else than the engine answered", tool)
      }
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
