import { Effect, Latch } from "effect"

import { cachedSuccess } from "../../internal/cachedSuccess.ts"
import * as Outline from "../../mcp/Outline.ts"
import type { Offer, Toolset } from "../../mcp/Toolset.ts"

/** A toolset whose programs are loaded after its lists were sent, or by the first call. */
export const outlined = Effect.fnUntraced(function* <A extends { readonly toolset: Toolset }, R>(
  name: string,
  whole: Effect.Effect<A, never, R>,
  /** The offer, made from outlines. */
  offer: (tell: (outline: Outline.Outline) => Offer) => Offer,
  /** Initialises what the first call would, if there was none so far; nobody depends on it. */
  warmUp: Effect.Effect<unknown, unknown> = Effect.void
) {
  const isAsked = Latch.makeUnsafe()
  const isBusy = Latch.makeUnsafe()
  let calls = 0
  const loaded = yield* cachedSuccess(Effect.tap(whole, () => isAsked.open))
  const programs = Effect.map(loaded, ({ toolset }) => {
    if (++calls === manyCalls) isBusy.openUnsafe()
    return toolset
  })
  const unlessCalled = (work: Effect.Effect<unknown, unknown>) =>
    Effect.suspend(() => (calls === 0 ? Effect.ignoreCause(work) : Effect.void))
  const toolset: Toolset = {
    name,
    ...offer((outline) => Outline.toOffer(outline, programs, () => isAsked.openUnsafe()))
  }
  yield* Effect.forkScoped(Effect.andThen(untilIdle(), isAsked.open))
  return {
    toolset,
    loaded,
    later: isAsked.await.pipe(
      Effect.andThen(Effect.sleep(timeToAnswer)),
      Effect.andThen(loaded),
      Effect.andThen(unlessCalled(Effect.sleep(timeToAnswer))),
      Effect.andThen(unlessCalled(warmUp))
    ),
    busy: isBusy.await
  }
})

/** After so many calls, a process is likely to make many: most clients make some hundred. */
const manyCalls = 500

/** Time for sending an answer that is ready, which work would delay. A call that comes sooner does not wait for it. */
const timeToAnswer = "10 millis"

/**
 * Until this process had little to do for a moment, or has been there for a second: a client that asks for lists does so at
 * once, or not before it calls, and what a killed process has left is seen to without it, too. The utilization of the event
 * loop would tell the same, for a module that takes a start a millisecond.
 */
const untilIdle = (looks = 10): Effect.Effect<void> =>
  Effect.suspend(() => {
    const before = process.cpuUsage()
    return Effect.flatMap(Effect.sleep(moment), () => {
      const { system, user } = process.cpuUsage(before)
      return looks === 1 || (system + user) / 1000 < moment / 2 ? Effect.void : untilIdle(looks - 1)
    })
  })

const moment = 100
