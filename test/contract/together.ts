import { assert } from "@effect/vitest"
import { Effect } from "effect"

import { ask, refused } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import {
  answer,
  chain,
  created,
  decodeNodes,
  everyDay,
  inEngineWords,
  manual,
  node,
  unique,
  webhook
} from "./fixtures.ts"
import { sent, shown, TestedEngine } from "./TestedEngine.ts"

/** Somebody else, past the server, changes some fields of a workflow. */
const theirs = Effect.fnUntraced(function* (id: string, change: object, query = "") {
  const { connections, name, nodes, settings } = yield* shown(`/workflows/${id}`)
  yield* sent("PUT", `/workflows/${id}${query}`, { name, nodes, connections, settings, ...change })
})

const conflict = (id: string, what: string) =>
  `Workflow ${id} on instance production was changed since ifVersion was read: ${what}. Nothing was written. ` +
  "Look at it with get_workflow, and repeat the change on what it is now."

export const together = (it: Suite) => {
  it.effect("two updates that are sent together are both made, each time", () =>
    Effect.gen(function* () {
      const { slowly } = yield* TestedEngine
      const { id } = yield* created({ nodes: [manual()] })
      for (let run = 0; run < 20; run++) {
        const name = unique("renamed")
        const nodes = [manual(), node("noOp", unique("node"))]
        yield* Effect.all([ask("update_workflow", { id, name }), ask("update_workflow", { id, nodes })], {
          concurrency: "unbounded"
        }).pipe(slowly("10 millis"))
        const whole = yield* shown(`/workflows/${id}`)
        assert.strictEqual(whole.name, name)
        assert.strictEqual(decodeNodes(whole.nodes)[1]?.name, nodes[1]?.name)
      }
    })
  )

  it.effect("changes of one workflow that are sent together follow each other, by either name of their instance", () =>
    Effect.gen(function* () {
      const { slowly } = yield* TestedEngine
      const { id } = yield* created({ nodes: [everyDay()] })
      const name = unique("renamed")
      const answers = yield* Effect.all(
        [
          ask("activate_workflow", { id }),
          ask("update_workflow", { id, name, instance: "staging" }),
          ask("update_workflow", { id, settings: { timezone: "UTC" } }),
          ask("deactivate_workflow", { id, instance: "staging" })
        ],
        { concurrency: "unbounded" }
      ).pipe(slowly("10 millis"))
      assert.deepStrictEqual(
        answers.map(({ active }) => active),
        [true, true, true, false]
      )
      for (const { notice } of answers) assert.notInclude(String(notice), "omebody else")
      const whole = yield* shown(`/workflows/${id}`)
      assert.deepInclude(whole, { name, active: false })
      assert.nestedPropertyVal(whole, "settings.timezone", "UTC")
    })
  )

  it.effect("every answer about a workflow has the version that the next reading shows", () =>
    Effect.gen(function* () {
      const made = yield* created({ nodes: [everyDay()], settings: { timezone: "UTC" } })
      const { id } = made
      const version = Effect.map(ask("get_workflow", { id }), ({ version }) => version)
      assert.strictEqual(made.version, yield* version)
      const seen = [made.version]
      const changes = [
        ["update_workflow", { id, name: unique("renamed") }],
        ["update_workflow", { id, nodes: [everyDay(), node("noOp", "Work")] }],
        ["update_workflow", { id, connections: chain("Every day", "Work") }],
        ["update_workflow", { id, settings: { timezone: "Europe/Riga" } }],
        ["activate_workflow", { id }],
        ["update_workflow", { id, name: unique("renamed") }],
        ["deactivate_workflow", { id }]
      ] as const
      for (const [tool, args] of changes) {
        const changed = yield* ask(tool, args)
        assert.strictEqual(changed.version, yield* version, tool)
        assert.notInclude(seen, changed.version)
        seen.push(changed.version)
      }
      assert.strictEqual(
        (yield* ask("update_workflow", { id, active: false, ifVersion: seen.at(-1) })).version,
        seen.at(-1)
      )
    })
  )

  it.effect("an update that names the version it builds on does not overwrite what was changed since", () =>
    Effect.gen(function* () {
      const { id, version } = yield* created({ nodes: [manual(), answer("Answer", "a")] })
      const name = unique("theirs")
      yield* theirs(id, { name })
      const first = yield* refused("update_workflow", { id, name: unique("ours"), ifVersion: version })
      assert.deepStrictEqual([first.code, first.message], [-32000, conflict(id, "name")])
      assert.deepStrictEqual(first.data, { code: "CONFLICT", instance: "production", id, changed: ["name"] })

      const read = yield* ask("get_workflow", { id })
      const [start, old] = decodeNodes(read.nodes)
      yield* theirs(id, {
        nodes: [start, { ...old, parameters: {} }, { ...start, id: crypto.randomUUID(), name: "New" }]
      })
      const second = yield* refused("update_workflow", { id, nodes: [manual()], ifVersion: read.version })
      assert.strictEqual(second.message, conflict(id, "nodes (Answer changed, New added)"))
      assert.lengthOf(decodeNodes((yield* shown(`/workflows/${id}`)).nodes), 3)

      const { version: newest } = yield* ask("get_workflow", { id })
      assert.include(yield* ask("update_workflow", { id, name: "Ours", ifVersion: newest }), { id, name: "Ours" })
    })
  )

  it.effect("an activation or a deletion that names a version stops where the workflow is another one by now", () =>
    Effect.gen(function* () {
      const { id, version } = yield* created({ nodes: [everyDay()] })
      yield* theirs(id, { settings: { timezone: "UTC" } })
      for (const tool of ["activate_workflow", "delete_workflow"]) {
        assert.strictEqual((yield* refused(tool, { id, ifVersion: version })).message, conflict(id, "settings"))
      }
      assert.isFalse((yield* shown(`/workflows/${id}`)).active)
      const active = yield* ask("activate_workflow", { id, ifVersion: (yield* ask("get_workflow", { id })).version })
      yield* ask("deactivate_workflow", { id })
      const { message } = yield* refused("delete_workflow", { id, ifVersion: active.version })
      assert.strictEqual(message, conflict(id, "state (now inactive)"))
      yield* ask("delete_workflow", { id, ifVersion: (yield* ask("get_workflow", { id })).version })
    })
  )

  it.effect("an update takes the engine's own stamp of a reading for its version, also where that stays the same", () =>
    Effect.gen(function* () {
      const { id } = yield* created({ nodes: [manual()] })
      for (const stamp of ["versionId", "updatedAt"]) {
        const read = yield* ask("get_workflow", { id })
        yield* ask("update_workflow", { id, name: unique("ours"), ifVersion: read[stamp] })
        const again = yield* ask("get_workflow", { id })
        yield* theirs(id, { name: unique("theirs") })
        const { message } = yield* refused("update_workflow", { id, name: "x", ifVersion: again[stamp] })
        assert.include(message, "was changed since ifVersion was read: ")
      }
      const foreign = crypto.randomUUID()
      const { message } = yield* refused("delete_workflow", { id, ifVersion: foreign })
      assert.strictEqual(message, conflict(id, `something (${foreign} is none of its present versions)`))
    })
  )

  it.effect("what cannot be a version is an invalid argument, and no change by somebody else", () =>
    Effect.gen(function* () {
      const { code, message } = yield* refused("delete_workflow", { id: "1", ifVersion: "the last one" })
      assert.strictEqual(code, -32602)
      assert.strictEqual(message, "Invalid ifVersion: must be the `version` of an answer about this workflow")
      const { id } = yield* created({ nodes: [manual()] })
      const { version } = yield* ask("get_workflow", { id })
      for (const ifVersion of ["latest", "5", "0a1b2c3", String(version).slice(0, -4)]) {
        const { code, message } = yield* refused("update_workflow", { id, name: "x", ifVersion })
        assert.strictEqual(code, -32602)
        assert.include(
          message,
          `Invalid ifVersion: ${JSON.stringify(ifVersion)} is no version. It must be the \`version\``
        )
        assert.include(message, "read it with get_workflow. Nothing was changed")
      }
    })
  )

  it.effect("an update says where somebody else wrote in the same moment, as far as the engine shows it", () =>
    Effect.gen(function* () {
      const { interrupt, isFrom, isV2 } = yield* TestedEngine
      const { id } = yield* created({ nodes: [manual()] })
      yield* ask("update_workflow", { id, name: unique("renamed") })
      const path = `/api/v1/workflows/${id}`
      const nodes = [manual(), node("noOp", "Theirs")]
      const happen = Effect.scoped(Effect.orDie(theirs(id, { nodes: nodes.map(inEngineWords) })))
      const engine = yield* TestedEngine
      yield* interrupt({ method: "PUT", path, after: 0, happen: Effect.provideService(happen, TestedEngine, engine) })
      const { notice } = yield* ask("update_workflow", { id, name: unique("ours") })
      if (!isV2) {
        assert.isUndefined(notice)
        return
      }
      if (!isFrom("2.35.0")) {
        assert.match(
          String(notice),
          /^Somebody else changed this workflow in the same moment, .*shows no version of it/
        )
        return
      }
      assert.match(
        String(notice),
        /^Somebody else changed this workflow in the same moment, .*overwritten that: .*Theirs/
      )
      for (const [, tool = "", args = ""] of String(notice).matchAll(/(\w+) (\{.*?\})/g)) {
        yield* ask(tool, Object(JSON.parse(args)))
      }
      assert.deepStrictEqual(
        decodeNodes((yield* shown(path.slice(7))).nodes).map(({ name }) => name),
        ["Start", "Theirs"]
      )
    })
  )

  it.effect("an update says where the engine keeps no version of what it may have overwritten", () =>
    Effect.gen(function* () {
      const engine = yield* TestedEngine
      if (!engine.isV2) return
      const { id } = yield* created({ nodes: [manual()] })
      const path = `/api/v1/workflows/${id}`
      const happen = Effect.scoped(Effect.orDie(theirs(id, { settings: { timezone: "UTC" } })))
      yield* engine.interrupt({
        method: "PUT",
        path,
        after: 0,
        happen: Effect.provideService(happen, TestedEngine, engine)
      })
      const { notice } = yield* ask("update_workflow", { id, settings: { executionTimeout: 5 } })
      assert.match(String(notice), /may have overwritten that\. The engine shows no version of it/)
    })
  )

  it.effect("an update says what somebody else changed before it was read back", () =>
    Effect.gen(function* () {
      const engine = yield* TestedEngine
      const { id } = yield* created({ nodes: [manual()] })
      const name = unique("theirs")
      const happen = Effect.provideService(Effect.orDie(theirs(id, { name })), TestedEngine, engine)
      yield* engine.interrupt({ method: "GET", path: `/api/v1/workflows/${id}`, after: 2, happen })
      const updated = yield* ask("update_workflow", { id, name: unique("ours") })
      assert.deepInclude(updated, {
        name,
        notice:
          "This update was written, and then somebody else changed the workflow, which is shown as it is now: name."
      })
    })
  )

  it.effect("the published version is shown only where it differs from the draft, and as that difference", () =>
    Effect.gen(function* () {
      if (!(yield* TestedEngine).isFrom("2.40.0")) return
      const nodes = [webhook(), answer("Answer", "old"), node("noOp", "Gone")]
      const { id } = yield* created({ nodes, connections: chain("Webhook", "Answer"), active: true })
      const before = yield* ask("get_workflow", { id })
      assert.notProperty(before, "activeVersion")
      assert.strictEqual(before.activeVersionId, before.versionId)

      const [hook, old, gone] = decodeNodes(before.nodes)
      const draft = [hook, { ...old, parameters: {} }, { ...gone, id: crypto.randomUUID(), name: "Added" }]
      yield* theirs(id, { nodes: draft }, "?publishIfActive=false")
      const after = yield* ask("get_workflow", { id })
      assert.strictEqual(decodeNodes(after.nodes)[2]?.name, "Added")
      assert.nestedPropertyVal(after, "activeVersion.versionId", before.versionId)
      assert.deepNestedPropertyVal(after, "activeVersion.difference", {
        nodes: { Answer: old, Gone: gone, Added: null }
      })
      assert.notNestedProperty(after, "activeVersion.nodes")
    })
  )

  it.effect("an active workflow of 3 MB can be read and changed, and no answer repeats it", () =>
    Effect.gen(function* () {
      const nodes = [everyDay(), answer("Answer", "x".repeat(3_000_000))]
      const { id } = yield* created({ nodes, connections: chain("Every day", "Answer"), active: true })
      const sizeOf = (answered: object) => JSON.stringify(answered).length
      const whole = yield* ask("get_workflow", { id })
      assert.approximately(sizeOf(whole), 3_002_000, 2_000)
      const name = unique("renamed")
      assert.include(yield* ask("update_workflow", { id, name, ifVersion: whole.version }), { id, name, active: true })
      assert.isBelow(sizeOf(yield* ask("deactivate_workflow", { id })), 600)
      assert.isBelow(sizeOf(yield* ask("delete_workflow", { id })), 600)
    })
  )
}
