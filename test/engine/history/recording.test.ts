import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { Instances } from "../../../src/engine/client/Instances.ts"
import { TagId, WorkflowId } from "../../../src/engine/workflow/models.ts"
import { ask, callTool, refused } from "../../support/harness.ts"
import { folder, git, serverWith, versionsOf } from "./support.ts"

const start = { name: "Start", type: "n8n-nodes-base.manualTrigger", typeVersion: 1, position: [0, 0], parameters: {} }
const code = (jsCode: string) => ({
  name: "Code",
  type: "n8n-nodes-base.code",
  typeVersion: 2,
  position: [200, 0],
  parameters: { jsCode }
})

describe.each(["1.82.3", "2.41.1"] as const)("the history in git of an engine %s", (version) => {
  it.live("records every change of a workflow, with what, and what it changed", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.gen(function* () {
        const { id: tag } = yield* ask("create_tag", { name: "live" })
        const { id } = yield* ask("create_workflow", {
          name: "Orders",
          nodes: [start, code("const a = 1\nreturn [{ json: { a } }]\n")],
          connections: [{ source: "Start", target: "Code" }],
          tags: [tag]
        })
        yield* ask("update_workflow", { id, name: "Orders of today" })
        yield* ask("update_workflow", { id, nodes: [start, code("const a = 2\nreturn [{ json: { a } }]\n")] })
        yield* ask("delete_workflow", { id })
        assert.deepStrictEqual(
          (yield* versionsOf(id)).map(({ change, tool }) => [tool, change]),
          [
            ["delete_workflow", "deleted"],
            ["update_workflow", "Code: jsCode changed: +1 −1 lines"],
            ["update_workflow", 'name "Orders" → "Orders of today"'],
            ["create_workflow", "tagged live"],
            ["create_workflow", "first version"]
          ]
        )
        assert.include(git(directory, "show", "HEAD~1"), "-const a = 1\n+const a = 2\n return [{ json: { a } }]\n")
        assert.include(
          git(directory, "show", "HEAD~1", "--name-only"),
          `production/Orders-of-today.${String(id)}/Code.jsCode.js`
        )
        assert.strictEqual(git(directory, "status", "--porcelain"), "")
      }).pipe(Effect.provide(serverWith(directory, version)))
    })
  )

  it.live("says that there is no such version, and nothing of a damaged repository, where a version is unknown", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.gen(function* () {
        const { id } = yield* ask("create_workflow", { name: "Orders", nodes: [start], connections: {} })
        yield* versionsOf(id)
        const { code, message } = yield* refused("restore_workflow", { id, version: "deadbeef" })
        assert.strictEqual(code, -32602)
        assert.strictEqual(
          message,
          "Invalid version: deadbeef is not in this history: workflow_history lists the versions of a workflow, git log those of all (instance production)"
        )
      }).pipe(Effect.provide(serverWith(directory, version)))
    })
  )

  it.live("does not take a tag that is not there for a workflow that is not there", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.gen(function* () {
        const { id } = yield* ask("create_workflow", { name: "Orders", nodes: [start], connections: {} })
        const engine = yield* (yield* Instances).resolve()
        yield* Effect.flip(engine.setWorkflowTags(WorkflowId.make(String(id)), [TagId.make("noSuchTag0123456")]))
        assert.deepStrictEqual(
          (yield* versionsOf(id)).map(({ change }) => change),
          ["first version"]
        )
      }).pipe(Effect.provide(serverWith(directory, version)))
    })
  )

  it.live("names the client that made a change, and its reason", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.gen(function* () {
        const { id } = yield* ask("create_workflow", { name: "Orders", nodes: [start], connections: {} })
        yield* callTool("update_workflow", { id, name: "Renamed" })
        assert.deepStrictEqual(
          (yield* versionsOf(id)).map(({ by }) => by),
          ["an unknown client", "an unknown client"]
        )
      }).pipe(Effect.provide(serverWith(directory, version)))
    })
  )
})
