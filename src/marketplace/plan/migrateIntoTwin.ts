import {
  type Article,
  articlesOf,
  bidOf,
  type Campaign,
  isThere,
  ManualPlacement,
  nameOf,
  paymentOf,
  shownAt,
  whyUnreadable
} from "../client/Campaign.ts"
import type { Target } from "./Change.ts"
import type { Finding } from "./draft.ts"
import { migratedRow } from "./migratedRow.ts"
import type { Migration } from "./Migration.ts"
import { oldSettings } from "./oldSettings.ts"
import * as Phrases from "./phrases.ts"
import { creation, longestName } from "./planCampaign.ts"

/** The name of the manual twin of a campaign, never longer than a name may be. */
export const twinName = (campaign: Campaign): string => {
  const ending = endingOf(campaign)
  // Half of a character that takes two places would come back as another one.
  const cut = nameOf(campaign)
    .slice(0, longestName - ending.length)
    .replace(/[\ud800-\udbff]$/, "")
  return `${cut.trimStart()}${ending}`
}

const endingOf = ({ id }: Campaign): string => ` (manual, ${id})`

/** The twin that an earlier move has made; the marketplace may have taken its name otherwise, but for the end. */
export const findTwin = (existing: ReadonlyArray<Campaign>, campaign: Campaign): Campaign | undefined =>
  existing.filter((one) => isThere(one) && nameOf(one).endsWith(endingOf(campaign))).toSorted((a, b) => a.id - b.id)[0]

/** Makes a manual twin of a campaign with one bid, or completes the twin that an earlier move has made. */
export const migrateIntoTwin = (
  campaign: Campaign,
  articles: ReadonlyArray<Article>,
  migration: Migration
): ReadonlyArray<Finding> => {
  if (campaign.bid_type === "manual") {
    return [
      { warning: `Campaign ${campaign.id} has manual bids already: it needs no twin, and nothing is planned for it` }
    ]
  }
  const { existing, options, phrasesAt, unreadable } = migration
  const hidden = unreadable.find(({ name }) => name?.endsWith(endingOf(campaign)))
  if (hidden !== undefined) {
    const reason = `campaign ${hidden.advert_id} has the name of its twin, and ${whyUnreadable(hidden)}`
    return [{ what: `migrate ${campaign.id}`, reason }]
  }
  const placements = options.placements ?? placesOf(campaign)
  const twin = findTwin(existing, campaign)
  const inTwin = new Map((twin === undefined ? [] : articlesOf(twin)).map((article) => [article.nm_id, article]))
  const nms = articles.map(({ nm_id }) => nm_id)
  const made = twin === undefined ? newTwin(campaign, nms, placements) : completed(campaign, nms, twin.id, inTwin)

  const old = oldSettings(campaign, migration)
  const bidFor = (article: Article) => old.bid(article.nm_id) ?? bidOf(article, "combined") ?? undefined
  const unknown = articles.filter((article) => !inTwin.has(article.nm_id) && bidFor(article) === undefined)
  const rows = articles.flatMap((article) => {
    const { nm_id } = article
    const now = { from: campaign, target: made.target, nm_id, there: inTwin.get(nm_id), placements }
    const today = bidOf(article, "combined") ?? undefined
    const before = twin === undefined ? [] : phrasesAt(twin.id, nm_id)
    return migratedRow(
      {
        ...now,
        today,
        bid: bidFor(article),
        before,
        phrases: Phrases.merge(phrasesAt(campaign.id, nm_id), old.phrases)
      },
      migration
    )
  })
  const findings = [...made.findings, ...rows, ...lowestBids(campaign, unknown)]
  return findings.some((finding) => "change" in finding) ? [...findings, { warning: afterwards(campaign) }] : findings
}

/** Said of articles that come into the twin without a bid. */
const lowestBids = ({ id }: Campaign, articles: ReadonlyArray<Article>): ReadonlyArray<Finding> => {
  if (articles.length === 0) return []
  const named = articles.slice(0, mostNamed).map(({ nm_id }) => nm_id)
  const more = articles.length > mostNamed ? ` and ${articles.length - mostNamed} more` : ""
  return [
    {
      warning:
        `The old bids of campaign ${id} are not known for article ${named.join(", ")}${more}: the twin starts with the lowest ` +
        "bids there. Give the old ones in the snapshot, as bid_rubles or bids"
    }
  ]
}

const mostNamed = 20

interface Made {
  readonly target: Target
  readonly findings: ReadonlyArray<Finding>
}

const newTwin = (campaign: Campaign, nms: ReadonlyArray<number>, placements: ReadonlyArray<ManualPlacement>): Made =>
  creation(
    {
      name: twinName(campaign),
      nms,
      payment_type: paymentOf(campaign),
      placement_types: placements,
      twin_of: campaign.id
    },
    `manual twin of campaign ${campaign.id}: the kind of bid of a campaign cannot be changed`
  )

const completed = (
  { id }: Campaign,
  nms: ReadonlyArray<number>,
  target: number,
  inTwin: ReadonlyMap<number, Article>
): Made => ({
  target,
  findings: nms
    .filter((nm_id) => !inTwin.has(nm_id))
    .map((nm_id) => ({
      change: { kind: "product", target, nm_id, before: false, after: true },
      reason: `is in campaign ${id}`
    }))
})

/** Where a campaign with one bid shows its articles; everywhere unless it says otherwise. */
const placesOf = ({ settings: { placements } }: Campaign): ReadonlyArray<ManualPlacement> => {
  const shown = shownAt(placements)
  return shown.length === 0 ? ManualPlacement.literals : shown
}

const afterwards = ({ id }: Campaign): string =>
  `Campaign ${id} keeps running and its twin does not run: give the twin money, start it, then pause ${id}`
