import { Effect, Schema } from "effect"

import { Free } from "../../../engine/Workflow.ts"
import { Edition } from "../store/Edition.ts"
import { freshId, now } from "../store/fresh.ts"
import type { CredentialRecord } from "../store/records.ts"
import { Store } from "../store/Store.ts"
import { own } from "../store/values.ts"
import { type Endpoint, ok } from "../wire/Endpoint.ts"
import { byOffset } from "../wire/paging.ts"
import { badRequest, notFound, type Refusal } from "../wire/Refusal.ts"
import { fields, object, readOnly, string } from "../wire/shapes.ts"
import { credentialTypes, dataProblem, schemaOf } from "./credentialTypes.ts"

const Sent = Schema.StructWithRest(
  Schema.Struct({
    id: Schema.optionalKey(Schema.String),
    name: Schema.String,
    type: Schema.String,
    data: Free
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)
const Patch = Schema.Struct({ name: Schema.optionalKey(Schema.String), data: Schema.optionalKey(Free) })

const decodeSent = Schema.decodeUnknownEffect(Sent)
const decodePatch = Schema.decodeUnknownEffect(Patch)

const schemaFor = Effect.fnUntraced(function* (type: string, refusal: Refusal) {
  const { isSecond } = yield* Edition
  const found = own(credentialTypes, type)
  return found === undefined ? yield* refusal : schemaOf(found, isSecond)
})

const checkData = Effect.fnUntraced(function* (type: string, data: Free) {
  const schema = yield* schemaFor(type, badRequest("req.body.type is not a known type"))
  const problem = dataProblem(data, schema)
  return problem === undefined ? data : yield* badRequest(problem)
})

const find = Effect.fnUntraced(function* (id: string, refusal: Refusal) {
  const { tables } = yield* Store
  return tables.credentials.get(id) ?? (yield* refusal)
})

const secondView = ({ createdAt, id, name, type, updatedAt }: CredentialRecord) => ({
  id,
  name,
  type,
  isManaged: false,
  isGlobal: false,
  isResolvable: false,
  resolvableAllowFallback: false,
  resolverId: null,
  createdAt,
  updatedAt
})

const create: Endpoint["run"] = Effect.fnUntraced(function* ({ body }) {
  const { commit } = yield* Store
  const { isSecond } = yield* Edition
  const { data, ...sent } = yield* Effect.orDie(decodeSent(body))
  yield* checkData(sent.type, data)
  const text = yield* now
  const times = { createdAt: text, updatedAt: text }
  const credential = { id: sent.id ?? (yield* freshId), name: sent.name, type: sent.type, ...times }
  yield* commit({ credential })
  return ok(isSecond ? secondView(credential) : { ...sent, id: credential.id, ...times, isManaged: false })
})

const remove: Endpoint["run"] = Effect.fnUntraced(function* ({ at }) {
  const { commit } = yield* Store
  const { isSecond } = yield* Edition
  const credential = yield* find(at("id"), notFound())
  yield* commit({ removedCredential: credential.id })
  const { createdAt, name, type, updatedAt } = credential
  return ok(
    isSecond
      ? { ...secondView(credential), usageScope: "project" }
      : { createdAt, updatedAt, name, type, isManaged: false }
  )
})

const schema: Endpoint = {
  method: "GET",
  path: "/credentials/schema/:type",
  query: {},
  run: Effect.fnUntraced(function* ({ at }) {
    return ok(yield* schemaFor(at("type"), notFound()))
  })
}

const creation = { method: "POST", path: "/credentials", query: {}, run: create } as const
const removal = { method: "DELETE", path: "/credentials/:id", query: {}, run: remove } as const

const sent = { name: string, type: string, data: object }
/** Further fields are taken, and 1.x engines echo them; only an id is refused there. */
const firstShape = { ...fields({ id: readOnly, ...sent }, "name", "type", "data"), isOpen: true }
const secondShape = { ...fields({ id: string, ...sent }, "name", "type", "data"), isOpen: true }

export const firstCredentials: ReadonlyArray<Endpoint> = [{ ...creation, body: { shape: firstShape } }, removal, schema]

export const secondCredentials: ReadonlyArray<Endpoint> = [
  {
    method: "GET",
    path: "/credentials",
    query: { limit: "limit", cursor: "encoded" },
    run: Effect.fnUntraced(function* ({ query }) {
      const { tables } = yield* Store
      const rows = [...tables.credentials.values()].reverse()
      const { data, nextCursor } = yield* byOffset(rows, query, true)
      const { createdAt, projectId } = tables.owner
      const project = { id: projectId, name: "Engine Owner <owner@engine.test>" }
      const shared = [{ ...project, role: "credential:owner", createdAt, updatedAt: createdAt }]
      return ok({
        data: data.map(({ id, name, type, ...times }) => ({ id, name, type, ...times, shared })),
        nextCursor
      })
    })
  },
  { ...creation, body: { shape: secondShape } },
  {
    method: "GET",
    path: "/credentials/:id",
    query: {},
    run: Effect.fnUntraced(function* ({ at }) {
      return ok(secondView(yield* find(at("id"), notFound("Credential not found"))))
    })
  },
  {
    method: "PATCH",
    path: "/credentials/:id",
    query: {},
    body: { shape: { ...fields({ name: string, data: object }), isOpen: true } },
    run: Effect.fnUntraced(function* ({ at, body }) {
      const { commit } = yield* Store
      const before = yield* find(at("id"), notFound("Credential not found"))
      const { data, name = before.name } = yield* Effect.orDie(decodePatch(body))
      if (name.length < 3 || name.length > 128) {
        return yield* badRequest("Credential name must be 3 to 128 characters long.")
      }
      if (data !== undefined) yield* checkData(before.type, data)
      const credential = { ...before, name, updatedAt: yield* now }
      yield* commit({ credential })
      return ok(secondView(credential))
    })
  },
  {
    method: "POST",
    path: "/credentials/:id/test",
    query: {},
    run: Effect.fnUntraced(function* ({ at }) {
      yield* find(at("id"), notFound("Credential not found"))
      return ok({ status: "Error", message: "No testing function found for this credential." })
    })
  },
  removal,
  schema
]
