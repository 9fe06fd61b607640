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
import { credentialId, credentialName, credentialType, cursor, limit, object, optional } from "./parameters.ts"
import { refuseMasked } from "./refuseMasked.ts"
import * as results from "./results.ts"

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
  description: "Create a credential; the engine encrypts its data",
  annotations: creates,
  arguments: { name: credentialName, type: credentialType, data: object("Values, as get_credential_schema says") },
  result: results.credential,
  run: (body) =>
    Effect.andThen(
      refuseMasked(body),
      EngineClient.use((engine) => engine.createCredential(body)).pipe(
        Effect.map((created) => ({ name: body.name, type: body.type, ...withoutValues(created), id: created.id }))
      )
    )
})

export const updateCredential = EngineTool.make("update_credential", {
  title: "Update credential",
  description: "Change a credential where the engine allows it",
  annotations: changes,
  arguments: {
    id: credentialId,
    name: optional(credentialName),
    type: optional(credentialType),
    data: optional(object("All values, as get_credential_schema says"))
  },
  run: ({ id, ...body }) =>
    Effect.andThen(
      refuseMasked(body),
      EngineClient.use((engine) => engine.updateCredentialIfSupported(id, body)).pipe(
        Effect.map(Option.match({ onNone: () => createAnew, onSome: withoutValues }))
      )
    )
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
  description: "Read the JSON schema of the data of a credential type",
  annotations: reads,
  arguments: { type: credentialType },
  aliases: { typeName: "type" },
  run: ({ type }) => EngineClient.use((engine) => engine.getCredentialSchema(type)).pipe(withSimilarTypes(type))
})

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

/** A credential without values: only what is known to hold none, whatever the engine sends. */
const withoutValues = (credential: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(credential).filter(([field]) => visibleFields.has(field)))

/** Names that are tried on an engine that does not tell its own. */
const maxSimilar = 5

/** Adds to the refusal of an unknown credential type which similar ones this engine has. */
export const withSimilarTypes =
  (type: CredentialType) =>
  <A, R>(self: Effect.Effect<A, EngineError, R>): Effect.Effect<A, EngineError, R | EngineClient> =>
    Effect.catchIf(self, isMissing, (error) =>
      Effect.flatMap(similar(type), (names) => Effect.fail(reworded(error, `${error.problem}. ${advice(names)}`)))
    )

const advice = (names: ReadonlyArray<string>) =>
  names.length === 0
    ? "No similar type was found there; the editor lists all under Credentials"
    : `Similar types there: ${names.join(", ")}`

/** Similar names, each of which exists on this engine: it told so, or it showed the schema. */
const similar = Effect.fnUntraced(function* (type: CredentialType) {
  const engine = yield* EngineClient
  const told = yield* Effect.orElseSucceed(engine.credentialTypesIfSupported, () => Option.none())
  if (Option.isSome(told)) return alike(type, told.value, maxSimilar)
  const used = yield* typesInUse
  const candidates = alike(type, [...new Set([...used, ...knownTypes])], maxSimilar)
  return yield* Effect.filter(
    candidates,
    (name) => Effect.isSuccess(engine.getCredentialSchema(CredentialType.make(name))),
    { concurrency: maxSimilar }
  )
})

/** Those of the engine's own credentials show types that nobody else knows. */
const typesInUse = Effect.gen(function* () {
  const listed = yield* (yield* EngineClient).listCredentialsIfSupported({ limit: 250 })
  const data = Option.match(listed, { onNone: (): ReadonlyArray<JsonObject> => [], onSome: (page) => page.data })
  return data
    .map(({ type }) => type)
    .filter(Predicate.isString)
    .filter((name) => /^[A-Za-z0-9_-]{1,128}$/.test(name))
}).pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))

/** The tools about credentials, in the order in which they are listed. */
export const credentialTools = [
  listCredentials,
  getCredential,
  createCredential,
  updateCredential,
  deleteCredential,
  getCredentialSchema
]
