import { type Article, articlesOf, type Campaign, whyUnreadable } from "../client/Campaign.ts"
import { draft, type Finding } from "./draft.ts"
import { anyStep, floorsOf } from "./floors.ts"
import { campaignProblem, currencyProblem } from "./guards.ts"
import { migrateInPlace, migrateIntoTwin } from "./migrateCampaign.ts"
import { contradiction, type Migration, type MigrationInput, type OldSettings } from "./Migration.ts"
import * as Phrases from "./phrases.ts"
import type { MigrationPlan } from "./Plan.ts"

/** Migrates campaigns from one bid and campaign-wide phrases to bids and phrases per article. */
export const planMigration = (input: MigrationInput): MigrationPlan => {
  const { requestedIds, campaigns, existing, guards, options, snapshot, unreadable = [] } = input
  const phrasesAt = Phrases.byPair(input.phrases)
  const { phrasesClosed, steps = anyStep } = input
  const floor = floorsOf(input.floors, steps)
  const places = { phrasesAt, floor, steps }
  const migration: Migration = { existing, unreadable, guards, snapshot, options, phrasesClosed, ...places }
  const migrate = options.target === "in-place" ? migrateInPlace : migrateIntoTwin

  const findings = campaigns.flatMap((campaign): ReadonlyArray<Finding> => {
    const what = `migrate ${campaign.id}`
    const problem =
      campaignProblem(guards, campaign.id) ?? currencyProblem(campaign) ?? contradiction(campaign.id, snapshot)
    if (problem !== undefined) return [{ what, reason: problem }]
    const articles = distinctArticles(campaign)
    return articles.length === 0
      ? [{ what, reason: "the campaign has no articles" }]
      : [...migrate(campaign, articles, migration), ...strangeArticles(campaign, articles, snapshot)]
  })
  const hidden = unreadable.filter(
    ({ advert_id }) => requestedIds === undefined || requestedIds.some((id) => id === advert_id)
  )
  const seen = new Set([...campaigns.map(({ id }) => id), ...hidden.map(({ advert_id }) => advert_id)])
  const missing = (requestedIds ?? []).filter((id) => !seen.has(id))
  const coveredIds = new Set([...seen, ...missing])
  const strangers = snapshot.filter(({ advert_id }) => !coveredIds.has(advert_id))
  const reason = "the snapshot names it, but there is no such campaign to move"
  return draft("migration", guards, [
    ...findings,
    ...hidden.map((one) => ({ what: `migrate ${one.advert_id ?? "a campaign"}`, reason: whyUnreadable(one) })),
    ...missing.map((id) => ({ what: `migrate ${id}`, reason: "there is no such campaign" })),
    ...strangers.map(({ advert_id }) => ({ what: `migrate ${advert_id}`, reason }))
  ])
}

/** Entries in the snapshot for articles that the campaign does not have. */
const strangeArticles = (
  { id }: Campaign,
  articles: ReadonlyArray<Article>,
  snapshot: ReadonlyArray<OldSettings>
): ReadonlyArray<Finding> => {
  const isStrange = (nm_id: number) => !articles.some((article) => article.nm_id === nm_id)
  const entries = snapshot.filter(({ advert_id }) => advert_id === id)
  const bids = entries.flatMap(({ bids: single = [] }) => single.filter(({ nm_id }) => isStrange(nm_id)))
  const lost = entries.flatMap(({ nm_ids = [] }) => nm_ids.filter(isStrange))
  return [
    ...bids.map(({ nm_id }) => ({ what: `bid ${id}/${nm_id}`, reason: "the article is not in the campaign" })),
    ...lost.map((nm_id) => ({ warning: `Article ${nm_id} of the snapshot is no longer in campaign ${id}` }))
  ]
}

const distinctArticles = (campaign: Campaign): ReadonlyArray<Article> => [
  ...new Map(articlesOf(campaign).map((article) => [article.nm_id, article])).values()
]
