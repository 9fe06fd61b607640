import { assert, describe, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { engineTools } from "../../../src/engine/tools/catalog.ts"
import { ask, callTool, type Json, refused, request, TestServer } from "../../support/harness.ts"

const decodeWorkflow = Schema.decodeUnknownSync(
  Schema.StructWithRest(Schema.Struct({ id: Schema.String }), [Schema.Record(Schema.String, Schema.Unknown)])
)

const node = { name: "Start", type: "engine-nodes-base.manualTrigger", typeVersion: 1, position: [0, 0] }

const message = (tool: string, args: Json) =>
  Effect.map(refused(tool, args), ({ code, message }) => {
    assert.strictEqual(code, -32602)
    return message
  })

layer(TestServer, { excludeTestServices: true })("the arguments of a tool", (it) => {
  describe("that can be read nevertheless", () => {
    it.effect("may give numbers as text and text as numbers", () =>
      Effect.gen(function* () {
        const page = yield* ask("list_workflows", { limit: "1" })
        assert.lengthOf(Object.values(page.data ?? {}), 1)
        assert.include((yield* refused("get_execution", { id: "999999" })).data, { httpStatus: 404 })
        assert.include((yield* refused("get_workflow", { id: 12345 })).data, { httpStatus: 404 })
        assert.include((yield* refused("get_tag", { id: 7 })).data, { httpStatus: 404 })
        assert.deepStrictEqual(yield* ask("list_workflows", { tags: [7] }), { data: [] })
      })
    )

    it.effect("may give objects, lists and flags as JSON text", () =>
      Effect.gen(function* () {
        const { id } = decodeWorkflow(
          yield* ask("create_workflow", {
            name: "As text",
            nodes: JSON.stringify([node, { ...node, name: "Next", type: "engine-nodes-base.noOp" }]),
            connections: '[{"source":"Start","target":"Next"}]',
            settings: '{"timezone":"UTC"}',
            active: "false"
          })
        )
        const { connections, settings } = yield* ask("get_workflow", { id })
        assert.deepStrictEqual(connections, { Start: { main: [[{ node: "Next", type: "main", index: 0 }]] } })
        assert.deepInclude(settings, { timezone: "UTC" })
        yield* ask("list_workflows", { tags: '["red"]', active: "true" })
      })
    )

    it.effect("may give null for what is left out, or no arguments at all", () =>
      Effect.gen(function* () {
        yield* ask("list_workflows", { tags: null, cursor: null, limit: null })
        const { error } = yield* callTool("list_workflows")
        assert.isUndefined(error)
      })
    )
  })

  describe("that are invalid", () => {
    for (const { inputSchema, name } of engineTools) {
      const [first] = Schema.decodeUnknownSync(Schema.Array(Schema.String))(inputSchema().required ?? [])
      it.effect(`are named by ${name} when none are given`, () =>
        Effect.gen(function* () {
          if (first === undefined) {
            yield* ask(name)
            return
          }
          const error = yield* refused(name)
          assert.deepStrictEqual(error, {
            code: -32602,
            message: `Invalid ${first}: is required`,
            data: { code: "VALIDATION_ERROR", argument: first }
          })
        })
      )
    }

    const limits = [0, 251, -1, 1e9, "0", "251"] as const
    for (const limit of limits) {
      it.effect(`are named when the limit is ${JSON.stringify(limit)}, in every list`, () =>
        Effect.gen(function* () {
          for (const tool of ["list_workflows", "list_executions", "list_credentials", "get_tags"]) {
            assert.strictEqual(yield* message(tool, { limit }), "Invalid limit: must be between 1 and 250")
          }
        })
      )
    }

    const wrong = [
      ["list_workflows", { limit: "many" }, /^Invalid limit: must be/],
      ["list_workflows", { limit: 1.5 }, /^Invalid limit: must be/],
      ["list_workflows", { active: "perhaps" }, /^Invalid active: must be/],
      ["list_workflows", { tags: "red" }, /^Invalid tags: must be/],
      ["list_workflows", { tags: [{}] }, /^Invalid tags\.0: must be/],
      ["create_workflow", { name: " ", nodes: [node] }, /^Invalid name: must not be empty$/],
      ["create_workflow", { name: 7.5, nodes: [node] }, /^Invalid name: must be/],
      ["create_workflow", { name: "x", nodes: "none" }, /^Invalid nodes: must be/],
      ["create_workflow", { name: "x", nodes: ["none"] }, /^Invalid nodes\.0: must be/],
      ["create_workflow", { name: "x", nodes: [node], tags: ["../../x"] }, /^Invalid tags\.0: is no tag of instance/],
      ["get_execution", { id: "12a" }, /^Invalid id: must be/],
      ["get_execution", { id: 0 }, /^Invalid id: must be a positive whole number$/],
      ["list_executions", { status: "sleeping" }, /^Invalid status: must be/],
      ["create_credential", { name: "x", type: "a/b", data: {} }, /^Invalid type: must be a credential type/],
      [
        "update_workflow",
        { id: "1" },
        /^Invalid arguments: must hold at least one field to change \(instance production\)$/
      ]
    ] as const
    for (const [tool, args, expected] of wrong) {
      it.effect(`are named by ${tool} for ${JSON.stringify(args)}`, () =>
        Effect.gen(function* () {
          assert.match(yield* message(tool, args), expected)
        })
      )
    }

    it.effect("are refused with the place of a lone surrogate, however it is written", () =>
      Effect.gen(function* () {
        const half = { ...node, name: "Hook \ud83d" }
        const keyed = { ...node, parameters: { rules: [{ "\udc00": 1 }] } }
        const problem = "holds half of a character (a lone surrogate)"
        const wrong = [
          ["create_workflow", { name: "x\ud800", nodes: [node] }, "name"],
          ["create_workflow", { name: "x", nodes: [node, half] }, "nodes.1.name"],
          ["create_workflow", { name: "x", nodes: JSON.stringify([half]) }, "nodes.0.name"],
          ["create_workflow", { name: "x", nodes: [keyed] }, "nodes.0.parameters.rules.0.\uFFFD"],
          ["update_workflow", { id: "1", settings: { timezone: "\udfff" } }, "settings.timezone"],
          ["create_credential", { name: "x", type: "httpBasicAuth", data: { user: "\ud83d" } }, "data.user"],
          ["execute_workflow", { id: "1", data: { deep: [[["\ud83d-"]]] } }, "data.deep.0.0.0"],
          ["create_tag", { name: "\ude00\ud83d" }, "name"]
        ] as const
        for (const [tool, args, place] of wrong) {
          assert.strictEqual(yield* message(tool, args), `Invalid ${place}: ${problem}`)
        }
        assert.notInclude(yield* message("create_tag", { name: "\u{1F600}".repeat(25) }), problem)
      })
    )

    it.effect("are named when they are unknown, with the name that was probably meant", () =>
      Effect.gen(function* () {
        assert.strictEqual(
          yield* message("list_workflows", { limt: 5 }),
          "Invalid limt: unknown argument. Did you mean limit?"
        )
        assert.strictEqual(
          yield* message("get_workflow", { ID: "1" }),
          "Invalid ID: unknown argument. Did you mean id?"
        )
        assert.strictEqual(
          yield* message("get_tag", { id: "1", colour: "red" }),
          "Invalid colour: unknown argument. Known: id, instance"
        )
        assert.strictEqual(
          yield* message("list_workflows", { instanec: "staging" }),
          "Invalid instanec: unknown argument. Did you mean instance?"
        )
        assert.match(yield* message("get_tag", { id: "1", constructor: 1 }), /^Invalid constructor: unknown argument/)
      })
    )

    it.effect("are refused when they are no object", () =>
      Effect.gen(function* () {
        for (const args of ["{}", 7, [], true]) {
          const { error } = yield* request("tools/call", { name: "list_workflows", arguments: args })
          assert.strictEqual(error?.code, -32602)
        }
      })
    )
  })
})
