import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"

import { recordAt } from "../../src/engine/history/layout.ts"
import type { Sessions } from "../../src/mcp/protocol/Session.ts"
import { versionsOf } from "../engine/history/support.ts"
import { ask, type Json, refused } from "../support/harness.ts"
import {
  answer,
  chain,
  cleared,
  created,
  decodeNodes,
  eventually,
  everyDay,
  given,
  inEngineWords,
  manual,
  node,
  tagged,
  unique,
  without
} from "./fixtures.ts"
import { inFolder, Repository } from "./repository.ts"
import { sent, shown, TestedEngine } from "./TestedEngine.ts"

/** The files of a workflow in the repository, read with plain git. */
const recordedOf = Effect.fnUntraced(function* (id: string) {
  const { git } = yield* Repository
  const paths = git("ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0")
  const files = new Map(
    paths.filter((file) => file.includes(`.${id}`)).map((file) => [file, git("show", `HEAD:${file}`)])
  )
  const [main = ""] = [...files.keys()].filter((file) => file.endsWith(`.${id}.json`))
  return { ...recordAt(main.replace(/\.json$/, ""), files) }
})

const decodeBackup = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      workflows: Schema.Int,
      since: Schema.optionalKey(Schema.String),
      notice: Schema.optionalKey(Schema.String),
      changes: Schema.Array(
        Schema.Struct({
          id: Schema.String,
          name: Schema.String,
          change: Schema.String,
          by: Schema.String,
          tool: Schema.optionalKey(Schema.String)
        })
      )
    })
  )
)

const Changes = Schema.decodeUnknownSync(
  Schema.Struct({
    nextCursor: Schema.optionalKey(Schema.String),
    data: Schema.Array(
      Schema.Struct({
        instance: Schema.String,
        id: Schema.String,
        name: Schema.String,
        version: Schema.String,
        when: Schema.String,
        by: Schema.String,
        tool: Schema.optionalKey(Schema.String),
        change: Schema.String
      })
    )
  })
)

const decodeLines = Schema.decodeUnknownSync(Schema.Array(Schema.String))

const EngineVersions = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({ version: Schema.String, from: Schema.optionalKey(Schema.String), change: Schema.String })
  )
)

const code = (jsCode: string) => node("code", "Work", { jsCode }, { typeVersion: 2 })

/** The content of a workflow, without what engines count. */
const content = (workflow: Json) => ({
  ...Object.fromEntries(
    ["name", "active", "nodes", "connections", "settings", "pinData"].map((field) => [field, workflow[field]])
  ),
  tags: tagNames(workflow)
})

const Tagged = Schema.decodeUnknownSync(
  Schema.Struct({ tags: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String }))) })
)
const tagNames = (workflow: Json) => (Tagged(workflow).tags ?? []).map(({ name }) => name).toSorted()

