import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { inject } from "vitest"

import { decodeEntity, manual, tagged, unique } from "../contract/fixtures.ts"
import { TestedEngine, overReal } from "../contract/TestedEngine.ts"
import { ask, environment, refused, serverOver } from "../support/harness.ts"

for (const engine of inject("engines")) {
  const member = serverOver({ member: environment(engine.host, engine.memberKey) }, FetchHttpClient.layer)

  layer(overReal(engine), { excludeTestServices: true })(`on the real ${engine.version}`, (it) => {
    it.effect("refuses what a key may not do, in the contract's words", () =>
      Effect.gen(function* () {
        const { send } = yield* TestedEngine
        const tag = yield* tagged()
        const { id } = decodeEntity(yield* ask("create_workflow", { name: unique("owned"), nodes: [manual()] }))
        yield* Effect.addFinalizer(() => send("DELETE", `/workflows/${id}`))

        const calls = [
          ["get_workflow", { id }],
          ["update_workflow", { id, name: "x" }],
          ["activate_workflow", { id }],
          ["delete_workflow", { id }],
          ["delete_tag", { id: tag.id }]
        ] as const
        for (const [tool, args] of calls) {
          const error = yield* refused(tool, args).pipe(Effect.provide(Layer.fresh(member)))
          assert.deepStrictEqual(
            [tool, error.code, error.message],
            [tool, -32000, "API call failed for instance member: Insufficient permissions."]
          )
          assert.deepInclude(error.data, {
            code: "API_ERROR",
            httpStatus: 403,
            instance: "member",
            apiResponse: { message: "Forbidden" }
          })
        }
      })
    )
  })
}
