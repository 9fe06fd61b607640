import { Schema } from "effect"

import { AdvertId, NmId } from "../client/ids.ts"
import { RublesGiven } from "../client/money.ts"

/** What a campaign of type 8 was set to, taken down before its interface was switched off. Money in rubles. */
export const OldSettings = Schema.Struct({
  advert_id: AdvertId,
  /** The one bid of the campaign. */
  bid_rubles: Schema.optionalKey(RublesGiven),
  /** Bids of single articles, where they differed. */
  bids: Schema.optionalKey(Schema.Array(Schema.Struct({ nm_id: NmId, rubles: RublesGiven }))),
  /** The campaign-wide minus-phrases, those of nm_id 0. */
  minus_phrases: Schema.optionalKey(Schema.Array(Schema.String)),
  nm_ids: Schema.optionalKey(Schema.Array(NmId))
})
export type OldSettings = typeof OldSettings.Type
