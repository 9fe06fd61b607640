import { DateTime, Option, Schema } from "effect"

const positive = Schema.Int.check(Schema.isGreaterThan(0, { message: "must be a positive integer" }))

/** A campaign. */
export const AdvertId = positive
/** An article; the campaign-wide settings of type 8 have `campaignWide` instead. */
export const NmId = positive
/** An article, or 0 for the campaign-wide settings of type 8. */
const NmIdOrZero = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0, { message: "must be an article id or 0" }))

export const campaignWide = 0

/** A campaign and one of its articles. */
export const Pair = Schema.Struct({ advert_id: AdvertId, nm_id: NmIdOrZero })
export type Pair = typeof Pair.Type

/** A pair as text, for use as a key. */
export const pairKey = ({ advert_id, nm_id }: Pair): string => `${advert_id}:${nm_id}`

/** Each pair once. */
export const distinctPairs = (pairs: ReadonlyArray<Pair>): ReadonlyArray<Pair> => [
  ...new Map(pairs.map((pair) => [pairKey(pair), pair])).values()
]

const isDay = (text: string): boolean =>
  Option.match(DateTime.make(`${text}T00:00:00Z`), {
    onNone: () => false,
    onSome: (day) => DateTime.formatIsoDateUtc(day) === text
  })

/** A calendar day, YYYY-MM-DD. */
export const Day = Schema.String.check(
  Schema.makeFilter(isDay, { message: "must be a date YYYY-MM-DD that exists" }),
  Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/)
)
