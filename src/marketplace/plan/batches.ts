import { caps } from "../operations.ts"
import type { Change } from "./Change.ts"
import type { Step } from "./Plan.ts"

type Kind = Change["kind"]

/** Steps of one kind that share their reads, and their write where the interface takes several. */
export interface Batch {
  readonly kind: Kind
  readonly steps: ReadonlyArray<Step>
}

const most: {
  readonly [kind in Kind]: { readonly steps: number; readonly campaigns: number; readonly perCampaign: number }
} = {
  create: { steps: 1, campaigns: 1, perCampaign: 1 },
  delete: { steps: 1, campaigns: 1, perCampaign: 1 },
  product: { steps: Infinity, campaigns: caps.productCampaigns, perCampaign: caps.productsPerCampaign },
  bid: { steps: Infinity, campaigns: caps.bidCampaigns, perCampaign: caps.bidsPerCampaign },
  phrases: { steps: caps.pairs, campaigns: Infinity, perCampaign: Infinity },
  cluster: { steps: caps.clusterBids, campaigns: Infinity, perCampaign: Infinity }
}

const campaignOf = ({ change }: Step): string => ("target" in change ? JSON.stringify(change.target) : change.name)

/**
 * The steps in their order, cut where the kind changes or a call would be over the interface's caps. The first cluster
 * bid goes alone, so that a wrong unit (D2) shows before there are many.
 */
export const batchesOf = (steps: ReadonlyArray<Step>): ReadonlyArray<Batch> => {
  const batches: Array<{ readonly kind: Kind; readonly steps: Array<Step>; readonly counts: Map<string, number> }> = []
  for (const step of steps) {
    const last = batches.at(-1)
    const { kind } = step.change
    const cap = most[kind]
    const campaign = campaignOf(step)
    const count = (last?.counts.get(campaign) ?? 0) + 1
    const isTrial = kind === "cluster" && batches.filter((batch) => batch.kind === "cluster").length === 1
    const fits =
      last?.kind === kind &&
      !isTrial &&
      last.steps.length < cap.steps &&
      count <= cap.perCampaign &&
      (last.counts.has(campaign) || last.counts.size < cap.campaigns)
    if (last !== undefined && fits) {
      last.steps.push(step)
      last.counts.set(campaign, count)
    } else batches.push({ kind, steps: [step], counts: new Map([[campaign, 1]]) })
  }
  return batches.map(({ kind, steps: some }) => ({ kind, steps: some }))
}
