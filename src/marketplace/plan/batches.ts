import { caps, intervalMs, type Limit, type OperationName, operations, width } from "../client/operations.ts"
import { type Work, workOf } from "./Change.ts"
import type { Estimate, Step } from "./Plan.ts"

/** Steps of one kind that share their reads, and their write if the API accepts several. */
interface Batch {
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
  cluster: { steps: caps.clusterBids, campaigns: Infinity, perCampaign: Infinity },
  start: { steps: caps.campaignIds, campaigns: Infinity, perCampaign: 1 },
  pause: { steps: caps.campaignIds, campaigns: Infinity, perCampaign: 1 },
  end: { steps: caps.campaignIds, campaigns: Infinity, perCampaign: 1 },
  name: { steps: caps.campaignIds, campaigns: Infinity, perCampaign: 1 },
  placements: { steps: caps.placements, campaigns: Infinity, perCampaign: 1 },
  deposit: { steps: caps.budgets, campaigns: Infinity, perCampaign: 1 },
  limit: { steps: caps.dailyLimits, campaigns: Infinity, perCampaign: 1 }
}

/** The campaign of a step, as text. */
const campaignOf = ({ change }: Step): string => ("target" in change ? JSON.stringify(change.target) : change.name)

const isOf =
  (...kinds: ReadonlyArray<Work>) =>
  ({ change }: Step): boolean =>
    kinds.includes(workOf(change))

/** Steps with the starts and pauses of some pairs in turns: no pair waits until all others have started. */
const inTurns = (steps: ReadonlyArray<Step>): ReadonlyArray<Step> => {
  const isInTurn = isOf("start", "pause")
  const states = steps.filter(isInTurn)
  const turns = Array.from({ length: Math.ceil(states.length / (2 * caps.campaignIds)) }, (_, turn) =>
    states.slice(turn * 2 * caps.campaignIds, (turn + 1) * 2 * caps.campaignIds)
  )
  const arranged = turns.flatMap((some) => [...some.filter(isOf("start")), ...some.filter(isOf("pause"))])
  let place = 0
  return steps.flatMap((step) => (isInTurn(step) ? (arranged[place++] ?? []) : [step]))
}

/** The steps in order, split where the kind changes or a call would exceed the API's caps. */
export const batchesOf = (steps: ReadonlyArray<Step>): ReadonlyArray<Batch> => {
  const batches: Array<{ readonly work: Work; readonly steps: Array<Step>; readonly counts: Map<string, number> }> = []
  for (const step of inTurns(steps)) {
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

type Calls = ReadonlyArray<readonly [OperationName, number]>

/** The calls of one batch: read before, write, read back. */
const callsOf: { readonly [work in Batch["work"]]: (steps: ReadonlyArray<Step>) => Calls } = {
  create: () => [
    ["getAdvertsV2", 1],
    ["createSeacatSaveAd", 1]
  ],
  delete: () => [
    ["getAdvertsV2", 2],
    ["getBudgets", 1],
    ["deleteCampaign", 1]
  ],
  product: () => [
    ["getAdvertsV2", 2],
    ["updateCampaignProducts", 1]
  ],
  bid: () => [
    ["getAdvertsV2", 2],
    ["updateBids", 1]
  ],
  phrases: (steps) => [
    ["getMinusPhrases", 2],
    ["setMinusPhrases", steps.length]
  ],
  drop: () => [
    ["getNormqueryBids", 2],
    ["deleteNormqueryBids", 1]
  ],
  cluster: () => [
    ["getNormqueryBids", 2],
    ["setNormqueryBids", 1]
  ],
  start: (steps) => [
    ["getAdvertsV2", 2],
    ["startCampaign", steps.length]
  ],
  pause: (steps) => [
    ["getAdvertsV2", 2],
    ["pauseCampaign", steps.length]
  ],
  end: (steps) => [
    ["getAdvertsV2", 2],
    ["stopCampaign", steps.length]
  ],
  name: (steps) => [
    ["getAdvertsV2", 2],
    ["renameCampaign", steps.length]
  ],
  placements: () => [
    ["getAdvertsV2", 2],
    ["updateAuctionPlacement", 1]
  ],
  deposit: (steps) => [
    ["getBudgets", 2],
    ["createBudgetDeposit", steps.length]
  ],
  limit: () => [
    ["getDailyLimits", 2],
    ["setDailyLimits", 1]
  ]
}

/** The time that a number of calls needs under a limit: they are sent `width` at a time. */
export const secondsFor = (calls: number, limit: Limit): number =>
  calls === 0 ? 0 : ((Math.ceil(calls / width(limit)) - 1) * width(limit) * intervalMs(limit)) / 1000

/**
 * The cost of applying the steps: calls, and the seconds imposed by the limits, by default those of a personal key. The time of
 * the network is not included.
 */
export const estimate = (
  steps: ReadonlyArray<Step>,
  limitOf: (operation: OperationName) => Limit = (operation) => operations[operation].limits.full
): Estimate => {
  const calls = new Map<OperationName, number>()
  for (const [operation, count] of batchesOf(steps).flatMap((batch) => callsOf[batch.work](batch.steps))) {
    calls.set(operation, (calls.get(operation) ?? 0) + count)
  }
  return {
    calls: [...calls.values()].reduce((sum, count) => sum + count, 0),
    seconds: Math.ceil([...calls].reduce((sum, [operation, count]) => sum + secondsFor(count, limitOf(operation)), 0))
  }
}
