import { caps } from "../client/operations.ts"
import { type Work, workOf } from "./Change.ts"
import type { Step } from "./Plan.ts"

/** Steps of one work that share their reads, and their write where the interface takes several. */
export interface Batch {
  readonly work: Work
  readonly steps: ReadonlyArray<Step>
}

const most: {
  readonly [work in Work]: { readonly steps: number; readonly campaigns: number; readonly perCampaign: number }
} = {
  create: { steps: 1, campaigns: 1, perCampaign: 1 },
  delete: { steps: 1, campaigns: 1, perCampaign: 1 },
  product: { steps: Infinity, campaigns: caps.productCampaigns, perCampaign: caps.productsPerCampaign },
  bid: { steps: Infinity, campaigns: caps.bidCampaigns, perCampaign: caps.bidsPerCampaign },
  phrases: { steps: caps.pairs, campaigns: Infinity, perCampaign: Infinity },
  drop: { steps: caps.clusterBids, campaigns: Infinity, perCampaign: Infinity },
  cluster: { steps: caps.clusterBids, campaigns: Infinity, perCampaign: Infinity }
}

/** The campaign that a step is about, as one text. */
export const campaignOf = ({ change }: Step): string =>
  "target" in change ? JSON.stringify(change.target) : change.name

/** The steps in their order, cut where the work changes or a call would be over the interface's caps. */
export const batchesOf = (steps: ReadonlyArray<Step>): ReadonlyArray<Batch> => {
  const batches: Array<{ readonly work: Work; readonly steps: Array<Step>; readonly counts: Map<string, number> }> = []
  for (const step of steps) {
    const last = batches.at(-1)
    const work = workOf(step.change)
    const cap = most[work]
    const campaign = campaignOf(step)
    const count = (last?.counts.get(campaign) ?? 0) + 1
    const fits =
      last?.work === work &&
      last.steps.length < cap.steps &&
      count <= cap.perCampaign &&
      (last.counts.has(campaign) || last.counts.size < cap.campaigns)
    if (last !== undefined && fits) {
      last.steps.push(step)
      last.counts.set(campaign, count)
    } else batches.push({ work, steps: [step], counts: new Map([[campaign, 1]]) })
  }
  return batches.map(({ steps: some, work }) => ({ work, steps: some }))
}
