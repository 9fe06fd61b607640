import { intervalMs, width } from "../Limiter.ts"
import type { Limit, OperationName } from "../operations.ts"
import { type Batch, batchesOf } from "./batches.ts"
import type { Estimate, Step } from "./Plan.ts"

/** The calls of one batch: read before, write, read back. */
const callsOf = ({ kind, steps }: Batch): ReadonlyArray<readonly [OperationName, number]> => {
  switch (kind) {
    case "create":
      return [
        ["getAdvertsV2", 2],
        ["createSeacatSaveAd", 1]
      ]
    case "delete":
      return [
        ["getAdvertsV2", 2],
        ["deleteCampaign", 1]
      ]
    case "product":
      return [
        ["getAdvertsV2", 2],
        ["updateCampaignProducts", 1]
      ]
    case "bid":
      return [
        ["getAdvertsV2", 2],
        ["updateBids", 1]
      ]
    case "phrases":
      return [
        ["getMinusPhrases", 2],
        ["setMinusPhrases", steps.length]
      ]
    case "cluster": {
      const dropped = steps.filter(({ change }) => change.kind === "cluster" && change.after === null).length
      return [
        ["getNormqueryBids", 2],
        ["setNormqueryBids", dropped < steps.length ? 1 : 0],
        ["deleteNormqueryBids", dropped > 0 ? 1 : 0]
      ]
    }
  }
}

/** The time that so many calls need under a limit: they go out `width` at a time. */
export const secondsFor = (calls: number, limit: Limit): number =>
  calls === 0 ? 0 : ((Math.ceil(calls / width(limit)) - 1) * width(limit) * intervalMs(limit)) / 1000

/** What applying the steps costs: calls, and the seconds that the limits make them last. */
export const estimate = (steps: ReadonlyArray<Step>, limitOf: (operation: OperationName) => Limit): Estimate => {
  const calls = new Map<OperationName, number>()
  for (const [operation, count] of batchesOf(steps).flatMap(callsOf)) {
    calls.set(operation, (calls.get(operation) ?? 0) + count)
  }
  return {
    calls: [...calls.values()].reduce((sum, count) => sum + count, 0),
    seconds: Math.ceil([...calls].reduce((sum, [operation, count]) => sum + secondsFor(count, limitOf(operation)), 0))
  }
}
