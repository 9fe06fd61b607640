import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { HttpClient } from "effect/http"

import { EmbeddedEngine } from "../../../src/engine/embedded/EmbeddedEngine.ts"
import { ask, environment, operatorToolsets, refused, serverOver } from "../../support/harness.ts"

/** An instance that works, and one whose connection settings cannot be used here. */
const OneBroken = Layer.unwrap(
  Effect.map(EmbeddedEngine, ({ apiKey, host, httpClient }) => {
    const key = Redacted.value(apiKey)
    const instances = { good: environment(host, key), broken: environment(host, key, { caFile: "missing.pem" }) }
    return serverOver(instances, Layer.succeed(HttpClient.HttpClient, httpClient), operatorToolsets)
  })
).pipe(Layer.provideMerge(EmbeddedEngine.layer({ seed: true })))

it.effect("tools over several instances go on without those that cannot be used, and name them", () =>
  Effect.gen(function* () {
    const { data, unusable } = yield* ask("search_workflows", { instances: ["*"], text: "Order intake" })
    assert.isArray(data)
    assert.nestedPropertyVal(data, "0.instance", "good")
    assert.nestedPropertyVal(unusable, "0.instance", "broken")
    assert.nestedPropertyVal(
      unusable,
      "0.error",
      "Instance broken: caFile and proxy need the HTTP client of the command, not a shared one"
    )

    const alone = yield* refused("search_workflows", { instances: ["broken"] })
    assert.match(alone.message, /^Instance broken: caFile/)
    const unknown = yield* refused("search_workflows", { instances: ["good", "moon"] })
    assert.strictEqual(unknown.message, "Instance moon not found. Available: good, broken")
  }).pipe(Effect.provide(OneBroken))
)

it.effect("compare_workflows compares nothing where one of both instances cannot be used", () =>
  Effect.gen(function* () {
    const { message } = yield* refused("compare_workflows", { a: "x", b: "y", instances: ["good", "broken"] })
    assert.match(message, /^Instance broken: caFile/)
  }).pipe(Effect.provide(OneBroken))
)
