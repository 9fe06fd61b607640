import { Effect, Option } from "effect"

import { staleWhileRevalidate } from "../../internal/staleWhileRevalidate.ts"
import type { EngineClient } from "./EngineClient.ts"
import type { EngineError } from "./EngineError.ts"
import { Instances } from "./Instances.ts"
import { isMissing } from "./isMissing.ts"
import { CredentialId } from "./models.ts"

/** What stands for a version that nothing tells. */
export const unknown = "unknown"

/** Milliseconds after a look-up that found nothing until the next one. */
const pause = 60_000

/**
 * Answers at once with what is known of the default engine's version; while that is nothing, asking starts a look-up in
 * the background, one at a time, and after one that found nothing only a minute later. What was found is kept.
 */
export const make = Effect.gen(function* () {
  const instances = yield* Instances
  const lookUp = Effect.flatMap(instances.resolve(), versionOf)
  return yield* staleWhileRevalidate({ initial: unknown, lookUp, pause, isStale: (known) => known === unknown })
})

/** What the engine tells of its version, else what the calls it offers prove. */
export const versionOf = Effect.fnUntraced(function* (engine: EngineClient["Service"]) {
  const told = yield* engine.publicVersion
  if (Option.isSome(told)) return told.value
  if (yield* offers(engine.getCredentialIfSupported(CredentialId.make("0")))) return ">=2.20.0"
  if (yield* offers(engine.listCredentialsIfSupported({ limit: 1 }))) return ">=2.10.0"
  return unknown
})

/** A refusal of the thing asked for, such as an unknown id, still proves the call. */
const offers = <A>(call: Effect.Effect<Option.Option<A>, EngineError>) =>
  Effect.match(call, { onSuccess: Option.isSome, onFailure: isMissing })
