import { Schema } from "effect"

import { ManualPlacement, PaymentType } from "./Campaign.ts"
import { NmId } from "./ids.ts"

/** A name or a search cluster that people can see: spaces and invisible signs alone are none. */
export const Visible = Schema.String.check(Schema.isPattern(/[^\s\p{C}\p{Z}]/u, { message: "must not be blank" }))

/** A campaign of type 9 to be created; it starts without money in the status "ready". */
export const NewCampaign = Schema.Struct({
  name: Visible,
  nms: Schema.optionalKey(Schema.Array(NmId)),
  bid_type: Schema.optionalKey(Schema.Literals(["manual", "unified"])),
  payment_type: Schema.optionalKey(PaymentType),
  placement_types: Schema.optionalKey(Schema.Array(ManualPlacement))
})
export type NewCampaign = typeof NewCampaign.Type

/** The answer is a bare number, the id of the new campaign; the document does not show it, so text is read as well. */
export const NewCampaignId = Schema.Union([Schema.Int, Schema.NumberFromString.check(Schema.isInt())])