/** The promises of the history, over an engine with a repository in a folder of its own. */
export const historySuite = (name: string, engine: Layer.Layer<Sessions | TestedEngine>) =>
  layer(Layer.provideMerge(engine, inFolder), { excludeTestServices: true, timeout: "60 seconds" })(
    `the history on ${name}`,
    (it) => {
      it.effect("holds a workflow as the engine shows it, field by field, after every change", () =>
        Effect.gen(function* () {
          const { id: tag } = yield* tagged()
          const { id } = yield* created({
            nodes: [everyDay(), code("const a = 1\nreturn [{ json: { a } }]\n")],
            connections: chain("Every day", "Work"),
            settings: { timezone: "Europe/Riga", executionTimeout: 60 },
            tags: [tag]
          })
          yield* ask("update_workflow", { id, name: unique("renamed") })
          yield* ask("activate_workflow", { id })
          yield* eventually(ask("get_workflow", { id }), ({ triggerCount }) => triggerCount !== 0)
          yield* ask("update_workflow", { id, nodes: [everyDay(), code("const a = 2\nreturn [{ json: { a } }]\n")] })
          const tools = (yield* versionsOf(id)).map(({ tool }) => tool)
          assert.deepStrictEqual(tools, [
            "update_workflow",
            "activate_workflow",
            "update_workflow",
            "create_workflow",
            "create_workflow"
          ])
          const stamps = ["updatedAt", "versionCounter", "triggerCount", "staticData", "sourceWorkflowId"]
          const left = ["shared", "activeVersion", "parentFolder", ...stamps]
          assert.deepStrictEqual(
            without(yield* recordedOf(id), ...left),
            without(yield* shown(`/workflows/${id}`), ...left)
          )
          const { git } = yield* Repository
          assert.include(git("log", "-1", "-p"), "-const a = 1\n+const a = 2\n return [{ json: { a } }]")
          assert.strictEqual(git("status", "--porcelain"), "")
          assert.include(git("fsck", "--full"), "")
        })
      )

      it.effect("brings back what a tool has broken, in one call, and undoes that in another", () =>
        Effect.gen(function* () {
          const { id } = yield* created({
            nodes: [manual(), answer("Answer", "a")],
            connections: chain("Start", "Answer")
          })
          const good = content(yield* shown(`/workflows/${id}`))
          yield* ask("update_workflow", { id, nodes: [manual()], connections: {}, name: unique("broken") })
          const broken = content(yield* shown(`/workflows/${id}`))
          const { changes } = yield* ask("restore_workflow", { id, dry_run: true })
          assert.deepStrictEqual(content(yield* shown(`/workflows/${id}`)), broken)
          assert.deepStrictEqual((yield* ask("restore_workflow", { id })).changes, changes)
          assert.deepStrictEqual(content(yield* shown(`/workflows/${id}`)), good)
          const [last] = yield* versionsOf(id)
          assert.strictEqual(last?.tool, "restore_workflow")
          assert.match(String(last?.reason), /^back to before /)
          yield* ask("restore_workflow", { id })
          assert.deepStrictEqual(content(yield* shown(`/workflows/${id}`)), broken)
        })
      )

      it.effect("brings back what somebody else has broken past this server, as in the editor", () =>
        Effect.gen(function* () {
          const isListing = (yield* TestedEngine).isFrom("2.35.0")
          const { id } = yield* created({
            nodes: [manual(), answer("Answer", "a")],
            settings: { executionTimeout: 60 }
          })
          const good = yield* shown(`/workflows/${id}`)
          const settings = { executionOrder: "v1", timezone: "Europe/Riga" }
          yield* sent("PUT", `/workflows/${id}`, { name: "Broken", nodes: [], connections: {}, settings })
          yield* ask("restore_workflow", { id })
          const restored = yield* shown(`/workflows/${id}`)
          assert.deepStrictEqual(content(restored), content(good))
          const [ours, theirs] = yield* versionsOf(id)
          assert.deepStrictEqual(
            [ours?.tool, theirs?.by, theirs?.tool],
            ["restore_workflow", isListing ? "Engine Owner" : "somebody else", undefined]
          )
        })
      )

      it.effect("brings back state and tags with the content, and any version by its name", () =>
        Effect.gen(function* () {
          const { id: tag } = yield* tagged()
          const { id } = yield* created({ nodes: [everyDay()], tags: [tag], active: true })
          const good = content(yield* shown(`/workflows/${id}`))
          const [first] = yield* versionsOf(id)
          yield* ask("update_workflow", { id, active: false, name: unique("off") })
          yield* sent("PUT", `/workflows/${id}/tags`, [])
          yield* ask("get_workflow", { id })
          const off = content(yield* shown(`/workflows/${id}`))
          const [untagged] = yield* versionsOf(id)
          assert.strictEqual(untagged?.by, "somebody else")
          yield* ask("restore_workflow", { id, version: first?.version })
          assert.deepStrictEqual(content(yield* shown(`/workflows/${id}`)), good)
          yield* ask("restore_workflow", { id, version: untagged?.version })
          assert.deepStrictEqual(content(yield* shown(`/workflows/${id}`)), off)
        })
      )

      it.effect("makes a deleted workflow anew, with its tags and running, and says that its id is another one", () =>
        Effect.gen(function* () {
          const { id: tag, name: tagName } = yield* tagged()
          const { id } = yield* created({ nodes: [everyDay(), manual()], tags: [tag], active: true })
          const good = content(yield* shown(`/workflows/${id}`))
          yield* ask("delete_workflow", { id })
          const back = yield* ask("restore_workflow", { id })
          yield* Effect.addFinalizer(() => cleared(String(back.id)))
          assert.notStrictEqual(back.id, id)
          assert.strictEqual(back.formerId, id)
          assert.include(String(back.notice), `its id is ${String(back.id)} now`)
          const restored = yield* shown(`/workflows/${String(back.id)}`)
          assert.deepStrictEqual(content(restored), good)
          assert.deepStrictEqual(tagNames(restored), [tagName])
          assert.deepStrictEqual(
            (yield* versionsOf(id)).slice(0, 1).map(({ change, tool }) => [tool, change]),
            [["delete_workflow", "deleted"]]
          )
        })
      )

      it.effect("finds deleted workflows by their names, whoever deleted them", () =>
        Effect.gen(function* () {
          for (const name of [`${unique("Old")} report`, unique("single")]) {
            const { id } = yield* created({ name, nodes: [manual()] })
            yield* ask("delete_workflow", { id })
            const elsewhere = yield* created({ name: `${name}-2`, nodes: [manual()] })
            yield* cleared(elsewhere.id)
            const ofDeleted = yield* ask("workflow_history", { id: name })
            assert.strictEqual(ofDeleted["notice"], `"${name}" is the deleted workflow ${id}.`)
            assert.nestedPropertyVal(ofDeleted, "data[0].change", "deleted")
            const ofOther = yield* ask("workflow_history", { id: `${name}-2` })
            assert.strictEqual(ofOther["notice"], `"${name}-2" is the deleted workflow ${elsewhere.id}.`)
            const back = yield* ask("restore_workflow", { id: name })
            yield* Effect.addFinalizer(() => cleared(String(back.id)))
            assert.include(back, { formerId: id, name })
            assert.include(String(back.notice), `"${name}" is the deleted workflow ${id}.`)
            // Now a workflow has that name, which goes before a deleted one.
            const again = yield* ask("workflow_history", { id: name })
            assert.strictEqual(again["notice"], `"${name}" is workflow ${String(back.id)}.`)
          }
          const never = yield* refused("restore_workflow", { id: `${unique("never")} there` })
          assert.match(never.message, /^API error: Not Found \(workflow "never-/)
          const nothing = yield* ask("workflow_history", { id: unique("never") })
          assert.match(String(nothing["notice"]), /^There is no workflow never-\S+ on instance production\./)
        })
      )

      it.effect("lists the engine's own versions of what this server never saw, and brings one back", () =>
        Effect.gen(function* () {
          const isListing = (yield* TestedEngine).isFrom("2.35.0")
          const { id } = yield* created({ nodes: [manual(), answer("Answer", "a")] })
          const whole = { connections: {}, settings: {} }
          const nodes = [
            inEngineWords({ ...manual(), id: "start" }),
            inEngineWords({ ...answer("Other", "b"), id: "b" })
          ]
          yield* sent("PUT", `/workflows/${id}`, { ...whole, name: "Unseen", nodes })
          yield* sent("PUT", `/workflows/${id}`, { ...whole, name: "Unseen", nodes: nodes.slice(0, 1) })
          yield* ask("get_workflow", { id })
          const { data } = yield* ask("workflow_history", { id })
          const [, unseen, ...more] = EngineVersions(data)
          if (!isListing) {
            assert.isUndefined(unseen?.from)
            assert.lengthOf(more, 0)
            return
          }
          assert.strictEqual(unseen?.from, "engine")
          assert.include(unseen?.change, "added Other")
          const { changes } = yield* ask("restore_workflow", { id, version: unseen?.version })
          assert.deepStrictEqual(changes, ["added Other (set)"])
          assert.nestedPropertyVal(yield* shown(`/workflows/${id}`), "nodes.1.name", "Other")
          for (const { version } of EngineVersions(data)) {
            const { differences = [] } = yield* ask("compare_workflows", {
              a: id,
              versionA: "current",
              versionB: version
            })
            const dry = yield* ask("restore_workflow", { id, version, dry_run: true })
            // The engine's own versions hold no names, and the history does.
            const content = (lines: unknown) => decodeLines(lines ?? []).filter((line) => !line.startsWith("name"))
            assert.deepStrictEqual(content(dry.changes), content(differences))
            assert.include((yield* ask("view_workflow", { id, version })).sketch, "Start")
          }
          const pages = yield* ask("workflow_history", { id, limit: 1 })
          const rest = yield* ask("workflow_history", { id, limit: 1, cursor: pages.nextCursor })
          assert.notDeepEqual(pages.data, rest.data)
        })
      )

      it.effect("takes other ids of nodes for no change, whoever has given them", () =>
        Effect.gen(function* () {
          const { id } = yield* created({ nodes: [manual(), answer("Answer", "a")] })
          const { name, nodes } = yield* shown(`/workflows/${id}`)
          const others = decodeNodes(nodes).map((one) => ({ ...one, id: `other-${String(one.name)}` }))
          yield* sent("PUT", `/workflows/${id}`, {
            name,
            nodes: others,
            connections: {},
            settings: { executionOrder: "v1" }
          })
          const rows = yield* versionsOf(id)
          assert.deepStrictEqual(
            rows.map(({ change }) => change),
            ["first version"]
          )
          const [only] = rows
          const { changes } = yield* ask("restore_workflow", { id, version: only?.version, dry_run: true })
          assert.deepStrictEqual(changes, [])
          const compared = yield* ask("compare_workflows", { a: id, versionA: only?.version })
          assert.strictEqual(compared.same, true)
        })
      )

      it.effect("undoes the last change of what this server has only listed and read, where the engine keeps it", () =>
        Effect.gen(function* () {
          const isListing = (yield* TestedEngine).isFrom("2.35.0")
          const name = unique("unseen")
          const { id } = yield* given({ name, nodes: [manual(), answer("Answer", "a")] })
          const nodes = [inEngineWords({ ...manual(), id: "start" })]
          yield* sent("PUT", `/workflows/${id}`, { name, nodes, connections: {}, settings: {} })
          yield* ask("search_workflows", { text: name })
          // Until that is recorded.
          yield* ask("workflow_history", { id: (yield* given({ name: unique("other"), nodes: [manual()] })).id })
          yield* ask("get_workflow", { id })
          const { data } = yield* ask("workflow_history", { id })
          assert.notInclude(JSON.stringify(data), "read whole")
          if (!isListing) {
            assert.include((yield* refused("restore_workflow", { id })).message, "nothing to undo")
            return
          }
          assert.deepStrictEqual((yield* ask("restore_workflow", { id })).changes, ["added Answer (set)"])
        })
      )

      it.effect("backs up what no tool has read, and tells what changed since and by whom", () =>
        Effect.gen(function* () {
          const isListing = (yield* TestedEngine).isFrom("2.35.0")
          const { name: tagName } = yield* tagged()
          const unread = yield* given({ name: unique("unread"), nodes: [manual()], settings: { executionTimeout: 60 } })
          const deletedElsewhere = yield* given({ name: unique("deleted"), nodes: [manual()] })
          const first = decodeBackup((yield* ask("backup", { instances: ["production"] })).data)[0]
          assert.notInclude(first?.notice ?? "", "Not complete")
          const { git } = yield* Repository
          assert.include(git("show", "HEAD:production/tags.json"), tagName)
          const left = ["shared", "activeVersion", "parentFolder"]
          assert.deepStrictEqual(
            without(yield* recordedOf(unread.id), ...left),
            without(yield* shown(`/workflows/${unread.id}`), ...left)
          )
          const name = `${unique("elsewhere")} "A/B" 🛒`
          yield* sent("PUT", `/workflows/${unread.id}`, { name, nodes: [], connections: {}, settings: {} })
          yield* cleared(deletedElsewhere.id)
          const ours = yield* created({ nodes: [manual()] })
          const second = decodeBackup((yield* ask("backup")).data)[0]
          assert.isDefined(second?.since)
          assert.include(second?.notice, 'Who "somebody else" is, the engine does not tell.')
          const byId = (a: ReadonlyArray<unknown>, b: ReadonlyArray<unknown>) =>
            String(a[0]).localeCompare(String(b[0]))
          const drift = second?.changes.filter(({ id }) => [unread.id, deletedElsewhere.id, ours.id].includes(id)) ?? []
          assert.deepStrictEqual(
            drift.map(({ by, change, id, tool }) => [id, by, tool, change === "deleted"]).toSorted(byId),
            [
              [unread.id, isListing ? "Engine Owner" : "somebody else", undefined, false],
              [deletedElsewhere.id, "somebody else", undefined, true],
              [ours.id, "an unknown client", "create_workflow", false]
            ].toSorted(byId)
          )
          assert.include(
            drift.find(({ id }) => id === unread.id),
            { name }
          )
          assert.include(
            drift.find(({ id }) => id === deletedElsewhere.id),
            { name: String(deletedElsewhere.name) }
          )
          assert.include(git("log", "-1", "--format=%s"), "backup: ")
        })
      )

      it.effect("tells in one call who has changed what in all workflows, and undoes one row of it alone", () =>
        Effect.gen(function* () {
          const isListing = (yield* TestedEngine).isFrom("2.35.0")
          const fetching = (url: string) => node("httpRequest", "Fetch", { url, options: {} }, { typeVersion: 4.2 })
          const changed = yield* created({ name: unique("A/B"), nodes: [manual(), fetching("https://a.test")] })
          const removed = yield* created({ name: unique("removed"), nodes: [manual()] })
          yield* ask("edit_workflow", {
            id: changed.id,
            operations: [{ op: "set", node: "Fetch", path: "parameters.url", value: "https://b.test" }]
          })
          const { nodes } = yield* shown(`/workflows/${changed.id}`)
          const name = unique("by hand")
          const others = [...decodeNodes(nodes), inEngineWords(answer("Other", "o"))]
          yield* sent("PUT", `/workflows/${changed.id}`, { name, nodes: others, connections: {}, settings: {} })
          yield* ask("delete_workflow", { id: removed.id })
          const mine = [changed.id, removed.id]
          // Which engine is read, and which is not, shows by what somebody has changed there.
          const recorded = Effect.map(ask("workflow_history", { recorded: true, limit: 100 }), (answer) =>
            Changes(answer).data.flatMap(({ change, tool }) => [tool ?? "", change])
          )
          const before = yield* recorded
          assert.include(before, "delete_workflow")
          assert.notInclude(before.join("\n"), name)
          const all = Changes(yield* ask("workflow_history", { since: "yesterday" })).data
          assert.include((yield* recorded).join("\n"), name)
          const rows = all.filter(({ id }) => mine.includes(id))
          assert.sameDeepMembers(
            rows.map(({ by, change, id, tool }) => [id, by, tool, change.split(";")[0]]),
            [
              [removed.id, "an unknown client", "delete_workflow", "deleted"],
              [
                changed.id,
                isListing ? "Engine Owner" : "somebody else",
                undefined,
                `name "${String(changed.name)}" → "${name}"`
              ],
              [changed.id, "an unknown client", "edit_workflow", 'Fetch: url "https://a.test" → "https://b.test"'],
              [removed.id, "an unknown client", "create_workflow", "first version"],
              [changed.id, "an unknown client", "create_workflow", "first version"]
            ]
          )
          assert.deepInclude(rows[0], { instance: "production", name: String(removed.name) })
          const byTools = Changes(yield* ask("workflow_history", { since: "today", by: "Unknown Client", limit: 1 }))
          assert.deepStrictEqual(
            byTools.data.map(({ version }) => version),
            [rows[0]?.version]
          )
          const next = Changes(
            yield* ask("workflow_history", { by: "unknown client", limit: 1, cursor: byTools.nextCursor })
          )
          assert.strictEqual(next.data[0]?.tool, "edit_workflow")
          assert.deepStrictEqual(Changes(yield* ask("workflow_history", { by: "nobody at all" })).data, [])

          const row = rows.find(({ tool }) => tool === "edit_workflow")
          const undo = { id: changed.id, version: row?.version, undo: true }
          const { changes } = yield* ask("restore_workflow", undo)
          assert.deepStrictEqual(changes, ['Fetch: url "https://b.test" → "https://a.test"'])
          const after = yield* shown(`/workflows/${changed.id}`)
          assert.strictEqual(after["name"], name)
          assert.include(
            decodeNodes(after["nodes"]).map((one) => one.name),
            "Other"
          )
          yield* ask("edit_workflow", {
            id: changed.id,
            operations: [{ op: "set", node: "Fetch", path: "parameters.url", value: "https://c.test" }]
          })
          const { message } = yield* refused("restore_workflow", undo)
          assert.include(message, "this was changed again since: nodes.Fetch.parameters.url")
          const gone = rows.find(({ change }) => change === "deleted")
          const back = yield* ask("restore_workflow", { id: removed.id, version: gone?.version, undo: true })
          yield* Effect.addFinalizer(() => cleared(String(back.id)))
          assert.strictEqual(back.formerId, removed.id)
          const begun = rows.find(({ change, id }) => change === "first version" && id === changed.id)
          const first = yield* refused("restore_workflow", { ...undo, version: begun?.version })
          assert.include(first.message, `is where workflow ${changed.id} begins here`)
        })
      )

      it.effect("tells at once what somebody else has changed or deleted past this server", () =>
        Effect.gen(function* () {
          const kept = yield* created({ nodes: [manual()] })
          const gone = yield* created({ nodes: [manual()] })
          const name = unique("elsewhere")
          yield* sent("PUT", `/workflows/${kept.id}`, { name, nodes: [], connections: {}, settings: {} })
          yield* cleared(gone.id)
          const [changed] = yield* versionsOf(kept.id)
          assert.isUndefined(changed?.tool)
          assert.include(changed?.change, name)
          const [deleted] = yield* versionsOf(gone.id)
          assert.isUndefined(deleted?.tool)
          assert.strictEqual(deleted?.change, "deleted")
        })
      )

      it.effect("does not restore over what was changed since the version that the caller names", () =>
        Effect.gen(function* () {
          const { id, version } = yield* created({ nodes: [manual()] })
          yield* ask("update_workflow", { id, name: unique("renamed") })
          const { data } = yield* refused("restore_workflow", { id, ifVersion: version })
          assert.deepStrictEqual(data, { code: "CONFLICT", instance: "production", id, changed: ["name"] })
          assert.include((yield* refused("restore_workflow", { id, version: "0000000" })).message, "0000000")
        })
      )
    }
  )
