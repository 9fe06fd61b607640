import { Schema } from "effect"

import { next, whole } from "../../changes/tools/results.ts"
import {
  type Article,
  BidType,
  PaymentType,
  Placement,
  articlesOf,
  bidOf,
  type Campaign,
  nameOf,
  paymentOf,
  placementsOf,
  statusText,
  type Unreadable
} from "../client/Campaign.ts"
import { type AmountTold, foreign, type Kopecks, kopecksToRubles, money } from "../client/money.ts"

/* Amounts, campaigns and lists as answers show them: first the shapes that clients may rely on, open to fields that are not named. */

/** One amount in both units; the rubles as exact decimal text. */
export const amountShape = Schema.Struct({ kopecks: whole, rubles: Schema.String })

/** The same, or an amount in hundredths and whole units of another currency. */
export const anyMoney = Schema.Union([
  amountShape,
  Schema.Struct({ hundredths: whole, amount: Schema.String, currency: Schema.String })
])

/** An amount returned by the marketplace, whatever it is; `odd` says what is wrong with it. Null if it is missing. */
export const reportedAmount = Schema.NullOr(
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
  /** Missing if it is the ruble, or not given. */
  currency: Schema.optionalKey(Schema.String),
  placements: Schema.Array(Placement)
}

export { moment, more } from "../../changes/tools/summary.ts"

/** The campaigns that cannot be read, with the problems of the first ones; nothing if there are none. */
export const leftOut = (unreadable: ReadonlyArray<Unreadable>) =>
  unreadable.length === 0
    ? {}
    : {
        unreadable: unreadable.slice(0, 20).map(({ advert_id, problem }) => ({ advert_id, problem })),
        unreadable_count: unreadable.length
      }

const currencyShown = ({ currency }: Campaign) => {
  const other = foreign(currency)
  return other === undefined ? {} : { currency: other }
}

/** A campaign in one row. */
export const campaignRow = (campaign: Campaign) => ({
  id: campaign.id,
  name: nameOf(campaign),
  status: campaign.status,
  status_text: statusText(campaign.status),
  bid_type: campaign.bid_type,
  payment_type: paymentOf(campaign),
  ...currencyShown(campaign),
  placements: placementsOf(campaign),
  articles: articlesOf(campaign).length
})

type Currency = string | null | undefined

/** An amount in both units; another currency is not called rubles. */
const amountIn = (currency: Currency, hundredths: Kopecks) => {
  const other = foreign(currency)
  return other === undefined ? money(hundredths) : { hundredths, amount: kopecksToRubles(hundredths), currency: other }
}

/** An amount returned by the marketplace; another currency is not called rubles. */
export const toldIn = (currency: Currency, reported: AmountTold | null) => {
  const other = foreign(currency)
  if (other === undefined || reported === null) return reported
  const { kopecks: hundredths, rubles: amount, ...odd } = reported
  return { hundredths, amount, currency: other, ...odd }
}

/** The money of a campaign; null if it was not read. */
export const budgetShown = ({ currency }: Campaign, budget: AmountTold | null) => toldIn(currency, budget)

/** An article with its bids. */
export const articleRow = (campaign: Campaign, article: Article) => ({
  nm_id: article.nm_id,
  ...(typeof article.subject?.name !== "string" ? {} : { subject: article.subject.name }),
  bids: Object.fromEntries(
    placementsOf(campaign).map((placement) => {
      const bid = bidOf(article, placement)
      return [placement, bid === null ? null : amountIn(campaign.currency, bid)]
    })
  )
})

/** A start or a pause, done or only shown. */
export const moveShown = Schema.Struct({
  done: Schema.Boolean,
  campaign: Schema.Struct({ ...row, articles: whole }),
  budget: reportedAmount,
  status_now: Schema.optionalKey(whole),
  status_text_now: Schema.optionalKey(Schema.String),
  next
})

/** A pause: of one campaign, or of several at once. */
export const pauseShown = Schema.Struct({
  done: Schema.Boolean,
  campaign: Schema.optionalKey(moveShown.fields.campaign),
  budget: Schema.optionalKey(reportedAmount),
  status_now: Schema.optionalKey(whole),
  status_text_now: Schema.optionalKey(Schema.String),
  pause_id: Schema.optionalKey(Schema.String),
  paused: Schema.optionalKey(whole),
  still_running: Schema.optionalKey(whole),
  failed: Schema.optionalKey(Schema.Array(Schema.Struct({ advert_id: whole, problem: Schema.String }))),
  next
})
