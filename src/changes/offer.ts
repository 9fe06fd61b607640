import type { Offer } from "../mcp/Toolset.ts"

/** The tools of plans to offer: if no upstream may be changed, those that change something say why when they are called. */
export const offerFor = <R>(everything: Offer<R>, isWritable: boolean): Offer<R> => ({
  ...everything,
  tools: everything.tools.map((tool) =>
    isWritable || tool.annotations.readOnlyHint ? tool : { ...tool, isListed: false }
  )
})
