import { Effect } from "effect"

import { namesIn } from "../../engine/client/config/EngineConfig.ts"
import { offerOver } from "../../engine/toolset/offer.ts"
import type { Load } from "./Load.ts"
import { outlined } from "./outlined.ts"
import { outlines } from "./outlines.ts"

/**
 * The toolset `engine`. If lists are expected first, its programs are loaded after them; but an embedded engine can fail at
 * once, which has to be reported before anything else.
 */
export const load: Load = (launch, shared) => {
  const { engine } = launch
  const whole = Effect.flatMap(
    Effect.promise(() => import("./engineToolset.ts")),
    (module) => module.load(launch, shared)
  )
  return shared.areListsFirst && engine !== undefined
    ? outlined("engine", Effect.orDie(whole), (tell) => offerOver(tell(outlines.engine), namesIn(engine)))
    : whole
}
