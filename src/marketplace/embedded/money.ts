import { DateTime, Schema } from "effect"

import type { Purse } from "../client/Account.ts"
import { status } from "../client/Campaign.ts"
import { Day } from "../client/ids.ts"
import { budgetNow } from "./budgets.ts"
import { articleDay, dayNumber, dayOf } from "./demand.ts"
import { type Call, type Endpoint, Id, type On } from "./Endpoint.ts"
import { error, errorFormats, ok, refuse, type Reply, type Written } from "./Reply.ts"
import { type Advert, isChangeable, type State, withAdvert } from "./State.ts"

const Budgets = Schema.Struct({ advertIds: Schema.Array(Schema.Int) })
type Budgets = typeof Budgets.Type

/** Only for campaigns that can still run. */
const budgets = (state: State, { advertIds }: Budgets, { now }: Call): Reply => {
  const changeable = advertIds.flatMap((id) => state.adverts.get(id) ?? []).filter(isChangeable)
  return ok({
    adverts: changeable.map((advert) => ({
      advertId: advert.id,
      total: budgetNow(state, advert, now),
      currency: "RUB"
    }))
  })
}

const Nothing = Schema.Struct({})

const balance = ({ purse }: State): Reply =>
  ok({ balance: purse.account, net: purse.balance, bonus: purse.bonus, currency: "RUB", cashbacks: [] })

const Deposit = Schema.Struct({
  id: Id,
  sum: Schema.Int.check(Schema.isGreaterThan(0)),
  type: Schema.optionalKey(Schema.Literals([0, 1, 3])),
  return: Schema.optionalKey(Schema.Boolean)
})
type Deposit = typeof Deposit.Type

const purses: Readonly<Record<number, Purse>> = { 0: "account", 1: "balance", 3: "bonus" }

const leastDeposit = 1000

const deposit = (state: State, { id, return: isTold, sum, type = 0 }: Deposit, { now }: Call): Written => {
  const advert = state.adverts.get(id)
  const purse = purses[type] ?? "account"
  if (advert === undefined || !isChangeable(advert)) return refuse(state, error("Invalid Advert: invalid advert"))
  if (sum < leastDeposit) {
    return refuse(state, error(`Invalid Params: minimum deposit amount is ${leastDeposit}`))
  }
  if (state.purse[purse] < sum) return refuse(state, error("Low Balance: not enough money"))
  const budget = budgetNow(state, advert, now) + sum
  const paid = advert.budgetAt === undefined ? {} : { budgetAt: DateTime.toEpochMillis(now) }
  return {
    state: {
      ...withAdvert(state, { ...advert, budget, ...paid }),
      purse: { ...state.purse, [purse]: state.purse[purse] - sum }
    },
    reply: isTold === true ? ok({ total: budget, currency: "RUB" }) : { status: 200 }
  }
}

const isForClicks = (advert: Advert): boolean => advert.payment_type === "cpc" && isChangeable(advert)

const kopecksOn = (state: State, advert: Advert, day: number, now: number): number =>
  advert.rows.reduce((sum, { nm_id }) => sum + articleDay(state, advert, nm_id, day, now).spent, 0)

const leastLimit = 50_000

const dailyLimits = (state: State, _: typeof Nothing.Type, { now: moment }: Call): Reply => {
  const now = DateTime.toEpochMillis(moment)
  return ok({
    adverts: [...state.adverts.values()].filter(isForClicks).map((advert) => {
      const limit = state.dailyLimits.get(advert.id)
      return {
        advertId: advert.id,
        enabled: limit?.enabled ?? false,
        dailyLimit: limit?.dailyLimit ?? 0,
        spentToday: advert.status === status.active ? kopecksOn(state, advert, dayNumber(now), now) : 0,
        carryOverEnabled: limit?.carryOverEnabled ?? false,
        valid: true,
        requiredLimit: leastLimit,
        currency: "RUB"
      }
    })
  })
}

const NewLimits = Schema.Struct({
  advertIds: Schema.Array(Schema.Int),
  enabled: Schema.Boolean,
  dailyLimit: Schema.optionalKey(Schema.Int),
  carryOverEnabled: Schema.optionalKey(Schema.Boolean)
})
type NewLimits = typeof NewLimits.Type

const setDailyLimits = (before: State, change: NewLimits): Written => {
  const { advertIds, carryOverEnabled = false, dailyLimit = 0, enabled } = change
  const limits = new Map(before.dailyLimits)
  const rows = advertIds.flatMap((advertId) => {
    const advert = before.adverts.get(advertId)
    if (advert === undefined || !isForClicks(advert)) return []
    const belowMinLimit = enabled && dailyLimit < leastLimit
    if (!belowMinLimit) limits.set(advertId, { enabled, dailyLimit, carryOverEnabled })
    return [{ advertId, belowMinLimit, requiredLimit: leastLimit }]
  })
  return { state: { ...before, dailyLimits: limits }, reply: ok({ adverts: rows }) }
}

const History = Schema.Struct({ from: Day, to: Day })
type History = typeof History.Type

/** One expense for each campaign and day. */
const expenses = (state: State, { from, to }: History, { now: moment }: Call): Reply => {
  const now = DateTime.toEpochMillis(moment)
  const days = Array.from({ length: Math.max(0, dayOf(to) - dayOf(from) + 1) }, (_, index) => dayOf(from) + index)
  return ok(
    [...state.adverts.values()].flatMap((advert) =>
      days.flatMap((day) => {
        const rubles = Math.round(kopecksOn(state, advert, day, now) / 100)
        if (rubles === 0) return []
        const updTime = `${DateTime.formatIsoDateUtc(DateTime.makeUnsafe(day * 86_400_000))}T23:59:00+03:00`
        return [
          {
            updNum: 0,
            updTime,
            updSum: rubles,
            advertId: advert.id,
            campName: advert.name,
            advertType: 9,
            paymentType: "Баланс",
            advertStatus: advert.status
          }
        ]
      })
    )
  )
}

/** The operations about money. */
export const money = (on: On): ReadonlyArray<Endpoint> => {
  const { campaigns, deposits, history, money: budget } = errorFormats
  return [
    on("POST", "/api/advert/v2/budget", budget, Budgets, { read: budgets }),
    on("GET", "/adv/v1/balance", budget, Nothing, { read: balance }),
    on("POST", "/adv/v1/budget/deposit", deposits, Deposit, { write: deposit }),
    on("GET", "/api/advert/v0/daily-limits", campaigns, Nothing, { read: dailyLimits }),
    on("PUT", "/api/advert/v0/daily-limits", campaigns, NewLimits, { write: setDailyLimits }),
    on("GET", "/adv/v1/upd", history, History, { read: expenses })
  ]
}
