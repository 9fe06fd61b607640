import { Effect } from "effect"

import { explain } from "../../apply/advice.ts"
import { type Campaign, pairsOf } from "../../client/Campaign.ts"
import { campaignWide } from "../../client/ids.ts"
import { MarketplaceAds } from "../../client/MarketplaceAds.ts"
import { isBecause, isClosedToSeller } from "../../client/MarketplaceError.ts"
import type { MigrationInput } from "../../plan/Migration.ts"
import { phrasesOf } from "./gather.ts"

type Found = Pick<MigrationInput, "phrases" | "phrasesClosed"> & { readonly warnings: ReadonlyArray<string> }

/**
 * The phrases of whole campaigns and of all articles involved, and what is to be said about them. Where phrases are
 * closed to the seller, bids can still be moved, and the plan says what it leaves out.
 */
export const migrationPhrases = Effect.fnUntraced(
  function* (campaigns: ReadonlyArray<Campaign>, involved: ReadonlyArray<Campaign>) {
    const wide = yield* campaignWidePhrases(campaigns)
    const { items, warnings } = yield* phrasesOf(pairsOf(involved))
    const found: Found = { phrases: [...wide.items, ...items], warnings: [...wide.warnings, ...warnings] }
    return found
  },
  Effect.catchIf(isClosedToSeller, (error) =>
    Effect.succeed<Found>({ phrases: [], phrasesClosed: explain(error), warnings: [] })
  )
)

/** The phrases that hold for a whole campaign; after the switch-off the marketplace may no longer show them. */
const campaignWidePhrases = (campaigns: ReadonlyArray<Campaign>) => {
  const items = campaigns
    .filter(({ bid_type }) => bid_type === "auto")
    .map(({ id }) => ({ advert_id: id, nm_id: campaignWide }))
  const gone = Effect.succeed({ items: [], warnings: [unreadableWarning] })
  return MarketplaceAds.use((ads) => ads.getMinusPhrases({ items })).pipe(
    Effect.map((found) => ({ items: found.items, warnings: [] })),
    Effect.catchIf(isBecause("AdsBadRequest", "AdsNotFound"), () => gone)
  )
}

const unreadableWarning =
  "The marketplace no longer shows campaign-wide phrases: give the old ones as minus_phrases in the snapshot."
