import type { Campaign } from "../Campaign.ts"
import { campaignWide } from "../ids.ts"
import { type Kopecks, rublesToKopecks } from "../money.ts"
import type { Migration } from "./Migration.ts"
import * as Phrases from "./phrases.ts"

/** What a campaign of type 8 was set to. */
export interface Old {
  readonly bid: (nm_id: number) => Kopecks | undefined
  readonly phrases: ReadonlyArray<string>
  readonly nm_ids: ReadonlyArray<number>
}

/** Where a snapshot contradicts itself, the lowest amount counts: it can only spend less. */
const lowest = (bids: ReadonlyArray<Kopecks>): Kopecks | undefined => bids.toSorted((a, b) => a - b)[0]

/** The snapshot, and the campaign-wide phrases if they can still be read. */
export const oldSettings = ({ id }: Campaign, { phrasesAt, snapshot }: Migration): Old => {
  const said = snapshot.filter(({ advert_id }) => advert_id === id)
  const single = said.flatMap(({ bids = [] }) => bids)
  const general = lowest(
    said.flatMap(({ bid_rubles }) => (bid_rubles === undefined ? [] : [rublesToKopecks(bid_rubles)]))
  )
  const own = (nm_id: number) =>
    lowest(single.filter((bid) => bid.nm_id === nm_id).map(({ rubles }) => rublesToKopecks(rubles)))
  return {
    bid: (nm_id) => own(nm_id) ?? general,
    phrases: Phrases.distinct([
      ...said.flatMap(({ minus_phrases = [] }) => minus_phrases),
      ...phrasesAt(id, campaignWide)
    ]),
    nm_ids: said.flatMap(({ nm_ids = [] }) => nm_ids)
  }
}
