import { Context, Effect, Layer, Schema, SchemaTransformation } from "effect"

import { entryOf, inMemory, type Journal } from "../../changes/Journal.ts"
import * as Core from "../../changes/Plans.ts"
import { isJsonObject, listOf, objectOf } from "../../internal/schema/JsonObject.ts"
import { MarketplaceAds } from "../client/MarketplaceAds.ts"
import { MarketplaceConfig } from "../client/MarketplaceConfig.ts"
import type { MarketplaceError } from "../client/MarketplaceError.ts"
import { Change } from "../plan/Change.ts"
import { actionFields, describeProbe } from "../plan/describe.ts"
import * as AdsDriver from "./driver.ts"

/**
 * A line of the journal of an earlier version as this one writes it. Those versions had entries of their own for bids that
 * were rounded or read in another unit, and sent a low bid, `trial`, before others.
 */
const upgraded = (line: unknown): unknown => {
  if (!isJsonObject(line)) return line
  const steps = listOf(line["steps"])
  const observed = (standing: string, details: ReadonlyArray<unknown>, more: object = {}) => ({
    at: line["at"],
    plan_id: line["plan_id"],
    steps,
    ...("problem" in line ? { problem: line["problem"] } : {}),
    type: "observed",
    word: line["type"],
    standing,
    details,
    ...more
  })
  switch (line["type"]) {
    case "begun": {
      const { trial } = line
      if (typeof trial !== "number") return line
      return observed("open", [{ probe: trial }], { problem: describeProbe(String(steps[0]), trial) })
    }
    case "tried":
      return { ...observed("done", []), steps: [] }
    case "misread":
      return observed(
        "open",
        steps.map(() => ({}))
      )
    case "undone":
      return observed(
        "undone",
        steps.map(() => ({}))
      )
    case "rounded":
      return observed(
        "done",
        listOf(line["bids"]).map((rounded) => ({ rounded }))
      )
    case "planned": {
      const { provenUnit, ...plan } = objectOf(line["plan"])
      return provenUnit === undefined ? line : { ...line, plan: { ...plan, premise: { unit: provenUnit } } }
    }
    default:
      return line
  }
}

const line = entryOf(Change, actionFields)
export type Entry = typeof line.Type

/** One line of the journal of campaigns, of this or an earlier version. */
export const Entry: Schema.Codec<Entry, unknown> = Schema.Unknown.pipe(
  Schema.decodeTo(
    Schema.revealCodec<Entry, unknown, never, never>(line),
    SchemaTransformation.transform({ decode: upgraded, encode: (entry) => entry })
  )
)

/** The append-only list of plans of campaigns, their progress and the audit log. */
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
      const journal = yield* PlanJournal
      const driver = AdsDriver.make(yield* MarketplaceAds, settings, journal.entries)
      return yield* Core.make({ driver, journal, planMinutes: settings.planMinutes })
    })
  )
}
