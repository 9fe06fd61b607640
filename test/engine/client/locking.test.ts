import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, MutableHashMap, Redacted } from "effect"
import { HttpClient } from "effect/http"

import { EmbeddedEngine } from "../../../src/engine/embedded/EmbeddedEngine.ts"
import { Coordination } from "../../../src/internal/http/Coordination.ts"
import { everyTool, type Ids } from "../../support/everyTool.ts"
import { ask, environment, operatorToolsets, serverOver } from "../../support/harness.ts"

/** Locks that are held, and the writes of a workflow that were sent without its lock. */
const heldLocks = MutableHashMap.empty<string, number>()
const unlocked: Array<string> = []
const locked: Array<string> = []

const coordination = Layer.effect(
  Coordination,
  Effect.map(Coordination, (others) => {
    const withLock: typeof others.withLock = (name, self) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          assert.isFalse(MutableHashMap.has(heldLocks, name), `${name} is taken twice`)
          MutableHashMap.set(heldLocks, name, 1)
        }),
        () => self,
        () => Effect.sync(() => MutableHashMap.remove(heldLocks, name))
      )
    return { ...others, withLock }
  })
)

/** The server over an embedded engine; every write of a workflow is compared with the locks. */
const server = Layer.unwrap(
  Effect.map(EmbeddedEngine, ({ apiKey, host, httpClient }) => {
    const client = HttpClient.transform(httpClient, (answer, { method, url }) => {
      const [, address = "", id = ""] = /^(.+)\/api\/v1\/workflows\/(\w+)/.exec(url) ?? []
      if (id !== "" && method !== "GET") {
        const isLocked = MutableHashMap.has(heldLocks, `${address.replace("127.0.0.1", "localhost")} ${id}`)
        ;(isLocked ? locked : unlocked).push(`${method} ${url.replace(id, "ID").slice(address.length)}`)
      }
      return answer
    })
    const instance = environment(host, Redacted.value(apiKey), { requestsPerSecond: Infinity })
    return serverOver({ production: instance }, Layer.succeed(HttpClient.HttpClient, client), operatorToolsets).pipe(
      Layer.provide(coordination)
    )
  })
).pipe(Layer.provideMerge(EmbeddedEngine.layer({ version: "2.41.1", seed: true })))

const start = {
  name: "Start",
  type: "engine-nodes-base.manualTrigger",
  typeVersion: 1,
  position: [0, 0],
  parameters: {}
}

describe("every tool that writes a workflow", () => {
  it.live("sends each write under the lock of the workflow", () =>
    Effect.gen(function* () {
      let ids: Ids = {}
      for (const [tool, args] of everyTool("locked")) {
        const answer = yield* ask(tool, args(ids))
        ids = { ...ids, [tool]: answer["id"] ?? answer["executionId"] }
      }
      const { id } = yield* ask("create_workflow", { name: "Edited", nodes: [start] })
      const tag = { op: "tag", value: "new", create: true }
      yield* ask("edit_workflow", { id, operations: [tag] })
      const operations = [{ op: "set", node: "Start", path: "notes", value: "new" }, tag]
      yield* ask("edit_workflow", { id, operations, copy_as: "Copy" })
      yield* ask("update_workflow", { id, name: "Another", active: false })
      yield* ask("archive_workflow", { id })
      yield* ask("run_workflow", { id })
      assert.deepStrictEqual(unlocked, [])
      assert.includeMembers(locked, [
        "PUT /api/v1/workflows/ID",
        "PUT /api/v1/workflows/ID/tags",
        "POST /api/v1/workflows/ID/activate",
        "POST /api/v1/workflows/ID/deactivate",
        "POST /api/v1/workflows/ID/archive",
        "DELETE /api/v1/workflows/ID"
      ])
    }).pipe(Effect.provide(server))
  )
})
