import { Schema } from "effect"

import { clipped } from "../../internal/foreignText.ts"
import {
  type Campaign,
  findByName,
  type ManualPlacement,
  type PaymentType,
  type Unreadable,
  Visible
} from "../client/Campaign.ts"
import type { Guards } from "../client/MarketplaceConfig.ts"
import { foreign, kopecksToRubles, type Kopecks } from "../client/money.ts"
import { caps } from "../client/operations.ts"
import { chunks } from "../client/split.ts"
import { changeKey, type Create, type Target } from "./Change.ts"
import { draft, type Finding } from "./draft.ts"
import { anyStep, type BidSteps, onStep } from "./floors.ts"
import { campaignProblem } from "./guards.ts"
import type { Draft } from "./Plan.ts"

/** The input for planning a new campaign. */
export interface CampaignInput {
  readonly name: string
  readonly nms: ReadonlyArray<number>
  readonly payment_type: PaymentType
  readonly placements: ReadonlyArray<ManualPlacement>
  /** The first bid of every article; by default the marketplace sets the minimum. */
  readonly bid?: Kopecks
  /** By default any amount of kopecks is taken. */
  readonly steps?: BidSteps
  /** All campaigns of the account: names must be unique, as they identify a new campaign after an interruption. */
  readonly existing: ReadonlyArray<Campaign>
  readonly unreadable?: ReadonlyArray<Unreadable>
  readonly guards: Guards
}

export const longestName = 100

const isVisible = Schema.is(Visible)

/** The problem of a name, if it has one. */
export const nameProblem = (name: string): string | undefined => {
  if (!isVisible(name)) return "its name is blank"
  if (/\p{Cc}/u.test(name)) return "a name is a single line without control characters"
  return name.length > longestName ? `a name has at most ${longestName} characters` : undefined
}

/** The steps that create a campaign and add the articles that do not fit into its creation. */
export const creation = (
  campaign: Omit<Create, "kind" | "nms"> & { readonly nms: ReadonlyArray<number> },
  reason: string
): { readonly target: Target; readonly findings: ReadonlyArray<Finding> } => {
  const nms = [...new Set(campaign.nms)].toSorted((a, b) => a - b)
  const [first = [], ...more] = chunks(nms, caps.newCampaignArticles)
  const change = { ...campaign, kind: "create", nms: first } as const
  const target = { created_by: changeKey(change) }
  const added = more.flat().map((nm_id): Finding => ({
    change: { kind: "product", target, nm_id, before: false, after: true },
    reason: `a campaign is created with at most ${caps.newCampaignArticles} articles`
  }))
  return { target, findings: [{ change, reason }, ...added] }
}

/** A new manual campaign; it is created without money and does not run until it is started. */
export const planCampaign = (input: CampaignInput): Draft => {
  const { existing, guards, name, nms, payment_type, placements, steps = anyStep, unreadable = [] } = input
  const { bid, note } = input.bid === undefined ? { bid: undefined, note: "" } : onStep(input.bid, steps[payment_type])
  const refuse = (reason: string) =>
    draft("campaign", guards, [{ what: `create ${clipped(name, longestName)}`, reason }])
  const wrongName = nameProblem(name)
  if (wrongName !== undefined) return refuse(wrongName)
  if (nms.length === 0) return refuse("no articles are given")
  const problem = campaignProblem(guards)
  if (problem !== undefined) return refuse(problem)
  const currency = bid === undefined ? undefined : existing.map((one) => foreign(one.currency)).find(Boolean)
  if (currency !== undefined) {
    return refuse(
      `the money of this account is in ${currency}, and the first bid is given in rubles: plan it without a bid`
    )
  }
  const namesake = findByName(existing, name)?.id ?? unreadable.find((odd) => odd.name === name)?.advert_id
  if (namesake !== undefined) return refuse(`campaign ${namesake} has this name already`)

  const { findings, target } = creation({ name, nms, payment_type, placement_types: placements }, "asked for")
  const bids = [...new Set(nms)].flatMap((nm_id) =>
    placements.flatMap((placement): ReadonlyArray<Finding> =>
      bid === undefined
        ? []
        : [
            {
              change: { kind: "bid", target, nm_id, placement, before: null, after: bid },
              reason: `first bid ${kopecksToRubles(bid)} rub${note}`
            }
          ]
    )
  )
  return draft("campaign", guards, [
    ...findings,
    ...bids,
    { warning: "The new campaign has no money and does not run: add money in the cabinet, then start it" }
  ])
}
