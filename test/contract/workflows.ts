import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { ask, type Json, refused } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import {
  answer,
  chain,
  cleared,
  created,
  everyDay,
  given,
  manual,
  node,
  tagged,
  unique,
  webhook,
  without
} from "./fixtures.ts"
import { sent, shown, TestedEngine } from "./TestedEngine.ts"

const decodeId = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String }))

const decodeNamed = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String, name: Schema.String }))
const noLocation = /makes workflows in the personal project of its key alone. Nothing was sent/

export const workflows = (it: Suite) => {
  it.effect("create_workflow makes an inactive workflow and answers it whole, in the engine's own node types", () =>
    Effect.gen(function* () {
      const name = unique("workflow")
      const { active, id, nodes, ...rest } = yield* created({ name, nodes: [manual()], settings: { timezone: "UTC" } })
      assert.isFalse(active)
      const settings = { executionOrder: "v1", timezone: "UTC" }
      assert.deepInclude(rest, { name, connections: {}, settings })
      assert.nestedPropertyVal({ nodes }, "nodes[0].type", "n8n-nodes-base.manualTrigger")
      assert.nestedPropertyVal({ nodes }, "nodes[0].name", "Start")
      assert.deepInclude(yield* shown(`/workflows/${id}`), { id, name, active: false, settings })
    })
  )

  it.effect("create_workflow makes a workflow in its project and folder, or says why not and makes none", () =>
    Effect.gen(function* () {
      const { isV2, send } = yield* TestedEngine
      const [name, top, inside] = [unique("placed"), unique("Top"), unique("Inside")]
      const draft = { name, nodes: [manual()] }
      const made = yield* send("POST", "/projects", { name: unique("Sales") })
      if (!isV2 || made.status === 403) {
        for (const location of [{ folder: top }, { project: "Sales" }, { project: "Sales", folder: top }]) {
          const { message } = yield* refused("create_workflow", { ...draft, ...location })
          assert.match(message, isV2 ? /licence of this engine does not include (folders|projectRole)/ : noLocation)
        }
        assert.notInclude(JSON.stringify(yield* shown("/workflows?limit=250")), name)
        return
      }
      const { id: projectId, name: project } = decodeNamed(made.body)
      const folderIn = (of: string, body: Json) => Effect.map(sent("POST", `/projects/${of}/folders`, body), decodeId)
      for (const of of [projectId, "personal"]) {
        const { id: parentFolderId } = yield* folderIn(of, { name: top })
        const folder = yield* folderIn(of, { name: inside, parentFolderId })
        const location = of === "personal" ? {} : { project }
        for (const given of [folder.id, inside, `${top}/${inside}`, `/${top}/${inside}/`]) {
          const { id, parentFolder } = yield* created({ ...draft, ...location, folder: given })
          assert.deepInclude(parentFolder, { id: folder.id, name: inside })
          const owner = yield* shown(`/workflows/${id}`)
          if (of === projectId) assert.nestedPropertyVal(owner, "shared[0].projectId", projectId)
        }
        const { message } = yield* refused("create_workflow", { ...draft, ...location, folder: `${top}/${inside}s` })
        assert.include(message, `there is no folder "${top}/${inside}s". Did you mean "${top}/${inside}"?`)
      }
      const { message } = yield* refused("create_workflow", { ...draft, project: `${project}s` })
      assert.include(message, `Did you mean "${project}"?`)
    })
  )

  it.effect("create_workflow keeps an execution order that is asked for", () =>
    Effect.gen(function* () {
      const { settings } = yield* created({ nodes: [manual()], settings: { executionOrder: "v0" } })
      assert.deepStrictEqual(settings, { executionOrder: "v0" })
    })
  )

  it.effect("create_workflow takes connections in both forms and keeps static data", () =>
    Effect.gen(function* () {
      const nodes = [manual(), node("noOp", "Left"), node("noOp", "Right")]
      const main = [[{ node: "Left", type: "main", index: 0 }], [{ node: "Right", type: "main", index: 0 }]]
      const object = yield* created({ nodes, connections: { Start: { main } }, staticData: { lastId: 7 } })
      const array = yield* created({
        nodes,
        connections: [
          { source: "Start", target: "Left", sourceOutput: 0, targetInput: 0 },
          { source: "Start", target: "Right", sourceOutput: 1, targetInput: 0 }
        ]
      })
      assert.deepStrictEqual(object.connections, { Start: { main } })
      assert.deepStrictEqual(array.connections, { Start: { main } })
      assert.deepInclude(yield* shown(`/workflows/${object.id}`), { staticData: { lastId: 7 } })
    })
  )

  it.effect("create_workflow sets tags, activates, and answers the workflow as it then is", () =>
    Effect.gen(function* () {
      const [red, blue] = [yield* tagged(), yield* tagged()]
      const { active, tags } = yield* created({ nodes: [webhook()], tags: [red.id, blue.id, red.id], active: true })
      assert.isTrue(active)
      const names = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ name: Schema.String })))(tags)
      assert.sameMembers(
        names.map(({ name }) => name),
        [red.name, blue.name]
      )
    })
  )

  it.effect("create_workflow takes tags by their names, too", () =>
    Effect.gen(function* () {
      const [red, blue] = [yield* tagged(), yield* tagged()]
      const { tags } = yield* created({ nodes: [manual()], tags: [red.name, blue.id] })
      const names = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ name: Schema.String })))(tags)
      assert.sameMembers(
        names.map(({ name }) => name),
        [red.name, blue.name]
      )
    })
  )

  it.effect("create_workflow creates nothing where a tag is not there", () =>
    Effect.gen(function* () {
      const name = unique("workflow")
      const tag = yield* tagged()
      const error = yield* refused("create_workflow", { name, nodes: [manual()], tags: [tag.id, "noSuchTag0123456"] })
      assert.strictEqual(error.code, -32602)
      assert.strictEqual(
        error.message,
        'Invalid tags.1: is no tag of instance production: "noSuchTag0123456". get_tags lists them, create_tag makes one'
      )
      assert.deepStrictEqual(yield* ask("list_workflows", { name }), { data: [] })
    })
  )

  it.effect("create_workflow says what exists when the engine does not activate it", () =>
    Effect.gen(function* () {
      const unknown = node("noSuchKind", "Odd")
      const error = yield* refused("create_workflow", {
        name: unique("workflow"),
        nodes: [webhook(), unknown],
        active: true
      })
      const { id } = decodeId(error.data)
      yield* Effect.addFinalizer(() => cleared(id))
      assert.strictEqual(
        error.message,
        `Workflow ${id} on instance production was created, but its activation failed: ` +
          "API error: Unrecognized node type: n8n-nodes-base.noSuchKind"
      )
      assert.include(yield* shown(`/workflows/${id}`), { id, active: false })
    })
  )

  it.effect("create_workflow finds every slip before the engine hears of it", () =>
    Effect.gen(function* () {
      const name = unique("never")
      const two = [manual(), answer("Answer", "x")]
      const slips = [
        [{ nodes: two, connections: chain("Start", "Ghost") }, "node Start references non-existent node Ghost"],
        [
          { nodes: two, connections: chain("Ghost", "Start") },
          "node Ghost references non-existent node Ghost: connections begin at it"
        ],
        [{ nodes: [] }, "at least 1 node is required"]
      ] as const
      for (const [draft, problem] of slips) {
        const { code, message } = yield* refused("create_workflow", { name, ...draft })
        assert.deepStrictEqual([code, message], [-32602, `Workflow validation failed: ${problem}`])
      }
      const texts = [
        [{ nodes: [manual(), manual()] }, "Duplicate node names found: Start appears 2 times"],
        [{ nodes: two, connections: "Start" }, "Invalid workflow definition: connections malformed"],
        [{ nodes: two, connections: [{ source: "Start" }] }, "Invalid workflow definition: connections malformed"],
        [
          { nodes: [{ ...manual(), type: "manualTrigger" }] },
          "Workflow validation failed: node Start has an invalid type: must be the package and the kind: " +
            "engine-nodes-base.manualTrigger, or @n8n/n8n-nodes-langchain.manualTrigger for AI nodes"
        ],
        [
          { nodes: [manual()], active: true },
          "Workflow cannot be activated without a valid trigger node. Add a schedule, webhook or service trigger."
        ]
      ] as const
      for (const [draft, text] of texts) {
        const { code, message } = yield* refused("create_workflow", { name, ...draft })
        assert.deepStrictEqual([code, message], [-32602, text])
      }
      const { data } = yield* refused("create_workflow", { name, nodes: two, connections: [{ source: "Start" }] })
      assert.deepInclude(data, {
        problem: "entry 0.target is missing",
        expected: "[{source, target, sourceOutput, targetInput}]"
      })
      assert.deepStrictEqual((yield* shown(`/workflows?name=${name}`)).data, [])
    })
  )

  it.effect("get_workflow answers all that the engine shows, but for its owners", () =>
    Effect.gen(function* () {
      const { id } = yield* given({ name: unique("workflow"), nodes: [manual()], staticData: { seen: [1] } })
      const whole = yield* shown(`/workflows/${id}`)
      assert.deepStrictEqual(
        without(yield* ask("get_workflow", { id }), "version"),
        without(whole, "shared", "activeVersion")
      )
    })
  )

  it.effect("delete_workflow removes an active workflow and answers which it was", () =>
    Effect.gen(function* () {
      const { send } = yield* TestedEngine
      const { id, name } = yield* created({ nodes: [everyDay()], active: true })
      const answered = yield* ask("delete_workflow", { id })
      assert.include(answered, { id, message: `Workflow ${id} was deleted` })
      assert.deepNestedInclude(answered, { "deleted.id": id, "deleted.name": name })
      assert.notNestedProperty(answered, "deleted.nodes")
      assert.strictEqual((yield* send("GET", `/workflows/${id}`)).status, 404)
    })
  )

  it.effect("delete_workflow removes a workflow that was changed, and switched on and off, a moment ago", () =>
    Effect.gen(function* () {
      const { send } = yield* TestedEngine
      const { id } = yield* created({ nodes: [everyDay()] })
      yield* ask("update_workflow", { id, name: unique("renamed") })
      yield* ask("activate_workflow", { id })
      yield* ask("deactivate_workflow", { id })
      assert.include(yield* ask("delete_workflow", { id }), { id })
      assert.strictEqual((yield* send("GET", `/workflows/${id}`)).status, 404)
    })
  )

  it.effect("no answer about a workflow names its owners", () =>
    Effect.gen(function* () {
      const { id } = yield* created({ nodes: [everyDay()] })
      const answers = [
        yield* ask("get_workflow", { id }),
        yield* ask("update_workflow", { id, name: unique("renamed") }),
        yield* ask("activate_workflow", { id }),
        yield* ask("deactivate_workflow", { id }),
        yield* ask("list_workflows", { limit: 250 }),
        yield* ask("delete_workflow", { id })
      ]
      for (const answered of answers) assert.notMatch(JSON.stringify(answered), /"shared"|@engine\.test/)
    })
  )

  it.effect("a workflow that only the engine knows how to read is passed on as it is", () =>
    Effect.gen(function* () {
      const odd = { ...node("noOp", "Odd"), type: "n8n-nodes-community.odd", typeVersion: 99.5 }
      const { id } = yield* given({ name: unique("odd"), nodes: [odd] })
      assert.nestedPropertyVal(yield* ask("get_workflow", { id }), "nodes[0].typeVersion", 99.5)
      yield* sent("PUT", `/workflows/${id}`, { name: unique("odd"), nodes: [], connections: {}, settings: {} })
      assert.deepInclude(yield* ask("get_workflow", { id }), { nodes: [] })
    })
  )
}
