import {
  type Campaign,
  findByName,
  hasClusterBids,
  isThere,
  type ManualPlacement,
  mayChange,
  nameOf,
  shownAt,
  status,
  statusText,
  type Unreadable,
  whyAbsent
} from "../client/Campaign.ts"
import type { Guards } from "../client/MarketplaceConfig.ts"
import { type Kopecks, kopecksToRubles } from "../client/money.ts"
import { canMove, type Change } from "./Change.ts"
import { draft, type Finding, forEachPlace } from "./draft.ts"
import { twinnedIn } from "./migrateCampaign.ts"
import type { Draft } from "./Plan.ts"
import { nameProblem } from "./planCampaign.ts"

/** A campaign, and the one that takes its place. */
export interface Pairing {
  readonly from: number
  readonly to: number
}

/** Another name or other placements for campaigns. */
export interface Settings {
  readonly ids: ReadonlyArray<number>
  readonly name?: string
  readonly placements?: ReadonlyArray<ManualPlacement>
}

/** The input for planning starts, pauses, ends and settings; campaigns and budgets as they were read. */
interface StateInput {
  readonly campaigns: ReadonlyArray<Campaign>
  /** Campaigns that cannot be read. */
  readonly unreadable?: ReadonlyArray<Unreadable>
  /** The money of campaigns in kopecks; none where it is not told. */
  readonly budgets: ReadonlyMap<number, Kopecks>
  readonly pause: ReadonlyArray<number>
  readonly start: ReadonlyArray<number>
  readonly end: ReadonlyArray<number>
  readonly switchOver: ReadonlyArray<Pairing>
  readonly settings: Settings
  readonly guards: Guards
}

interface Wish {
  readonly id: number
  readonly after: Extract<Change, { readonly kind: "state" }>["after"]
  readonly partner?: number
}

/** Starts, pauses and ends of campaigns, and their settings; of a pair, the old campaign pauses once the new one runs. */
export const planState = (input: StateInput): Draft => {
  const campaigns = new Map(input.campaigns.map((campaign) => [campaign.id, campaign]))
  const wishes: ReadonlyArray<Wish> = [
    ...input.start.map((id) => ({ id, after: status.active })),
    ...input.pause.map((id) => ({ id, after: status.paused })),
    ...input.end.map((id) => ({ id, after: status.finished })),
    ...input.switchOver.flatMap(({ from, to }) => [
      { id: to, after: status.active, partner: from },
      { id: from, after: status.paused, partner: to }
    ])
  ]

  const problemWith = ({ after, id, partner }: Wish): string | undefined => {
    const campaign = campaigns.get(id)
    if (campaign === undefined) return whyAbsent(input.unreadable ?? [], id)
    if (campaign.status === after) return undefined
    if (!canMove(campaign.status, after)) return `it is ${statusText(campaign.status)}, and ${obstacles[after]}`
    if (after === status.active && input.budgets.get(id) === 0) return "it has no money: ads_plan_money adds some"
    const isReplaced = partner === undefined || problemWith({ id: partner, after: status.active }) === undefined
    return after === status.active || isReplaced
      ? undefined
      : `campaign ${partner}, which takes its place, cannot start`
  }

  const moneyOf = (id: number): string => {
    const budget = input.budgets.get(id)
    return budget === undefined ? "" : `, with ${kopecksToRubles(budget)} rub`
  }

  const reasonOf = ({ after, id, partner }: Wish): string => {
    if (after === status.finished) return `asked for; it ends for good${moneyOf(id)}`
    if (partner === undefined) return "asked for"
    if (after === status.paused) return `campaign ${partner} takes its place`
    return `takes the place of campaign ${partner}${moneyOf(id)}`
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
  return draft("state", input.guards, [
    ...forEachPlace(wishes, ({ id }) => `state ${id}`, find),
    ...renamed(input, campaigns),
    ...placed(input, campaigns)
  ])
}

const obstacles = {
  [status.active]: "cannot start",
  [status.paused]: "does not run",
  [status.finished]: "cannot end"
} as const

/** Names are unique, as they identify a new campaign after an interruption. */
const renamed = (
  { campaigns: all, settings: { ids, name }, unreadable = [] }: StateInput,
  campaigns: ReadonlyMap<number, Campaign>
): ReadonlyArray<Finding> => {
  if (name === undefined) return []
  return ids.flatMap((id): ReadonlyArray<Finding> => {
    const campaign = campaigns.get(id)
    const what = `name ${id}`
    if (campaign === undefined) return [{ what, reason: whyAbsent(unreadable, id) }]
    if (nameOf(campaign) === name) return []
    const problem = nameProblem(name)
    if (problem !== undefined) return [{ what, reason: problem }]
    if (!isThere(campaign)) return [{ what, reason: `it is ${statusText(campaign.status)}` }]
    const namesake = findByName(all, name)?.id ?? unreadable.find((odd) => odd.name === name)?.advert_id
    if (namesake !== undefined) return [{ what, reason: `campaign ${namesake} has this name already` }]
    const old = campaigns.get(twinnedIn(nameOf(campaign)) ?? 0)
    const isLost = old !== undefined && isThere(old) && twinnedIn(name) !== old.id
    return [
      { change: { kind: "name", target: id, before: nameOf(campaign), after: name }, reason: "asked for" },
      ...(isLost ? [{ warning: lostTwin(id, old.id) }] : [])
    ]
  })
}

const lostTwin = (id: number, old: number): string =>
  `Campaign ${id} is known as the twin of campaign ${old} by the end of its name: after this, a migration of ${old} creates another`

/** Only campaigns with manual bids that pay per view have placements of their own. */
const placed = (
  { settings: { ids, placements }, unreadable = [] }: StateInput,
  campaigns: ReadonlyMap<number, Campaign>
): ReadonlyArray<Finding> => {
  if (placements === undefined) return []
  return ids.flatMap((id): ReadonlyArray<Finding> => {
    const campaign = campaigns.get(id)
    const what = `placements ${id}`
    if (campaign === undefined) return [{ what, reason: whyAbsent(unreadable, id) }]
    if (!mayChange(campaign)) return [{ what, reason: `placements cannot change in status ${campaign.status}` }]
    if (!hasClusterBids(campaign)) {
      return [{ what, reason: "only campaigns with manual bids that pay for views (cpm) have placements" }]
    }
    const before = shownAt(campaign.settings.placements)
    if (before.length === 0) {
      return [{ what, reason: "the marketplace does not tell its placements, so no rollback could restore them" }]
    }
    const after = [...new Set(placements)].toSorted()
    if (after.length === before.length && before.every((place) => after.includes(place))) return []
    return [{ change: { kind: "placements", target: id, before, after }, reason: "asked for" }]
  })
}
