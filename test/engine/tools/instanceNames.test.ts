import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { HttpClient } from "effect/http"

import type { Environment } from "../../../src/engine/client/config/EngineConfig.ts"
import { find, modern, type ProtocolVersion } from "../../../src/mcp/protocol/ProtocolVersion.ts"
import { toolNames } from "../../support/everyTool.ts"
import { environment, refused, request, serverOver } from "../../support/harness.ts"
import { engineThat, host, json, key } from "./standIn.ts"

const protocolVersion = (version: string): ProtocolVersion => find(version) ?? assert.fail(`no revision ${version}`)

const over = (instances: Readonly<Record<string, Partial<Environment>>>, client = engineThat(() => json({})).client) =>
  serverOver(
    Object.fromEntries(Object.entries(instances).map(([name, more]) => [name, environment(host, key, more)])),
    Layer.succeed(HttpClient.HttpClient, client)
  )

const decode = Schema.decodeUnknownSync(
  Schema.Struct({
    tools: Schema.Array(
      Schema.StructWithRest(
        Schema.Struct({
          name: Schema.String,
          inputSchema: Schema.Struct({
            properties: Schema.Struct({ instance: Schema.Struct({ description: Schema.String }) })
          })
        }),
        [Schema.Record(Schema.String, Schema.Unknown)]
      )
    )
  })
)

const listing = Effect.map(request("tools/list", {}, protocolVersion("2025-11-25")), ({ result }) => result ?? {})
const tools = Effect.map(listing, (result) => decode(result).tools)

/** Compact JSON of the list, in bytes, without output schemas. */
const bytesOf = (result: unknown) =>
  new TextEncoder().encode(
    JSON.stringify(result, (name, value: unknown) => (name === "outputSchema" ? undefined : value))
  ).length

const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } }
const discover = {
  _meta: {
    "io.modelcontextprotocol/protocolVersion": modern.date,
    "io.modelcontextprotocol/clientCapabilities": {}
  }
}

const instructions = Effect.gen(function* () {
  const legacy = yield* request("initialize", initialize, protocolVersion("2025-11-25"))
  const latest = yield* request("server/discover", discover, modern)
  assert.strictEqual(legacy.result?.instructions, latest.result?.instructions)
  return String(legacy.result?.instructions)
})

describe("the configured instances", () => {
  it.effect("are named by the instructions and by every tool, the default one first", () =>
    Effect.gen(function* () {
      assert.match(yield* instructions, /n8n\. Instances: staging \(default\), production\. /)
      for (const { inputSchema } of yield* tools) {
        assert.strictEqual(inputSchema.properties.instance.description, "staging (default), production")
      }
    }).pipe(Effect.provide(over({ staging: {}, production: {} })))
  )

  it.effect("are marked where they are read-only", () =>
    Effect.gen(function* () {
      assert.include(yield* instructions, "Instances: production (default, read-only), staging. ")
      assert.lengthOf(yield* tools, toolNames.length)
    }).pipe(Effect.provide(over({ production: { readOnly: true }, staging: {} })))
  )

  const many = Array.from({ length: 40 }, (_, index) => [`customer-instance-${index}`, {}] as const)

  it.effect("are counted where they would make the list of tools too long", () =>
    Effect.gen(function* () {
      assert.isBelow(bytesOf(yield* listing), 14_000)
      const [first] = yield* tools
      const { description } = first?.inputSchema.properties.instance ?? { description: "" }
      assert.match(description, /^customer-instance-0 \(default\)(, customer-instance-\d+)* and \d+ more$/)
      assert.include(yield* instructions, "customer-instance-39")
    }).pipe(Effect.provide(over(Object.fromEntries(many))))
  )

  it.effect("leave the list of a few tools under its limit", () =>
    Effect.gen(function* () {
      assert.isBelow(bytesOf(yield* listing), 14_000)
    }).pipe(Effect.provide(over({ production: {}, staging: {}, development: {} })))
  )
})

describe("a server whose instances are all read-only", () => {
  const locked = { production: { readOnly: true }, staging: { readOnly: true } }

  it.effect("lists only the tools that read, in every protocol version", () =>
    Effect.gen(function* () {
      const names = (yield* tools).map(({ name }) => name)
      assert.deepStrictEqual(
        names,
        toolNames.filter((name) => /^(list|get)_/.test(name))
      )
      for (const version of ["2024-11-05", "2025-03-26"]) {
        const { result } = yield* request("tools/list", {}, protocolVersion(version))
        assert.deepStrictEqual(
          decode(result).tools.map(({ name }) => name),
          names
        )
      }
    }).pipe(Effect.provide(over(locked)))
  )

  it.effect("refuses another tool with the reason and sends nothing", () => {
    const { requests, client } = engineThat(() => json({}))
    return Effect.gen(function* () {
      for (const [tool, args] of [
        ["delete_workflow", { id: "1" }],
        ["execute_workflow", { id: "1", instance: "staging" }],
        ["retry_execution", { id: 1 }]
      ] as const) {
        const { code, data, message } = yield* refused(tool, args)
        const instance = "instance" in args ? args.instance : "production"
        assert.deepStrictEqual(
          [code, message],
          [
            -32602,
            `Instance ${instance} is read-only: ${tool} was not sent. ` +
              "Its configuration (readOnly) or the server's --read-only forbids changes."
          ]
        )
        assert.include(data, { code: "READ_ONLY", instance })
      }
      assert.isEmpty(requests)
    }).pipe(Effect.provide(over(locked, client)))
  })
})
