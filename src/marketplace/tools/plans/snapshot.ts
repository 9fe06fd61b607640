import { Schema } from "effect"

import { RublesGiven } from "../../client/money.ts"
import { OldSettings } from "../../plan/Snapshot.ts"
import { id, shownAs } from "../parameters.ts"

/** The snapshot as callers give it: its ids may come as text. */
export const snapshot = Schema.Array(
  Schema.Struct({
    ...OldSettings.fields,
    advert_id: id,
    bids: Schema.optionalKey(Schema.Array(Schema.Struct({ nm_id: id, rubles: RublesGiven }))),
    nm_ids: Schema.optionalKey(Schema.Array(id))
  })
).annotate(
  shownAs(
    "Old settings of type 8, taken down before the switch-off; money in rubles",
    {
      advert_id: { type: "integer", description: "Campaign id" },
      bid_rubles: { type: "number", description: "The campaign's one bid in rubles" },
      bids: {
        type: "array",
        description: "Bids of single articles that differed",
        items: {
          type: "object",
          properties: {
            nm_id: { type: "integer", description: "Article id" },
            rubles: { type: "number", description: "Bid in rubles" }
          },
          required: ["nm_id", "rubles"]
        }
      },
      minus_phrases: { type: "array", description: "Campaign-wide phrases", items: { type: "string" } },
      nm_ids: { type: "array", description: "Articles it had", items: { type: "integer" } }
    },
    ["advert_id"]
  )
)
