import { assert, describe, it, layer } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect, Schema } from "effect"

import { find } from "../../../src/mcp/protocol/ProtocolVersion.ts"
import { BriefAnswers } from "../../../src/mcp/selection.ts"
import { AnswerLimit } from "../../../src/mcp/Tool.ts"
import { everyTool, hooked, idIn } from "../../support/everyTool.ts"
import { ask, refused, request, serverOverEmbedded, TestServer } from "../../support/harness.ts"
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
const decodeContent = Schema.decodeUnknownSync(
  Schema.Struct({ content: Schema.NonEmptyArray(Schema.Struct({ text: Schema.String })) })
)
const decodeAnswer = Schema.decodeUnknownSync(
  Schema.Struct({
    content: Schema.Tuple([Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })]),
    structuredContent: Schema.Record(Schema.String, Schema.Unknown)
  })
)

for (const version of ["1.82.3", "2.41.1"] as const) {
  layer(serverOverEmbedded({ seed: true, version }), { excludeTestServices: true })(`over ${version}`, (it) => {
    it.effect("every tool answers the same data as text and as structured content that fits its output schema", () =>
      Effect.gen(function* () {
        const { result: listing } = yield* request("tools/list", {}, newest)
        const ajv = new Ajv2020({ strict: false })
        const schemas = new Map(
          decodeListing(listing).tools.map(({ name, outputSchema = {} }) => [name, ajv.compile(outputSchema)])
        )
        const calls = everyTool("a test")
        const ids: Record<string, unknown> = {}
        assert.sameMembers(
          calls.map(([name]) => name),
          [...schemas.keys()]
        )
        for (const [name, args] of calls) {
          const { error, result } = yield* request("tools/call", { name, arguments: args(ids) }, newest)
          assert.isUndefined(error, `${name}: ${error?.message}`)
          const { content, structuredContent } = decodeAnswer(result)
          ids[name] = idIn(structuredContent)
          assert.strictEqual(content[0].text, JSON.stringify(structuredContent))
          const accepts = schemas.get(name)
          assert.isTrue(accepts?.(structuredContent), `${name}: ${JSON.stringify(accepts?.errors)}`)
        }
      })
    )
  })
}

layer(TestServer)("a workflow that was written", (it) => {
  it.effect("is answered whole, or by its state and addresses where that is asked for or configured", () =>
    Effect.gen(function* () {
      const draft = { name: "Short", ...hooked("short") }
      assert.property(yield* ask("create_workflow", draft), "nodes")
      const {
        id,
        version,
        warnings: _,
        ...state
      } = yield* ask("create_workflow", {
        ...draft,
        ...hooked("short2"),
        answer: "short"
      })
      assert.deepStrictEqual(state, { name: "Short", active: false, addresses: ["POST /webhook/short2"] })
      const named = { id, name: "Shorter", ifVersion: version }
      const configured = yield* Effect.provideService(ask("update_workflow", named), BriefAnswers, true)
      assert.deepInclude(configured, { id, name: "Shorter", active: false })
      assert.notProperty(configured, "nodes")
      assert.isString(configured["version"])
      const whole = ask("update_workflow", { id, name: "Long", answer: "whole" })
      assert.property(yield* Effect.provideService(whole, BriefAnswers, true), "nodes")
    })
  )
})

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

  it.effect("is counted in bytes of UTF-8, whatever its characters", () => {
    const nodes = [{ ...hooked("a").nodes[0], notes: "aä€😀".repeat(500) }]
    const stored = { id: "w1", name: "Wide", active: false, nodes, connections: {}, settings: {} }
    const { client } = engineThat(() => json(stored))
    return Effect.gen(function* () {
      const { result } = yield* request("tools/call", { name: "get_workflow", arguments: { id: "w1" } })
      const { data } = yield* Effect.provideService(refused("get_workflow", { id: "w1" }), AnswerLimit, 4000)
      const [{ text }] = decodeContent(result).content
      assert.strictEqual(data?.["bytes"], new TextEncoder().encode(text).length)
    }).pipe(Effect.provide(serving(client)))
  })

  it.effect("is replaced by the state of the workflow after a change", () => {
    const nodes = hooked("a").nodes.map((node) => ({ ...node, notes: "x".repeat(5000) }))
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
