import { Effect, Latch } from "effect"

import * as Outline from "../../mcp/Outline.ts"
import type { Offer, Toolset } from "../../mcp/Toolset.ts"
import { compileSooner } from "../compileSooner.ts"
import { eventually } from "./eventually.ts"

/** A toolset whose programs are loaded after its lists have been told, or by the first call. */
export const outlined = Effect.fnUntraced(function* <A extends { readonly toolset: Toolset }, R>(
  name: string,
  whole: Effect.Effect<A, never, R>,
  /** What is offered, made of outlines. */
  offer: (tell: (outline: Outline.Outline) => Offer) => Offer
) {
  const scope = yield* Effect.scope
  const sooner = Effect.forkIn(Effect.delay(compileSooner, timeToAnswer), scope)
  const loaded = yield* eventually(Effect.tap(whole, () => sooner))
  const listed = Latch.makeUnsafe()
  const programs = Effect.map(loaded, ({ toolset }) => toolset)
  const toolset: Toolset = {
    name,
    ...offer((outline) => Outline.toOffer(outline, programs, () => listed.openUnsafe()))
  }
  yield* Effect.forkScoped(Effect.andThen(Effect.sleep(timeToAsk), listed.open))
  return {
    toolset,
    loaded,
    later: listed.await.pipe(Effect.andThen(Effect.sleep(timeToAnswer)), Effect.andThen(loaded))
  }
})

/** In which an answer leaves that is ready: loading would keep it back. A call that comes sooner does not wait for this. */
const timeToAnswer = "10 millis"

/** What a killed process has left is seen to without a client that asks for lists, too. */
const timeToAsk = "1 second"
