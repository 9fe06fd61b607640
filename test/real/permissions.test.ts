import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { inject } from "vitest"

import { decodeEntity, manual, tagged, unique } from "../contract/fixtures.ts"
import { TestedEngine, overReal } from "../contract/TestedEngine.ts"
import { createKey, ownerSession } from "../engines/account.ts"
import { ask, environment, operatorToolsets, refused, serverOver } from "../support/harness.ts"

for (const engine of inject("engines")) {
  const member = serverOver({ member: environment(engine.host, engine.memberKey) }, FetchHttpClient.layer)

  layer(overReal(engine), { excludeTestServices: true })(`on the real ${engine.version}`, (it) => {
    it.effect("makes no temporary copy with a key that may not delete it, where the engine tells", () =>
      Effect.gen(function* () {
        const { isV2, send } = yield* TestedEngine
        if (!isV2) return
        const rights = ["list", "read", "create", "update", "activate", "deactivate"].map((one) => `workflow:${one}`)
        const scopes = [...rights, "execution:list", "execution:read"]
        const session = yield* Effect.promise(() => ownerSession(engine.host))
        const key = yield* Effect.promise(() => createKey(engine.host, session, { scopes }))
        const name = unique("kept")
        const { id } = decodeEntity(yield* ask("create_workflow", { name, nodes: [manual()] }))
        yield* Effect.addFinalizer(() => send("DELETE", `/workflows/${id}`))
        const few = serverOver({ few: environment(engine.host, key) }, FetchHttpClient.layer, operatorToolsets)
        const { message } = yield* refused("run_workflow", { id }).pipe(Effect.provide(Layer.fresh(few)))
        assert.include(message, "lacks the scope workflow:delete,")
        const { body } = yield* send("GET", `/workflows?name=${encodeURIComponent(`Temporary run of ${name}`)}`)
        assert.deepInclude(body, { data: [] })
      })
    )

    it.effect("refuses what a key may not do, in the contract's words", () =>
      Effect.gen(function* () {
        const { isV2, send } = yield* TestedEngine
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
          const scope =
            isV2 && tool === "delete_tag"
              ? " Nothing was sent: the API key lacks the scope tag:delete. Give the key more scopes in the engine UI."
              : ""
          assert.deepStrictEqual(
            [tool, error.code, error.message],
            [tool, -32000, `API call failed for instance member: Insufficient permissions.${scope}`]
          )
          assert.deepInclude(error.data, {
            code: "API_ERROR",
            httpStatus: 403,
            instance: "member",
            ...(scope === "" ? { apiResponse: { message: "Forbidden" } } : {})
          })
        }
      })
    )
  })
}
