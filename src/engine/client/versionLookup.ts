import { Effect, Option } from "effect"

import { staleWhileRevalidate } from "../../internal/effects.ts"
import { CredentialId } from "../workflow/models.ts"
import type { EngineClient } from "./EngineClient.ts"
import type { EngineError } from "./EngineError.ts"
import { Instances } from "./Instances.ts"
import { isMissing } from "./isMissing.ts"

/** The version if it cannot be determined. */
export const unknown = "unknown"

/** Milliseconds between look-ups that find nothing. */
const pause = 60_000

/**
 * Immediately returns the known version of the default engine; until it is known, this starts a look-up in the background, one
 * at a time, and after one that found nothing again only after a minute. The result is kept.
 */
export const make = Effect.gen(function* () {
  const instances = yield* Instances
  const lookUp = Effect.flatMap(instances.resolve(), versionOf)
  return yield* staleWhileRevalidate({ initial: unknown, lookUp, pause, isStale: (version) => version === unknown })
})

/** The version that the engine states, or otherwise a lower bound proved by the calls it offers. */
export const versionOf = Effect.fnUntraced(function* (engine: EngineClient["Service"]) {
  const publicVersion = yield* engine.publicVersion
  if (Option.isSome(publicVersion)) return publicVersion.value
  if (yield* offers(engine.getCredentialIfSupported(CredentialId.make("0")))) return ">=2.20.0"
  if (yield* offers(engine.listCredentialsIfSupported({ limit: 1 }))) return ">=2.10.0"
  return unknown
})

/** Even if the requested thing is refused, such as an unknown id, the call exists. */
const offers = <A>(call: Effect.Effect<Option.Option<A>, EngineError>) =>
  Effect.match(call, { onSuccess: Option.isSome, onFailure: isMissing })
