import { Effect, Schema, SchemaGetter } from "effect"

import { AdvertId, Day } from "../client/ids.ts"
import { digits, Rubles } from "../client/money.ts"

export { limit, offset } from "../../mcp/parameters.ts"

export const advertId = AdvertId.annotate({ description: "Campaign id" })

const decimal = /^\s*-?\d+(\.\d+)?\s*$/

/** A number inside the items of a list, where it may also come as text; text that is not a number is refused. */
export const numberOrText = <S extends Schema.Codec<number, number>>(number: S) =>
  Schema.Union([Schema.Number, Schema.String]).pipe(
    Schema.decodeTo(number, {
      decode: SchemaGetter.transform((given) => {
        if (typeof given === "number") return given
        return decimal.test(given) ? Number(given) : Number.NaN
      }),
      encode: SchemaGetter.transform((value): number | string => value)
    })
  )

export const whole = (least: number, message: string) =>
  numberOrText(Schema.Number.check(Schema.isInt({ message }), Schema.isGreaterThanOrEqualTo(least, { message })))

export const id = whole(1, "must be a positive integer")
const idOrZero = whole(0, "must be an article id or 0")

export const notEmpty = Schema.isMinLength(1, { message: "must not be empty" })

export const shownIds = (description: string) => ({
  inputSchema: { type: "array", description, items: { type: "integer" } }
})

export const advertIds = Schema.Array(id).check(notEmpty).annotate(shownIds("Campaign ids"))
export const nmIds = Schema.Array(id).check(notEmpty).annotate(shownIds("Article ids"))
/** The same for lists that may be empty. */
export const anyNmIds = Schema.Array(id).annotate(shownIds("Article ids"))
export const from = Day.annotate({ description: "First day, YYYY-MM-DD" })
export const to = Day.annotate({ description: "Last day, YYYY-MM-DD" })

type Properties = Readonly<Record<string, object>>

/** The schema of a list of objects for callers: with plain types, even if more is accepted. */
export const shownAs = (description: string, properties: Properties, required: ReadonlyArray<string>) => ({
  inputSchema: { type: "array", description, items: { type: "object", properties, required } }
})

export const pairs = Schema.Array(Schema.Struct({ advert_id: id, nm_id: idOrZero }))
  .check(notEmpty)
  .annotate(
    shownAs(
      "Campaign and article pairs; nm_id 0 means the campaign-wide settings of type 8",
      {
        advert_id: { type: "integer", description: "Campaign id" },
        nm_id: { type: "integer", description: "Article id, or 0" }
      },
      ["advert_id", "nm_id"]
    )
  )

export const onBelowFloor = Schema.optionalKey(
  Schema.Literals(["raise", "skip", "block"]).annotate({
    description: "What to do with a bid below the lowest allowed one, which is then asked for; default block"
  })
)

export const checkFloors = Schema.optionalKey(
  Schema.Boolean.annotate({
    description:
      "Whether to ask for the lowest bids first, one call per campaign; default for up to 20 campaigns, and with " +
      "on_below_floor"
  })
)

export const groupBy = Schema.Literals(["campaign", "day"])
  .annotate({ description: "One row per campaign, or per campaign and day; default campaign" })
  .pipe(Schema.withDecodingDefaultKey(Effect.succeed("campaign")))

/** An amount in rubles as a number; numeric text has been converted before. */
export const rubles = (description: string) =>
  Schema.Finite.annotate({ description }).pipe(
    Schema.decodeTo(Rubles, { decode: SchemaGetter.transform(digits), encode: SchemaGetter.transform(Number) })
  )
