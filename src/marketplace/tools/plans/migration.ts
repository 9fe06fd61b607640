import { Effect, Schema } from "effect"

import { bisectReads } from "../../../changes/bisectReads.ts"
import { listed } from "../../../internal/foreignText.ts"
import { reads } from "../../../mcp/annotations.ts"
import { optional, shownNumber } from "../../../mcp/parameters.ts"
import * as Tool from "../../../mcp/Tool.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { explain } from "../../apply/advice.ts"
import { articlesOf, type Campaign, ManualPlacement, mayChange, pairsOf } from "../../client/Campaign.ts"
import { campaignWide } from "../../client/ids.ts"
import { MarketplaceAds } from "../../client/MarketplaceAds.ts"
import { MarketplaceConfig } from "../../client/MarketplaceConfig.ts"
import { isBecause, isClosedToSeller } from "../../client/MarketplaceError.ts"
import { RublesGiven } from "../../client/money.ts"
import { findTwin } from "../../plan/migrateCampaign.ts"
import { type MigrationInput, OldSettings } from "../../plan/Migration.ts"
import { planMigration } from "../../plan/planMigration.ts"
import { orRefuse } from "../errors.ts"
import { advertIds, checkFloors, id, onBelowFloor, shownAs, words } from "../parameters.ts"
import { floorRule, uncheckedFloors } from "./floorRule.ts"
import { bidSteps, keep, migrationPlan, phrasesOf, withWarnings } from "./planning.ts"

/** The snapshot as callers pass it: its ids may come as text. */
const snapshot = Schema.Array(
  Schema.Struct({
    ...OldSettings.fields,
    advert_id: id,
    bids: Schema.optionalKey(Schema.Array(Schema.Struct({ nm_id: id, rubles: RublesGiven }))),
    nm_ids: Schema.optionalKey(Schema.Array(id))
  })
).annotate(
  shownAs(
    "Old settings of type 8; rubles",
    {
      advert_id: { type: "integer", description: "Campaign" },
      bid_rubles: { type: "number", description: "Its one bid" },
      bids: {
        type: "array",
        description: "Those that differed",
        items: {
          type: "object",
          properties: {
            nm_id: { type: "integer", description: "Article" },
            rubles: { type: "number", description: "Bid" }
          },
          required: ["nm_id", "rubles"]
        }
      },
      minus_phrases: { type: "array", description: "Campaign-wide", items: { type: "string" } },
      nm_ids: { type: "array", description: "Articles", items: { type: "integer" } }
    },
    ["advert_id"]
  )
)

const target = Schema.Literals(["in-place", "new-manual-campaign"])
  .annotate({
    description: "Default in-place"
  })
  .pipe(Schema.withDecodingDefaultKey(Effect.succeed("in-place")))

const percent = (placement: string) =>
  optional(
    Schema.Finite.check(
      Schema.isBetween({ minimum: 1, maximum: 1000 }, { message: "must be between 1 and 1000" })
    ).annotate(shownNumber(`${placement === "search" ? "Of the old bid, for" : "For"} ${placement}`, "number"))
  )

