import { assert, describe, it, layer } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect, Schema } from "effect"

import { find } from "../../../src/mcp/protocol/ProtocolVersion.ts"
import { AnswerLimit } from "../../../src/mcp/Tool.ts"
import { ask, type Json, refused, request, serverOverEmbedded } from "../../support/harness.ts"
import { engineThat, json, serving } from "./standIn.ts"

const newest = find("2025-11-25") ?? assert.fail()

const decodeListing = Schema.decodeUnknownSync(
  Schema.Struct({
    tools: Schema.Array(
      Schema.Struct({
        name: Schema.String,
        outputSchema: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
      })
    )
  })
)
const Id = Schema.Struct({ id: Schema.Union([Schema.String, Schema.Int]) })
const decodeId = Schema.decodeUnknownSync(Id)
const decodeAnswer = Schema.decodeUnknownSync(
  Schema.Struct({
    content: Schema.Tuple([Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })]),
    structuredContent: Schema.Record(Schema.String, Schema.Unknown)
  })
)

const hook = (path: string) => ({
  nodes: [
    {
      name: "Hook",
      type: "engine-nodes-base.webhook",
      typeVersion: 2,
      position: [0, 0],
      parameters: { path, httpMethod: "POST", responseMode: "lastNode" },
      webhookId: path
    },
    { name: "Stop", type: "engine-nodes-base.stopAndError", typeVersion: 1, position: [220, 0], parameters: {} }
  ],
  connections: [{ source: "Hook", target: "Stop" }]
})

/** Every tool once, in an order in which each has something to work on. */
const everyTool = Effect.gen(function* () {
  const tag = decodeId(yield* ask("create_tag", { name: "of a test" })).id
  const id = decodeId(yield* ask("create_workflow", { name: "A", ...hook("a"), tags: [tag], active: true })).id
  const { executionId } = yield* ask("execute_workflow", { id })
  const data = { user: "ann" }
  const credential = decodeId(yield* ask("create_credential", { name: "Shop", type: "httpBasicAuth", data })).id
  const calls: ReadonlyArray<readonly [string, Json]> = [
    ["list_workflows", {}],
    ["get_workflow", { id }],
    ["create_workflow", { name: "B", ...hook("b"), settings: { callerPolicy: "any" } }],
    ["update_workflow", { id, name: "C" }],
    ["deactivate_workflow", { id }],
    ["activate_workflow", { id }],
    ["execute_workflow", { id }],
    ["list_executions", { includeData: true }],
    ["get_execution", { id: executionId, includeData: true }],
    ["retry_execution", { id: executionId }],
    ["delete_execution", { id: executionId }],
    ["list_credentials", {}],
    ["get_credential", { id: credential }],
    ["create_credential", { name: "Shop", type: "httpBasicAuth", data }],
    ["update_credential", { id: credential, name: "Store" }],
    ["delete_credential", { id: credential }],
    ["get_credential_schema", { type: "httpBasicAuth" }],
    ["create_tag", { name: "another of a test" }],
    ["get_tags", {}],
    ["get_tag", { id: tag }],
    ["update_tag", { id: tag, name: "renamed of a test" }],
    ["delete_tag", { id: tag }],
    ["delete_workflow", { id }]
  ]
  return calls
})

for (const version of ["1.82.3", "2.41.1"] as const) {
  layer(serverOverEmbedded({ seed: true, version }), { excludeTestServices: true })(`over ${version}`, (it) => {
    it.effect("every tool answers the same data as text and as structured content that fits its output schema", () =>
      Effect.gen(function* () {
        const { result: listing } = yield* request("tools/list", {}, newest)
        const ajv = new Ajv2020({ strict: false })
        const schemas = new Map(
          decodeListing(listing).tools.map(({ name, outputSchema = {} }) => [name, ajv.compile(outputSchema)])
        )
        const calls = yield* everyTool
        assert.sameMembers(
          calls.map(([name]) => name),
          [...schemas.keys()]
        )
        for (const [name, args] of calls) {
          const { error, result } = yield* request("tools/call", { name, arguments: args }, newest)
          assert.isUndefined(error, `${name}: ${error?.message}`)
          const { content, structuredContent } = decodeAnswer(result)
          assert.strictEqual(content[0].text, JSON.stringify(structuredContent))
          const accepts = schemas.get(name)
          assert.isTrue(accepts?.(structuredContent), `${name}: ${JSON.stringify(accepts?.errors)}`)
        }
      })
    )
  })
}

describe("an answer that is too large", () => {
  const many = {
    data: Array.from({ length: 50 }, (_, id) => ({ id: String(id), name: "ä".repeat(50), active: false }))
  }
  const { client } = engineThat(() => json(many))

  it.live("becomes an error that says how large it is and how to ask for less", () =>
    Effect.gen(function* () {
      const { code, data, message } = yield* refused("list_workflows")
      assert.strictEqual(code, -32000)
      const [, bytes] =
        /^The answer is (\d+) bytes, more than the limit of 4000\. Give a smaller limit\.$/.exec(message) ?? []
      assert.isAbove(Number(bytes), 5000)
      assert.deepStrictEqual(data, { code: "ANSWER_TOO_LARGE", bytes: Number(bytes), limit: 4000 })
      yield* ask("get_tags").pipe(Effect.provideService(AnswerLimit, 10_000))
    }).pipe(Effect.provideService(AnswerLimit, 4000), Effect.provide(serving(client)))
  )

  it.effect("still says that a change was made", () => {
    const { client } = engineThat(() => json({ id: "t1", name: "red", note: "x".repeat(5000) }))
    return Effect.gen(function* () {
      const { message } = yield* refused("create_tag", { name: "red" })
      assert.match(message, /What was asked for has been done: do not repeat it\. Ask for less at once\.$/)
    }).pipe(Effect.provideService(AnswerLimit, 4000), Effect.provide(serving(client)))
  })

  it.effect("is replaced by the state of the workflow after a change", () => {
    const nodes = hook("a").nodes.map((node) => ({ ...node, notes: "x".repeat(5000) }))
    const stored = { id: "w1", name: "Large", active: true, nodes, connections: {}, settings: {}, versionId: "v1" }
    const { client } = engineThat(() => json(stored))
    const changes = [
      ["created", "create_workflow", { name: "Large", nodes }],
      ["updated", "update_workflow", { id: "w1", name: "Large" }],
      ["activated", "activate_workflow", { id: "w1" }]
    ] as const
    return Effect.gen(function* () {
      for (const [done, tool, args] of changes) {
        const { notice, version, ...state } = yield* ask(tool, args)
        assert.deepStrictEqual(state, { id: "w1", name: "Large", active: true, versionId: "v1" })
        assert.match(
          String(notice),
          new RegExp(
            `^The workflow was ${done}: do not repeat that\\. Only its state is shown, because the whole would be \\d+ bytes\\.`
          )
        )
        assert.isString(version)
      }
      assert.match((yield* refused("get_workflow", { id: "w1" })).message, /^The answer is \d+ bytes/)
    }).pipe(Effect.provideService(AnswerLimit, 4000), Effect.provide(serving(client)))
  })
})
