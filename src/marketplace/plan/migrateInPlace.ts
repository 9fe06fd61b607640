import { type Article, type Campaign, mayChange, placementsOf } from "../client/Campaign.ts"
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
