import { Effect } from "effect"

import { namesIn } from "../../engine/client/config/EngineConfig.ts"
import { offerOver, withPlanning } from "../../engine/operator/offer.ts"
import { readView } from "../http/pageFiles.ts"
import type { Load } from "./Load.ts"
import { outlined } from "./outlined.ts"
import { outlines } from "./outlines.ts"

/** The toolset `operator`, loaded together with the toolset `engine`. The journal of its plans is opened by the first of them. */
export const load: Load = (launch, shared) => {
  const { engine } = launch
  const whole = Effect.flatMap(
    Effect.promise(() => import("./operatorToolset.ts")),
    (module) => module.load(launch, shared)
  )
  if (!shared.areListsFirst || engine === undefined) return whole
  const names = namesIn(engine)
  const { across, planning, single } = outlines.operator
  return Effect.map(
    outlined("operator", Effect.orDie(whole), (tell) =>
      withPlanning(
        offerOver({ across: tell(across).tools, single: tell(single).tools }, names, readView),
        tell(planning).tools,
        names,
        readView
      )
    ),
    (outline) => ({
      ...outline,
      plans: {
        isWritable: Effect.succeed(names.names.some((name) => !names.readOnly.has(name))),
        source: Effect.flatMap(outline.loaded, ({ plans }) => plans.source)
      }
    })
  )
}
