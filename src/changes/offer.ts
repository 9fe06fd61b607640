import type { Offer } from "../mcp/Toolset.ts"

/** The tools of plans to offer: only those that read if no upstream may be changed. */
export const offerFor = <R>(everything: Offer<R>, isWritable: boolean): Offer<R> => ({
  ...everything,
  tools: everything.tools.filter(({ annotations }) => isWritable || annotations.readOnlyHint)
})
