import { Effect, Latch } from "effect"

import { cachedSuccess } from "../../internal/cachedEffects.ts"
import * as Outline from "../../mcp/Outline.ts"
import type { Offer, Toolset } from "../../mcp/Toolset.ts"

/** A toolset whose programs are loaded once its lists were sent, by the first call, or where neither comes, soon. */
export const outlined = Effect.fnUntraced(function* <A extends { readonly toolset: Toolset }, R>(
  name: string,
  whole: Effect.Effect<A, never, R>,
  /** The offer, made from outlines. */
  offer: (tell: (outline: Outline.Outline) => Offer) => Offer
) {
  const isListed = Latch.makeUnsafe()
  const loaded = yield* cachedSuccess(whole)
  const programs = Effect.map(loaded, ({ toolset }) => toolset)
  const toolset: Toolset = {
    name,
    ...offer((outline) => Outline.toOffer(outline, programs, () => isListed.openUnsafe()))
  }
  const later = Effect.raceFirst(isListed.await, Effect.sleep(timeToList)).pipe(
    Effect.andThen(Effect.sleep(timeToAnswer)),
    Effect.andThen(loaded)
  )
  return { toolset, loaded, later }
})

/** Time for sending an answer that is ready, which work would delay. A call that comes sooner does not wait for it. */
const timeToAnswer = "10 millis"

/** A client that lists tools does so at once; what a killed process has left is seen to without a client that asks, too. */
const timeToList = "1 second"
