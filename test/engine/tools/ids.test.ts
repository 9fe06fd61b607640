import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"

import { refused } from "../../support/harness.ts"
import { engineThat, json, serving } from "./standIn.ts"

const byId = [
  "get_workflow",
  "update_workflow",
  "delete_workflow",
  "activate_workflow",
  "deactivate_workflow",
  "execute_workflow",
  "get_execution",
  "delete_execution",
  "retry_execution",
  "get_credential",
  "update_credential",
  "delete_credential",
  "get_tag",
  "update_tag",
  "delete_tag"
]

const traps = [
  "../../tags",
  "..",
  ".",
  "",
  " ",
  "a/b",
  "a%2Fb",
  "a?b",
  "a#b",
  "a b",
  "a\n",
  "ä",
  "a".repeat(129),
  "1;x"
]

describe("an invalid id", () => {
  for (const tool of byId) {
    it.live(`is refused by ${tool} before the engine is called`, () => {
      const { requests, client } = engineThat(() => json({}))
      return Effect.gen(function* () {
        for (const id of traps) {
          const { code, message } = yield* refused(tool, { id, ...(tool.startsWith("update") ? { name: "x" } : {}) })
          assert.strictEqual(code, -32602)
          assert.match(message, /^Invalid id: must be /)
        }
        assert.isEmpty(requests)
      }).pipe(Effect.provide(serving(client)))
    })
  }

  it.live("is every text with anything but letters, digits, - and _", () => {
    const { requests, client } = engineThat(() => json({}))
    const bad = fc.string().filter((text) => !/^[A-Za-z0-9_-]{1,128}$/.test(text))
    return Effect.gen(function* () {
      for (const id of fc.sample(bad, 200)) {
        assert.match((yield* refused("get_workflow", { id })).message, /^Invalid id: must be an id/)
        assert.match((yield* refused("get_credential_schema", { type: id })).message, /^Invalid type: must be/)
      }
      assert.isEmpty(requests)
    }).pipe(Effect.provide(serving(client)))
  })
})
