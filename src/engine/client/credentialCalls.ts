import { Effect, Option, Predicate, Schema } from "effect"

import { JsonObject, open } from "../../internal/schema/JsonObject.ts"
import {
  type CredentialId,
  CredentialTest,
  type CredentialType,
  ListItem,
  page,
  type PageQuery
} from "../workflow/models.ts"
import { credentialTypesPath } from "../workflow/naming.ts"
import type * as Call from "./call.ts"
import type { ApiError, EngineError } from "./EngineError.ts"
import { isMissing } from "./isMissing.ts"

/** The beginning of the engine's words where it has no test for a type of credential. */
export const noTest = "No testing function found"

export const credentialCalls = ({ call, callDeletion, callIfSupported, publicJson }: Call.Calls) => {
  const list = (query: PageQuery) =>
    callIfSupported(page(ListItem), {
      operation: "list credentials",
      method: "GET",
      path: "/credentials",
      query: { ...query }
    })

  /** If an engine cannot even list credentials, "not found" says nothing about the requested one. */
  const whereListed = (ask: Effect.Effect<Option.Option<JsonObject>, EngineError>) =>
    Effect.catchIf(ask, isMissing, (error) =>
      Effect.flatMap(list({ limit: 1 }), (listed) => (Option.isNone(listed) ? Effect.succeedNone : Effect.fail(error)))
    )

  return {
    listCredentialsIfSupported: list,
    getCredentialIfSupported: (id: CredentialId) =>
      whereListed(
        callIfSupported(Credential, { operation: "get credential", method: "GET", path: `/credentials/${id}` })
      ),
    createCredential: (body: { readonly name: string; readonly type: CredentialType; readonly data: JsonObject }) =>
      call(Credential, {
        operation: "create credential",
        method: "POST",
        path: "/credentials",
        body,
        secrets: secretsIn(body.data)
      }),
    updateCredentialIfSupported: (
      id: CredentialId,
      body: { readonly name?: string; readonly type?: CredentialType; readonly data?: JsonObject }
    ) =>
      whereListed(
        callIfSupported(Credential, {
          operation: "update credential",
          method: "PATCH",
          path: `/credentials/${id}`,
          body,
          secrets: secretsIn(body.data)
        })
      ),
    deleteCredential: (id: CredentialId) =>
      callDeletion(Described, { operation: "delete credential", path: `/credentials/${id}` }),
    // This tests a stored value and changes nothing, so it is allowed on read-only instances.
    testCredentialIfSupported: (id: CredentialId, values?: JsonObject) =>
      Effect.catchIf(
        callIfSupported(CredentialTest, {
          operation: "test credential",
          method: "POST",
          path: `/credentials/${id}/test`,
          effect: "read",
          body: {},
          secrets: secretsIn(values)
        }),
        isUntestable,
        () => Effect.succeedSome({ status: "Error", message: noTest })
      ),
    getCredentialSchema: (type: CredentialType) =>
      call(CredentialSchema, {
        operation: "get credential schema",
        method: "GET",
        path: `/credentials/schema/${type}`,
        about: `credential type ${type}`
      }),
    credentialTypesIfSupported: Effect.map(publicJson(credentialTypesPath), Option.flatMap(readTypes))
  }
}

/** A credential's record, without its values. */
const Credential = open({ id: Schema.String })

/** The schema of the data of a credential: an empty answer is none. */
const CredentialSchema = open({ properties: JsonObject })

/** Whether the engine cannot test credentials of a type: some know nodes with a test for it that they do not have themselves. */
const isUntestable = (error: EngineError): error is ApiError =>
  error._tag === "ApiError" && error.httpStatus === 400 && error.problem.startsWith("Unrecognized node type")

/** The record of a deleted credential, in which older engines leave out the id. */
const Described = open({ name: Schema.String, type: Schema.String })

const readTypes = (body: unknown) => Option.map(decodeTypes(body), (types) => types.map(({ name }) => name))

const decodeTypes = Schema.decodeUnknownOption(Schema.Array(Schema.Struct({ name: Schema.String })))

/** Every string and number in the data of a credential: each may be a secret. */
export const secretsIn = (value: unknown): ReadonlyArray<string> => {
  if (Predicate.isString(value)) return [value]
  if (Predicate.isNumber(value)) return [String(value)]
  return Predicate.isObject(value) || Array.isArray(value) ? Object.values(value).flatMap(secretsIn) : []
}
