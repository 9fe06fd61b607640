import { Effect, Option } from "effect"

import { EngineClient } from "../../client/EngineClient.ts"
import { PermissionDenied } from "../../client/EngineError.ts"

/** What it takes to remove a copy again: engines that tell what a key may do delete no active workflow. */
const needed = ["workflow:deactivate", "workflow:delete"]

/** The clients of instances whose keys have these rights, or whose engines do not tell. */
const cleared = new WeakSet<object>()

/** What the key lacks of that, as far as the engine tells; it is asked once, until nothing is lacking. */
const lackingRights = Effect.gen(function* () {
  const engine = yield* EngineClient
  if (cleared.has(engine)) return []
  const offer = yield* Effect.option(engine.capabilitiesIfSupported)
  if (Option.isNone(offer)) return []
  const scopes = Option.match(offer.value, { onNone: () => needed, onSome: (capabilities) => capabilities.scopes })
  const lacking = needed.filter((scope) => !scopes.includes(scope))
  if (lacking.length === 0) cleared.add(engine)
  return lacking
})

/** Fails where the engine tells that the key may not remove a temporary copy. */
export const mayRemove = Effect.gen(function* () {
  const { instance } = yield* EngineClient
  const lacking = yield* lackingRights
  if (lacking.length === 0) return yield* Effect.void
  const reason =
    `Nothing was sent: a run makes a temporary copy, which the API key could not remove, as it lacks ${lacking.join(" and ")}. ` +
    "Give it these rights in the engine UI."
  return yield* new PermissionDenied({ instance, apiResponse: null, reason })
})
