import { createServer } from "node:http"

import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Redacted } from "effect"
import { HttpRouter, HttpServer } from "effect/http"

import { operations } from "../../src/marketplace/client/operations.ts"
import { EmbeddedMarketplace } from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import { directory, once, useCommand } from "../cli/built.ts"
import { bigAccount, comparable } from "./accounts.ts"
import { command } from "./overStdio.ts"

const account = bigAccount({ campaigns: 12, articles: 15 })

const enough = once<void>()

/** Tells the test when so many articles have been sent their phrases. */
const server = () => {
  let count = 0
  return createServer().on("request", ({ url }) => {
    if (url?.endsWith("set-minus") === true && ++count === 80) enough.resolve()
  })
}

/** The marketplace on a port, as a process that outlives the command. */
const served = Layer.unwrap(EmbeddedMarketplace.use(({ routes }) => Effect.succeed(routes))).pipe(
  (routes) => HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }),
  Layer.provideMerge(NodeHttpServer.layer(server, { port: 0, host: "127.0.0.1" })),
  Layer.provideMerge(EmbeddedMarketplace.layer({ account, limits: "none" }))
)

const unlimited = { limit: 5000, periodMs: 1000, burst: 5000 }

describe("kill -9 in the middle of an apply", () => {
  useCommand()

  it.live(
    "loses no change and repeats none: the next process goes on, and rolls everything back",
    () =>
      Effect.gen(function* () {
        const world = yield* EmbeddedMarketplace
        const baseUrl = yield* HttpServer.addressFormattedWith(Effect.succeed)
        const limits = Object.fromEntries(Object.keys(operations).map((name) => [name, unlimited]))
        const marketplace = { baseUrl, apiKey: Redacted.value(world.apiKey), readOnly: false, limits }
        const environments = { none: { engine_host: "http://127.0.0.1:9", engine_api_key: "none" } }
        const cwd = yield* Effect.promise(() => directory({ ".config.json": { environments, marketplace } }))

        const doomed = command(cwd, "--config", ".config.json")
        const args = { target: "new-manual-campaign", check_floors: true, on_below_floor: "raise" }
        const plan = yield* Effect.promise(() => doomed.call("ads_plan_migration", args))
        const { plan_id } = plan
        const unanswered = doomed.call("apply_plan", { plan_id, confirm: true, max_seconds: 600 })
        yield* Effect.promise(() => Promise.race([enough.promise, unanswered]))
        doomed.child.kill("SIGKILL")
        assert.isTrue(Exit.isFailure(yield* Effect.exit(Effect.tryPromise(() => unanswered))))
        yield* Effect.promise(() => doomed.ended)

        const next = command(cwd, "--config", ".config.json")
        const apply = (id: unknown) =>
          Effect.promise(() => next.call("apply_plan", { plan_id: id, confirm: true, max_seconds: 600 }))
        const report = yield* apply(plan_id)
        assert.deepInclude(report, { state: "applied", done: plan["steps"] })
        const { adverts, phrases } = yield* world.account
        assert.strictEqual(adverts.size, 24)
        assert.strictEqual(phrases.size, 12 + 12 * 15)

        const back = yield* Effect.promise(() => next.call("plan_rollback", { plan_id }))
        assert.deepInclude(yield* apply(back["plan_id"]), { state: "applied" })
        assert.deepStrictEqual(comparable(yield* world.account), comparable(account))
        next.child.stdin.end()
        yield* Effect.promise(() => next.ended)
      }).pipe(Effect.provide(served)),
    60_000
  )
})
