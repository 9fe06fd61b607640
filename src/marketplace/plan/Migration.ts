import type { Campaign, ManualPlacement, Placement, Unreadable } from "../client/Campaign.ts"
import type { MinusPhrases } from "../client/Clusters.ts"
import type { Guards } from "../client/MarketplaceConfig.ts"
import type { Kopecks } from "../client/money.ts"
import type { Floor, OnBelowFloor } from "./floors.ts"
import type { OldSettings } from "./Snapshot.ts"

/** How campaigns are moved. */
export interface MigrationOptions {
  /** `in-place` gives every article of the campaign its own bid and phrases; the other makes a manual twin of it. */
  readonly target: "in-place" | "new-manual-campaign"
  /** Where a new campaign shows its articles; without it, where the old one did. */
  readonly placements?: ReadonlyArray<ManualPlacement>
  /** The new bid as a percentage of the old one, by placement. */
  readonly percent: { readonly [placement in Placement]: number }
  readonly onBelowFloor: OnBelowFloor
  readonly phrases: "merge" | "replace"
}

/** What a move is planned from: the campaigns with their phrases and lowest bids, old settings, and how. */
export interface MigrationInput {
  /** The campaigns to move. */
  readonly campaigns: ReadonlyArray<Campaign>
  /** Where single campaigns were asked for: which. */
  readonly asked?: ReadonlyArray<number>
  /** All campaigns of the account, to find twins that an earlier move has made. */
  readonly existing: ReadonlyArray<Campaign>
  /** Those of them that cannot be read. */
  readonly unreadable?: ReadonlyArray<Unreadable>
  readonly snapshot: ReadonlyArray<OldSettings>
  /** The present phrases; those with nm_id 0 are campaign-wide. */
  readonly phrases: ReadonlyArray<MinusPhrases>
  /** Why no phrases can be read at all, where none can. */
  readonly phrasesClosed?: string
  readonly floors: ReadonlyArray<Floor>
  readonly options: MigrationOptions
  readonly guards: Guards
}

/** The input, ready for looking things up. */
export interface Migration {
  readonly existing: ReadonlyArray<Campaign>
  readonly unreadable: ReadonlyArray<Unreadable>
  readonly snapshot: ReadonlyArray<OldSettings>
  readonly options: MigrationOptions
  readonly guards: Guards
  readonly phrasesClosed: string | undefined
  readonly phrasesAt: (advert_id: number, nm_id: number) => ReadonlyArray<string>
  readonly floor: (place: Omit<Floor, "kopecks">) => Kopecks | undefined
}
