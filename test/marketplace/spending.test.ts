import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

import { JournalFailed } from "../../src/changes/PlanError.ts"
import { PlanJournal } from "../../src/marketplace/apply/Plans.ts"
import { getMinusPhrases } from "../../src/marketplace/tools/articles.ts"
import { pauseCampaign, startCampaign } from "../../src/marketplace/tools/startPause.ts"
import { bigAccount } from "./accounts.ts"
import { embeddedClient, intercepted, inTime, marketplace, plansOver, smallMarketplace } from "./support.ts"

const pause = (confirm: boolean) => Effect.map(pauseCampaign.call({ advert_id: 1001, confirm }), (it) => it.structured)
const start = (advert_id: number) =>
  Effect.map(startCampaign.call({ advert_id }), (it) => String(it.structured?.["next"]))

const fullDisk = Layer.succeed(PlanJournal, {
  append: () => Effect.fail(new JournalFailed({ problem: "no room on the disk" })),
  entries: Effect.succeed([]),
  mapEntries: () => Effect.succeed([]),
  hold: (work) => work
})

describe("spending", () => {
  it.effect.each([400, 403, 429, 500])("can be stopped where the budget answers with status %i", (status) =>
    Effect.gen(function* () {
      assert.deepInclude(yield* inTime(pause(true)), { done: true, status_now: 11 })
    }).pipe(
      Effect.provide(
        intercepted((path) =>
          path.endsWith("budget") ? { status, headers: { "x-ratelimit-retry": "3600" }, body: {} } : undefined
        )
      )
    )
  )

  it.effect("can be stopped without a journal, and cannot be started", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* inTime(pause(true)), { done: true, status_now: 11 })
      const error = yield* Effect.flip(startCampaign.call({ advert_id: 1001, confirm: true }))
      assert.deepInclude(Object(error), { code: "ADS_JOURNAL_FAILED" })
    }).pipe(Effect.provide(plansOver({}, embeddedClient, fullDisk).pipe(Layer.provideMerge(smallMarketplace()))))
  )

  it.effect("is shown as running already, or as not running, before a start or a pause", () =>
    Effect.gen(function* () {
      assert.include(yield* start(1001), "It runs already.")
      assert.include(yield* start(1004), 'To start "Winter socks" with 1 article, call again with confirm true.')
      assert.deepInclude(yield* inTime(pause(true)), { done: true })
      assert.include(String((yield* inTime(pause(false)))?.["next"]), "It does not run: it is paused.")
    }).pipe(Effect.provide(marketplace()))
  )
})

describe("the minus-phrases of many articles", () => {
  it.effect("are shown in pages, with as many phrases per article as asked for", () =>
    Effect.gen(function* () {
      const page = Effect.fnUntraced(function* (args: object) {
        return (yield* inTime(getMinusPhrases.call({ advert_id: 7000, ...args }))).structured
      })
      const first = yield* page({})
      assert.deepInclude(first, { total: 60, next: "Repeat with offset 50 for more" })
      assert.lengthOf(Object(first?.["items"]), 50)
      assert.lengthOf(Object((yield* page({ offset: 50 }))?.["items"]), 10)
      const items = [{ advert_id: 7000, nm_id: 0 }]
      const cut = (yield* inTime(getMinusPhrases.call({ items, phrases_each: 1 }))).structured
      assert.deepStrictEqual(cut?.["items"], [{ advert_id: 7000, nm_id: 0, count: 2, norm_queries: ["cheap 0"] }])
    }).pipe(Effect.provide(marketplace({}, { account: bigAccount({ campaigns: 1, articles: 60 }) })))
  )
})
