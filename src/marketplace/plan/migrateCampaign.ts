import {
  type Article,
  articlesOf,
  bidOf,
  type Campaign,
  isThere,
  ManualPlacement,
  mayChange,
  nameOf,
  paymentOf,
  type Placement,
  placementsOf,
  shownAt,
  whyUnreadable
} from "../client/Campaign.ts"
import { type Kopecks, kopecksToRubles, percentOf } from "../client/money.ts"
import type { Target } from "./Change.ts"
import type { Finding } from "./draft.ts"
import { aboveFloor, onStep } from "./floors.ts"
import { guardProblem } from "./guards.ts"
import { type Migration, oldSettings } from "./Migration.ts"
import * as Phrases from "./phrases.ts"
import { creation, longestName } from "./planCampaign.ts"
import { phraseFinding } from "./planMinusPhrases.ts"

/** Gives every article of a campaign its own bid and phrases in the same campaign. */
export const migrateInPlace = (
  campaign: Campaign,
  articles: ReadonlyArray<Article>,
  migration: Migration
): ReadonlyArray<Finding> => {
  const { id } = campaign
  const { percent } = migration.options
  const what = `migrate ${id}`
  if (!mayChange(campaign)) return [{ what, reason: `nothing can change in status ${campaign.status}` }]
  if (campaign.bid_type === "auto" && (percent.search !== 100 || percent.recommendations !== 100)) {
    return [{ what, reason: "it has one bid for all placements, so none can have a percentage of its own in place" }]
  }
  const old = oldSettings(campaign, migration)
  return articles.flatMap((there) => {
    const { nm_id } = there
    const now = { from: campaign, target: id, nm_id, there, placements: placementsOf(campaign) }
    return migratedRow(
      { ...now, today: undefined, bid: old.bid(nm_id), before: migration.phrasesAt(id, nm_id), phrases: old.phrases },
      migration
    )
  })
}

/** The name of the manual twin of a campaign, shortened to the maximum length. */
export const twinName = (campaign: Campaign): string => {
  const ending = endingOf(campaign)
  // Half of a surrogate pair would come back as another character.
  const cut = nameOf(campaign)
    .slice(0, longestName - ending.length)
    .replace(/[\ud800-\udbff]$/, "")
  return `${cut.trimStart()}${ending}`
}

const endingOf = ({ id }: Campaign): string => ` (manual, ${id})`

/** The campaign of which one of this name is the twin. */
export const twinnedIn = (name: string): number | undefined => {
  const id = / \(manual, (\d+)\)$/.exec(name)?.[1]
  return id === undefined ? undefined : Number(id)
}

/** The twin created by an earlier migration; the marketplace may have changed its name, except for the end. */
export const findTwin = (existing: ReadonlyArray<Campaign>, campaign: Campaign): Campaign | undefined =>
  existing.filter((one) => isThere(one) && nameOf(one).endsWith(endingOf(campaign))).toSorted((a, b) => a.id - b.id)[0]

