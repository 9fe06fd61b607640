import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { engineTools } from "../../../src/engine/tools/catalog.ts"
import { ask, type Json, refused } from "../../support/harness.ts"
import { engineThat, json, serving } from "./standIn.ts"

const node = { name: "Hook", type: "n8n-nodes-base.webhook", typeVersion: 2, position: [0, 0], parameters: {} }
const workflow = { id: "1", name: "Orders", active: true, nodes: [node], connections: {}, data: [] }

const names: Readonly<Record<string, Json>> = {
  create_workflow: { name: "x", nodes: [node] },
  update_workflow: { id: "1", name: "x" },
  create_credential: { name: "x", type: "httpBasicAuth", data: {} },
  update_credential: { id: "1", name: "x" },
  create_tag: { name: "x" },
  update_tag: { id: "1", name: "x" }
}

describe("a read-only instance", () => {
  for (const { annotations, name } of engineTools) {
    if (annotations.readOnlyHint) continue
    it.live(`refuses ${name} before it sends a change`, () => {
      const { requests, client } = engineThat(() => json(workflow))
      return Effect.gen(function* () {
        const { code, data, message } = yield* refused(name, names[name] ?? { id: "1" })
        assert.strictEqual(code, -32602)
        assert.match(message, /^Instance production is read-only: .+ was not sent\./)
        assert.include(data, { code: "READ_ONLY", instance: "production" })
        for (const { method, path } of requests) {
          assert.strictEqual(method, "GET")
          assert.match(path, /^\/api\/v1\//)
        }
      }).pipe(Effect.provide(serving(client, { readOnly: true })))
    })
  }

  it.live("still lists and reads everything", () => {
    const { client } = engineThat(() => json(workflow))
    return Effect.gen(function* () {
      assert.deepEqual(yield* ask("list_workflows"), { data: [] })
      assert.deepInclude(yield* ask("get_workflow", { id: "1" }), { id: "1", nodes: [node] })
    }).pipe(Effect.provide(serving(client, { readOnly: true })))
  })
})
