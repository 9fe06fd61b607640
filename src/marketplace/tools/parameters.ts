import { Schema, SchemaGetter } from "effect"

import { limit as anyLimit, offset as anyOffset, shownNumber } from "../../mcp/parameters.ts"
import { AdvertId } from "../client/ids.ts"
import { digits, Rubles } from "../client/money.ts"

export const limit = (standard: number) => anyLimit(standard).annotate(shownNumber(`Default ${standard}`))
export const offset = anyOffset.annotate(shownNumber("Skip"))

export const advertId = AdvertId.annotate(shownNumber("Campaign"))

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

export const advertIds = Schema.Array(id).check(notEmpty).annotate(shownIds("Campaigns"))
export const nmIds = Schema.Array(id).check(notEmpty).annotate(shownIds("Articles"))
/** The same for lists that may be empty. */
export const anyNmIds = (description: string) => Schema.Array(id).annotate(shownIds(description))

/** A list of words, one at least. */
export const words = <S extends Schema.Codec<string, string> & { readonly literals: ReadonlyArray<string> }>(
  of: S,
  description: string
) =>
  Schema.Array(of)
    .check(notEmpty)
    .annotate({ inputSchema: { type: "array", items: { type: "string", enum: of.literals }, description } })

type Properties = Readonly<Record<string, object>>

/** The schema of a list of objects for callers: with plain types, even if more is accepted. */
export const shownAs = (description: string, properties: Properties, required: ReadonlyArray<string>) => ({
  inputSchema: { type: "array", description, items: { type: "object", properties, required } }
})

export const pairs = Schema.Array(Schema.Struct({ advert_id: id, nm_id: idOrZero }))
  .check(notEmpty)
  .annotate(
    shownAs(
      "Pairs; nm_id 0: campaign-wide (type 8)",
      {
        advert_id: { type: "integer", description: "Campaign" },
        nm_id: { type: "integer", description: "Article" }
      },
      ["advert_id", "nm_id"]
    )
  )

export const onBelowFloor = Schema.optionalKey(
  Schema.Literals(["raise", "skip", "block"]).annotate({
    description: "Below the lowest; default block"
  })
)

export const checkFloors = Schema.optionalKey(
  Schema.Boolean.annotate({
    description: "Read the lowest first"
  })
)

/** An amount in rubles as a number; numeric text has been converted before. */
export const rubles = (description: string) =>
  Schema.Finite.annotate({ description }).pipe(
    Schema.decodeTo(Rubles, { decode: SchemaGetter.transform(digits), encode: SchemaGetter.transform(Number) })
  )
