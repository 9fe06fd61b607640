import { type Article, type Campaign, mayChange, placementsOf } from "../Campaign.ts"
import type { Finding } from "./draft.ts"
import { migratedRow } from "./migratedRow.ts"
import type { Migration } from "./Migration.ts"
import { oldSettings } from "./oldSettings.ts"

/** Gives every article of a campaign its own bid and phrases, where the campaign is. */
export const migrateInPlace = (
  campaign: Campaign,
  articles: ReadonlyArray<Article>,
  migration: Migration
): ReadonlyArray<Finding> => {
  const { id } = campaign
  if (!mayChange(campaign))
    return [{ what: `migrate ${id}`, reason: `nothing can change in status ${campaign.status}` }]
  const old = oldSettings(campaign, migration)
  const rows = articles.flatMap((there) => {
    const { nm_id } = there
    const now = { from: campaign, target: id, nm_id, there, placements: placementsOf(campaign) }
    return migratedRow(
      { ...now, today: undefined, bid: old.bid(nm_id), before: migration.phrasesAt(id, nm_id), phrases: old.phrases },
      migration
    )
  })
  const lost = old.nm_ids.filter((nm_id) => !articles.some((article) => article.nm_id === nm_id))
  return [
    ...rows,
    ...lost.map((nm_id) => ({ warning: `Article ${nm_id} of the snapshot is no longer in campaign ${id}` }))
  ]
}
