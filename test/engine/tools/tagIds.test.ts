import { assert, it } from "@effect/vitest"
import { Effect } from "effect"

import { ask, refused } from "../../support/harness.ts"
import { engineThat, isOfTheApi, json, serving } from "./standIn.ts"

const start = { name: "Start", type: "n8n-nodes-base.manualTrigger", typeVersion: 1, position: [0, 0], parameters: {} }
const made = { id: "w1", name: "Orders", active: false, nodes: [start], connections: {}, settings: {}, tags: [] }

/** An engine whose key may do everything but list tags. */
const engine = () =>
  engineThat(({ method, path }) =>
    path.startsWith("/api/v1/tags")
      ? json({ message: "Forbidden" }, 403)
      : json(method === "PUT" ? [{ id: "t1", name: "red" }] : made)
  )

it.effect("create_workflow leaves tags to the engine where the key may not list them", () => {
  const { requests, client } = engine()
  return Effect.gen(function* () {
    yield* ask("create_workflow", { name: "Orders", nodes: [start], connections: {}, tags: ["t1"] })
    const sent = requests.filter(isOfTheApi).find(({ method }) => method === "PUT")
    assert.deepInclude(sent, { path: "/api/v1/workflows/w1/tags", body: '[{"id":"t1"}]' })
  }).pipe(Effect.provide(serving(client)))
})

it.effect("create_workflow refuses what can be no id of a tag, where the key may not list them", () => {
  const { requests, client } = engine()
  return Effect.gen(function* () {
    const args = { name: "Orders", nodes: [start], connections: {}, tags: ["my tag"] }
    assert.include(
      (yield* refused("create_workflow", args)).message,
      "Invalid tags.0: is no tag of instance production"
    )
    assert.isTrue(requests.filter(isOfTheApi).every(({ method }) => method === "GET"))
  }).pipe(Effect.provide(serving(client)))
})
