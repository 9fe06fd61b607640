import { Schema } from "effect"

import { open } from "../../internal/schema/JsonObject.ts"
import { Told } from "./money.ts"

/** The money of one campaign, in rubles. */
export const Budget = open({
  cash: Told,
  netting: Told,
  total: Told,
  currency: Schema.optionalKey(Schema.NullOr(Schema.String))
})
export type Budget = typeof Budget.Type

/** The money of several campaigns, in rubles. */
export const BudgetList = open({
  adverts: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(
        open({ advertId: Schema.Int, total: Told, currency: Schema.optionalKey(Schema.NullOr(Schema.String)) })
      )
    )
  )
})
/** The money of one of several campaigns, in rubles. */
export type CampaignBudget = NonNullable<NonNullable<(typeof BudgetList.Type)["adverts"]>>[number]

/** How many campaigns there are, by type and status. */
export const CampaignCount = open({
  all: Schema.Int,
  adverts: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(
        open({
          type: Schema.Int,
          status: Schema.Int,
          count: Schema.Int,
          advert_list: Schema.optionalKey(
            Schema.NullOr(Schema.Array(open({ advertId: Schema.Int, changeTime: Schema.optionalKey(Schema.String) })))
          )
        })
      )
    )
  )
})
export type CampaignCount = typeof CampaignCount.Type
