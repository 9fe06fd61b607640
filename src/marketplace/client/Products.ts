import { Schema } from "effect"

import { AdvertId, NmId } from "./ids.ts"

/** Articles to add to and to delete from one campaign. */
export const ProductChange = Schema.Struct({
  advert_id: AdvertId,
  add_nms: Schema.optionalKey(Schema.Array(NmId)),
  delete_nms: Schema.optionalKey(Schema.Array(NmId))
})
export type ProductChange = typeof ProductChange.Type

export const UpdateProducts = Schema.Struct({ campaigns: Schema.Array(ProductChange) })
