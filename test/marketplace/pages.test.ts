import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { bigAccount } from "./accounts.ts"
import { call } from "./offered.ts"
import { intercepted } from "./support.ts"

const Page = Schema.Struct({
  total: Schema.Int,
  articles: Schema.Array(Schema.Struct({ nm_id: Schema.Int })),
  next: Schema.String
})

const articles = 2000
const account = bigAccount({ campaigns: 1, articles })
const advert_id = 7000
const all = account.adverts.get(advert_id)?.rows.map(({ nm_id }) => nm_id)

describe("a campaign of 2,000 articles", () => {
  it.effect.each(["ads_get_campaign", "ads_min_bids"])("is shown by %s in pages, each article once", (name) => {
    const sizes: Array<number> = []
    const floors: Array<number> = []
    const watched = intercepted(
      (path, body) => {
        if (path.endsWith("/bids/min")) floors.push(body.length)
        return undefined
      },
      {},
      { account }
    )
    return Effect.gen(function* () {
      const seen: Array<number> = []
      while (seen.length < articles) {
        const answer = yield* call(name, seen.length === 0 ? { advert_id } : { advert_id, offset: seen.length })
        sizes.push(JSON.stringify(answer).length)
        const page = yield* Schema.decodeUnknownEffect(Page)(answer)
        assert.strictEqual(page.total, articles)
        seen.push(...page.articles.map(({ nm_id }) => nm_id))
        if (seen.length < articles) assert.strictEqual(page.next, `Repeat with offset ${seen.length} for more`)
        else assert.include(page.next, "ads_plan_bids")
      }
      assert.deepStrictEqual(seen, all)
      assert.isBelow(Math.max(...sizes), 32_000)
      // A page asks for no more than it shows: the lowest bids of 100 articles are one call.
      if (name === "ads_min_bids") assert.lengthOf(floors, articles / 100)
    }).pipe(Effect.provide(watched))
  })

  it.effect("is shown in pages of the asked size, also where articles are named", () =>
    Effect.gen(function* () {
      const limited = yield* call("ads_get_campaign", { advert_id, limit: 3, offset: 1998 })
      assert.nestedPropertyVal(limited, "articles.length", 2)
      const named = yield* call("ads_min_bids", { advert_id, nm_ids: [100_005, 100_004, 100_003], limit: 2 })
      assert.deepInclude(named, { total: 3, next: "Repeat with offset 2 for more" })
      assert.nestedPropertyVal(named, "articles.length", 2)
    }).pipe(Effect.provide(intercepted(() => undefined, {}, { account })))
  )
})
