import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"

import * as NodeFiles from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { HttpClient } from "effect/http"

import { processLocks } from "../../../src/cli/files/processLocks.ts"
import { EmbeddedEngine } from "../../../src/engine/embedded/EmbeddedEngine.ts"
import { Coordination } from "../../../src/internal/http/Coordination.ts"
import { ask, environment, operatorToolsets, serverOver } from "../../support/harness.ts"

/** Milliseconds that the engine takes to answer a read: long enough for another server's write. */
const latency = 3

const temporary = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(path.join(tmpdir(), "locks-"))),
  (dir) => Effect.promise(() => rm(dir, { recursive: true, force: true }))
)

/** One engine, and two servers that share nothing but a folder for their locks, and call the engine by two names. */
const twoServers = Effect.gen(function* () {
  const folder = yield* temporary
  const { apiKey, httpClient } = Context.get(yield* Layer.build(EmbeddedEngine.layer()), EmbeddedEngine)
  const slow = HttpClient.transform(httpClient, (answer) => Effect.tap(answer, () => Effect.sleep(latency)))
  const locking = Layer.effect(
    Coordination,
    Effect.gen(function* () {
      const coordination = yield* Coordination
      return { ...coordination, withLock: yield* processLocks(folder, (error) => Effect.die(error)) }
    })
  ).pipe(Layer.provide(NodeFiles.layer))
  const server = (name: string, host: string) =>
    Layer.build(
      serverOver(
        { [name]: environment(host, Redacted.value(apiKey), { requestsPerSecond: Infinity }) },
        Layer.succeed(HttpClient.HttpClient, slow),
        operatorToolsets
      ).pipe(Layer.provide(locking), Layer.fresh)
    )
  return {
    folder,
    left: yield* server("production", "http://localhost:5678"),
    right: yield* server("live", "http://127.0.0.1:5678")
  }
})

/** Nodes of the workflow, and fields of each, every one of which is set by an edit of its own. */
const nodes = Array.from({ length: 20 }, (_, index) => ({
  name: `Node ${index}`,
  type: "engine-nodes-base.set",
  typeVersion: 3.4,
  position: [index * 10, 0],
  parameters: {}
}))
const edits = Array.from({ length: 200 }, (_, index) => ({
  op: "set",
  node: `Node ${index % nodes.length}`,
  path: `field${index}`,
  value: index
}))

const Shown = Schema.Struct({
  nodes: Schema.Array(Schema.Struct({ name: Schema.String, parameters: Schema.Record(Schema.String, Schema.Unknown) }))
})

describe("two servers of one engine of generation 1", () => {
  it.live("lose none of 200 edits of different nodes that both make at once", () =>
    Effect.gen(function* () {
      const { folder, left, right } = yield* twoServers
      const { id } = yield* Effect.provide(ask("create_workflow", { name: "Shared", nodes }), left)
      const made = yield* Effect.forEach(
        edits,
        (edit, index) =>
          Effect.provide(ask("edit_workflow", { id, operations: [edit] }), index % 2 === 0 ? left : right),
        { concurrency: 8 }
      )
      assert.lengthOf(made, edits.length)
      const workflow = Schema.decodeUnknownSync(Shown)(yield* Effect.provide(ask("get_workflow", { id }), left))
      const fields = Object.assign({}, ...workflow.nodes.map(({ parameters }) => parameters))
      const lost = edits.filter(({ path: field, value }) => fields[field] !== value)
      assert.deepStrictEqual(lost, [])
      const files = yield* Effect.promise(() => readdir(folder))
      assert.deepStrictEqual(
        files.filter((file) => file.endsWith(".lock")),
        []
      )
    })
  )
})
