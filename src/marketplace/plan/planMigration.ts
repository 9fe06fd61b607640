import {
  type Article,
  articlesOf,
  bidOf,
  type Campaign,
  mayChange,
  nameOf,
  paymentOf,
  placementsOf,
  type Placement
} from "../Campaign.ts"
import { campaignWide } from "../ids.ts"
import type { Guards } from "../MarketplaceConfig.ts"
import type { MinusPhrases } from "../MinusPhrases.ts"
import { type Kopecks, kopecksToRubles, rublesToKopecks } from "../money.ts"
import type { Target } from "./Change.ts"
import { draft, type Finding } from "./draft.ts"
import { aboveFloor, type Floor, floorsOf, type OnBelowFloor } from "./floors.ts"
import * as Phrases from "./phrases.ts"
import type { Draft } from "./Plan.ts"
import { percentOf } from "./planBids.ts"
import { creation, findByName, longestName, type ManualPlacement } from "./planCampaign.ts"
import { phraseFinding, phrasesByPair } from "./planMinusPhrases.ts"
import type { OldSettings } from "./Snapshot.ts"

export interface MigrationOptions {
  /** `in-place` gives every article of the campaign its own bid and phrases; the other makes a manual twin of it. */
  readonly target: "in-place" | "new-manual-campaign"
  /** Where a new campaign shows its articles; without it, where the old one did. */
  readonly placements?: ReadonlyArray<ManualPlacement>
  /** The new bid as a percentage of the old one, by placement. */
  readonly percent: { readonly [placement in Placement]: number }
  readonly onBelowFloor: OnBelowFloor
  readonly phrases: "merge" | "replace"
}

export interface MigrationInput {
  /** The campaigns to move. */
  readonly campaigns: ReadonlyArray<Campaign>
  /** All campaigns of the account, to find twins that an earlier move has made. */
  readonly existing: ReadonlyArray<Campaign>
  readonly snapshot: ReadonlyArray<OldSettings>
  /** The present phrases; those with nm_id 0 are campaign-wide. */
  readonly phrases: ReadonlyArray<MinusPhrases>
  readonly floors: ReadonlyArray<Floor>
  readonly options: MigrationOptions
  readonly guards: Guards
}

/** The name of the manual twin of a campaign, never longer than a name may be. */
export const twinName = (campaign: Campaign): string => {
  const ending = ` (manual, ${campaign.id})`
  return `${nameOf(campaign).slice(0, longestName - ending.length)}${ending}`
}

/** The input with its lists made ready for looking things up. */
interface Context extends Omit<MigrationInput, "phrases" | "floors"> {
  readonly phrasesAt: (advert_id: number, nm_id: number) => ReadonlyArray<string>
  readonly floor: (place: Omit<Floor, "kopecks">) => Kopecks | undefined
}

/** Moves campaigns from one bid and campaign-wide phrases to bids and phrases per article. */
export const planMigration = (input: MigrationInput): Draft => {
  const { campaigns, guards, options, snapshot } = input
  const context = { ...input, phrasesAt: phrasesByPair(input.phrases), floor: floorsOf(input.floors) }
  const known = new Set(campaigns.map(({ id }) => id))
  const findings = campaigns.flatMap((campaign): ReadonlyArray<Finding> => {
    const what = `migrate ${campaign.id}`
    if (guards.allowedCampaigns !== undefined && !guards.allowedCampaigns.includes(campaign.id)) {
      return [{ what, reason: "guard allowedCampaigns: it is not among the campaigns that may be changed" }]
    }
    const articles = distinctArticles(campaign)
    if (articles.length === 0) return [{ what, reason: "the campaign has no articles" }]
    return options.target === "in-place"
      ? inPlace(campaign, articles, oldSettings(campaign, context), context)
      : intoTwin(campaign, articles, oldSettings(campaign, context), context)
  })
  const strangers = snapshot
    .filter(({ advert_id }) => !known.has(advert_id))
    .map(({ advert_id }) => ({
      what: `migrate ${advert_id}`,
      reason: "the snapshot names it, but there is no such campaign to move"
    }))
  return draft("migration", guards, [...findings, ...strangers])
}

const distinctArticles = (campaign: Campaign): ReadonlyArray<Article> => [
  ...new Map(articlesOf(campaign).map((article) => [article.nm_id, article])).values()
]

interface Old {
  readonly bid: (nm_id: number) => Kopecks | undefined
  readonly phrases: ReadonlyArray<string>
  readonly nm_ids: ReadonlyArray<number>
}

/** What the campaign was set to: the snapshot, and the campaign-wide phrases if they can still be read. */
const oldSettings = (campaign: Campaign, { phrasesAt, snapshot }: Context): Old => {
  const said = snapshot.filter(({ advert_id }) => advert_id === campaign.id)
  const [general] = said.flatMap(({ bid_rubles }) => bid_rubles ?? []).toSorted()
  const single = new Map(said.flatMap(({ bids = [] }) => bids.map(({ nm_id, rubles }) => [nm_id, rubles])))
  return {
    bid: (nm_id) => {
      const rubles = single.get(nm_id) ?? general
      return rubles === undefined ? undefined : rublesToKopecks(rubles)
    },
    phrases: Phrases.distinct([
      ...said.flatMap(({ minus_phrases = [] }) => minus_phrases),
      ...phrasesAt(campaign.id, campaignWide)
    ]),
    nm_ids: said.flatMap(({ nm_ids = [] }) => nm_ids)
  }
}

