import { assert } from "@effect/vitest"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { HttpClient } from "effect/http"

import { EngineConfig, type Environment } from "../../src/engine/client/config/EngineConfig.ts"
import { Instances } from "../../src/engine/client/Instances.ts"
import { EmbeddedEngine, type EmbeddedEngineOptions } from "../../src/engine/embedded/EmbeddedEngine.ts"
import { OperatorToolset } from "../../src/engine/operator/toolset.ts"
import { EngineToolset } from "../../src/engine/toolset/toolset.ts"
import { HttpClients } from "../../src/internal/http/HttpClients.ts"
import { objectOf } from "../../src/internal/schema/JsonObject.ts"
import * as Message from "../../src/mcp/protocol/Message.ts"
import { assumed, find, modern } from "../../src/mcp/protocol/ProtocolVersion.ts"
import { Sessions } from "../../src/mcp/protocol/Session.ts"
import * as Server from "../../src/mcp/Server.ts"
import type { Toolset } from "../../src/mcp/Toolset.ts"
import { Answer } from "./answer.ts"
import { judge } from "./fixtures/judge.ts"

export type Json = Readonly<Record<string, unknown>>

/** An instance as the configuration would describe it. */
export const environment = (host: string, apiKey: string, more: Partial<Environment> = {}): Environment => ({
  host,
  apiKey: Redacted.make(apiKey),
  readOnly: false,
  allowInsecureHttp: false,
  requestsPerSecond: 99,
  concurrency: 10,
  headers: {},
  ...more
})

/** A configuration of these instances; the first one is the default. */
export const configured = (environments: Readonly<Record<string, Environment>>) =>
  Layer.succeed(EngineConfig, {
    defaultEnv: Object.keys(environments)[0] ?? "",
    environments: new Map(Object.entries(environments))
  })

/** The whole server over whatever answers for its engines. */
export const serverOver = (
  environments: Readonly<Record<string, Environment>>,
  client: Layer.Layer<HttpClient.HttpClient>,
  toolsets: ReadonlyArray<Toolset<Instances>> = [EngineToolset]
) =>
  Server.layer({ toolsets, version: "0.0.0-test" }).pipe(
    Layer.provideMerge(Instances.layer),
    Layer.provide(configured(environments)),
    Layer.provide(HttpClients.layerShared),
    Layer.provide(client)
  )

/** The toolsets of an operator. */
export const operatorToolsets = [EngineToolset, OperatorToolset]

/** The whole server over embedded engines: `production`, the default, and `staging`, which is the same engine. */
export const serverOverEmbedded = (
  options: EmbeddedEngineOptions = {},
  toolsets: ReadonlyArray<Toolset<Instances>> = [EngineToolset]
) =>
  Layer.unwrap(
    Effect.map(EmbeddedEngine, ({ apiKey, host, httpClient }) => {
      const instance = environment(host, Redacted.value(apiKey), { requestsPerSecond: Infinity })
      const client = Layer.succeed(HttpClient.HttpClient, httpClient)
      return serverOver({ production: instance, staging: instance }, client, toolsets)
    })
  ).pipe(Layer.provideMerge(EmbeddedEngine.layer(options)))

export const TestServer = serverOverEmbedded({ seed: true })

/** The same with the toolset `operator`. */
export const OperatorServer = serverOverEmbedded({ seed: true }, operatorToolsets)

/** One JSON-RPC request through the whole server, bare if no revision is named, and its answer. */
export const request = Effect.fnUntraced(function* (method: string, params: unknown = {}, protocolVersion = assumed) {
  const { receive } = (yield* Sessions).open(protocolVersion, () => Effect.void)
  const outcome = yield* receive(Message.read({ jsonrpc: "2.0", id: 1, method, params }))
  const { era, response } = Option.getOrThrow(outcome)
  const spoken = era === "modern" ? modern : protocolVersion
  assert.deepStrictEqual(judge(response, spoken, method), [], `${method} fits the schema of ${spoken.version}`)
  return decodeResponse(response)
})

const decodeResponse = Schema.decodeUnknownSync(Schema.Struct({ ...Answer.fields, id: Schema.Literal(1) }))

/** The answer to a bare `tools/call`. */
export const callTool = (name: string, args: Json = {}) => request("tools/call", { name, arguments: args })

const TextResult = Schema.Struct({
  content: Schema.NonEmptyArray(Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }))
})
const decodeText = Schema.decodeUnknownSync(TextResult)
const decodeObject = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

/** The answer of a tool, from its text; a refusal fails the test. */
export const ask = Effect.fnUntraced(function* (name: string, args: Json = {}) {
  const { error, result } = yield* callTool(name, args)
  assert.isUndefined(error, `${name} was refused: ${error?.message}`)
  return decodeObject(decodeText(result).content[0].text)
})

/** A call of the page: its answer is for a person, who has buttons where a model has tools. */
export const askAsPerson = (name: string, args: Json = {}) =>
  Effect.map(
    request(
      "tools/call",
      { name, arguments: args, _meta: { "workflow-tool-server/audience": "person" } },
      find("2025-11-25")
    ),
    (answer) => ({ error: answer.error?.message ?? "", value: objectOf(answer.result?.["structuredContent"]) })
  )

/** The error that a tool answers with; a success fails the test. */
export const refused = Effect.fnUntraced(function* (name: string, args: Json = {}) {
  const { error } = yield* callTool(name, args)
  if (error === undefined) return assert.fail(`${name} was not refused`)
  return error
})
