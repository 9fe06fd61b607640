import { Schema, SchemaGetter } from "effect"

import { PaymentType, status } from "../../marketplace/Campaign.ts"
import { AdvertId, Day } from "../../marketplace/ids.ts"

/** A whole number in a query. */
const Whole = Schema.String.check(Schema.isPattern(/^-?\d+$/)).pipe(Schema.decodeTo(Schema.NumberFromString))

/** Values with commas between them. */
const listOf = <S extends Schema.Codec<unknown, number>>(item: S) =>
  Schema.String.pipe(
    Schema.decodeTo(Schema.Array(Whole.pipe(Schema.decodeTo(item))), {
      decode: SchemaGetter.transform((text: string) => text.split(",").filter((part) => part.trim() !== "")),
      encode: SchemaGetter.transform((parts: ReadonlyArray<string>) => parts.join(","))
    })
  )

const Id = Whole.pipe(Schema.decodeTo(AdvertId))
const Ids = listOf(AdvertId)

export const Nothing = Schema.Struct({})

export const OneCampaign = Schema.Struct({ id: Id })
export type OneCampaign = typeof OneCampaign.Type

export const CampaignFilter = Schema.Struct({
  ids: Schema.optionalKey(Ids),
  statuses: Schema.optionalKey(listOf(Schema.Literals(Object.values(status)))),
  payment_type: Schema.optionalKey(PaymentType)
})
export type CampaignFilter = typeof CampaignFilter.Type

export const Fullstats = Schema.Struct({
  ids: Ids.check(Schema.isMinLength(1), Schema.isMaxLength(50)),
  beginDate: Day,
  endDate: Day
})
export type Fullstats = typeof Fullstats.Type

export const Keywords = Schema.Struct({ advert_id: Id, from: Day, to: Day })
export type Keywords = typeof Keywords.Type
