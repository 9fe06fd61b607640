import type { Effect } from "effect"

import * as Core from "../../changes/apply/readApart.ts"
import { isRefusal } from "./isRefusal.ts"
import type { MarketplaceError } from "./MarketplaceError.ts"

/** Reads many items at once. One that the marketplace refuses to show does not hide the others. */
export const readApart = <A, B>(
  all: ReadonlyArray<A>,
  read: (items: ReadonlyArray<A>) => Effect.Effect<B, MarketplaceError>
) => Core.readApart(all, read, (error) => (isRefusal(error) ? error.message : undefined))
