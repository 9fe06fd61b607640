import { Effect, Schema } from "effect"

import { reads } from "../../../mcp/annotations.ts"
import { optional } from "../../../mcp/parameters.ts"
import * as Tool from "../../../mcp/Tool.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { articlesOf, type Campaign, ManualPlacement, mayChange } from "../../client/Campaign.ts"
import { MarketplaceAds } from "../../client/MarketplaceAds.ts"
import { MarketplaceConfig } from "../../client/MarketplaceConfig.ts"
import { findTwin } from "../../plan/migrateIntoTwin.ts"
import type { MigrationInput } from "../../plan/Migration.ts"
import { planMigration } from "../../plan/planMigration.ts"
import type { OldSettings } from "../../plan/Snapshot.ts"
import { orRefuse } from "../errors.ts"
import { advertIds, checkFloors, notEmpty, onBelowFloor } from "../parameters.ts"
import { floorRule, uncheckedFloors } from "./floorRule.ts"
import { keep, withWarnings } from "./keep.ts"
import { migrationPhrases } from "./migrationPhrases.ts"
import * as results from "./results.ts"
import { snapshot } from "./snapshot.ts"

const target = Schema.Literals(["in-place", "new-manual-campaign"])
  .annotate({
    description:
      "in-place gives each article of the campaign its own bid and phrases; new-manual-campaign makes a manual twin. Default in-place"
  })
  .pipe(Schema.withDecodingDefaultKey(Effect.succeed("in-place")))

const percent = (placement: string) =>
  optional(
    Schema.Finite.check(
      Schema.isBetween({ minimum: 1, maximum: 1000 }, { message: "must be between 1 and 1000" })
    ).annotate({ description: `Bid for ${placement} in percent of the old bid; default 100` })
  )

export const planMigrationTool = Tool.make("ads_plan_migration", {
  title: "Plan migration",
  description:
    "Plan the move from type 8 (one bid, campaign-wide phrases) to type 9 (bid and phrases per article) for all or some " +
    "campaigns. Changes nothing",
  annotations: reads,
  arguments: {
    advert_ids: optional(advertIds),
    target,
    snapshot: optional(snapshot),
    placements: optional(
      Schema.Array(ManualPlacement).check(notEmpty).annotate({
        description: "Where a new campaign shows its articles; default as the old one"
      })
    ),
    search_percent: percent("search"),
    recommendations_percent: percent("recommendations"),
    phrase_mode: optional(
      Schema.Literals(["merge", "replace"]).annotate({
        description: "merge keeps phrases that articles have already, replace does not; default merge"
      })
    ),
    on_below_floor: onBelowFloor,
    check_floors: checkFloors
  },
  result: results.migrationPlan,
  run: Effect.fn("ads_plan_migration")(function* (given) {
    yield* refuseIdle(given)
    const rule = yield* floorRule(given)
    const { guards } = yield* MarketplaceConfig
    const ads = yield* MarketplaceAds
    const { adverts: existing, unreadable } = yield* ads.getAdvertsV2()
    const campaigns = chosen(existing, given.advert_ids, given.snapshot ?? [])
    const twins = campaigns.flatMap((campaign) => findTwin(existing, campaign) ?? [])
    const involved = [...campaigns, ...(given.target === "in-place" ? [] : twins)]
    const { warnings: known, ...phrases } = yield* migrationPhrases(campaigns, involved)
    const input: MigrationInput = {
      campaigns,
      ...(given.advert_ids === undefined ? {} : { asked: given.advert_ids }),
      existing,
      unreadable,
      snapshot: (given.snapshot ?? []).filter(({ advert_id }) => given.advert_ids?.includes(advert_id) ?? true),
      ...phrases,
      floors: [],
      guards,
      options: {
        target: given.target,
        ...(given.placements === undefined ? {} : { placements: given.placements }),
        percent: {
          combined: 100,
          search: given.search_percent ?? 100,
          recommendations: given.recommendations_percent ?? 100
        },
        onBelowFloor: rule.onBelowFloor,
        phrases: given.phrase_mode ?? "merge"
      }
    }
    const first = planMigration(input)
    const bid = new Set(first.steps.flatMap(({ change }) => (change.kind === "bid" ? [change.nm_id] : [])))
    const bidding = campaigns.filter((campaign) => articlesOf(campaign).some(({ nm_id }) => bid.has(nm_id)))
    if (!rule.isAsking(bidding.length)) {
      return yield* keep(withWarnings(first, bidding.length === 0 ? known : [...known, uncheckedFloors]))
    }
    const placements = given.target === "in-place" ? {} : { placements: ManualPlacement.literals }
    const lowest = yield* rule.ask(
      bidding.map((campaign) => ({
        campaign,
        nm_ids: articlesOf(campaign).map(({ nm_id }) => nm_id),
        ...placements
      }))
    )
    const draft = planMigration({ ...input, floors: lowest.floors })
    return yield* keep(withWarnings(draft, [...known, ...lowest.warnings]))
  }, orRefuse)
})

interface PlacementsWanted {
  readonly target: MigrationInput["options"]["target"]
  readonly placements?: ReadonlyArray<ManualPlacement>
  readonly search_percent?: number
  readonly recommendations_percent?: number
}

/** Refuses arguments that would have no effect beside the others. */
const refuseIdle = ({ placements, target, ...percent }: PlacementsWanted) => {
  if (target === "in-place" && placements !== undefined) {
    const problem = "must not be given with target in-place, which leaves a campaign where it is shown"
    return Effect.fail(new InvalidArgument({ argument: "placements", problem }))
  }
  const idle = ManualPlacement.literals.find(
    (place) => percent[`${place}_percent`] !== undefined && placements?.includes(place) === false
  )
  if (idle === undefined) return Effect.void
  const problem = `must not be given without ${idle} among placements`
  return Effect.fail(new InvalidArgument({ argument: `${idle}_percent`, problem }))
}

/** The asked campaigns; else those with one bid, or in the snapshot, that can still change. */
const chosen = (
  existing: ReadonlyArray<Campaign>,
  advert_ids: ReadonlyArray<number> | undefined,
  old: ReadonlyArray<OldSettings>
): ReadonlyArray<Campaign> =>
  existing.filter((campaign) => {
    const { bid_type, id } = campaign
    if (advert_ids !== undefined) return advert_ids.includes(id)
    return old.some(({ advert_id }) => advert_id === id) || (bid_type === "auto" && mayChange(campaign))
  })
