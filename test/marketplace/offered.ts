import { Effect } from "effect"

import { PlanSources } from "../../src/changes/tools/PlanSource.ts"
import { ChangesToolset } from "../../src/changes/toolset.ts"
import { adsPlans } from "../../src/marketplace/tools/catalog.ts"
import { MarketplaceToolset } from "../../src/marketplace/toolset.ts"
import * as Toolset from "../../src/mcp/Toolset.ts"
import { inTime } from "../support/inTime.ts"

/** A program over the tools of plans, with the marketplace's plans. */
export const withAdsPlans = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.flatMap(adsPlans, (plans) => Effect.provideService(program, PlanSources, [plans]))

/** The tools of the marketplace and of its plans, closed over the services around them, as the server lists them. */
export const offered = Effect.gen(function* () {
  const ofMarketplace = yield* Toolset.offered(MarketplaceToolset)
  const ofPlans = yield* withAdsPlans(Toolset.offered(ChangesToolset))
  return [...ofMarketplace.tools, ...ofPlans.tools].filter(({ isListed }) => isListed !== false)
})

/** One of these tools. */
export const toolNamed = Effect.fnUntraced(function* (name: string) {
  const tool = (yield* offered).find((one) => one.name === name)
  return tool ?? (yield* Effect.die(`no tool ${name}`))
})

/** The answer of one of these tools to a call, during which the test clock runs. */
export const call = Effect.fnUntraced(function* (name: string, args: unknown = {}) {
  const tool = yield* toolNamed(name)
  return (yield* inTime(tool.call(args))).structured
})
