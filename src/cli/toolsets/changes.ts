import { Effect } from "effect"

import { offerFor } from "../../changes/offer.ts"
import type { Plans, Shared } from "./Load.ts"
import { outlined } from "./outlined.ts"
import { outlines } from "./outlines.ts"

/** The tools for plans of all toolsets that make some. */
export const load = Effect.fnUntraced(function* (
  plans: ReadonlyArray<Plans>,
  { areListsFirst }: Pick<Shared, "areListsFirst">
) {
  const whole = Effect.flatMap(
    Effect.promise(() => import("./changesToolset.ts")),
    (module) => module.load(plans)
  )
  if (!areListsFirst) return yield* whole
  const writable = yield* Effect.filter(plans, ({ isWritable }) => isWritable)
  return yield* outlined("changes", whole, (tell) => offerFor(tell(outlines.changes), writable.length > 0))
})
