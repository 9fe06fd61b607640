import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { inject } from "vitest"

import { WorkflowJournal } from "../../src/engine/plans/Plans.ts"
import { unique } from "../contract/fixtures.ts"
import { overReal, TestedEngine } from "../contract/TestedEngine.ts"
import { createKey, ownerSession, scopesOf } from "../engines/account.ts"
import { environment } from "../support/harness.ts"
import { planServer } from "../support/planServer.ts"
import { assertScopesAreNamed, callOf, scopes } from "../support/scopedKeys.ts"

for (const engine of inject("engines")) {
  layer(overReal(engine), { excludeTestServices: true })(`on the real ${engine.version}`, (it) => {
    it.effect("every tool and plan names the scope that a key lacks before it sends a change, whichever it is", () =>
      Effect.gen(function* () {
        const { isV2 } = yield* TestedEngine
        if (!isV2) return
        const session = yield* Effect.promise(() => ownerSession(engine.host))
        const all = yield* Effect.promise(() => scopesOf(engine.host, session))
        const keys = new Map<string, string>()
        const keyLacking = (missing: ReadonlyArray<string>) =>
          Effect.promise(async () => {
            const left = all.filter((scope) => !missing.includes(scope))
            const key = keys.get(missing.join()) ?? (await createKey(engine.host, session, { scopes: left }))
            keys.set(missing.join(), key)
            return key
          })
        const journal = Layer.succeedContext(yield* Layer.build(WorkflowJournal.layerMemory))
        yield* assertScopesAreNamed(
          (missing, call) =>
            Effect.gen(function* () {
              const changes = new Array<string>()
              const client = Layer.effect(
                HttpClient.HttpClient,
                Effect.map(
                  HttpClient.HttpClient,
                  HttpClient.tapRequest(({ method, url }) =>
                    Effect.sync(() => {
                      const scope = scopes[callOf(method, new URL(url, engine.host).pathname)]
                      if (scope !== undefined) changes.push(scope)
                    })
                  )
                )
              ).pipe(Layer.provide(FetchHttpClient.layer))
              const instance = environment(engine.host, yield* keyLacking(missing), { requestsPerSecond: 1000 })
              const outcome = yield* Effect.provide(
                call,
                Layer.fresh(planServer({ production: instance }, client, {}, journal))
              )
              return { outcome, changes }
            }),
          unique("rights").toLowerCase()
        )
      })
    )
  })
}
