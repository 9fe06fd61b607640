import { assert } from "@effect/vitest"
import { Effect } from "effect"

import { ask, type Json, refused } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import {
  answer,
  chain,
  content,
  created,
  decodeNodes,
  eventually,
  everyDay,
  given,
  manual,
  node,
  tagged,
  to,
  unique,
  webhook,
  without
} from "./fixtures.ts"
import { sent, shown, TestedEngine } from "./TestedEngine.ts"

/** All that an editor writes: several outputs with a gap, AI parts, notes, credentials, fixed ids. */
const rich = (isV2: boolean) => ({
  nodes: [
    { ...webhook({ options: { rawBody: true } }), id: crypto.randomUUID(), notes: "The way in", notesInFlow: true },
    {
      ...node("if", "Decide", { conditions: { options: { caseSensitive: true } } }),
      id: crypto.randomUUID(),
      typeVersion: 2.2,
      onError: "continueErrorOutput",
      retryOnFail: true,
      maxTries: 4,
      waitBetweenTries: 250
    },
    {
      ...node("httpRequest", "Fetch", { url: "https://api.example.com" }),
      id: crypto.randomUUID(),
      typeVersion: 4.2,
      credentials: { httpBasicAuth: { id: "AbCdEfGh12345678", name: "Shop" } },
      alwaysOutputData: true,
      executeOnce: true
    },
    { ...node("noOp", "Agent"), type: "@n8n/n8n-nodes-langchain.agent", typeVersion: 1.7, id: crypto.randomUUID() },
    { ...node("noOp", "Model"), type: "@n8n/n8n-nodes-langchain.lmChatOpenAi", id: crypto.randomUUID(), disabled: true }
  ],
  connections: {
    Webhook: { main: [[to("Decide"), to("Agent")]] },
    Decide: { main: [[to("Fetch")], [], [to("Agent")]] },
    Model: { ai_languageModel: [[to("Agent", "ai_languageModel")]] }
  },
  settings: {
    timezone: "Europe/Berlin",
    executionOrder: "v1",
    saveManualExecutions: true,
    saveDataErrorExecution: "all",
    executionTimeout: 90,
    ...(isV2 ? { callerPolicy: "workflowsFromAList", callerIds: "a,b", timeSavedPerExecution: 5 } : {})
  },
  staticData: { "node:Webhook": { lastItem: 7, nested: { seen: ["a"] } } },
  ...(isV2 ? { pinData: { Fetch: [{ json: { pinned: true } }] } } : {})
})

