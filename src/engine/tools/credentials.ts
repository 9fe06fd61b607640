import { Effect, Option, Schema, Predicate } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { alike } from "../../internal/texts.ts"
import { changes, creates, reads } from "../../mcp/annotations.ts"
import { EngineClient } from "../client/EngineClient.ts"
import { type EngineError, reworded } from "../client/EngineError.ts"
import { isMissing } from "../client/isMissing.ts"
import knownTypes from "../nodes/data/credentialTypes.json" with { type: "json" }
import { CredentialType } from "../workflow/models.ts"
import * as EngineTool from "./EngineTool.ts"
import { listPage } from "./paging.ts"
import {
  credentialId,
  credentialName,
  credentialSource,
  credentialType,
  cursor,
  limit,
  object,
  optional
} from "./parameters.ts"
import { refuseMasked } from "./refuseMasked.ts"
import * as results from "./results.ts"
import { givenValues, withEnteredValues } from "./secretValues.ts"

const viewInEngine = {
  guidance:
    "This engine does not show credentials through its API, for security. See them in the engine UI, under Credentials."
}
const createAnew = {
  guidance:
    "Credentials are immutable through this interface. Delete this one with delete_credential, create it anew with " +
    "create_credential, and put the new id into the workflows that use it."
}

export const listCredentials = EngineTool.make("list_credentials", {
  title: "List credentials",
  description: "List credentials, never their values",
  annotations: reads,
  arguments: { limit, cursor },
  run: ({ cursor, limit }) =>
    listPage({
      list: "list_credentials",
      filters: Schema.Struct({}),
      given: {},
      cursor,
      limit,
      fetch: (_, query) =>
        EngineClient.use((engine) => engine.listCredentialsIfSupported(query)).pipe(Effect.flatMap(Effect.fromOption)),
      show: withoutValues
    }).pipe(Effect.catchTag("NoSuchElementError", () => Effect.succeed(viewInEngine)))
})

export const getCredential = EngineTool.make("get_credential", {
  title: "Get credential",
  description: "Read one credential, never its values",
  annotations: reads,
  arguments: { id: credentialId },
  run: ({ id }) =>
    EngineClient.use((engine) => engine.getCredentialIfSupported(id)).pipe(
      Effect.map(Option.match({ onNone: () => viewInEngine, onSome: withoutValues }))
    )
})

export const createCredential = EngineTool.make("create_credential", {
  title: "Create credential",
  description: "Create a credential, encrypted",
  annotations: creates,
  arguments: {
    name: credentialName,
    type: credentialType,
    data: optional(object("By its schema; else a person enters it")),
    source: credentialSource
  },
  result: results.credential,
  run: Effect.fnUntraced(function* ({ data, name, source, type }) {
    const create = (values: JsonObject) =>
      Effect.andThen(
        refuseMasked({ name, data: values }),
        EngineClient.use((engine) => engine.createCredential({ name, type, data: values })).pipe(
          Effect.map((created) => ({ name, type, ...withoutValues(created), id: created.id }))
        )
      )
    const values = yield* givenValues({ data, source })
    return yield* values === undefined
      ? withEnteredValues({ tool: "create_credential", name, type }, create)
      : create(values)
  })
})

export const updateCredential = EngineTool.make("update_credential", {
  title: "Update credential",
  description: "Change a credential where the engine allows it",
  annotations: changes,
  arguments: {
    id: credentialId,
    name: optional(credentialName),
    type: optional(credentialType),
    data: optional(object("All; with id alone, a person enters it")),
    source: credentialSource
  },
  run: Effect.fnUntraced(function* ({ id, source, ...given }) {
    const update = (fields: typeof given) =>
      Effect.andThen(
        refuseMasked(fields),
        EngineClient.use((engine) => engine.updateCredentialIfSupported(id, fields)).pipe(
          Effect.map(Option.match({ onNone: () => createAnew, onSome: withoutValues }))
        )
      )
    const data = yield* givenValues({ data: given.data, source })
    const body = data === undefined ? given : { ...given, data }
    if (Object.keys(body).length > 0) return yield* update(body)
    return yield* Effect.flatMap(
      EngineClient.use((engine) => engine.getCredentialIfSupported(id)),
      Option.match({
        onNone: () => Effect.succeed(createAnew),
        onSome: (credential) =>
          withEnteredValues({ tool: "update_credential", ...readNamed(credential) }, (data) => update({ data }))
      })
    )
  })
})

