import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

import { keyReport } from "../../src/marketplace/client/keyRules.ts"
import { MarketplaceAds } from "../../src/marketplace/client/MarketplaceAds.ts"
import { hosts } from "../../src/marketplace/client/MarketplaceConfig.ts"
import { checkKey } from "../../src/marketplace/tools/checkKey.ts"
import { offered } from "./offered.ts"
import { adsOver, marketplace, settings, standIn } from "./support.ts"

/** A key as the marketplace makes them; only its middle part matters. */
const token = (payload: object) => `e30.${Buffer.from(JSON.stringify(payload)).toString("base64url")}.sig`

const names = (tools: ReadonlyArray<{ readonly name: string }>) => tools.map(({ name }) => name)

const promotion = 2 ** 6
const dayMs = 86_400_000

/** The answer of ads_check_key on the 2nd of January 1970, from a marketplace that takes the key. */
const check = (payload: object) => {
  const apiKey = token(payload)
  return Effect.gen(function* () {
    yield* TestClock.setTime(dayMs)
    return (yield* checkKey.call({})).structured
  }).pipe(Effect.provide(marketplace({ apiKey }, { apiKey })))
}

describe("ads_check_key", () => {
  it.effect("says that a good key works, and what it may do", () =>
    Effect.gen(function* () {
      const answer = yield* check({ acc: 3, s: promotion, exp: (dayMs * 11) / 1000 })
      assert.deepInclude(answer, { accepted: true, kind: "personal", promotion_right: true, days_left: 10 })
      assert.match(String(answer?.["next"]), /^The key works/)
    })
  )

  it.effect.each([
    [
      { acc: 3, s: promotion, exp: dayMs / 1000 },
      /^The key ran out on 1970-01-02: make a new one\. marketplace\.wire is not chosen/
    ],
    [
      { acc: 3, s: promotion, exp: 3600 },
      /^The key ran out on 1970-01-01: make a new one\. marketplace\.wire is not chosen/
    ],
    [{ acc: 3, s: 0 }, /^The key has no promotion right/],
    [{ acc: 1, s: promotion }, /^A base key may read the campaigns once an hour/],
    [{ acc: 2, t: true, s: promotion }, /^A test key may read the campaigns once an hour/]
  ] as const)("does not report a key as good whose payload is %o", ([payload, expected]) =>
    Effect.gen(function* () {
      const next = String((yield* check(payload))?.["next"])
      assert.match(next, expected)
      assert.notInclude(next, "works")
    })
  )

  it.effect("refuses writes from the moment that the key expires, and shows it", () => {
    const apiKey = token({ acc: 3, s: promotion, exp: dayMs / 1000 })
    return Effect.gen(function* () {
      const ads = yield* MarketplaceAds
      const write = ads.setMinusPhrases({ advert_id: 1001, nm_id: 500101, norm_queries: ["a"] })
      yield* TestClock.setTime(dayMs - 1)
      assert.include(names(yield* offered), "apply_plan")
      yield* write
      yield* TestClock.setTime(dayMs)
      assert.notInclude(names(yield* offered), "apply_plan")
      const error = yield* Effect.flip(write)
      assert.deepInclude(error.reason, { _tag: "AdsReadOnly", detail: "the key has run out, and a new one is needed" })
      assert.deepInclude(yield* check({ acc: 3, s: promotion, exp: dayMs / 1000 }), {
        may_write: false,
        why_not: "the key has run out, and a new one is needed"
      })
    }).pipe(Effect.provide(marketplace({ apiKey }, { apiKey })))
  })

  it.effect.each([
    ["spec", "The real marketplace takes another form, cluster bids in rubles"],
    ["published", "articles and cluster bids go out in the marketplace's own form"]
  ] as const)("tells what wire %s means", ([wire, words]) =>
    Effect.gen(function* () {
      const { structured } = yield* checkKey.call({})
      assert.deepInclude(structured, { wire })
      assert.include(structured?.["next"], `marketplace.wire is ${wire}: articles and cluster bids go out`)
      assert.include(structured?.["next"], words)
    }).pipe(Effect.provide(marketplace({ wire })))
  )

  it.each([1e300, -1e300, -1, 8.7e12])("ignores an expiry of %s, which no calendar has", (exp) => {
    assert.deepInclude(keyReport(settings({ apiKey: token({ exp }) }), 0), { daysLeft: undefined })
  })

  it.effect.each([
    ["token scope not allowed", "Make a key with the promotion right."],
    ["token problem; token is malformed", "Check that the key is complete"]
  ] as const)("answers, and does not fail, when the marketplace refuses the key: %s", ([detail, advice]) => {
    const { client } = standIn(() => ({ status: 401, body: { detail } }))
    return Effect.gen(function* () {
      const { structured } = yield* checkKey.call({})
      assert.deepInclude(structured, { accepted: false, kind: "personal" })
      assert.include(structured?.["next"], advice)
    }).pipe(Effect.provide(adsOver(client, { apiKey: token({ acc: 3, s: promotion }) })))
  })

  it("warns of a test key at the real marketplace, and of its limits", () => {
    const given = settings({ apiKey: token({ acc: 2, t: true, s: promotion }), baseUrl: hosts.production })
    const { advice } = keyReport(given, 0)
    assert.lengthOf(advice, 2)
    assert.include(advice.join(" "), "belongs to the sandbox")
    assert.include(advice.join(" "), "once an hour")
  })

  it("shows negative days left for an expired key", () => {
    const given = settings({ apiKey: token({ exp: dayMs / 1000 }) })
    const daysLeft = (now: number) => keyReport(given, now).daysLeft
    assert.deepStrictEqual([daysLeft(0), daysLeft(dayMs - 1), daysLeft(dayMs + 1)], [1, 0, -1])
  })
})