export const updates = (it: Suite) => {
  it.effect("an update to the default value takes a setting away where the engine merges settings", () =>
    Effect.gen(function* () {
      const { isV2 } = yield* TestedEngine
      const own = { errorWorkflow: "none", timezone: "Europe/Berlin", executionTimeout: 60, executionOrder: "v1" }
      const { id } = yield* created({ nodes: [manual()], settings: own })
      const byDefault = { errorWorkflow: "DEFAULT", timezone: "DEFAULT", executionTimeout: -1 }
      yield* ask("update_workflow", { id, settings: byDefault })
      const left = isV2 ? {} : byDefault
      assert.deepStrictEqual((yield* shown(`/workflows/${id}`)).settings, { executionOrder: "v1", ...left })
    })
  )

  it.effect("update_workflow changes the given fields and loses nothing else", () =>
    Effect.gen(function* () {
      const { isV2 } = yield* TestedEngine
      const tag = yield* tagged()
      const { id } = yield* given({ name: unique("rich"), ...rich(isV2) })
      yield* sent("PUT", `/workflows/${id}/tags`, [{ id: tag.id }])
      const before = yield* content(id)

      const changes = (nodes: ReadonlyArray<Json>): ReadonlyArray<Json> => [
        { name: unique("renamed") },
        { nodes: [...nodes.slice(0, 4), { ...nodes[4], disabled: false, notes: "The brain" }] },
        { connections: without({ ...rich(isV2).connections }, "Decide") }
      ]
      let expected = before
      for (const change of changes(decodeNodes(before.nodes))) {
        yield* ask("update_workflow", { id, ...change })
        expected = { ...expected, ...change }
        assert.deepStrictEqual(yield* content(id), expected)
      }
      yield* ask("update_workflow", { id, settings: { timezone: "UTC" } })
      assert.deepStrictEqual(yield* content(id), {
        ...expected,
        settings: { ...rich(isV2).settings, timezone: "UTC" }
      })
    })
  )

  it.effect("update_workflow gives nodes that come without ids the ones they had", () =>
    Effect.gen(function* () {
      const { id } = yield* given({ name: unique("hook"), nodes: [webhook(), manual()] })
      const before = decodeNodes((yield* shown(`/workflows/${id}`)).nodes)
      const bare = before.map((each) => without(each, "id", "webhookId"))
      yield* ask("update_workflow", { id, nodes: bare })
      assert.deepStrictEqual(decodeNodes((yield* shown(`/workflows/${id}`)).nodes), before)
    })
  )

  it.effect("update_workflow answers the workflow with its tags", () =>
    Effect.gen(function* () {
      const tag = yield* tagged()
      const { id } = yield* created({ nodes: [manual()], tags: [tag.id] })
      const updated = yield* ask("update_workflow", { id, name: unique("renamed") })
      assert.nestedPropertyVal(updated, "tags[0].name", tag.name)
    })
  )

  it.effect("update_workflow switches a workflow on and off", () =>
    Effect.gen(function* () {
      const { id } = yield* created({ nodes: [everyDay()] })
      assert.include(yield* ask("update_workflow", { id, active: true }), { id, active: true })
      assert.isTrue((yield* shown(`/workflows/${id}`)).active)
      const name = unique("renamed")
      assert.include(yield* ask("update_workflow", { id, name, active: false }), { id, name, active: false })
      assert.isFalse((yield* shown(`/workflows/${id}`)).active)
    })
  )

  it.effect(
    "update_workflow keeps an active workflow active, and no run of its old form passes for one of the new",
    () =>
      Effect.gen(function* () {
        // Engines of 2.40 publish in the background, too, and say of a run the version of the draft.
        const isTold = (yield* TestedEngine).isFrom("2.41.0")
        const hook = webhook()
        const connections = chain("Webhook", "Answer")
        const { id } = yield* created({ nodes: [hook, answer("Answer", "old")], connections, active: true })
        const updated = yield* ask("update_workflow", { id, nodes: [hook, answer("Answer", "new")] })
        assert.isTrue(updated.active)
        const isNew = Effect.map(ask("execute_workflow", { id }), ({ note, response }) => {
          const isNew = JSON.stringify(response).includes('"said":"new"')
          if (isTold) assert.strictEqual(/instead of the published/.test(String(note)), !isNew, String(note))
          return isNew
        })
        yield* eventually(isNew, (itIs) => itIs)
      })
  )

  it.effect("update_workflow refuses what may not exist, and what could not be active", () =>
    Effect.gen(function* () {
      const { id } = yield* created({ nodes: [everyDay()], active: true })
      const before = decodeNodes((yield* shown(`/workflows/${id}`)).nodes)
      const dangling = yield* refused("update_workflow", { id, connections: chain("Every day", "Ghost") })
      assert.strictEqual(
        dangling.message,
        "Workflow validation failed: node Every day references non-existent node Ghost"
      )
      const triggerless = yield* refused("update_workflow", { id, nodes: [manual()] })
      assert.strictEqual(
        triggerless.message,
        "Workflow cannot be activated without a valid trigger node. Add a schedule, webhook or service trigger. " +
          "It is active now: keep its trigger, or deactivate it first."
      )
      assert.deepInclude(yield* shown(`/workflows/${id}`), { active: true, nodes: before, connections: {} })
    })
  )

  it.effect("update_workflow overwrites nobody else's change", () =>
    Effect.gen(function* () {
      const { interrupt, send } = yield* TestedEngine
      const { id, nodes, settings } = yield* created({ nodes: [manual()] })
      const theirs = { name: unique("theirs"), nodes, connections: {}, settings }
      yield* interrupt({
        method: "GET",
        path: `/api/v1/workflows/${id}`,
        after: 1,
        happen: Effect.asVoid(send("PUT", `/workflows/${id}`, theirs))
      })
      const { code, data, message } = yield* refused("update_workflow", { id, name: unique("ours") })
      assert.strictEqual(code, -32000)
      assert.strictEqual(
        message,
        `Workflow ${id} on instance production was changed by someone else meanwhile: name. ` +
          "Nothing was written. Look at it with get_workflow, and repeat the change on what it is now."
      )
      assert.deepInclude(data, { code: "CONFLICT", id, changed: ["name"] })
      assert.include(yield* shown(`/workflows/${id}`), { name: theirs.name })
    })
  )

  it.effect("update_workflow says that a change was saved, though the engine refused to run it", () =>
    Effect.gen(function* () {
      const hook = webhook()
      const { id } = yield* created({ nodes: [hook], active: true })
      const error = yield* refused("update_workflow", { id, nodes: [hook, node("noSuchKind", "Odd")] })
      assert.strictEqual(
        error.message,
        `Workflow ${id} on instance production was saved with the changes, but running it in its new form failed: ` +
          "API error: Unrecognized node type: n8n-nodes-base.noSuchKind"
      )
      assert.lengthOf(decodeNodes((yield* shown(`/workflows/${id}`)).nodes), 2)
    })
  )

  it.effect("a setting that no engine knows takes none along that this engine knows", () =>
    Effect.gen(function* () {
      const engine = yield* TestedEngine
      const settings = { callerPolicy: "none", timezone: "UTC", noSuchSetting: 1 }
      const { id, notice } = yield* created({ nodes: [manual()], settings })
      assert.match(String(notice), /^Left out, because this engine does not take it: .*settings\.noSuchSetting$/)
      const isLeftOut = String(notice).includes("callerPolicy")
      // Engines before these name no field that they refuse.
      if (engine.isFrom("2.40.0")) assert.isFalse(isLeftOut)
      const kept = Effect.map(shown(`/workflows/${id}`), (workflow) => Object(workflow["settings"]))
      assert.include(yield* kept, { timezone: "UTC", ...(isLeftOut ? {} : { callerPolicy: "none" }) })
      yield* ask("update_workflow", { id, settings: { callerPolicy: "any", noSuchSetting: 2 } })
      assert.include(yield* kept, { timezone: "UTC", ...(isLeftOut ? {} : { callerPolicy: "any" }) })
    })
  )

  it.effect("update_workflow tells which given settings this engine does not take", () =>
    Effect.gen(function* () {
      const { isFrom, isV2 } = yield* TestedEngine
      const { id } = yield* created({ nodes: [manual()] })
      const updated = yield* ask("update_workflow", { id, settings: { callerPolicy: "any", timezone: "UTC" } })
      assert.strictEqual(
        updated.notice,
        isV2 ? undefined : "Left out, because this engine does not take it: settings.callerPolicy"
      )
      assert.nestedPropertyVal(updated, "settings.timezone", "UTC")
      const operations = [{ op: "settings", parameters: { noSuchSetting: "any", timezone: "Europe/Berlin" } }]
      const edited = yield* ask("edit_workflow", { id, operations })
      // Before 2.40, engines name no field that they do not know: what is not known to all is left out with it.
      const others = isV2 && !isFrom("2.40.0") ? "settings.callerPolicy, " : ""
      assert.strictEqual(
        edited.notice,
        `Left out, because this engine does not take it: ${others}settings.noSuchSetting`
      )
      assert.deepStrictEqual(edited.changes, ['setting timezone "UTC" → "Europe/Berlin"'])
    })
  )
}
