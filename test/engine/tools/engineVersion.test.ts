import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

import { HealthFacts } from "../../../src/mcp/Toolset.ts"
import { answers } from "../../internal/http/standIn.ts"
import { engineThat, json, serving } from "./standIn.ts"

const ready = Effect.yieldNow.pipe(Effect.repeat({ times: 200 }))

/** The version as asked for again after some time. */
const askedAgain = Effect.gen(function* () {
  const engineVersion = Effect.map(yield* HealthFacts, (facts) => facts["engineVersion"])
  yield* engineVersion
  yield* TestClock.adjust("10 seconds")
  yield* ready
  return yield* engineVersion
})

const page = (content: string) =>
  `<html><head><meta name="a" content="b"><meta name="n8n:config:sentry" content="${content}"></head></html>`
const withPage = (content: string) =>
  engineThat(({ path }) =>
    path === "/" ? answers(200, { "content-type": "text/html" }, page(content)) : json({ message: "not found" }, 404)
  )

it.effect("the version is read from the start page where the settings do not tell it", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* askedAgain, "2.41.1")
  }).pipe(Effect.provide(serving(withPage(btoa(JSON.stringify({ dsn: "", release: "n8n@2.41.1" }))).client)))
)

it.effect("the version stays unknown where the start page holds nonsense", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* askedAgain, "unknown")
  }).pipe(Effect.provide(serving(withPage("!!").client)))
)

it.effect("the version that cannot be found is looked up once a minute, however often somebody asks", () => {
  const { requests, client } = engineThat(() => json({ message: "not found" }, 404))
  return Effect.gen(function* () {
    const engineVersion = Effect.map(yield* HealthFacts, (facts) => facts["engineVersion"])
    const look = Effect.gen(function* () {
      for (let hit = 0; hit < 50; hit++) {
        yield* engineVersion
        yield* TestClock.adjust("100 millis")
      }
    })
    yield* look
    const once = requests.length
    yield* look
    assert.strictEqual(requests.length, once)
    yield* TestClock.adjust("60 seconds")
    yield* look
    assert.strictEqual(requests.length, 2 * once)
  }).pipe(Effect.provide(serving(client)))
})
