import { Effect, Latch } from "effect"

import { type EngineConfig, namesIn } from "../../engine/config/EngineConfig.ts"
import { offerOver } from "../../engine/offer.ts"
import { engineOutline } from "../../engine/outline.ts"
import * as Outline from "../../mcp/Outline.ts"
import { eventually } from "./eventually.ts"
import type { Load, Loaded } from "./Load.ts"

/**
 * The toolset `engine`. Where lists are what is asked for first, its programs are loaded after these; but an embedded
 * engine and a history can fail at once, which has to be said before anything else.
 */
export const load: Load = (launch, shared) => {
  const { engine, history } = launch
  const whole = Effect.flatMap(
    Effect.promise(() => import("./engineToolset.ts")),
    (module) => module.load(launch, shared)
  )
  return shared.areListsFirst && engine !== undefined && history === undefined
    ? outlined(engine, Effect.orDie(whole))
    : whole
}

const outlined = Effect.fnUntraced(function* <R>(
  engine: EngineConfig["Service"],
  whole: Effect.Effect<Loaded, never, R>
) {
  const loaded = yield* eventually(whole)
  const listed = Latch.makeUnsafe()
  const toolset = Effect.map(loaded, (programs) => programs.toolset)
  const everything = Outline.toOffer(engineOutline, toolset, () => listed.openUnsafe())
  return {
    toolset: { name: "engine", ...offerOver(everything, namesIn(engine)) },
    later: listed.await.pipe(Effect.andThen(Effect.sleep(timeToAnswer)), Effect.andThen(loaded))
  }
})

/** In which an answer leaves that is ready: loading would keep it back. A call that comes sooner does not wait for this. */
const timeToAnswer = "10 millis"
