import { Effect } from "effect"

import { articleOf, type Campaign, isThere, status } from "../client/Campaign.ts"
import type { Located } from "./Located.ts"
import type { Look, Standing } from "./look.ts"

/** The campaigns that tell what became of stale changes: nothing where there are none, or where nobody tells. */
export const campaignsOfStale = (seen: Look, looked: ReadonlyArray<{ readonly standing: Standing }>) =>
  looked.some(({ standing }) => standing === "stale") ? seen.campaigns : Effect.undefined

/** What it means that a change finds something else than it was planned for. */
export const whyStale = (change: Located, campaigns: ReadonlyMap<number, Campaign> | undefined): string => {
  if (change.kind === "create") {
    return "there is a campaign of this name already: rename it in the cabinet, or plan with another name"
  }
  const campaign = campaigns?.get(change.target)
  if (change.kind === "delete") return whyNotDeleted(campaign)
  const isGone = campaigns !== undefined && (campaign === undefined || !isThere(campaign))
  if (isGone) return `campaign ${change.target} is not there any more, or has ended`
  if (campaign !== undefined && articleOf(campaign, change.nm_id) === undefined) {
    return `article ${change.nm_id} is not in campaign ${change.target} any more`
  }
  return "someone else has changed it since, and it stays as it is"
}

const whyNotDeleted = (campaign: Campaign | undefined): string =>
  campaign?.status === status.active || campaign?.status === status.paused
    ? "the campaign has been started, and then it cannot be deleted: ads_pause_campaign pauses it, the cabinet ends it"
    : `the campaign is in status ${campaign?.status}, in which it cannot be deleted, and stays as it is`
