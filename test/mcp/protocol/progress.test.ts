import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"

import { FixtureServer } from "../../support/fixtures/FixtureServer.ts"
import { initialize, modernMeta, request } from "../../support/fixtures/messages.ts"
import { connect } from "../../support/fixtures/StdioClient.ts"

layer(FixtureServer)("progress", (it) => {
  it.effect("comes under the caller's token, rising, never as a flood, and the last step always", () =>
    Effect.gen(function* () {
      const client = yield* connect
      for (const _meta of [{ progressToken: 7 }, { ...modernMeta, progressToken: "seven" }]) {
        yield* client.send(request("tools/call", { name: "flood", _meta }))
        const [first, last] = [yield* client.receive, yield* client.receive]
        const { progressToken } = _meta
        assert.deepNestedPropertyVal(first, "params", { progressToken, progress: 1, total: 1000, message: "step 1" })
        assert.deepNestedPropertyVal(last, "params", { progressToken, progress: 1000, total: 1000 })
        assert.nestedProperty(yield* client.receive, "result")
      }
    })
  )

  it.effect("is told only to those who asked, and without words before 2025-03-26", () =>
    Effect.gen(function* () {
      const client = yield* connect
      yield* client.send(request("tools/call", { name: "flood" }))
      assert.nestedProperty(yield* client.receive, "result")
      yield* client.send(initialize("2024-11-05"))
      yield* client.receive
      yield* client.send(request("tools/call", { name: "flood", _meta: { progressToken: "t" } }))
      assert.deepNestedPropertyVal(yield* client.receive, "params", { progressToken: "t", progress: 1, total: 1000 })
    })
  )

  it.effect("needs a token that is a string or a whole number", () =>
    Effect.gen(function* () {
      const client = yield* connect
      for (const progressToken of [1.5, null, {}, true]) {
        yield* client.send(request("tools/call", { name: "flood", _meta: { progressToken } }))
        assert.nestedPropertyVal(yield* client.receive, "error.code", -32602)
      }
    })
  )
})
