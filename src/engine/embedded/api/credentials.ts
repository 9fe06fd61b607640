import { Effect, Schema } from "effect"

import { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { Store } from "../store/Store.ts"
import { entryOf, freshId, now } from "../store/values.ts"
import { badRequest, notFound, type Refusal } from "../wire/http.ts"
import { type CredentialType, Dialect, type Handler, ok } from "./Dialect.ts"

const Sent = Schema.StructWithRest(
  Schema.Struct({
    id: Schema.optionalKey(Schema.String),
    name: Schema.String,
    type: Schema.String,
    data: JsonObject
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)

const decode = Schema.decodeUnknownEffect(Sent)

/** The JSON schema of a type's data, as engines publish it. */
const schemaFor = Effect.fnUntraced(function* (type: string, refusal: Refusal) {
  const { credentialTypes } = yield* Dialect
  const { properties, required = [] } = entryOf(credentialTypes, type) ?? (yield* refusal)
  return { additionalProperties: false, type: "object", properties, required }
})

/** The data of a credential, checked against the schema of its type. */
export const checkData = Effect.fnUntraced(function* (type: string, data: JsonObject) {
  const schema = yield* schemaFor(type, badRequest("req.body.type is not a known type"))
  const problems = problemsOf(data, schema)
  return problems.length === 0 ? data : yield* badRequest(problems.join(","))
})

/** Everything that is wrong with some data. */
const problemsOf = (data: JsonObject, { properties, required = [] }: CredentialType): ReadonlyArray<string> => {
  const place = "request.body.data"
  return [
    ...Object.keys(data)
      .filter((name) => !Object.hasOwn(properties, name))
      .map((name) => `${place} is not allowed to have the additional property "${name}"`),
    ...Object.entries(properties)
      .filter(([name, { type }]) => data[name] !== undefined && !holds(type, data[name]))
      .map(([, { type }]) => `${place} is not of a type(s) ${type}`),
    ...required.filter((name) => data[name] === undefined).map((name) => `${place} requires property "${name}"`)
  ]
}

const holds = (type: string, value: unknown): boolean => type === "json" || type === "notice" || typeof value === type

export const findCredential = Effect.fnUntraced(function* (id: string, message?: string) {
  const { tables } = yield* Store
  return tables.credentials.get(id) ?? (yield* notFound(message))
})

export const createCredential: Handler = Effect.fnUntraced(function* ({ body }) {
  const { commit } = yield* Store
  const { views } = yield* Dialect
  const { data, ...sent } = yield* Effect.orDie(decode(body))
  yield* checkData(sent.type, data)
  const text = yield* now
  const times = { createdAt: text, updatedAt: text }
  const credential = { id: sent.id ?? (yield* freshId), name: sent.name, type: sent.type, ...times }
  yield* commit({ credential })
  return ok(views.createdCredential(credential, sent))
})

export const deleteCredential: Handler = Effect.fnUntraced(function* ({ at }) {
  const { commit } = yield* Store
  const { views } = yield* Dialect
  const credential = yield* findCredential(at("id"))
  yield* commit({ removedCredential: credential.id })
  return ok(views.deletedCredential(credential))
})

export const getCredentialSchema: Handler = Effect.fnUntraced(function* ({ at }) {
  return ok(yield* schemaFor(at("type"), notFound()))
})
