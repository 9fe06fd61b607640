import { Effect } from "effect"

import { isBecause, isRefusalOfSome } from "../client/MarketplaceError.ts"
import { type Batch, campaignOf } from "../plan/batches.ts"
import { explain } from "./advice.ts"
import type { Applying } from "./Applying.ts"
import { applyThroughLoss } from "./lostAnswer.ts"
import { refuse } from "./writeDown.ts"

type Applied = ReturnType<typeof applyThroughLoss>

/**
 * A batch of a plan. Where the marketplace refuses it, its halves, and so down to the places that are to blame; whatever
 * was taken is seen when it is looked at again.
 */
export const applyApart = (applying: Applying, { steps, work }: Batch): Applied =>
  Effect.catchIf(applyThroughLoss(applying, { steps, work }), isRefusalOfSome, (error): Applied => {
    const { done, refused } = applying.progress
    const open = steps.filter(({ id }) => !done.has(id) && !refused.has(id))
    const isOneCampaign = new Set(open.map(campaignOf)).size === 1
    if (open.length <= 1 || (isBecause("CampaignStateRefused")(error) && isOneCampaign)) {
      return refuse(
        applying,
        open.map(({ id }) => id),
        explain(error)
      )
    }
    const middle = Math.ceil(open.length / 2)
    const halves = [open.slice(0, middle), open.slice(middle)]
    return Effect.forEach(halves, (half) => applyApart(applying, { steps: half, work }), { discard: true })
  })
