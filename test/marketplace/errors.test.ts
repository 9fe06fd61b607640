import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

import {
  isOutcomeUnknown,
  isRefusal,
  isUnsent,
  MarketplaceError,
  Reason,
  retryAfter
} from "../../src/marketplace/client/MarketplaceError.ts"
import { refusal } from "../../src/marketplace/tools/errors.ts"
import rendered from "./data/rendered-errors.json" with { type: "json" }

const cases = rendered.map(({ operation, reason, rendered: expected }) => ({
  error: new MarketplaceError({ operation, reason: Schema.decodeUnknownSync(Reason)(reason) }),
  tag: reason._tag,
  expected
}))

describe("a MarketplaceError", () => {
  it.each(cases)("of $tag is rendered with its code, blame, message and details", ({ error, expected }) => {
    const { blame, code, details, message } = refusal(error)
    assert.strictEqual(JSON.stringify({ blame, code, message, details }), JSON.stringify(expected))
  })

  it("is rendered above for every reason that there is", () => {
    const tags = Reason.members.map((member) => member.fields._tag.schema.literal)
    assert.sameMembers([...new Set(cases.map(({ tag }) => tag))], [...tags])
  })

  it("names no tool in its own message", () => {
    for (const { error } of cases) assert.notMatch(error.message, /\bads_/)
  })

  it("says in its message when a change may have happened", () => {
    const unsure = cases.filter(({ error }) => error.message.endsWith("It may have happened all the same."))
    assert.deepStrictEqual(
      unsure.map(({ tag }) => tag),
      ["AdsOutcomeUnknown", "AdsUnreadable"]
    )
  })

  it("is at most one of refused, unsent and of unknown outcome", () => {
    for (const { error, tag } of cases) {
      assert.isAtMost([isRefusal(error), isUnsent(error), isOutcomeUnknown(error)].filter(Boolean).length, 1, tag)
    }
  })

  it.effect("is caught by its reason alone", () =>
    Effect.gen(function* () {
      for (const { error, tag } of cases) {
        const seconds = yield* Effect.fail(error).pipe(
          Effect.catchReason("MarketplaceError", "AdsRateLimited", ({ retryAfterSeconds }) =>
            Effect.succeed(retryAfterSeconds)
          ),
          Effect.orElseSucceed(() => undefined)
        )
        assert.strictEqual(seconds, retryAfter(error), tag)
        assert.strictEqual(seconds === undefined, tag !== "AdsRateLimited", tag)
      }
    })
  )
})
