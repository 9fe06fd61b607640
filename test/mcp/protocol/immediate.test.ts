import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"

import * as Message from "../../../src/mcp/protocol/Message.ts"
import { assumed } from "../../../src/mcp/protocol/ProtocolVersion.ts"
import { Sessions } from "../../../src/mcp/protocol/Session.ts"
import { FixtureServer, Gate } from "../../support/fixtures/FixtureServer.ts"
import { initialize, modernRequest, notification, request, toolCall } from "../../support/fixtures/messages.ts"

const immediate = [
  initialize("2025-06-18"),
  request("ping"),
  request("tools/list"),
  request("resources/list"),
  request("prompts/list"),
  request("no/such"),
  modernRequest("tools/list"),
  modernRequest("server/discover"),
  notification("notifications/cancelled", { requestId: 1 }),
  { jsonrpc: "2.0", id: 1, result: {} },
  { jsonrpc: "1.0" }
]

layer(FixtureServer)("what needs no work outside of this process", (it) => {
  it.effect("is answered at once, without waiting for anything and without a fiber of its own", () =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      for (const json of immediate) {
        const { isImmediate, receive } = sessions.open(assumed, () => Effect.void)
        const message = Message.read(json)
        assert.isTrue(isImmediate(message), JSON.stringify(json))
        const outcome = Effect.runSync(receive(message))
        assert.strictEqual(Option.isSome(outcome), "method" in json ? "id" in json : !("result" in json))
      }
    })
  )

  it.effect("is not the call of a tool, nor a batch", () =>
    Effect.gen(function* () {
      const { started } = yield* Gate
      const { isImmediate } = (yield* Sessions).open(assumed, () => Effect.void)
      for (const json of [toolCall("echo", { text: "a" }), [request("ping")], modernRequest("tools/call")]) {
        assert.isFalse(isImmediate(Message.read(json)))
      }
      assert.strictEqual(started(), 0)
    })
  )
})