const inPlace = (campaign: Campaign, articles: ReadonlyArray<Article>, old: Old, context: Context) => {
  if (!mayChange(campaign)) {
    return [{ what: `migrate ${campaign.id}`, reason: `nothing can change in status ${campaign.status}` }]
  }
  const lost = old.nm_ids.filter((nm_id) => !articles.some((article) => article.nm_id === nm_id))
  return [
    ...articles.flatMap((article): ReadonlyArray<Finding> => {
      const wish = old.bid(article.nm_id)
      const before = context.phrasesAt(campaign.id, article.nm_id)
      return [
        ...placementsOf(campaign).flatMap((placement) =>
          wish === undefined
            ? []
            : bidFinding(campaign.id, article.nm_id, placement, bidOf(article, placement), wish, campaign, context)
        ),
        ...(old.phrases.length === 0
          ? []
          : phraseFinding(
              campaign.id,
              article.nm_id,
              before,
              wantedPhrases(before, old, context),
              phraseReason(campaign)
            ))
      ]
    }),
    ...lost.map((nm_id) => ({ warning: `Article ${nm_id} of the snapshot is no longer in campaign ${campaign.id}` }))
  ]
}

const intoTwin = (campaign: Campaign, articles: ReadonlyArray<Article>, old: Old, context: Context) => {
  if (campaign.bid_type === "manual") return []
  const placements = context.options.placements ?? shownAt(campaign)
  const name = twinName(campaign)
  const twin = findByName(context.existing, name)
  const nms = articles.map(({ nm_id }) => nm_id)
  const twinArticles = new Map((twin === undefined ? [] : articlesOf(twin)).map((article) => [article.nm_id, article]))
  const made: { readonly target: Target; readonly findings: ReadonlyArray<Finding> } =
    twin === undefined
      ? creation(
          { name, nms, payment_type: paymentOf(campaign), placement_types: placements },
          `manual twin of campaign ${campaign.id}: the kind of bid of a campaign cannot be changed`
        )
      : {
          target: twin.id,
          findings: nms
            .filter((nm_id) => !twinArticles.has(nm_id))
            .map((nm_id) => ({
              change: { kind: "product", target: twin.id, nm_id, before: false, after: true },
              reason: `is in campaign ${campaign.id}`
            }))
        }
  const rows = articles.flatMap((article): ReadonlyArray<Finding> => {
    const { nm_id } = article
    const wish = old.bid(nm_id) ?? bidOf(article, "combined") ?? undefined
    const there = twinArticles.get(nm_id)
    const own = Phrases.merge(context.phrasesAt(campaign.id, nm_id), old.phrases)
    const before = twin === undefined ? [] : context.phrasesAt(twin.id, nm_id)
    return [
      ...placements.flatMap((placement) =>
        wish === undefined
          ? []
          : bidFinding(
              made.target,
              nm_id,
              placement,
              there === undefined ? null : bidOf(there, placement),
              wish,
              campaign,
              context
            )
      ),
      ...(own.length === 0
        ? []
        : phraseFinding(
            made.target,
            nm_id,
            before,
            wantedPhrases(before, { ...old, phrases: own }, context),
            phraseReason(campaign)
          ))
    ]
  })
  const advice = {
    warning: `Campaign ${campaign.id} keeps running and its twin does not run: give the twin money, start it, then pause ${campaign.id}`
  }
  const findings = [...made.findings, ...rows]
  return findings.some((finding) => "change" in finding) ? [...findings, advice] : findings
}

const shownAt = ({ settings: { placements } }: Campaign): ReadonlyArray<ManualPlacement> => {
  const shown = (["search", "recommendations"] as const).filter((place) => placements?.[place] === true)
  return shown.length === 0 ? ["search", "recommendations"] : shown
}

const wantedPhrases = (before: ReadonlyArray<string>, old: Old, { options }: Context) =>
  options.phrases === "merge" ? Phrases.merge(before, old.phrases) : Phrases.distinct(old.phrases)

const phraseReason = ({ id }: Campaign): string => `the phrases of campaign ${id} are kept per article in type 9`

const bidFinding = (
  target: Target,
  nm_id: number,
  placement: Placement,
  before: Kopecks | null,
  old: Kopecks,
  campaign: Campaign,
  { floor, options }: Context
): ReadonlyArray<Finding> => {
  const what = `bid of article ${nm_id} at ${placement}, campaign ${campaign.id}`
  const percent = options.percent[placement]
  const lowest = floor({ nm_id, placement, payment_type: paymentOf(campaign) })
  const found = aboveFloor(percentOf(old, percent), lowest, options.onBelowFloor)
  if (found === undefined) return [{ warning: `${what}: below the lowest bid, left as it is` }]
  if ("problem" in found) return [{ what, reason: found.problem }]
  if (found.bid === 0) return [{ what, reason: "the old bid is 0" }]
  if (found.bid === before) return []
  const part = percent === 100 ? "" : ` at ${percent}%`
  const reason = `old bid ${kopecksToRubles(old)} rub${part}${found.note}`
  return [{ change: { kind: "bid", target, nm_id, placement, before, after: found.bid }, reason }]
}
