import { assert } from "@effect/vitest"
import { Effect } from "effect"

import { ask, refused } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import { chain, created, eventually, everyDay, given, manual, node, unique, webhook } from "./fixtures.ts"
import { shown, TestedEngine } from "./TestedEngine.ts"

const noTrigger =
  "Workflow cannot be activated without a valid trigger node. Add a schedule, webhook or service trigger."

/** A node that calls another workflow. */
const calling = (id: string) =>
  node(
    "executeWorkflow",
    "Call",
    {
      workflowId: { __rl: true, mode: "list", value: id },
      workflowInputs: { mappingMode: "defineBelow", value: {} },
      options: {}
    },
    { typeVersion: 1.2 }
  )

export const activation = (it: Suite) => {
  it.effect("a workflow that calls another one is activated after that one where the engine publishes workflows", () =>
    Effect.gen(function* () {
      const { isV2, send } = yield* TestedEngine
      const start = node("executeWorkflowTrigger", "In", { inputSource: "passthrough" }, { typeVersion: 1.1 })
      const name = unique("called")
      const called = yield* created({ name, nodes: [start] })
      const caller = yield* created({ nodes: [webhook(), calling(called.id)], connections: chain("Webhook", "Call") })
      if (!isV2) {
        assert.include(yield* ask("activate_workflow", { id: caller.id }), { active: true })
        return
      }
      const { message } = yield* refused("activate_workflow", { id: caller.id })
      assert.include(message, `Node "Call" references workflow ${called.id} ("${name}") which is not published`)
      assert.include(yield* ask("activate_workflow", { id: called.id }), { active: true })
      assert.include(yield* ask("activate_workflow", { id: caller.id }), { active: true })
      yield* send("POST", `/workflows/${called.id}/deactivate`)
      assert.isTrue((yield* shown(`/workflows/${caller.id}`)).active)
      const renamed = yield* refused("update_workflow", { id: caller.id, name: unique("renamed") })
      assert.include(renamed.message, "which is not published")
    })
  )

  it.effect("activate_workflow answers the workflow, deactivate_workflow its state", () =>
    Effect.gen(function* () {
      const { id } = yield* created({ nodes: [everyDay()] })
      const on = yield* ask("activate_workflow", { id })
      assert.include(on, { id, active: true })
      assert.nestedPropertyVal(on, "nodes[0].name", "Every day")
      assert.isTrue((yield* shown(`/workflows/${id}`)).active)
      assert.include(yield* ask("activate_workflow", { id }), { id, active: true })

      const off = yield* ask("deactivate_workflow", { id })
      assert.include(off, { id, name: on.name, active: false, versionId: on.versionId, createdAt: on.createdAt })
      assert.doesNotHaveAnyKeys(off, ["nodes", "connections", "settings", "activeVersion"])
      assert.isFalse((yield* shown(`/workflows/${id}`)).active)
      assert.include(yield* ask("deactivate_workflow", { id }), { id, active: false })
    })
  )

  it.effect("activate_workflow refuses a workflow without a valid trigger and says what to add", () =>
    Effect.gen(function* () {
      const sleeping = node("webhook", "Webhook", { path: unique("hook") }, { disabled: true })
      for (const nodes of [[manual()], [node("noOp", "Nothing")], [manual(), sleeping]]) {
        const { id } = yield* given({ name: unique("workflow"), nodes })
        const { code, message } = yield* refused("activate_workflow", { id })
        assert.deepStrictEqual([code, message], [-32602, noTrigger])
        assert.isFalse((yield* shown(`/workflows/${id}`)).active)
      }
    })
  )

  it.effect("activate_workflow adds a Schedule Trigger to a workflow without a trigger when it is asked to", () =>
    Effect.gen(function* () {
      const { id } = yield* created({ nodes: [manual(), node("noOp", "Work")] })
      const { active, connections, nodes, notice } = yield* ask("activate_workflow", { id, addTrigger: true })
      assert.isTrue(active)
      assert.strictEqual(
        notice,
        "Added the node 'Schedule Trigger': it runs the workflow once a day until you change it."
      )
      assert.nestedPropertyVal({ nodes }, "nodes[2].name", "Schedule Trigger")
      assert.nestedPropertyVal({ nodes }, "nodes[2].type", "n8n-nodes-base.scheduleTrigger")
      assert.deepStrictEqual(connections, {
        "Schedule Trigger": { main: [[{ node: "Start", type: "main", index: 0 }]] }
      })
      assert.isTrue((yield* shown(`/workflows/${id}`)).active)
    })
  )

  it.effect("activate_workflow adds nothing to a workflow that has a trigger", () =>
    Effect.gen(function* () {
      const { id } = yield* created({ nodes: [webhook()] })
      const { active, nodes } = yield* ask("activate_workflow", { id, addTrigger: true })
      assert.isTrue(active)
      assert.lengthOf(JSON.parse(JSON.stringify(nodes)), 1)
    })
  )

  it.effect(
    "a trigger that the engine cannot start is an error, or is told of where the engine keeps it to itself",
    () =>
      Effect.gen(function* () {
        const { isFrom } = yield* TestedEngine
        const never = { rule: { interval: [{ field: "cronExpression", expression: "99 99 * * *" }] } }
        const nodes = [node("scheduleTrigger", "Never", never)]
        const { id } = yield* created({ nodes })
        if (!isFrom("2.40.0")) {
          assert.include((yield* refused("activate_workflow", { id })).message, "Invalid cron expression")
          return
        }
        const told = /^The workflow is active, but the engine shows no running trigger \(triggerCount is 0\)\./
        const activated = yield* ask("activate_workflow", { id })
        assert.isTrue(activated.active)
        assert.match(String(activated.notice), told)
        assert.match(String((yield* created({ nodes, active: true })).notice), told)
        assert.match(String((yield* ask("update_workflow", { id, name: unique("renamed") })).notice), told)
        const mended = yield* ask("update_workflow", { id, nodes: [everyDay()] })
        yield* eventually(shown(`/workflows/${id}`), ({ triggerCount }) => triggerCount === 1)
        assert.isTrue(mended.active)
      })
  )

  it.effect("the answer to an activation says whether the triggers run", () =>
    Effect.gen(function* () {
      const { isV2 } = yield* TestedEngine
      const { id } = yield* created({ nodes: [webhook(), everyDay()] })
      const { notice, triggerCount } = yield* ask("activate_workflow", { id })
      if (isV2) assert.strictEqual(triggerCount, notice === undefined ? 2 : 0)
      yield* eventually(shown(`/workflows/${id}`), (workflow) => workflow.triggerCount === 2)
    })
  )

  it.effect("a webhook that another workflow has already is named with that workflow, where the engine minds", () =>
    Effect.gen(function* () {
      const { isFrom, isV2 } = yield* TestedEngine
      const path = unique("taken")
      const first = yield* created({ nodes: [webhook({ path })], active: true })
      const name = String((yield* shown(`/workflows/${first.id}`)).name)
      yield* eventually(shown(`/workflows/${first.id}`), ({ triggerCount }) => triggerCount === 1)
      const sameHook = { ...webhook({ path }), name: "Hook" }
      const second = yield* created({ nodes: [sameHook] })
      if (!isV2) {
        assert.isTrue((yield* ask("activate_workflow", { id: second.id })).active)
        return
      }
      const problem =
        `API error: There is a conflict with one of the webhooks. On instance production: POST /webhook/${path} of node Hook is taken by ` +
        `node Webhook of workflow ${name} (${first.id}).`
      const { data, message } = yield* refused("activate_workflow", { id: second.id })
      assert.strictEqual(message, problem)
      assert.include(data, { code: "API_ERROR", httpStatus: isFrom("2.30.0") ? 409 : 400 })
    })
  )

  it.effect("what the engine will not run stays inactive, in the engine's words", () =>
    Effect.gen(function* () {
      const { id } = yield* created({ nodes: [webhook(), node("noSuchKind", "Odd")] })
      const { code, data, message } = yield* refused("activate_workflow", { id })
      assert.deepStrictEqual([code, message], [-32000, "API error: Unrecognized node type: n8n-nodes-base.noSuchKind"])
      assert.include(data, { code: "API_ERROR", httpStatus: 400, instance: "production" })
      assert.isFalse((yield* shown(`/workflows/${id}`)).active)
    })
  )
}
