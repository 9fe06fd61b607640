import { assert } from "@effect/vitest"
import { Effect } from "effect"

import { ask, type Json, refused } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import { decodeEntity, decodePage, unique, webhook } from "./fixtures.ts"
import { TestedEngine } from "./TestedEngine.ts"

const secret = "canary-of-the-credential"

/** A credential made through the server, gone when the test ends. */
const kept = Effect.fnUntraced(function* (draft: Json = {}) {
  const whole = { name: unique("shop"), type: "httpBasicAuth", data: { user: "ann", password: secret }, ...draft }
  const credential = decodeEntity(yield* ask("create_credential", whole))
  const { send } = yield* TestedEngine
  yield* Effect.addFinalizer(() => send("DELETE", `/credentials/${credential.id}`))
  return { ...credential, name: whole.name }
})

const viewInEngine = {
  guidance:
    "This engine does not show credentials through its API, for security. See them in the engine UI, under Credentials."
}

export const credentials = (it: Suite) => {
  it.effect("create_credential stores the values and never says them again", () =>
    Effect.gen(function* () {
      const credential = yield* kept()
      assert.nestedPropertyVal(credential, "type", "httpBasicAuth")
      assert.match(credential.id, /^[A-Za-z0-9]{16}$/)
      assert.notInclude(JSON.stringify(credential), secret)
      assert.notProperty(credential, "data")
    })
  )

  it.effect("create_credential passes on what the engine says of data that does not fit, without the values", () =>
    Effect.gen(function* () {
      const data = { user: "ann", password: secret, [secret]: secret }
      const error = yield* refused("create_credential", { name: "Shop", type: "httpBasicAuth", data })
      assert.include(error.data, { code: "API_ERROR", httpStatus: 400 })
      assert.match(error.message, /^API error: request\.body\.data is not allowed to have the additional property/)

      const unknown = yield* refused("create_credential", { name: "Shop", type: "noSuchType", data: { key: secret } })
      assert.strictEqual(unknown.message, "API error: req.body.type is not a known type")
      assert.notInclude(JSON.stringify(unknown), secret)
    })
  )

  it.effect("get_credential_schema answers the schema that the data must fit", () =>
    Effect.gen(function* () {
      const schema = yield* ask("get_credential_schema", { type: "httpBasicAuth" })
      assert.nestedPropertyVal(schema, "properties.user.type", "string")
      assert.nestedPropertyVal(schema, "properties.password.type", "string")
      assert.deepStrictEqual(yield* ask("get_credential_schema", { typeName: "httpBasicAuth" }), schema)
      for (const [type, words] of [
        [
          "httpBasicAut",
          /\(credential type httpBasicAut on instance production\)\. Similar types there: httpBasicAuth/
        ],
        ["HTTPHEADERAUTH", /Similar types there: httpHeaderAuth/],
        ["slack", /Similar types there: slackApi/],
        ["zzzzzzzzzzzzzzzzzz", /No similar type was found there; the editor lists all/]
      ] as const) {
        const { data, message } = yield* refused("get_credential_schema", { type })
        assert.include(data, { code: "API_ERROR", httpStatus: 404 })
        assert.match(message, /^API error: Not Found \(credential type /)
        assert.match(message, words)
        for (const name of /there: (.*)$/.exec(message)?.[1]?.split(", ") ?? []) {
          assert.property(yield* ask("get_credential_schema", { type: name }), "properties")
        }
      }
    })
  )

  it.effect("list_credentials and get_credential show records without values, or say where to look", () =>
    Effect.gen(function* () {
      const { isV2 } = yield* TestedEngine
      const { id, name } = yield* kept()
      const listed = yield* ask("list_credentials", { limit: 250 })
      const read = yield* ask("get_credential", { id })
      for (const answer of [listed, read]) assert.notMatch(JSON.stringify(answer), /canary|"shared"|"data":\{/)
      if (isV2) {
        assert.include(read, { id, name, type: "httpBasicAuth" })
        assert.include(
          decodePage(listed).data.map((credential) => credential.id),
          id
        )
      } else {
        assert.deepStrictEqual([listed, read], [viewInEngine, viewInEngine])
      }
    })
  )

  it.effect("update_credential changes a credential, or says how to replace it", () =>
    Effect.gen(function* () {
      const { isV2 } = yield* TestedEngine
      const { id } = yield* kept()
      const name = unique("renamed")
      const updated = yield* ask("update_credential", { id, name, data: { user: "bob", password: `${secret}-2` } })
      assert.notInclude(JSON.stringify(updated), secret)
      if (isV2) {
        assert.include(updated, { id, name })
        assert.include(yield* ask("get_credential", { id }), { name })
      } else {
        assert.deepStrictEqual(updated, {
          guidance:
            "Credentials are immutable through this interface. Delete this one with delete_credential, create it anew with " +
            "create_credential, and put the new id into the workflows that use it."
        })
      }
    })
  )

  it.effect("delete_credential removes a credential for good", () =>
    Effect.gen(function* () {
      const { id, name } = yield* kept()
      const deleted = yield* ask("delete_credential", { id })
      assert.include(deleted, { id, message: `Credential ${id} was deleted` })
      assert.nestedPropertyVal(deleted, "deleted.name", name)
      const { message } = yield* refused("delete_credential", { id })
      assert.strictEqual(message, `API error: Not Found (credential ${id} on instance production)`)
    })
  )

  it.effect(
    "nodes show the names of the credentials whose ids they have, or the ids of the only ones of that name",
    () =>
      Effect.gen(function* () {
        const { id, name } = yield* kept()
        const { send } = yield* TestedEngine
        const nodeWith = (credential: Json) => ({
          name: "Fetch",
          type: "n8n-nodes-base.httpRequest",
          typeVersion: 4.2,
          position: [0, 0],
          parameters: { url: "https://example.com" },
          credentials: { httpBasicAuth: credential }
        })
        const body = (credential: Json) => ({
          name: unique("credentials"),
          nodes: [nodeWith(credential)],
          connections: {},
          settings: {}
        })
        const stranger = { id: "AAAAAAAAAAAAAAAA", name: unique("nobody's") }
        const cases: ReadonlyArray<readonly [given: Json, shown: Json]> = [
          [
            { id, name: id },
            { id, name }
          ],
          [
            { id: stranger.id, name },
            { id, name }
          ],
          [stranger, stranger]
        ]
        for (const [given, shown] of cases) {
          const made = decodeEntity((yield* send("POST", "/workflows", body(given))).body)
          yield* Effect.addFinalizer(() => send("DELETE", `/workflows/${made.id}`))
          const place = "body.nodes[0].credentials.httpBasicAuth"
          assert.deepNestedInclude(yield* send("GET", `/workflows/${made.id}`), { [place]: shown })
          yield* send("PUT", `/workflows/${made.id}`, body(given))
          assert.deepNestedInclude(yield* send("GET", `/workflows/${made.id}`), { [place]: shown })
        }
      })
  )

  it.effect(
    "plan_rotation makes a credential anew, switches the workflow that uses it, and a rollback leads back",
    () =>
      Effect.gen(function* () {
        const { send } = yield* TestedEngine
        const former = yield* kept()
        const used = { ...webhook(), credentials: { httpBasicAuth: { id: former.id, name: former.name } } }
        const { id } = decodeEntity(yield* ask("create_workflow", { name: unique("rotated"), nodes: [used] }))
        yield* Effect.addFinalizer(() => send("DELETE", `/workflows/${id}`))
        const usedNow = Effect.map(send("GET", `/workflows/${id}`), ({ body }) =>
          String(Object(body).nodes[0].credentials.httpBasicAuth.id)
        )
        const data = { user: "ann", password: `${secret} of today` }
        const plan = yield* ask("plan_rotation", { credential: former.name, data })
        assert.deepInclude(plan, { kind: "rotation", steps: 1 })
        assert.notInclude(JSON.stringify(plan), secret)
        const created = String(Object.values(Object(plan["created"]))[0])
        yield* Effect.addFinalizer(() => send("DELETE", `/credentials/${created}`))
        assert.strictEqual(yield* usedNow, former.id)
        const apply = (planned: Json) => ask("apply_plan", { plan_id: String(planned["plan_id"]), confirm: true })
        assert.deepInclude(yield* apply(plan), { state: "applied", done: 1 })
        assert.strictEqual(yield* usedNow, created)
        yield* apply(yield* ask("plan_rollback", { plan_id: String(plan["plan_id"]) }))
        assert.strictEqual(yield* usedNow, former.id)
      })
  )

  it.effect("an unknown credential is not found, where the engine shows credentials at all", () =>
    Effect.gen(function* () {
      const { isV2 } = yield* TestedEngine
      if (!isV2) {
        assert.deepStrictEqual(yield* ask("get_credential", { id: "noSuchOne" }), viewInEngine)
        return
      }
      assert.include((yield* refused("get_credential", { id: "noSuchOne" })).data, { httpStatus: 404 })
      assert.include((yield* refused("update_credential", { id: "noSuchOne", name: "x" })).data, { httpStatus: 404 })
    })
  )
}
