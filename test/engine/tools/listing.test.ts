import { assert, describe, layer } from "@effect/vitest"
import { Effect, Predicate, Schema } from "effect"
import { countTokens } from "gpt-tokenizer"

import { find, modern, type ProtocolVersion } from "../../../src/mcp/protocol/ProtocolVersion.ts"
import { toolNames } from "../../support/everyTool.ts"
import { request, TestServer } from "../../support/harness.ts"

const Tool = Schema.Struct({
  name: Schema.String,
  title: Schema.String,
  description: Schema.String,
  inputSchema: Schema.Record(Schema.String, Schema.Unknown),
  outputSchema: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  annotations: Schema.Struct({
    readOnlyHint: Schema.Boolean,
    destructiveHint: Schema.Boolean,
    idempotentHint: Schema.Boolean,
    openWorldHint: Schema.Boolean
  })
})
const decode = Schema.decodeUnknownSync(Schema.Struct({ tools: Schema.Array(Tool) }))

const protocolVersion = (version: string): ProtocolVersion => find(version) ?? assert.fail(`no revision ${version}`)

const listed = Effect.map(
  request("tools/list", {}, protocolVersion("2025-11-25")),
  ({ result }) => decode(result).tools
)

interface Place {
  readonly path: string
  readonly schema: Readonly<Record<string, unknown>>
}

/** A schema and all that it is made of, each with the way to it. */
const everySchema = (path: string, schema: unknown): ReadonlyArray<Place> => {
  if (!Predicate.isObject(schema)) return []
  const fields = Object.fromEntries(Object.entries(schema))
  const properties = Predicate.isObject(fields.properties) ? Object.entries(fields.properties) : []
  return [
    { path, schema: fields },
    ...properties.flatMap(([name, property]) => everySchema(`${path}.${name}`, property)),
    ...everySchema(`${path}[]`, fields.items)
  ]
}

const modernMeta = {
  "io.modelcontextprotocol/protocolVersion": modern.date,
  "io.modelcontextprotocol/clientCapabilities": {}
}

const changing = (name: string) => !/^(list|get)_/.test(name)

layer(TestServer)("tools/list", (it) => {
  it.effect("holds every tool, in the contract's order", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        (yield* listed).map(({ name }) => name),
        toolNames
      )
    })
  )

  it.effect("gives each tool a title, a description and annotations", () =>
    Effect.gen(function* () {
      const tools = yield* listed
      assert.lengthOf(new Set(tools.map(({ title }) => title)), toolNames.length)
      for (const { annotations, description, name, title } of tools) {
        assert.isAbove(title.length, 5)
        assert.isAbove(description.length, 7)
        assert.strictEqual(annotations.readOnlyHint, !changing(name), name)
        assert.strictEqual(annotations.destructiveHint, /^(delete|update|deactivate)_/.test(name), name)
      }
      const touchesTheWorld = tools.filter(({ annotations }) => annotations.openWorldHint).map(({ name }) => name)
      assert.deepStrictEqual(touchesTheWorld, ["activate_workflow", "execute_workflow", "retry_execution"])
    })
  )

  it.effect("fits the limits of known clients", () =>
    Effect.gen(function* () {
      const tools = yield* listed
      for (const { description, name } of tools) {
        assert.match(name, /^[a-z_]+$/)
        assert.isAtMost(`mcp__workflow-tool-server__${name}`.length, 60)
        assert.isAtMost(description.length, 1024)
      }
      const withoutOutput = tools.map((tool) => ({ ...tool, outputSchema: undefined }))
      assert.isBelow(new TextEncoder().encode(JSON.stringify({ tools: withoutOutput })).length, 14_000)
    })
  )

  it.effect("costs few tokens: what a model sees, and all of it on the wire, in every revision", () =>
    Effect.gen(function* () {
      const seen = (yield* listed).map(({ description, inputSchema, name }) => ({ name, description, inputSchema }))
      assert.isAtMost(countTokens(JSON.stringify(seen)), 2345)
      const most = { "2024-11-05": 2350, "2025-03-26": 3085, "2025-11-25": 3385, "2026-07-28": 3690 }
      for (const [date, tokens] of Object.entries(most)) {
        const params = date === modern.date ? { _meta: modernMeta } : {}
        const { result } = yield* request("tools/list", params, protocolVersion(date))
        assert.isAtMost(countTokens(JSON.stringify(result)), tokens, date)
      }
    })
  )

  describe("the input schemas that every provider accepts", () => {
    it.effect("use plain types, no unions and no references, at every depth", () =>
      Effect.gen(function* () {
        for (const { inputSchema, name } of yield* listed) {
          for (const { path, schema } of everySchema(name, inputSchema)) {
            assert.include(["object", "array", "string", "integer", "number", "boolean"], schema.type, path)
            for (const word of ["anyOf", "oneOf", "allOf", "not", "$ref", "$defs", "const"]) {
              assert.notProperty(schema, word, path)
            }
            if (schema.type === "array") assert.isObject(schema.items, path)
          }
        }
      })
    )

    it.effect("are objects with an optional instance", () =>
      Effect.gen(function* () {
        for (const { inputSchema, name } of yield* listed) {
          assert.include(inputSchema, { type: "object" }, name)
          assert.nestedPropertyVal(inputSchema, "properties.instance.type", "string")
          assert.notInclude(JSON.stringify(inputSchema.required ?? []), "instance")
        }
      })
    )

    it.effect("describe every property, at every depth", () =>
      Effect.gen(function* () {
        for (const { inputSchema, name } of yield* listed) {
          const properties = everySchema(name, inputSchema).filter(({ path }) => path !== name && !path.endsWith("[]"))
          for (const { path, schema } of properties) assert.isString(schema.description, path)
        }
      })
    )

    it.effect("state the limits of the contract", () =>
      Effect.gen(function* () {
        const [list] = yield* listed
        assert.nestedInclude(list?.inputSchema, {
          "properties.limit.minimum": 1,
          "properties.limit.maximum": 250,
          "properties.limit.type": "integer"
        })
      })
    )
  })

  it.effect("leaves out what older protocol versions do not know", () =>
    Effect.gen(function* () {
      const oldest = yield* request("tools/list", {}, protocolVersion("2024-11-05"))
      assert.notMatch(JSON.stringify(oldest), /"(title|annotations|outputSchema|_meta)":/)
      const older = yield* request("tools/list", {}, protocolVersion("2025-03-26"))
      assert.match(JSON.stringify(older), /"annotations":/)
      assert.notMatch(JSON.stringify(older), /"(outputSchema|_meta)":/)
    })
  )
})
