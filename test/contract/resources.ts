import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { ask, request } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import { created, decodePage, manual } from "./fixtures.ts"

const decodeContents = Schema.decodeUnknownSync(
  Schema.Struct({
    contents: Schema.Tuple([
      Schema.Struct({ uri: Schema.String, mimeType: Schema.Literal("application/json"), text: Schema.String })
    ])
  })
)
const decodeText = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

const decodeInstances = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Array(
      Schema.Struct({ name: Schema.String, url: Schema.optionalKey(Schema.String), readOnly: Schema.Boolean })
    )
  )
)

/** The text of a resource. */
const readText = Effect.fnUntraced(function* (uri: string) {
  const { error, result } = yield* request("resources/read", { uri })
  assert.isUndefined(error, error?.message)
  const [contents] = decodeContents(result).contents
  assert.strictEqual(contents.uri, uri)
  return contents.text
})

/** The content of a resource. */
const read = (uri: string) => Effect.map(readText(uri), decodeText)

const missing = "noSuchThing01234"

export const resources = (it: Suite) => {
  it.effect("engine://workflows shows the list of the default instance, and of a named one", () =>
    Effect.gen(function* () {
      yield* created({ nodes: [manual()] })
      const listed = yield* ask("list_workflows")
      assert.deepStrictEqual(decodePage(yield* read("engine://workflows")), decodePage(listed))
      assert.isNotEmpty(decodePage(yield* read("engine://workflows?instance=staging")).data)
    })
  )

  it.effect("engine://workflows/{id} shows one workflow whole", () =>
    Effect.gen(function* () {
      const { id } = yield* created({ nodes: [manual()] })
      const workflow = yield* ask("get_workflow", { id })
      assert.deepStrictEqual(yield* read(`engine://workflows/${id}`), workflow)
      assert.deepStrictEqual(yield* read(`engine://workflows/${id}?instance=staging`), workflow)
      const named = `engine://workflows/${encodeURIComponent(String(workflow["name"]))}`
      assert.deepInclude(yield* read(named), workflow)
    })
  )

  it.effect("engine://instances names every instance with its address", () =>
    Effect.gen(function* () {
      const rows = decodeInstances(yield* readText("engine://instances"))
      assert.sameMembers(
        rows.map(({ name }) => name),
        ["production", "staging", "locked"]
      )
      for (const { url } of rows) assert.match(url ?? "http://", /^https?:\/\//)
    })
  )

  it.effect("an address that leads nowhere is an error of its own", () =>
    Effect.gen(function* () {
      for (const uri of [`engine://workflows/${missing}`, "engine://elsewhere", "engine://workflows/../tags", ""]) {
        const { error } = yield* request("resources/read", { uri })
        assert.include(error, { code: -32002, message: `Resource not found: ${uri}`.trim() })
      }
      const { error } = yield* request("resources/read", { uri: "engine://workflows?instance=moon" })
      assert.include(error, {
        code: -32602,
        message: "Instance moon not found. Available: production, staging, locked"
      })
    })
  )

  it.effect("ids and instance names are completed", () =>
    Effect.gen(function* () {
      const { id } = yield* created({ nodes: [manual()] })
      const complete = (uri: string, name: string, value: string) =>
        Effect.map(
          request("completion/complete", { ref: { type: "ref/resource", uri }, argument: { name, value } }),
          ({ result }) => result
        )
      const ids = yield* complete("engine://workflows/{id}", "id", id)
      assert.nestedPropertyVal(ids, "completion.values[0]", id)
      const instances = yield* complete("engine://workflows?instance={instance}", "instance", "s")
      assert.deepNestedPropertyVal(instances, "completion.values", ["staging"])
    })
  )
}
