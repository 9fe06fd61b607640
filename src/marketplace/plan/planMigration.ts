import { type Article, articlesOf, type Campaign } from "../Campaign.ts"
import { whyUnreadable } from "../Unreadable.ts"
import { currencyProblem } from "./currencyProblem.ts"
import { draft, type Finding } from "./draft.ts"
import { floorsOf } from "./floors.ts"
import { campaignProblem } from "./guards.ts"
import { migrateInPlace } from "./migrateInPlace.ts"
import { migrateIntoTwin } from "./migrateIntoTwin.ts"
import type { Migration, MigrationInput } from "./Migration.ts"
import * as Phrases from "./phrases.ts"
import type { MigrationPlan } from "./Plan.ts"

/** Moves campaigns from one bid and campaign-wide phrases to bids and phrases per article. */
export const planMigration = (input: MigrationInput): MigrationPlan => {
  const { asked, campaigns, existing, guards, options, snapshot, unreadable = [] } = input
  const phrasesAt = Phrases.byPair(input.phrases)
  const floor = floorsOf(input.floors)
  const { phrasesClosed } = input
  const migration: Migration = { existing, unreadable, guards, snapshot, options, phrasesClosed, phrasesAt, floor }
  const migrate = options.target === "in-place" ? migrateInPlace : migrateIntoTwin

  const findings = campaigns.flatMap((campaign): ReadonlyArray<Finding> => {
    const what = `migrate ${campaign.id}`
    const problem = campaignProblem(guards, campaign.id) ?? currencyProblem(campaign)
    if (problem !== undefined) return [{ what, reason: problem }]
    const articles = distinctArticles(campaign)
    return articles.length === 0
      ? [{ what, reason: "the campaign has no articles" }]
      : migrate(campaign, articles, migration)
  })
  const odd = unreadable.filter(({ advert_id }) => asked === undefined || asked.some((id) => id === advert_id))
  const known = new Set([...campaigns.map(({ id }) => id), ...odd.map(({ advert_id }) => advert_id)])
  const strangers = snapshot.filter(({ advert_id }) => !known.has(advert_id))
  const reason = "the snapshot names it, but there is no such campaign to move"
  return draft("migration", guards, [
    ...findings,
    ...odd.map((one) => ({ what: `migrate ${one.advert_id ?? "a campaign"}`, reason: whyUnreadable(one) })),
    ...strangers.map(({ advert_id }) => ({ what: `migrate ${advert_id}`, reason }))
  ])
}

const distinctArticles = (campaign: Campaign): ReadonlyArray<Article> => [
  ...new Map(articlesOf(campaign).map((article) => [article.nm_id, article])).values()
]
