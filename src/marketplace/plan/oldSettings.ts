import type { Campaign } from "../client/Campaign.ts"
import { campaignWide } from "../client/ids.ts"
import { type Kopecks, rublesToKopecks } from "../client/money.ts"
import type { Migration } from "./Migration.ts"
import * as Phrases from "./phrases.ts"
import type { OldSettings } from "./Snapshot.ts"

/** What a campaign of type 8 was set to. */
export interface Old {
  readonly bid: (nm_id: number) => Kopecks | undefined
  readonly phrases: ReadonlyArray<string>
}

/** Where a snapshot says something twice about a campaign: nobody can tell which is meant. */
export const contradiction = (id: number, snapshot: ReadonlyArray<OldSettings>): string | undefined => {
  const said = snapshot.filter(({ advert_id }) => advert_id === id)
  if (said.length > 1) return `the snapshot has it ${said.length} times`
  const articles = said.flatMap(({ bids = [] }) => bids.map(({ nm_id }) => nm_id)).toSorted((a, b) => a - b)
  const twice = articles.find((nm_id, index) => nm_id === articles[index + 1])
  return twice === undefined ? undefined : `the snapshot has article ${twice} more than once among its bids`
}

/** The snapshot, and the campaign-wide phrases if they can still be read. */
export const oldSettings = ({ id }: Campaign, { phrasesAt, snapshot }: Migration): Old => {
  const said = snapshot.find(({ advert_id }) => advert_id === id)
  const own = new Map(said?.bids?.map(({ nm_id, rubles }) => [nm_id, rubles]))
  return {
    bid: (nm_id) => {
      const rubles = own.get(nm_id) ?? said?.bid_rubles
      return rubles === undefined ? undefined : rublesToKopecks(rubles)
    },
    phrases: Phrases.distinct([...(said?.minus_phrases ?? []), ...phrasesAt(id, campaignWide)])
  }
}