/** Creates a manual twin of a campaign with one bid, or completes the twin of an earlier migration. */
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
  const destination =
    twin === undefined ? newTwin(campaign, nms, placements) : completed(campaign, nms, twin.id, inTwin)

  const old = oldSettings(campaign, migration)
  const bidFor = (article: Article) => old.bid(article.nm_id) ?? bidOf(article, "combined") ?? undefined
  const unknown = articles.filter((article) => !inTwin.has(article.nm_id) && bidFor(article) === undefined)
  const rows = articles.flatMap((article) => {
    const { nm_id } = article
    const now = { from: campaign, target: destination.target, nm_id, there: inTwin.get(nm_id), placements }
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
  const findings = [...destination.findings, ...rows, ...lowestBids(campaign, unknown)]
  return findings.some((finding) => "change" in finding) ? [...findings, { warning: afterwards(campaign) }] : findings
}

/** Reports articles that get no bid in the twin. */
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

/** The placements at which a campaign with one bid shows its articles; all unless it says otherwise. */
const placesOf = ({ settings: { placements } }: Campaign): ReadonlyArray<ManualPlacement> => {
  const enabledPlaces = shownAt(placements)
  return enabledPlaces.length === 0 ? ManualPlacement.literals : enabledPlaces
}

const afterwards = ({ id }: Campaign): string =>
  `Campaign ${id} keeps running and its twin does not run: give the twin money, start it, then pause ${id}`

/** An article, from the old campaign to the target. */
interface Row {
  readonly from: Campaign
  readonly target: Target
  readonly nm_id: number
  /** The article in the target; undefined if it is not there yet. */
  readonly there: Article | undefined
  readonly placements: ReadonlyArray<Placement>
  /** The article's current bid, wherever it is, to which the largest change is relative. */
  readonly today: Kopecks | undefined
  /** The old bid; undefined if the current one stays. */
  readonly bid: Kopecks | undefined
  /** Its phrases in the target, before and after. */
  readonly before: ReadonlyArray<string>
  readonly phrases: ReadonlyArray<string>
}

/** The changes for one article: its bid at every placement, and its phrases once. */
const migratedRow = (row: Row, migration: Migration): ReadonlyArray<Finding> => {
  const { before, bid, from, nm_id, phrases, placements, target } = row
  const bids = bid === undefined ? [] : placements.flatMap((placement) => migratedBid(row, placement, bid, migration))
  if (migration.phrasesClosed !== undefined) return [...bids, withoutPhrases(row, migration.phrasesClosed)]
  if (phrases.length === 0) return bids
  const after = migration.options.phrases === "merge" ? Phrases.merge(before, phrases) : Phrases.distinct(phrases)
  const reason = `the phrases of campaign ${from.id} are kept per article in type 9`
  return [...bids, ...phraseFinding({ target, nm_id, before, after }, reason)]
}

/** Reported once per campaign: a list that cannot be read cannot be added to, and setting it would replace it. */
const withoutPhrases = ({ from, target }: Row, why: string): Finding => ({
  what: `phrases ${from.id}`,
  reason:
    target === from.id
      ? `the campaign's phrases cannot be read and stay as they are: ${why}`
      : `the campaign's phrases cannot be read, and its twin gets none: give it phrases before it is started. ${why}`,
  later: true
})

const migratedBid = (
  { from, nm_id, target, there, today }: Row,
  placement: Placement,
  old: Kopecks,
  { floor, guards, options, steps }: Migration
): ReadonlyArray<Finding> => {
  const what = `bid of article ${nm_id} at ${placement}, campaign ${from.id}`
  const before = there === undefined ? null : bidOf(there, placement)
  const percent = options.percent[placement]
  const payment_type = paymentOf(from)
  const lowest = floor({ nm_id, placement, payment_type })
  const wish = percentOf(old, percent)
  if (wish === before) return []
  const { bid: stepped, note } = onStep(wish, steps[payment_type])
  const allowed = aboveFloor(stepped, lowest, options.onBelowFloor, {
    before: before ?? today ?? null,
    isCut: percent < 100
  })
  if (allowed === undefined) return [{ warning: `${what}: below the lowest bid, left as it is` }]
  if ("problem" in allowed) return [{ what, reason: allowed.problem }]
  if (allowed.bid === 0) return [{ what, reason: "the old bid is 0" }]
  if (allowed.bid === before) return []
  const part = percent === 100 ? "" : ` at ${percent}%`
  const reason = `old bid ${kopecksToRubles(old)} rub${part}${note}${allowed.note}`
  const compared = before === null && today !== undefined ? { today } : {}
  const change = { kind: "bid", target, nm_id, placement, before, after: allowed.bid, ...compared } as const
  const problem = guardProblem(guards, change)
  return [problem === undefined ? { change, reason } : { what, reason: problem }]
}
