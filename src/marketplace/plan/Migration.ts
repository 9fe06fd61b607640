import { Schema } from "effect"

import type { Campaign, ManualPlacement, Placement, Unreadable } from "../client/Campaign.ts"
import type { MinusPhrases } from "../client/Clusters.ts"
import { AdvertId, campaignWide, NmId } from "../client/ids.ts"
import type { Guards } from "../client/MarketplaceConfig.ts"
import { type Kopecks, RublesGiven, rublesToKopecks } from "../client/money.ts"
import type { BidSteps, Floor, OnBelowFloor } from "./floors.ts"
import * as Phrases from "./phrases.ts"

/** The settings of a campaign of type 8, recorded before its API was switched off. Money in rubles. */
export const OldSettings = Schema.Struct({
  advert_id: AdvertId,
  /** The campaign's single bid. */
  bid_rubles: Schema.optionalKey(RublesGiven),
  /** Bids of single articles that differ from it. */
  bids: Schema.optionalKey(Schema.Array(Schema.Struct({ nm_id: NmId, rubles: RublesGiven }))),
  /** The campaign-wide minus-phrases, with nm_id 0. */
  minus_phrases: Schema.optionalKey(Schema.Array(Schema.String)),
  nm_ids: Schema.optionalKey(Schema.Array(NmId))
})
export type OldSettings = typeof OldSettings.Type

/** Options of a migration. */
export interface MigrationOptions {
  /** `in-place` gives every article of the campaign its own bid and phrases; the other creates a manual twin of it. */
  readonly target: "in-place" | "new-manual-campaign"
  /** The placements of a new campaign; by default those of the old one. */
  readonly placements?: ReadonlyArray<ManualPlacement>
  /** The new bid as a percentage of the old one, by placement. */
  readonly percent: { readonly [placement in Placement]: number }
  readonly onBelowFloor: OnBelowFloor
  readonly phrases: "merge" | "replace"
}

/** The input of a migration plan: campaigns with their phrases and minimum bids, old settings, and options. */
export interface MigrationInput {
  /** The campaigns to migrate. */
  readonly campaigns: ReadonlyArray<Campaign>
  /** The ids of the requested campaigns, if any were named. */
  readonly requestedIds?: ReadonlyArray<number>
  /** All campaigns of the account, to find twins of an earlier migration. */
  readonly existing: ReadonlyArray<Campaign>
  /** Campaigns of the account that cannot be read. */
  readonly unreadable?: ReadonlyArray<Unreadable>
  readonly snapshot: ReadonlyArray<OldSettings>
  /** The current phrases; those with nm_id 0 are campaign-wide. */
  readonly phrases: ReadonlyArray<MinusPhrases>
  /** The reason why no phrases can be read, if there is one. */
  readonly phrasesClosed?: string
  readonly floors: ReadonlyArray<Floor>
  /** By default any amount of kopecks is taken. */
  readonly steps?: BidSteps
  readonly options: MigrationOptions
  readonly guards: Guards
}

/** The input with lookups. */
export interface Migration {
  readonly existing: ReadonlyArray<Campaign>
  readonly unreadable: ReadonlyArray<Unreadable>
  readonly snapshot: ReadonlyArray<OldSettings>
  readonly options: MigrationOptions
  readonly guards: Guards
  readonly phrasesClosed: string | undefined
  readonly phrasesAt: (advert_id: number, nm_id: number) => ReadonlyArray<string>
  readonly steps: BidSteps
  readonly floor: (place: Omit<Floor, "kopecks">) => Kopecks | undefined
}

/** The settings of a campaign of type 8, by article. */
interface Old {
  readonly bid: (nm_id: number) => Kopecks | undefined
  readonly phrases: ReadonlyArray<string>
}

/** Whether a snapshot has something twice for a campaign, so that it is unclear which one is meant. */
export const contradiction = (id: number, snapshot: ReadonlyArray<OldSettings>): string | undefined => {
  const entries = snapshot.filter(({ advert_id }) => advert_id === id)
  if (entries.length > 1) return `the snapshot has it ${entries.length} times`
  const articles = entries.flatMap(({ bids = [] }) => bids.map(({ nm_id }) => nm_id)).toSorted((a, b) => a - b)
  const twice = articles.find((nm_id, index) => nm_id === articles[index + 1])
  return twice === undefined ? undefined : `the snapshot has article ${twice} more than once among its bids`
}

/** The settings in the snapshot, and the campaign-wide phrases if they can still be read. */
export const oldSettings = ({ id }: Campaign, { phrasesAt, snapshot }: Migration): Old => {
  const settings = snapshot.find(({ advert_id }) => advert_id === id)
  const bidsByArticle = new Map(settings?.bids?.map(({ nm_id, rubles }) => [nm_id, rubles]))
  return {
    bid: (nm_id) => {
      const rubles = bidsByArticle.get(nm_id) ?? settings?.bid_rubles
      return rubles === undefined ? undefined : rublesToKopecks(rubles)
    },
    phrases: Phrases.distinct([...(settings?.minus_phrases ?? []), ...phrasesAt(id, campaignWide)])
  }
}
