import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"

import { refused } from "../../support/harness.ts"
import { engineThat, json, serving } from "./standIn.ts"

const ofExecutions = ["get_execution", "delete_execution", "retry_execution"]

/** The path of the list in which a tool looks for a name. */
const lists: Readonly<Record<string, string>> = {
  get_workflow: "/api/v1/workflows",
  update_workflow: "/api/v1/workflows",
  delete_workflow: "/api/v1/workflows",
  activate_workflow: "/api/v1/workflows",
  deactivate_workflow: "/api/v1/workflows",
  execute_workflow: "/api/v1/workflows",
  get_credential: "/api/v1/credentials",
  update_credential: "/api/v1/credentials",
  delete_credential: "/api/v1/credentials",
  get_tag: "/api/v1/tags",
  update_tag: "/api/v1/tags",
  delete_tag: "/api/v1/tags"
}

const traps = ["../../tags", "..", ".", "a/b", "a%2Fb", "a?b", "a#b", "a b", "a\n", "ä", "a".repeat(129), "1;x"]
const nothing = ["", " ", "\n\t", "a".repeat(257)]

const pathOf = ({ path }: { readonly path: string }) => path.replace(/\?.*/, "")

const anEmptyEngine = () => engineThat(() => json({ data: [], nextCursor: null }))

describe("an id", () => {
  for (const tool of [...Object.keys(lists), ...ofExecutions]) {
    it.live(`that is empty or too long is refused by ${tool} before the engine is called`, () => {
      const { requests, client } = anEmptyEngine()
      return Effect.gen(function* () {
        for (const id of ofExecutions.includes(tool) ? [...nothing, ...traps] : nothing) {
          const { code, message } = yield* refused(tool, { id, ...(tool.startsWith("update") ? { name: "x" } : {}) })
          assert.strictEqual(code, -32602)
          assert.match(message, /^Invalid id: must be /)
        }
        assert.isEmpty(requests)
      }).pipe(Effect.provide(serving(client)))
    })
  }

  for (const [tool, list] of Object.entries(lists)) {
    it.live(`that cannot be one is a name to ${tool}, and stands in no path`, () => {
      const { requests, client } = anEmptyEngine()
      return Effect.gen(function* () {
        for (const id of traps) {
          const { data, message } = yield* refused(tool, { id, ...(tool.startsWith("update") ? { name: "x" } : {}) })
          assert.match(message, /^API error: Not Found \((workflow|credential|tag) ".*" on instance production\)$/)
          assert.include(data, { code: "API_ERROR", httpStatus: 404, instance: "production" })
        }
        assert.deepStrictEqual([...new Set(requests.map(pathOf))], [list])
        assert.isTrue(requests.every(({ method }) => method === "GET"))
      }).pipe(Effect.provide(serving(client)))
    })
  }

  it.live("with anything but letters, digits, - and _ stands in no path", () => {
    const { requests, client } = anEmptyEngine()
    const bad = fc.string({ minLength: 1 }).filter((text) => !/^[A-Za-z0-9_-]{1,128}$/.test(text) && /\S/.test(text))
    return Effect.gen(function* () {
      for (const id of fc.sample(bad, 200)) {
        assert.match((yield* refused("get_workflow", { id })).message, /^API error: Not Found \(workflow "/)
        assert.match((yield* refused("get_credential_schema", { type: id })).message, /^Invalid type: must be/)
      }
      assert.deepStrictEqual([...new Set(requests.map(pathOf))], ["/api/v1/workflows"])
    }).pipe(Effect.provide(serving(client)))
  })
})
