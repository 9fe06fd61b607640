import { intervalMs, type Limit, type OperationName, operations, width } from "../client/operations.ts"
import { type Batch, batchesOf } from "./batches.ts"
import type { Estimate, Step } from "./Plan.ts"

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
  ]
}

/** The time that so many calls need under a limit: they go out `width` at a time. */
export const secondsFor = (calls: number, limit: Limit): number =>
  calls === 0 ? 0 : ((Math.ceil(calls / width(limit)) - 1) * width(limit) * intervalMs(limit)) / 1000

/** How many calls a limit lets out within so many seconds. */
export const callsWithin = (seconds: number, limit: Limit): number =>
  (Math.floor((seconds * 1000) / (width(limit) * intervalMs(limit))) + 1) * width(limit)

/**
 * What applying the steps costs: calls, and the seconds that the limits make them last, by default a personal key's. The
 * time of the network comes on top.
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
