import { Schema } from "effect"

import { open } from "../../internal/schema/JsonObject.ts"
import { AdvertId, Day } from "./ids.ts"
import { Told } from "./money.ts"

const Currency = Schema.optionalKey(Schema.NullOr(Schema.String))
const Text = Schema.optionalKey(Schema.NullOr(Schema.String))
const Flag = Schema.optionalKey(Schema.NullOr(Schema.Boolean))

/** A list that may be missing or null. */
const listOf = <S extends Schema.Codec<unknown, unknown>>(item: S) =>
  Schema.optionalKey(Schema.NullOr(Schema.Array(item)))

/** The money of several campaigns, in rubles. */
export const BudgetList = open({
  adverts: listOf(open({ advertId: Schema.Int, total: Told, currency: Currency }))
})
/** The money of one of several campaigns, in rubles. */
export type CampaignBudget = NonNullable<NonNullable<(typeof BudgetList.Type)["adverts"]>>[number]

/** The number of campaigns, by type and status. */
export const CampaignCount = open({
  all: Schema.Int,
  adverts: listOf(
    open({
      type: Schema.Int,
      status: Schema.Int,
      count: Schema.Int,
      advert_list: listOf(open({ advertId: Schema.Int, changeTime: Schema.optionalKey(Schema.String) }))
    })
  )
})
export type CampaignCount = typeof CampaignCount.Type

/** The money of the account, in rubles: its own, the most that is taken from future sales (`net`), and bonuses. */
export const Balance = open({ balance: Told, net: Told, bonus: Told, currency: Currency })
export type Balance = typeof Balance.Type

/** Values of the interface in hundredths of the account's currency: steps of bids, and the least amounts. */
export const PromotionConfig = open({
  currency: Currency,
  cpmStep: Told,
  cpcStep: Told,
  minTopUp: Told,
  minDailyLimit: Told
})
export type PromotionConfig = typeof PromotionConfig.Type

/** One expense of a campaign, in rubles, with the number of its document; the number is 0 before there is one. */
const Expense = open({
  advertId: Schema.Int,
  updNum: Told,
  updTime: Text,
  updSum: Told,
  campName: Text,
  paymentType: Text
})
export type Expense = typeof Expense.Type

export const ExpensesReply = Schema.NullOr(Schema.Array(Expense))

/** The first and the last day of a history. */
export const DayRange = Schema.Struct({ from: Day, to: Day })
export type DayRange = typeof DayRange.Type

/** The daily limit of a campaign that pays for clicks, in kopecks. */
const DailyLimit = open({
  advertId: Schema.Int,
  enabled: Flag,
  dailyLimit: Told,
  spentToday: Told,
  carryOverEnabled: Flag,
  requiredLimit: Told,
  currency: Currency
})
export type DailyLimit = typeof DailyLimit.Type

export const DailyLimitsReply = open({ adverts: listOf(DailyLimit) })

const positive = Schema.Int.check(Schema.isGreaterThan(0, { message: "must be a positive integer" }))

/** The daily limit of campaigns, in kopecks; one that is not enabled needs no amount. */
export const DailyLimitChange = Schema.Struct({
  advertIds: Schema.Array(AdvertId),
  enabled: Schema.Boolean,
  dailyLimit: Schema.optionalKey(positive),
  carryOverEnabled: Schema.optionalKey(Schema.Boolean)
})
export type DailyLimitChange = typeof DailyLimitChange.Type

/** The campaigns whose limit was too low to be taken, and what it must be at least, in kopecks. */
export const DailyLimitsSet = Schema.Union([
  open({ adverts: listOf(open({ advertId: Schema.Int, belowMinLimit: Flag, requiredLimit: Told })) }),
  Schema.Null,
  Schema.String
])

/** The purse that pays a top-up: the account, the balance of future sales, or bonuses. */
export const Purse = Schema.Literals(["account", "balance", "bonus"])
export type Purse = typeof Purse.Type

/** Money for a campaign's budget, in whole rubles. */
export const Deposit = Schema.Struct({ advert_id: AdvertId, rubles: positive, from: Purse })
export type Deposit = typeof Deposit.Type

/** The budget after a top-up, in rubles; the answer may be empty. */
export const DepositReply = Schema.Union([open({ total: Told }), Schema.Null, Schema.String])
