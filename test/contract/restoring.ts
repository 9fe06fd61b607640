import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"

import type { Sessions } from "../../src/mcp/protocol/Session.ts"
import { ask, type Json } from "../support/harness.ts"
import { answer, cleared, created, everyDay, manual, node, tagged, unique, without } from "./fixtures.ts"
import { inFolder, Repository } from "./repository.ts"
import { sent, shown, TestedEngine } from "./TestedEngine.ts"

/** The fields that engines count, stamp, or give anew to what is made anew. */
const counted = [
  "id",
  "createdAt",
  "updatedAt",
  "versionId",
  "activeVersion",
  "activeVersionId",
  "versionCounter",
  "triggerCount",
  "shared",
  "meta",
  "staticData",
  "sourceWorkflowId",
  "parentFolder"
]

const stateOf = (id: string) => Effect.map(shown(`/workflows/${id}`), (workflow) => without(workflow, ...counted))

const Rows = Schema.decodeUnknownSync(
  Schema.Struct({ data: Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String })) })
)

/** The ids of the workflows of this name. */
const named = Effect.fnUntraced(function* (name: string) {
  const { send } = yield* TestedEngine
  const { body } = yield* send("GET", `/workflows?name=${name}&limit=250`)
  return Rows(body).data.flatMap((one) => (one.name === name ? [one.id] : []))
})

const calling = (id: string) =>
  node(
    "executeWorkflow",
    "Call",
    { source: "database", workflowId: { __rl: true, mode: "list", value: id } },
    { typeVersion: 1.2 }
  )

const callingByAddress = (id: string) => ({
  ...calling(id),
  parameters: {
    source: "database",
    workflowId: { __rl: true, mode: "url", value: `https://engine.example.com/workflow/${id}?from=editor` }
  }
})

const apply = (plan: Json) => ask("apply_plan", { plan_id: plan["plan_id"], confirm: true })

/** The subject of the repository's newest commit, once all that happened is in it. */
const newest = Effect.fnUntraced(function* (id: string) {
  yield* ask("workflow_history", { id })
  return (yield* Repository).git("rev-parse", "--short=12", "HEAD").trim()
})

/** The promises of restoring from the history beyond one workflow; the history knows of nothing but what a test makes. */
export const restoringSuite = (name: string, engine: Layer.Layer<Sessions | TestedEngine>) =>
  layer(Layer.provideMerge(engine, inFolder), { excludeTestServices: true, timeout: "60 seconds" })(
    `restoring on ${name}`,
    (it) => {
      it.effect(
        "plan_restore brings all workflows back to a commit, calls and pinned data too, and its rollback undoes that",
        () =>
          Effect.gen(function* () {
            const { isFrom, isV2 } = yield* TestedEngine
            const grouping = (...nodeGroups: ReadonlyArray<Json>) => (isFrom("2.30.0") ? { nodeGroups } : {})
            const { id: tag } = yield* tagged()
            const sub = unique("sub")
            const { id: called } = yield* created({ name: sub, nodes: [manual(), answer("Answer", "a")], tags: [tag] })
            const { id: caller } = yield* created({
              nodes: [manual(), calling(called)],
              settings: { errorWorkflow: called }
            })
            const { id: daily } = yield* created({ nodes: [everyDay()], active: true })
            const { id: pinned } = yield* created({
              nodes: [manual(), { ...answer("Grouped", "b"), id: "grouped" }],
              settings: { timezone: "Europe/Riga" }
            })
            const body = without(yield* shown(`/workflows/${pinned}`), ...counted)
            const plain = { name: body.name, nodes: body.nodes, connections: {}, settings: body.settings }
            if (isV2)
              yield* sent("PUT", `/workflows/${pinned}`, {
                ...plain,
                pinData: { Start: [{ json: { a: 1 } }] },
                description: "What it is for",
                ...grouping({ id: "one", name: "One", nodeIds: ["grouped"] })
              })
            yield* ask("get_workflow", { id: pinned })
            const version = yield* newest(pinned)
            // Others use the same engine: what is restored is what this test has made.
            const { git } = yield* Repository
            assert.lengthOf(git("ls-tree", "--name-only", version, "production/").match(/\.\w+\.json$/gm) ?? [], 4)
            const states = Effect.all([stateOf(caller), stateOf(daily), stateOf(pinned)])
            const before = yield* states

            const unpinned = isV2 ? { pinData: {}, description: "Something else", ...grouping() } : {}
            yield* sent("PUT", `/workflows/${pinned}`, { ...plain, name: unique("renamed"), settings: {}, ...unpinned })
            yield* ask("deactivate_workflow", { id: daily })
            yield* cleared(called)
            const { id: since } = yield* created({ nodes: [manual(), callingByAddress(called)] })
            const broken = yield* Effect.all([states, stateOf(since)])

            const plan = yield* ask("plan_restore", { version })
            assert.deepStrictEqual(plan.blocked, [])
            assert.deepStrictEqual(yield* Effect.all([states, stateOf(since)]), broken)
            assert.deepInclude(yield* apply(plan), { state: "applied" })
            const [anew = "", ...more] = yield* named(sub)
            yield* Effect.addFinalizer(() => cleared(anew))
            assert.deepStrictEqual(more, [])
            const asNow = (state: unknown): unknown => JSON.parse(JSON.stringify(state).replaceAll(called, anew))
            assert.deepStrictEqual(yield* states, asNow(before))
            assert.deepStrictEqual(yield* stateOf(since), asNow(broken[1]))
            assert.nestedPropertyVal(yield* shown(`/workflows/${anew}`), "tags.0.id", tag)

            const back = yield* ask("plan_rollback", { plan_id: plan["plan_id"] })
            assert.deepInclude(yield* apply(back), { state: "applied" })
            assert.deepStrictEqual(yield* Effect.all([states, stateOf(since)]), broken)
            assert.deepStrictEqual(yield* named(sub), [])
          })
      )

      it.effect("restore_workflow names what calls a deleted workflow, and lets it call the new one if asked", () =>
        Effect.gen(function* () {
          const { id } = yield* created({ nodes: [manual()] })
          const { id: caller, name } = yield* created({
            nodes: [manual(), calling(id)],
            settings: { errorWorkflow: id }
          })
          const callers = [{ id: caller, name, at: ["Call", "settings.errorWorkflow"] }]
          yield* ask("delete_workflow", { id })
          assert.deepStrictEqual((yield* ask("restore_workflow", { id, dry_run: true })).callers, callers)
          const first = yield* ask("restore_workflow", { id })
          yield* Effect.addFinalizer(() => cleared(String(first.id)))
          assert.deepStrictEqual(first.callers, callers)
          assert.include(String(first.notice), `still name ${id}`)
          const second = yield* ask("restore_workflow", { id, relink: true })
          yield* Effect.addFinalizer(() => cleared(String(second.id)))
          assert.deepStrictEqual(second.callers, [{ ...callers[0], relinked: true }])
          const now = yield* shown(`/workflows/${caller}`)
          assert.nestedPropertyVal(now, "nodes.1.parameters.workflowId.value", second.id)
          assert.nestedPropertyVal(now, "settings.errorWorkflow", second.id)
        })
      )
    }
  )
