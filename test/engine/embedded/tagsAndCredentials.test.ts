import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"

import { EmbeddedEngine } from "../../../src/engine/embedded/EmbeddedEngine.ts"
import { api, listed, refused } from "./calls.ts"

const basic = { name: "Basic", type: "httpBasicAuth", data: { user: "u", password: "hunter2" } }

for (const version of ["1.82.3", "2.41.1"] as const) {
  layer(EmbeddedEngine.layer({ version }))(`tags and credentials of ${version}`, (it) => {
    it.effect("trims a tag's name and refuses a bad one as already taken", () =>
      Effect.gen(function* () {
        const { json, status } = yield* api("POST", "/tags", { name: "  red " })
        assert.deepStrictEqual([status, json.name], [201, "red"])
        for (const name of ["red", "", "   ", "x".repeat(25)]) {
          assert.deepStrictEqual(yield* refused("POST", "/tags", { name }), [409, "Tag already exists"])
        }
        assert.strictEqual((yield* api("POST", "/tags", { name: "Red" })).status, 201)
      })
    )

    it.effect("renames a tag, lists tags in the order of creation and deletes each once", () =>
      Effect.gen(function* () {
        const { json } = yield* api("POST", "/tags", { name: "first" })
        yield* api("POST", "/tags", { name: "second" })
        const place = `/tags/${String(json.id)}`
        assert.notProperty((yield* api("PUT", place, { name: "renamed" })).json, "createdAt")
        const names = (yield* listed("/tags")).data.map(({ name }) => name)
        assert.isBelow(names.indexOf("renamed"), names.indexOf("second"))
        assert.strictEqual((yield* api("DELETE", place)).status, 200)
        assert.deepStrictEqual(yield* refused("DELETE", place), [404, "Not Found"])
      })
    )

    it.effect("checks a credential's data and never gives it back", () =>
      Effect.gen(function* () {
        const { status, text } = yield* api("POST", "/credentials", basic)
        assert.strictEqual(status, 200)
        assert.notInclude(text, "hunter2")
        const problems = [
          [{ ...basic, type: "nopeApi" }, "req.body.type is not a known type"],
          [
            { ...basic, data: { foo: 1, user: 2 } },
            `request.body.data is not allowed to have the additional property "foo",request.body.data is not of a type(s) string`
          ],
          [{ ...basic, type: "slackApi", data: {} }, `request.body.data requires property "accessToken"`]
        ] as const
        for (const [body, message] of problems) {
          assert.deepStrictEqual(yield* refused("POST", "/credentials", body), [400, message])
        }
      })
    )

    it.effect("gives the schema of a credential's data by type", () =>
      Effect.gen(function* () {
        assert.nestedPropertyVal(
          (yield* api("GET", "/credentials/schema/httpBasicAuth")).json,
          "properties.user.type",
          "string"
        )
        assert.deepStrictEqual(yield* refused("GET", "/credentials/schema/HTTPBasicAuth"), [404, "Not Found"])
        assert.deepStrictEqual(yield* refused("GET", "/credentials/schema/constructor"), [404, "Not Found"])
      })
    )
  })
}

layer(EmbeddedEngine.layer())("credentials of 1.82.3", (it) => {
  it.effect("cannot be read or changed", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* refused("GET", "/credentials"), [405, "GET method not allowed"])
      const { json } = yield* api("POST", "/credentials", basic)
      assert.deepStrictEqual(yield* refused("PATCH", `/credentials/${String(json.id)}`, {}), [
        405,
        "PATCH method not allowed"
      ])
      assert.notProperty((yield* api("DELETE", `/credentials/${String(json.id)}`)).json, "id")
    })
  )
})

layer(EmbeddedEngine.layer({ version: "2.41.1" }))("credentials of 2.41.1", (it) => {
  it.effect("can be listed, read and changed", () =>
    Effect.gen(function* () {
      const { json } = yield* api("POST", "/credentials", basic)
      const place = `/credentials/${String(json.id)}`
      assert.deepInclude((yield* api("PATCH", place, { name: "Renamed" })).json, { name: "Renamed" })
      assert.deepInclude((yield* api("GET", place)).json, { name: "Renamed", type: "httpBasicAuth" })
      assert.deepStrictEqual(
        (yield* listed("/credentials")).data.map(({ id }) => id),
        [json.id]
      )
      assert.deepStrictEqual(yield* refused("PATCH", place, { name: "x" }), [
        400,
        "Credential name must be 3 to 128 characters long."
      ])
      assert.deepStrictEqual(yield* refused("PATCH", "/credentials/nope", { name: "none" }), [
        404,
        "Credential not found"
      ])
    })
  )
})
