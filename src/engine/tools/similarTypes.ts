import { Effect, Option, Predicate } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { alike } from "../../internal/schema/nearest.ts"
import { EngineClient } from "../client/EngineClient.ts"
import { type EngineError, reworded } from "../client/EngineError.ts"
import { CredentialType } from "../client/ids.ts"
import knownTypes from "../data/credentialTypes.json" with { type: "json" }

/** Names that are tried on an engine that does not tell its own. */
const most = 5

/** Adds to the refusal of an unknown credential type which similar ones this engine has. */
export const withSimilarTypes =
  (type: CredentialType) =>
  <A, R>(self: Effect.Effect<A, EngineError, R>): Effect.Effect<A, EngineError, R | EngineClient> =>
    Effect.catch(self, (error) =>
      error._tag === "ApiError" && error.httpStatus === 404
        ? Effect.flatMap(similar(type), (names) =>
            Effect.fail(reworded(error, `${error.problem}. ${advice(names, error.instance)}`))
          )
        : Effect.fail(error)
    )

const advice = (names: ReadonlyArray<string>, instance: string) =>
  names.length === 0
    ? `No similar type was found on instance ${instance}; its editor lists all under Credentials`
    : `Similar types on instance ${instance}: ${names.join(", ")}`

/** Similar names, each of which exists on this engine: it told so, or it showed the schema. */
const similar = Effect.fnUntraced(function* (type: CredentialType) {
  const engine = yield* EngineClient
  const told = yield* Effect.orElseSucceed(engine.credentialTypesIfTold, () => Option.none())
  if (Option.isSome(told)) return alike(type, told.value, most)
  const used = yield* typesInUse
  const candidates = alike(type, [...new Set([...used, ...knownTypes])], most)
  return yield* Effect.filter(
    candidates,
    (name) => Effect.isSuccess(engine.getCredentialSchema(CredentialType.make(name))),
    { concurrency: most }
  )
})

/** Those of the engine's own credentials show types that nobody else knows. */
const typesInUse = Effect.gen(function* () {
  const listed = yield* (yield* EngineClient).listCredentialsIfOffered({ limit: 250 })
  const data = Option.match(listed, { onNone: (): ReadonlyArray<JsonObject> => [], onSome: (page) => page.data })
  return data
    .map(({ type }) => type)
    .filter(Predicate.isString)
    .filter((name) => /^[A-Za-z0-9_-]{1,128}$/.test(name))
}).pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))
