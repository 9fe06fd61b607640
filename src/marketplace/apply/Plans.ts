import { Context, Effect, Layer, Schema, SchemaTransformation } from "effect"

import { entryOf, inMemory, type Journal } from "../../changes/Journal.ts"
import * as Core from "../../changes/Plans.ts"
import { MarketplaceAds } from "../client/MarketplaceAds.ts"
import { MarketplaceConfig } from "../client/MarketplaceConfig.ts"
import type { MarketplaceError } from "../client/MarketplaceError.ts"
import { Change } from "../plan/Change.ts"
import { actionFields } from "../plan/describe.ts"
import * as AdsDriver from "./driver.ts"
import { upgraded } from "./olderEntries.ts"

const line = entryOf(Change, actionFields)
export type Entry = typeof line.Type

/** One line of the journal of campaigns, of this or an earlier version. */
export const Entry: Schema.Codec<Entry, unknown> = Schema.Unknown.pipe(
  Schema.decodeTo(
    Schema.revealCodec<Entry, unknown, never, never>(line),
    SchemaTransformation.transform({ decode: upgraded, encode: (entry) => entry })
  )
)

/** Where plans of campaigns, their progress and the audit log are kept: an append-only list. */
export class PlanJournal extends Context.Service<PlanJournal, Journal<Change>>()(
  "workflow-tool-server/marketplace/PlanJournal"
) {
  /** Line as long as the process runs. */
  static readonly layerMemory = Layer.effect(PlanJournal, inMemory<Change>())
}

/** Plans for campaigns: kept, applied once, resumed after an interruption, and rolled back. */
export class Plans extends Context.Service<Plans, Core.Plans<Change, MarketplaceError>>()(
  "workflow-tool-server/marketplace/Plans"
) {
  static readonly layer: Layer.Layer<Plans, never, MarketplaceAds | MarketplaceConfig | PlanJournal> = Layer.effect(
    Plans,
    Effect.gen(function* () {
      const settings = yield* MarketplaceConfig
      const driver = AdsDriver.make(yield* MarketplaceAds, settings)
      return yield* Core.make({ driver, journal: yield* PlanJournal, planMinutes: settings.planMinutes })
    })
  )
}
