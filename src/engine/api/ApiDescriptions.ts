import { Context, Effect, Option, Schema, Semaphore } from "effect"

import { inSlices } from "../../internal/effects.ts"
import { JsonObject } from "../../internal/schema/JsonObject.ts"
import { monotonicMillis } from "../../internal/time.ts"
import type { EngineClient } from "../client/EngineClient.ts"
import type { EngineError } from "../client/EngineError.ts"
import { type ApiDescription, describedCall } from "./ApiCall.ts"
import version1 from "./data/1.82.3.json" with { type: "json" }
import version2 from "./data/2.41.1.json" with { type: "json" }
import { readDescription } from "./readDescription.ts"

type Engine = EngineClient["Service"]

/** Milliseconds for which a description counts: an engine that is replaced by another version describes itself anew. */
const freshMillis = 10 * 60_000

/** The descriptions that engines give of their APIs; each is read once and kept for a while. */
export interface ApiDescriptions {
  readonly of: (engine: Engine) => Effect.Effect<ApiDescription, EngineError>
}

const make = (): ApiDescriptions => {
  const states = new WeakMap<Engine, { readonly turn: Semaphore.Semaphore; until: number; last?: ApiDescription }>()
  return {
    of: (engine) => {
      const state = states.get(engine) ?? { turn: Semaphore.makeUnsafe(1), until: -Infinity }
      states.set(engine, state)
      const read = Effect.gen(function* () {
        const now = yield* monotonicMillis
        if (state.last !== undefined && now < state.until) return state.last
        const text = yield* engine.apiDescriptionIfSupported
        const served = Option.isSome(text) ? yield* inSlices(() => readDescription(text.value)) : Option.none()
        const description = Option.isSome(served) ? served.value : yield* keptFor(engine)
        state.last = description
        state.until = now + freshMillis
        return description
      })
      return state.turn.withPermit(read)
    }
  }
}

/** The calls of the version nearest to an engine that does not describe itself: where its files lie below a hidden folder, it cannot. */
const keptFor = Effect.fnUntraced(function* (engine: Engine) {
  const isV2 = Option.isSome(yield* engine.capabilitiesIfSupported)
  const calls: ReadonlyArray<unknown> = isV2 ? version2 : version1
  const kept = yield* Effect.orDie(Schema.decodeUnknownEffect(Schema.Array(Kept))(calls))
  return { calls: kept.map(describedCall), unreadable: [], keptOf: isV2 ? "2.41.1" : "1.82.3" }
})

const Kept = Schema.Struct({
  call: Schema.String,
  tag: Schema.String,
  parameters: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      place: Schema.Literals(["path", "query"]),
      isRequired: Schema.Boolean,
      schema: JsonObject
    })
  ),
  body: Schema.optionalKey(Schema.Struct({ isRequired: Schema.Boolean, schema: JsonObject })),
  takesFile: Schema.optionalKey(Schema.Literal(true)),
  scope: Schema.optionalKey(Schema.String)
})

export const ApiDescriptions = Context.Reference<ApiDescriptions>("workflow-tool-server/engine/api/ApiDescriptions", {
  defaultValue: make
})
