import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"

import { request, TestServer } from "../../support/harness.ts"

const call = (params: unknown) => request("tools/call", params)
const named = { name: "get_tags" }

layer(TestServer)("the params of a call", (it) => {
  it.effect(
    "are taken with arguments that are null, with what is said about the call, and with fields of newer clients",
    () =>
      Effect.gen(function* () {
        const plain = yield* call(named)
        assert.property(plain, "result")
        for (const more of [
          { arguments: null },
          { arguments: {} },
          { _meta: {} },
          { _meta: { note: 1 } },
          { newer: true }
        ]) {
          assert.deepEqual(yield* call({ ...named, ...more }), plain)
        }
      })
  )

  it.effect("are refused by name where they are of another type", () =>
    Effect.gen(function* () {
      const wrong: ReadonlyArray<readonly [params: unknown, field: string]> = [
        [{}, "name"],
        [{ name: 5 }, "name"],
        [{ name: null, arguments: {} }, "name"],
        [{ ...named, arguments: [] }, "arguments"],
        [{ ...named, arguments: "{}" }, "arguments"],
        [{ ...named, _meta: [] }, "_meta"],
        [{ ...named, _meta: "said" }, "_meta"],
        [{ ...named, _meta: { progressToken: {} } }, "_meta.progressToken"],
        [["get_tags"], "params"]
      ]
      for (const [params, field] of wrong) {
        const { error } = yield* call(params)
        assert.strictEqual(error?.code, -32602, field)
        assert.match(error?.message ?? "", new RegExp(`^Invalid params: ${field}: `))
      }
    })
  )
})