export const planMigrationTool = Tool.make("ads_plan_migration", {
  title: "Plan migration",
  description: "Plan the move (миграция) from type 8 to type 9: bid and phrases per article",
  annotations: reads,
  arguments: {
    advert_ids: optional(advertIds),
    target,
    snapshot: optional(snapshot),
    placements: optional(words(ManualPlacement, "Of a twin")),
    search_percent: percent("search"),
    recommendations_percent: percent("recommendations"),
    phrase_mode: optional(
      Schema.Literals(["merge", "replace"]).annotate({
        description: "Default merge"
      })
    ),
    on_below_floor: onBelowFloor,
    check_floors: checkFloors
  },
  result: migrationPlan,
  run: Effect.fn("ads_plan_migration")(function* (given) {
    yield* refuseIdle(given)
    const rule = yield* floorRule(given)
    const { guards } = yield* MarketplaceConfig
    const ads = yield* MarketplaceAds
    const { adverts: existing, unreadable } = yield* ads.getAdvertsV2()
    const campaigns = chosen(existing, given.advert_ids, given.snapshot ?? [])
    const twins = campaigns.flatMap((campaign) => findTwin(existing, campaign) ?? [])
    const involved = [...campaigns, ...(given.target === "in-place" ? [] : twins)]
    const { warnings: phraseWarnings, ...phrases } = yield* migrationPhrases(campaigns, involved)
    const input: MigrationInput = {
      campaigns,
      ...(given.advert_ids === undefined ? {} : { requestedIds: given.advert_ids }),
      existing,
      unreadable,
      snapshot: (given.snapshot ?? []).filter(({ advert_id }) => given.advert_ids?.includes(advert_id) ?? true),
      ...phrases,
      floors: [],
      steps: yield* bidSteps,
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
      return yield* keep(
        withWarnings(first, bidding.length === 0 ? phraseWarnings : [...phraseWarnings, uncheckedFloors])
      )
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
    return yield* keep(withWarnings(draft, [...phraseWarnings, ...lowest.warnings]))
  }, orRefuse)
})

interface PlacementsWanted {
  readonly target: MigrationInput["options"]["target"]
  readonly placements?: ReadonlyArray<ManualPlacement>
  readonly search_percent?: number
  readonly recommendations_percent?: number
}

/** Refuses arguments that would have no effect in combination with the others. */
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

/** The requested campaigns; by default those with one bid, or in the snapshot, that can still change. */
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

type Found = Pick<MigrationInput, "phrases" | "phrasesClosed"> & { readonly warnings: ReadonlyArray<string> }

/**
 * The phrases of whole campaigns and of all articles involved, with warnings. If phrases are closed to the seller, bids can
 * still be migrated, and the plan says what it leaves out.
 */
const migrationPhrases = Effect.fnUntraced(
  function* (campaigns: ReadonlyArray<Campaign>, involved: ReadonlyArray<Campaign>) {
    const wide = yield* campaignWidePhrases(campaigns)
    const { items, warnings } = yield* phrasesOf(pairsOf(involved))
    const readable: Found = { phrases: [...wide.items, ...items], warnings: [...wide.warnings, ...warnings] }
    return readable
  },
  Effect.catchIf(isClosedToSeller, (error) =>
    Effect.succeed<Found>({ phrases: [], phrasesClosed: explain(error), warnings: [] })
  )
)

/** Campaign-wide phrases; after the switch-off the marketplace may no longer show them. */
const campaignWidePhrases = (campaigns: ReadonlyArray<Campaign>) => {
  const items = campaigns
    .filter(({ bid_type }) => bid_type === "auto")
    .map(({ id }) => ({ advert_id: id, nm_id: campaignWide }))
  return MarketplaceAds.use((ads) =>
    bisectReads(
      items,
      (some) => ads.getMinusPhrases({ items: some }),
      (error) => (isGone(error) ? error : undefined)
    )
  ).pipe(
    Effect.map(({ answers, refused }) => ({
      items: answers.flatMap(({ answer }) => answer.items),
      warnings: unreadableWarnings(refused.map(({ item }) => item.advert_id))
    })),
    Effect.catchIf(isGone, () =>
      Effect.succeed({ items: [], warnings: unreadableWarnings(items.map(({ advert_id }) => advert_id)) })
    )
  )
}

const isGone = isBecause("AdsBadRequest", "AdsNotFound")

const unreadableWarnings = (ids: ReadonlyArray<number>): ReadonlyArray<string> =>
  ids.length === 0
    ? []
    : [
        `The marketplace does not show campaign-wide phrases of ${listed(ids.map(String), mostNamed)}: give the old ones as ` +
          "minus_phrases in the snapshot."
      ]

const mostNamed = 20