export const deleteCredential = EngineTool.make("delete_credential", {
  title: "Delete credential",
  description: "Delete a credential for good; workflows that use it stop working",
  annotations: changes,
  arguments: { id: credentialId },
  result: results.deleted,
  run: Effect.fnUntraced(function* ({ id }) {
    const deleted = yield* EngineClient.use((engine) => engine.deleteCredential(id))
    return { message: `Credential ${id} was deleted`, id, deleted: withoutValues(deleted) }
  })
})

export const getCredentialSchema = EngineTool.make("get_credential_schema", {
  title: "Get credential schema",
  description: "Read the schema of a credential type",
  annotations: reads,
  arguments: { type: credentialType },
  aliases: { typeName: "type" },
  run: ({ type }) => EngineClient.use((engine) => engine.getCredentialSchema(type)).pipe(withSimilarTypes(type))
})

/** The name and the type of a credential as the engine shows it. */
const readNamed = Schema.decodeUnknownSync(Schema.Struct({ name: Schema.String, type: CredentialType }))

const visibleFields = new Set([
  "createdAt",
  "id",
  "isGlobal",
  "isManaged",
  "isResolvable",
  "name",
  "resolvableAllowFallback",
  "resolverId",
  "type",
  "updatedAt",
  "usageScope"
])

/** A credential without values: only fields that hold none, whatever the engine sends. */
const withoutValues = (credential: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(credential).filter(([field]) => visibleFields.has(field)))

/** Names that are tried on an engine that does not list its types. */
const maxSimilar = 5

/** Adds to the refusal of an unknown credential type which similar ones this engine has. */
const withSimilarTypes =
  (type: CredentialType) =>
  <A, R>(self: Effect.Effect<A, EngineError, R>): Effect.Effect<A, EngineError, R | EngineClient> =>
    Effect.catchIf(self, isMissing, (error) =>
      Effect.flatMap(similar(type), (names) => Effect.fail(reworded(error, `${error.problem}. ${advice(names)}`)))
    )

const advice = (names: ReadonlyArray<string>) =>
  names.length === 0
    ? "No similar type was found there; the editor lists all under Credentials"
    : `Similar types there: ${names.join(", ")}`

/** Similar names, each of which exists on this engine: it lists them, or it has their schema. */
const similar = Effect.fnUntraced(function* (type: CredentialType) {
  const engine = yield* EngineClient
  const engineTypes = yield* Effect.orElseSucceed(engine.credentialTypesIfSupported, () => Option.none())
  if (Option.isSome(engineTypes)) return alike(type, engineTypes.value, maxSimilar)
  const used = yield* typesInUse
  const candidates = alike(type, [...new Set([...used, ...knownTypes])], maxSimilar)
  return yield* Effect.filter(
    candidates,
    (name) => Effect.isSuccess(engine.getCredentialSchema(CredentialType.make(name))),
    { concurrency: maxSimilar }
  )
})

/** The types of the engine's own credentials, among which there may be custom ones. */
const typesInUse = Effect.gen(function* () {
  const listed = yield* (yield* EngineClient).listCredentialsIfSupported({ limit: 250 })
  const data = Option.match(listed, { onNone: (): ReadonlyArray<JsonObject> => [], onSome: (page) => page.data })
  return data
    .map(({ type }) => type)
    .filter(Predicate.isString)
    .filter((name) => /^[A-Za-z0-9_-]{1,128}$/.test(name))
}).pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))
