import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"

import { ask, request } from "../support/harness.ts"
import { TestAds } from "./adsInTests.ts"
import { AdsServer } from "./adsServer.ts"

const decodePlan = Schema.decodeUnknownSync(Schema.Struct({ plan_id: Schema.String }))

layer(AdsServer.pipe(Layer.provide(TestAds)))("the marketplace's tools in a server of one's own", (it) => {
  it.effect("plan a bid and apply it, with the tools of plans beside them", () =>
    Effect.gen(function* () {
      const listed = JSON.stringify((yield* request("tools/list")).result)
      for (const name of ["ads_plan_migration", "ads_start_campaign", "apply_plan"]) assert.include(listed, `"${name}"`)
      const change = { advert_id: 1003, nm_id: 500301, placement: "search", bid_rubles: "290.50" }
      const { plan_id } = decodePlan(yield* ask("ads_plan_bids", { changes: [change] }))
      assert.propertyVal(yield* ask("apply_plan", { plan_id, confirm: true }), "state", "applied")
    })
  )
})
