import { Schema } from "effect"

import { BidType, PaymentType, Placement } from "../client/Campaign.ts"

/** An integer, listed without the bounds of a safe one: every tool's list of fields would repeat them. */
export const whole = Schema.Number.check(Schema.isInt({ toJsonSchema: () => ({ type: "integer" }) }))

/** What to do next. */
export const next = Schema.String

/** One amount in both units; the rubles as exact decimal text. */
export const money = Schema.Struct({ kopecks: whole, rubles: Schema.String })

/** The same, or an amount in hundredths and whole units of another currency. */
export const anyMoney = Schema.Union([
  money,
  Schema.Struct({ hundredths: whole, amount: Schema.String, currency: Schema.String })
])

/** An amount that the marketplace tells, whatever it is; `odd` names what no money should be. Null where it tells none. */
export const told = Schema.NullOr(
  Schema.Union([
    Schema.Struct({ kopecks: Schema.NullOr(whole), rubles: Schema.String, odd: Schema.optionalKey(Schema.String) }),
    Schema.Struct({
      hundredths: Schema.NullOr(whole),
      amount: Schema.String,
      currency: Schema.String,
      odd: Schema.optionalKey(Schema.String)
    })
  ])
)

/** The fields of a campaign in one row. */
export const row = {
  id: whole,
  name: Schema.String,
  status: whole,
  status_text: Schema.String,
  bid_type: BidType,
  payment_type: PaymentType,
  /** Missing where it is the ruble, or not named. */
  currency: Schema.optionalKey(Schema.String),
  placements: Schema.Array(Placement)
}
