import type { Offer } from "../mcp/Toolset.ts"

/** What of the tools of plans is offered: nothing is applied where no upstream may be changed. */
export const offerFor = <R>(everything: Offer<R>, isWritable: boolean): Offer<R> => ({
  ...everything,
  tools: everything.tools.filter(({ annotations }) => isWritable || annotations.readOnlyHint)
})
