import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"

import { OperatorToolset } from "../../../src/engine/operator/toolset.ts"
import { EngineToolset } from "../../../src/engine/toolset/toolset.ts"
import { AppViews } from "../../../src/mcp/AppViews.ts"
import * as Message from "../../../src/mcp/protocol/Message.ts"
import { capabilitiesKey, find, modern, versionKey } from "../../../src/mcp/protocol/ProtocolVersion.ts"
import { Sessions } from "../../../src/mcp/protocol/Session.ts"
import { request, serverOverEmbedded } from "../../support/harness.ts"

const uri = "ui://workflow-tool-server/view"

const server = () => serverOverEmbedded({ seed: true }, [EngineToolset, OperatorToolset])
const Listed = Schema.Struct({
  tools: Schema.Array(Schema.Struct({ name: Schema.String, _meta: Schema.optionalKey(Schema.Unknown) }))
})
const extension = "io.modelcontextprotocol/ui"
const viewing = { extensions: { [extension]: { mimeTypes: ["text/html;profile=mcp-app"] } } }

/** The capabilities of the server, and its tools with their `_meta`, as a client sees them that has these capabilities. */
const seenWith = (capabilities: object) =>
  Effect.gen(function* () {
    const { receive } = (yield* Sessions).open(find("2025-11-25") ?? modern, () => Effect.void)
    const answerTo = (method: string, params: object) =>
      Effect.map(receive(Message.read({ jsonrpc: "2.0", id: 1, method, params })), (outcome) =>
        JSON.parse(Message.serialize(Option.getOrThrow(outcome).response))
      )
    const clientInfo = { name: "test", version: "1" }
    const handshake = { protocolVersion: "2025-11-25", capabilities, clientInfo }
    const { result: introduced } = yield* answerTo("initialize", handshake)
    const { result: listed } = yield* answerTo("tools/list", {})
    const _meta = { [versionKey]: modern.date, [capabilitiesKey]: capabilities }
    const { result: ofHandshake } = yield* answerTo("resources/list", {})
    const { result: discovered } = yield* answerTo("server/discover", { _meta })
    const { result: modernList } = yield* answerTo("tools/list", { _meta })
    const { result: ofModern } = yield* answerTo("resources/list", { _meta })
    assert.deepStrictEqual(ofHandshake.resources, ofModern.resources)
    assert.deepStrictEqual(introduced.capabilities.extensions, discovered.capabilities.extensions)
    const { tools } = Schema.decodeUnknownSync(Listed)(listed)
    assert.deepStrictEqual(
      tools.map(({ _meta: meta }) => meta),
      Schema.decodeUnknownSync(Listed)(modernList).tools.map(({ _meta: meta }) => meta)
    )
    return { extensions: introduced.capabilities.extensions, resources: ofModern.resources, tools }
  })
const list = Effect.map(seenWith(viewing), ({ tools }) => tools)

describe("the view of answers", () => {
  it.effect("is named by the tools whose answers it shows, and read as a document of MCP Apps", () =>
    Effect.gen(function* () {
      const tools = yield* list
      const withView = tools.filter(({ _meta }) => JSON.stringify(_meta ?? {}).includes(uri)).map(({ name }) => name)
      assert.sameMembers(withView, ["view_workflow", "compare_workflows"])
      const { result } = yield* request("resources/read", { uri })
      assert.deepEqual(result, { contents: [{ uri, mimeType: "text/html;profile=mcp-app", text: "<view>" }] })
      const missing = yield* request("resources/read", { uri: "ui://workflow-tool-server/other" })
      assert.isDefined(missing.error)
      const viewer = yield* seenWith(viewing)
      assert.deepPropertyVal(viewer.extensions, extension, {})
      assert.include(JSON.stringify(viewer.resources), uri)
      for (const other of [{}, { extensions: { [extension]: { mimeTypes: ["text/html"] } } }, { extensions: {} }]) {
        const { extensions, resources, tools } = yield* seenWith(other)
        assert.notProperty(extensions, extension)
        assert.notInclude(JSON.stringify([resources, tools]), "ui://")
        assert.include(JSON.stringify(resources), "engine://workflows")
      }
    }).pipe(
      Effect.provide(server()),
      Effect.provideService(AppViews, (name) => Effect.succeed(name === "view" ? "<view>" : undefined))
    )
  )

  it.effect("is not spoken of where the program around brings none", () =>
    Effect.gen(function* () {
      assert.notInclude(JSON.stringify(yield* list), "ui://")
      assert.notInclude(JSON.stringify(yield* request("resources/list")), "ui://")
      assert.isDefined((yield* request("resources/read", { uri })).error)
    }).pipe(Effect.provide(server()))
  )
})
