import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { ask, refused } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import {
  answer,
  chain,
  created,
  decodeNodes,
  decodeRun,
  eventually,
  inEngineWords,
  manual,
  webhook
} from "./fixtures.ts"
import { sent, shown, TestedEngine } from "./TestedEngine.ts"

const Listed = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ version: Schema.String, from: Schema.String, by: Schema.String, change: Schema.String }))
)

/** Former versions where no history is kept: those of the engine's own, if it has any. */
export const engineHistory = (it: Suite) => {
  it.effect("workflow_history and restore_workflow work on the engine's own versions, or say what to configure", () =>
    Effect.gen(function* () {
      const { isFrom } = yield* TestedEngine
      const { id } = yield* created({ nodes: [manual(), answer("Answer", "a")], connections: chain("Start", "Answer") })
      const good = yield* shown(`/workflows/${id}`)
      const nodes = [inEngineWords({ ...manual(), id: "start" })]
      yield* sent("PUT", `/workflows/${id}`, { name: "Broken", nodes, connections: {}, settings: {} })
      if (!isFrom("2.35.0")) {
        for (const tool of ["workflow_history", "restore_workflow"]) {
          const { data, message } = yield* refused(tool, { id })
          assert.strictEqual(data?.code, "CONFIGURATION_ERROR")
          assert.include(message, "start with --history DIR")
        }
        return
      }
      const versions = Listed((yield* ask("workflow_history", { id })).data)
      assert.deepStrictEqual(
        versions.map(({ from }) => from),
        ["engine", "engine"]
      )
      assert.include(versions[0]?.change, "removed Answer")
      const [newest = "", oldest = ""] = versions.map(({ version }) => version)
      const alike = yield* ask("compare_workflows", { a: id, versionA: `${newest}^`, versionB: oldest })
      assert.propertyVal(alike, "same", true)
      const { message: before } = yield* refused("view_workflow", { id, version: `${oldest}^` })
      assert.include(before, "there is nothing before it")
      const unknown = crypto.randomUUID()
      const unknowns = [
        yield* refused("restore_workflow", { id, version: unknown, undo: true, dry_run: true }),
        yield* refused("view_workflow", { id, version: `${unknown}^` })
      ]
      for (const { message } of unknowns) {
        assert.include(message, `Invalid version: is no version of workflow ${id}: workflow_history lists its versions`)
      }
      yield* ask("restore_workflow", { id, version: "previous" })
      const restored = yield* shown(`/workflows/${id}`)
      assert.deepStrictEqual([restored.nodes, restored.connections], [good.nodes, good.connections])
      assert.strictEqual(restored.name, "Broken")
    })
  )

  it.effect("restore_workflow brings back what an execution ran, and names one where nothing keeps versions", () =>
    Effect.gen(function* () {
      const { isV2 } = yield* TestedEngine
      const nodes = [webhook(), answer("Answer", "a")]
      const { id } = yield* created({ nodes, connections: chain("Webhook", "Answer"), active: true })
      const { executionId } = decodeRun(yield* ask("execute_workflow", { id }))
      const version = `execution-${executionId}`
      const good = yield* shown(`/workflows/${id}`)
      const [hook] = decodeNodes(good["nodes"])
      const broken = { name: "Broken", nodes: [hook], connections: {}, settings: {} }
      yield* sent("PUT", `/workflows/${id}`, broken)
      for (const tool of isV2 ? [] : ["workflow_history", "restore_workflow"]) {
        const { data, message } = yield* refused(tool, { id })
        assert.strictEqual(data?.code, "CONFIGURATION_ERROR")
        assert.include(
          message,
          `restore_workflow takes one as version, the last on instance production is ${version} (`
        )
      }
      for (const named of [version, "published"]) {
        const { message } = yield* refused("restore_workflow", { id, version: named, undo: true, dry_run: true })
        assert.include(message, "Invalid version: names no change that could be undone")
      }
      const tried = yield* ask("restore_workflow", { id, version, dry_run: true })
      assert.include(tried["changes"], "added Answer (set)")
      const { to } = yield* ask("restore_workflow", { id, version })
      assert.match(String(to), new RegExp(`^execution ${executionId} of \\d`))
      const after = yield* shown(`/workflows/${id}`)
      assert.deepInclude(after, { name: "Broken", active: true, connections: good["connections"] })
      assert.deepStrictEqual(
        decodeNodes(after["nodes"]).map(({ id, webhookId }) => ({ id, webhookId })),
        decodeNodes(good["nodes"]).map(({ id, webhookId }) => ({ id, webhookId }))
      )
      const said = yield* eventually(ask("execute_workflow", { id }), ({ response }) =>
        JSON.stringify(response).includes('"said":"a"')
      )
      assert.include(said, { status: "success" })

      const { id: other } = yield* created({ nodes: [manual()] })
      const { message } = yield* refused("restore_workflow", { id: other, version })
      assert.include(message, `Invalid version: execution ${executionId} is one of workflow ${id}, not of ${other}`)
    })
  )
}
