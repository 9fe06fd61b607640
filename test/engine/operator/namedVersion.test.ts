import { assert, it } from "@effect/vitest"
import { Effect, Struct } from "effect"

import { ask, operatorToolsets } from "../../support/harness.ts"
import { inTime } from "../../support/inTime.ts"
import { engineThat, json, serving } from "../tools/standIn.ts"

const workflow = (name: string, parameters: object) => ({
  id: "w1",
  name: "Orders",
  active: true,
  versionId: "draft",
  nodes: [{ id: "a", name, type: "engine-nodes-base.set", typeVersion: 3, position: [0, 0], parameters }],
  connections: {}
})

/** An engine whose execution 14 ran this, and names the version of the draft. */
const engineThatRan = (ran: object) => {
  const endpoints = [{ method: "GET", path: "/api/v1/workflows/{id}/versions/{versionId}" }]
  const answers = new Map<string, unknown>([
    ["/api/v1/discover", { data: { scopes: [], resources: { all: { endpoints } } } }],
    ["/api/v1/workflows/w1", workflow("Draft", { mode: "raw" })],
    ["/api/v1/workflows/w1/versions/draft", Struct.omit(workflow("Draft", { mode: "raw" }), ["id"])],
    [
      "/api/v1/executions/14",
      { id: 14, workflowId: "w1", status: "success", workflowVersionId: "draft", workflowData: ran }
    ]
  ])
  const { client } = engineThat(({ path }) => {
    const answer = answers.get(path.split("?")[0] ?? "")
    return answer === undefined ? json({ message: "not found" }, 404) : json(answer)
  })
  return serving(client, {}, operatorToolsets)
}

const restored = inTime(ask("restore_workflow", { id: "w1", version: "execution-14", dry_run: true }))

it.effect("a run is shown as it ran where the engine names the version of the draft", () =>
  Effect.gen(function* () {
    const { changes } = yield* Effect.provide(restored, engineThatRan(workflow("Published", { mode: "manual" })))
    assert.include(JSON.stringify(changes), "Published")
  })
)

it.effect("a run is shown in its version, without the defaults that the engine has filled in", () =>
  Effect.gen(function* () {
    const filled = workflow("Draft", { mode: "raw", include: "all" })
    const { changes } = yield* Effect.provide(restored, engineThatRan(filled))
    assert.deepStrictEqual(changes, [])
  })
)
