import { Effect } from "effect"

import { namesIn } from "../../engine/config/EngineConfig.ts"
import { offerOver } from "../../engine/offer.ts"
import { engineOutline } from "../../engine/outline.ts"
import * as Outline from "../../mcp/Outline.ts"
import { eventually } from "./eventually.ts"
import type { Load } from "./Load.ts"

/** The toolset `engine`, of which the programs are loaded once lists have been answered, where nothing speaks against it. */
export const load: Load = (launch, shared) => {
  const whole = Effect.flatMap(
    Effect.promise(() => import("./engineToolset.ts")),
    (module) => module.load(launch, shared)
  )
  const { engine, history } = launch
  return shared.areListsFirst && engine !== undefined && history === undefined
    ? Effect.map(eventually(Effect.orDie(whole)), (loaded) => {
        const everything = Outline.toOffer(
          engineOutline,
          Effect.map(loaded, ({ toolset }) => toolset)
        )
        return { toolset: { name: "engine", ...offerOver(everything, namesIn(engine)) }, later: loaded }
      })
    : whole
}
