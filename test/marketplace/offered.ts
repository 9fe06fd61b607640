import { Effect } from "effect"

import { MarketplaceToolset } from "../../src/marketplace/toolset.ts"
import * as Toolset from "../../src/mcp/Toolset.ts"

/** The tools of the marketplace, closed over the services around them, as the server offers them. */
export const offered = Effect.map(Toolset.offered(MarketplaceToolset), ({ tools }) => tools)
