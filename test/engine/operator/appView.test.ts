import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { OperatorToolset } from "../../../src/engine/operator/toolset.ts"
import { EngineToolset } from "../../../src/engine/toolset/toolset.ts"
import { AppViews } from "../../../src/mcp/AppViews.ts"
import { find } from "../../../src/mcp/protocol/ProtocolVersion.ts"
import { request, serverOverEmbedded } from "../../support/harness.ts"

const uri = "ui://workflow-tool-server/view"

const server = () => serverOverEmbedded({ seed: true }, [EngineToolset, OperatorToolset])
const Listed = Schema.Struct({
  tools: Schema.Array(Schema.Struct({ name: Schema.String, _meta: Schema.optionalKey(Schema.Unknown) }))
})
const list = Effect.map(
  request("tools/list", {}, find("2025-11-25")),
  ({ result }) => Schema.decodeUnknownSync(Listed)(result).tools
)

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
