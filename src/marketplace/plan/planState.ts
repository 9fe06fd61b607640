import { type Campaign, status, statusText, type Unreadable, whyAbsent } from "../client/Campaign.ts"
import type { Guards } from "../client/MarketplaceConfig.ts"
import { type Kopecks, kopecksToRubles } from "../client/money.ts"
import { draft, type Finding, forEachPlace } from "./draft.ts"
import type { Draft } from "./Plan.ts"

/** A campaign, and the one that takes its place. */
export interface Pairing {
  readonly from: number
  readonly to: number
}

/** The input for planning starts and pauses; campaigns and budgets as they were read. */
interface StateInput {
  readonly campaigns: ReadonlyArray<Campaign>
  /** Requested campaigns that cannot be read. */
  readonly unreadable?: ReadonlyArray<Unreadable>
  /** The money of campaigns in kopecks; none where it is not told. */
  readonly budgets: ReadonlyMap<number, Kopecks>
  readonly pause: ReadonlyArray<number>
  readonly start: ReadonlyArray<number>
  readonly switchOver: ReadonlyArray<Pairing>
  readonly guards: Guards
}

interface Wish {
  readonly id: number
  readonly after: typeof status.active | typeof status.paused
  readonly partner?: number
}

/** Starts and pauses of campaigns; of a pair, the old campaign pauses once the new one runs. */
export const planState = (input: StateInput): Draft => {
  const campaigns = new Map(input.campaigns.map((campaign) => [campaign.id, campaign]))
  const wishes: ReadonlyArray<Wish> = [
    ...input.start.map((id) => ({ id, after: status.active })),
    ...input.pause.map((id) => ({ id, after: status.paused })),
    ...input.switchOver.flatMap(({ from, to }) => [
      { id: to, after: status.active, partner: from },
      { id: from, after: status.paused, partner: to }
    ])
  ]

  const problemWith = ({ after, id, partner }: Wish): string | undefined => {
    const campaign = campaigns.get(id)
    if (campaign === undefined) return whyAbsent(input.unreadable ?? [], id)
    if (campaign.status === after) return undefined
    const standing = statusText(campaign.status)
    if (after === status.active) {
      if (campaign.status !== status.ready && campaign.status !== status.paused)
        return `it is ${standing}, and cannot start`
      return input.budgets.get(id) === 0 ? "it has no money: ads_plan_money adds some" : undefined
    }
    if (campaign.status !== status.active) return `it is ${standing}, and does not run`
    const isReplaced = partner === undefined || problemWith({ id: partner, after: status.active }) === undefined
    return isReplaced ? undefined : `campaign ${partner}, which takes its place, cannot start`
  }

  const reasonOf = ({ after, id, partner }: Wish): string => {
    if (partner === undefined) return "asked for"
    if (after === status.paused) return `campaign ${partner} takes its place`
    const budget = input.budgets.get(id)
    return `takes the place of campaign ${partner}${budget === undefined ? "" : `, with ${kopecksToRubles(budget)} rub`}`
  }

  const find = (wish: Wish, what: string): ReadonlyArray<Finding> => {
    const { after, id, partner } = wish
    const problem = problemWith(wish)
    if (problem !== undefined) return [{ what, reason: problem }]
    const before = campaigns.get(id)?.status ?? after
    if (before === after) return []
    const other = partner === undefined ? {} : { partner }
    return [{ change: { kind: "state", target: id, before, after, ...other }, reason: reasonOf(wish) }]
  }
  return draft(
    "state",
    input.guards,
    forEachPlace(wishes, ({ id }) => `state ${id}`, find)
  )
}
