import { Effect } from "effect"

import { bisectReads } from "../../../changes/bisectReads.ts"
import { explain } from "../../apply/advice.ts"
import type { Pair } from "../../client/ids.ts"
import { MarketplaceAds } from "../../client/MarketplaceAds.ts"
import { isRefusal } from "../../client/MarketplaceError.ts"

/** The campaigns of some changes, and those of them that cannot be read. */
export const campaignsOf = (changes: ReadonlyArray<{ readonly advert_id: number }>) =>
  Effect.map(
    MarketplaceAds.use((ads) => ads.getAdvertsV2({ ids: [...new Set(changes.map(({ advert_id }) => advert_id))] })),
    ({ adverts: campaigns, unreadable }) => ({ campaigns, unreadable })
  )

/** The minus-phrases of articles, with a warning if the marketplace does not show them. */
export const phrasesOf = Effect.fnUntraced(function* (pairs: ReadonlyArray<Pair>) {
  const ads = yield* MarketplaceAds
  const { found, refused } = yield* bisectReads(
    pairs,
    (items) => ads.getMinusPhrases({ items }),
    (error) => (isRefusal(error) ? error : undefined)
  )
  const [first, ...others] = refused
  const more = others.length === 0 ? "" : ` and of ${others.length} more`
  return {
    items: found.flatMap(({ answer }) => answer.items),
    warnings:
      first === undefined
        ? []
        : [
            `The phrases of article ${first.item.nm_id} in campaign ${first.item.advert_id}${more} cannot be read, so they ` +
              `neither count here nor come back with a rollback: ${explain(first.reason)}`
          ]
  }
})
