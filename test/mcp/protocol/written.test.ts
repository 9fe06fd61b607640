import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"

import * as Message from "../../../src/mcp/protocol/Message.ts"
import { serialize } from "../../../src/mcp/protocol/Message.ts"
import { protocolVersions } from "../../../src/mcp/protocol/ProtocolVersion.ts"
import { Sessions } from "../../../src/mcp/protocol/Session.ts"
import { FixtureServer } from "../../support/fixtures/FixtureServer.ts"
import { modernMeta, toolCall } from "../../support/fixtures/messages.ts"

const requests = [
  { jsonrpc: "2.0", id: "list", method: "tools/list", params: {} },
  { jsonrpc: "2.0", id: "list again", method: "tools/list", params: {} },
  toolCall("echo", { text: 'quotes " and \\ and \u2028 and 😀' }, 'an "id"')
]

layer(FixtureServer)("the text of an answer", (it) => {
  it.effect("says in every revision what the answer says, however it is written", () =>
    Effect.gen(function* () {
      for (const protocolVersion of protocolVersions) {
        const { receive } = (yield* Sessions).open(protocolVersion, () => Effect.void)
        for (const message of requests) {
          const meta = protocolVersion.era === "modern" ? { _meta: modernMeta } : {}
          const outcome = yield* receive(Message.read({ ...message, params: { ...message.params, ...meta } }))
          const { response } = Option.getOrThrow(outcome)
          assert.nestedProperty(response, "result")
          assert.strictEqual(serialize(response), JSON.stringify(response), protocolVersion.date)
        }
      }
    })
  )
})
