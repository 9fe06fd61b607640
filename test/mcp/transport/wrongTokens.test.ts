import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Logger, Redacted } from "effect"
import { TestClock } from "effect/testing"

import { FixtureServer } from "../../support/fixtures/FixtureServer.ts"
import { connect } from "../../support/fixtures/HttpClient.ts"
import { request } from "../../support/fixtures/messages.ts"

layer(FixtureServer)("wrong tokens", (it) => {
  it.effect(
    "are slowed down, refused when too many wait, and logged without being shown; a good one does not wait",
    () => {
      const logged: Array<string> = []
      const capture = Logger.make(({ message }) => void logged.push(String(message)))
      return Effect.gen(function* () {
        const client = yield* connect({ verify: (token) => Effect.succeed(Redacted.value(token) === "good") })
        const post = (token: string) =>
          Effect.map(
            client.fetch("/mcp", {
              method: "POST",
              body: JSON.stringify(request("ping")),
              headers: { authorization: `Bearer ${token}` }
            }),
            ({ status }) => status
          )
        const guesses = yield* Effect.forEach(Array.from({ length: 100 }), () => Effect.forkChild(post("canary-guess")))
        yield* Effect.yieldNow.pipe(Effect.repeat({ times: 500 }))
        const answered = () => guesses.filter((guess) => guess.pollUnsafe() !== undefined).length
        assert.strictEqual(yield* post("good"), 200)
        const atOnce = answered()
        yield* TestClock.adjust("1 second")
        yield* Effect.yieldNow.pipe(Effect.repeat({ times: 100 }))
        assert.strictEqual(answered() - atOnce, 1)
        yield* TestClock.adjust("10 seconds")
        const statuses = yield* Effect.forEach(guesses, Fiber.join)
        assert.deepEqual(
          [401, 429].map((status) => statuses.filter((each) => each === status).length),
          [15, 85]
        )
        assert.lengthOf(logged, 1)
        assert.include(logged[0], "Wrong bearer token from")
        assert.notInclude(logged.join(), "canary-guess")
      }).pipe(Effect.provide(Logger.layer([capture])))
    }
  )
})
