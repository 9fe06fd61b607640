import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { Headers } from "effect/http"

import { bisectReads } from "../../src/changes/bisectReads.ts"
import { AdsBadRequest, isRefusal, MarketplaceError } from "../../src/marketplace/client/MarketplaceError.ts"
import { operations } from "../../src/marketplace/client/operations.ts"
import { nextOf } from "../../src/marketplace/client/outcome.ts"

describe("the answer 429", () => {
  const pause = (headers: Readonly<Record<string, string>>) =>
    nextOf(
      operations.getAdvertsV2,
      Result.succeed({ status: 429, headers: Headers.fromInput(headers), text: "" }),
      false,
      "https://ads.test"
    )

  it.each([
    [{ "x-ratelimit-retry": "7", "retry-after": "9" }, 7000],
    [{ "retry-after": "9" }, 9000],
    [{}, 1000],
    [{ "x-ratelimit-retry": "soon" }, 1000],
    [{ "retry-after": "-5" }, 1000]
  ])("with headers %j asks for a pause of %i ms", (headers, ms) => {
    assert.deepStrictEqual(pause(headers), { is: "pause", ms })
  })
})

describe("a bisected read", () => {
  const refused = new MarketplaceError({
    operation: "getMinusPhrases",
    reason: new AdsBadRequest({ status: 400, detail: "not this one", fields: [] })
  })

  /** The number of calls, and the outcome, where the marketplace shows only some. */
  const reading = Effect.fnUntraced(function* (isShown: (item: number) => boolean) {
    let calls = 0
    const result = yield* Effect.result(
      bisectReads(
        Array.from({ length: 100 }, (_, index) => index),
        (items) => {
          calls++
          return items.every(isShown) ? Effect.succeed(items) : Effect.fail(refused)
        },
        (error) => (isRefusal(error) ? error : undefined)
      )
    )
    return { calls, result }
  })

  it.effect("finds the items that are refused, and reads the others", () =>
    Effect.gen(function* () {
      const { result } = yield* reading((item) => item % 25 !== 3)
      const { found, refused } = Result.getOrThrow(result)
      assert.deepStrictEqual(
        refused.map(({ item }) => item),
        [3, 28, 53, 78]
      )
      assert.strictEqual(found.flatMap(({ items }) => items).length, 96)
    })
  )

  it.effect("stops before it asks for each item where all are refused", () =>
    Effect.gen(function* () {
      const { calls, result } = yield* reading(() => false)
      assert.deepStrictEqual(result, Result.fail(refused))
      assert.isBelow(calls, 60)
    })
  )
})
