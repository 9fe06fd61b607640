import type { DailyLimit, Purse } from "../client/Account.ts"
import { type Campaign, mayChange, paymentOf, statusText, type Unreadable, whyAbsent } from "../client/Campaign.ts"
import type { Guards } from "../client/MarketplaceConfig.ts"
import { isKopecks, type Kopecks, kopecksToRubles } from "../client/money.ts"
import { draft, type Finding, forEachPlace } from "./draft.ts"
import { currencyProblem } from "./guards.ts"
import type { Draft } from "./Plan.ts"

/** Money for the budget of a campaign. */
interface TopUp {
  readonly advert_id: number
  readonly rubles: number
  readonly from: Purse
}

/** The most that a campaign may spend in a day; null for no limit. */
interface LimitWish {
  readonly advert_id: number
  readonly to: Kopecks | null
}

/** The input for planning money; campaigns, budgets and limits as they were read. */
interface MoneyInput {
  readonly campaigns: ReadonlyArray<Campaign>
  /** Requested campaigns that cannot be read. */
  readonly unreadable?: ReadonlyArray<Unreadable>
  readonly topUps: ReadonlyArray<TopUp>
  readonly limits: ReadonlyArray<LimitWish>
  /** The money of campaigns in kopecks; none where it is not told. */
  readonly budgets: ReadonlyMap<number, Kopecks>
  readonly dailyLimits: ReadonlyArray<DailyLimit>
  /** The money of the account by purse, in kopecks; none where it is not told. */
  readonly purses: { readonly [purse in Purse]: number | null }
  /** The least amounts of the marketplace, in kopecks, where they are told. */
  readonly least: { readonly topUp: number | null; readonly dailyLimit: number | null }
  readonly guards: Guards
}

const rubles = (amount: number): string => (isKopecks(amount) ? kopecksToRubles(amount) : String(amount / 100))

/** Top-ups of budgets and daily limits. Money in a budget cannot be taken back, so no rollback does. */
export const planMoney = (input: MoneyInput): Draft => {
  const campaigns = new Map(input.campaigns.map((campaign) => [campaign.id, campaign]))
  const dailyLimits = new Map(input.dailyLimits.map((limit) => [limit.advertId, limit]))

  const placeProblem = (id: number): string | undefined => {
    const campaign = campaigns.get(id)
    if (campaign === undefined) return whyAbsent(input.unreadable ?? [], id)
    return currencyProblem(campaign) ?? (mayChange(campaign) ? undefined : `it is ${statusText(campaign.status)}`)
  }

  const topUp = ({ advert_id, from, rubles: sum }: TopUp, what: string): ReadonlyArray<Finding> => {
    const least = input.least.topUp ?? 0
    const before = input.budgets.get(advert_id)
    const problem =
      placeProblem(advert_id) ??
      (sum * 100 < least ? `${sum} rub are below the least top-up of ${rubles(least)} rub` : undefined)
    if (problem !== undefined) return [{ what, reason: problem }]
    if (before === undefined)
      return [{ what, reason: "its budget cannot be read, and without it no top-up can be confirmed" }]
    const reason = `asked for, from the ${from}; it stays there for good`
    return [{ change: { kind: "deposit", target: advert_id, rubles: sum, purse: from, before }, reason }]
  }

  const limitProblem = ({ advert_id, to }: LimitWish): string | undefined => {
    const campaign = campaigns.get(advert_id)
    if (campaign !== undefined && paymentOf(campaign) !== "cpc") {
      return "only campaigns that pay for clicks (cpc) have daily limits"
    }
    if (to === 0) return "a daily limit must be above 0; null removes it"
    const row = dailyLimits.get(advert_id)
    if (row === undefined) return "the marketplace does not tell its daily limit"
    const least = row.requiredLimit ?? input.least.dailyLimit ?? 0
    return to !== null && to < least
      ? `${rubles(to)} rub are below the least daily limit of ${rubles(least)} rub`
      : undefined
  }

  const limit = (wish: LimitWish, what: string): ReadonlyArray<Finding> => {
    const { advert_id, to } = wish
    const problem = placeProblem(advert_id) ?? limitProblem(wish)
    if (problem !== undefined) return [{ what, reason: problem }]
    const { dailyLimit, enabled } = dailyLimits.get(advert_id) ?? {}
    const before = enabled === true && isKopecks(dailyLimit) && dailyLimit > 0 ? dailyLimit : null
    if (before === to) return []
    return [{ change: { kind: "limit", target: advert_id, before, after: to }, reason: "asked for" }]
  }

  return draft("money", input.guards, [
    ...forEachPlace(input.topUps, ({ advert_id }) => `deposit ${advert_id}`, topUp),
    ...forEachPlace(input.limits, ({ advert_id }) => `limit ${advert_id}`, limit),
    ...lacking(input)
  ])
}

/** A warning about each purse that holds less than is to be taken from it. */
const lacking = ({ purses, topUps }: MoneyInput): ReadonlyArray<Finding> => {
  const sums = new Map<Purse, number>()
  for (const { from, rubles: sum } of topUps) sums.set(from, (sums.get(from) ?? 0) + sum)
  return [...sums].flatMap(([purse, sum]) => {
    const holds = purses[purse]
    return holds === null || sum * 100 <= holds
      ? []
      : [{ warning: `The ${purse} holds ${rubles(holds)} rub, and ${sum} rub are to be taken from it` }]
  })
}
