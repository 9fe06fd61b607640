import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import type { HttpClientRequest } from "effect/http"

import { foreignAnswers } from "../../support/foreignAnswers.ts"
import { ask, callTool, type Json, refused } from "../../support/harness.ts"
import { folder, historyIn, versionsOf } from "../history/support.ts"
import { Beside, twoEmbedded, workflow } from "./support.ts"

const engines = ["1.82.3", "2.41.1"] as const

/** What is answered in the engine's place: everything of its API, or all that names one workflow. */
const ofTheApi = () => (path: string) => path.includes("/api/v1/")
const ofOne = (id: unknown) => (path: string) => path.includes(`/api/v1/workflows/${String(id)}`)
const places = { "all calls": ofTheApi, "the calls of one workflow": ofOne }

const decodeNamed = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String, active: Schema.Boolean }))
  })
)

/** The workflows that the engine itself has. */
const named = Effect.gen(function* () {
  const { send } = yield* Beside
  return decodeNamed(yield* send("production", "GET", "/workflows?limit=250")).data
})

const made = Effect.fnUntraced(function* (name: string) {
  const { send } = yield* Beside
  const { id } = yield* send("production", "POST", "/workflows", workflow(name))
  yield* send("production", "POST", `/workflows/${String(id)}/activate`, {})
  return String(id)
})

/** Runs while something else answers in the place of `production`. */
const answeredBy = <A, E, R>(
  answer: (typeof foreignAnswers)[string],
  isMeant: (path: string) => boolean,
  self: Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const { meddle } = yield* Beside
    const isForProduction = ({ url }: HttpClientRequest.HttpClientRequest) => url.includes(":5002") && isMeant(url)
    yield* meddle((request, proceed) => (isForProduction(request) ? answer(request) : proceed))
    return yield* Effect.ensuring(self, meddle(undefined))
  })

const serverIn = (version: (typeof engines)[number]) =>
  Layer.unwrap(
    Effect.map(folder, (directory) => twoEmbedded([version, version]).pipe(Layer.provide(historyIn(directory))))
  )

const onProduction = { instance: "production" }

for (const version of engines) {
  for (const [what, answer] of Object.entries(foreignAnswers)) {
    for (const [extent, place] of Object.entries(places)) {
      describe(`${what}, in place of ${extent} of an engine ${version}`, () => {
        it.live("lets restore_workflow make no second copy", () =>
          Effect.gen(function* () {
            const id = yield* made("Orders")
            yield* ask("get_workflow", { ...onProduction, id })
            yield* ask("update_workflow", { ...onProduction, id, name: "Orders of today" })
            yield* versionsOf(id)
            const before = yield* named
            const { message } = yield* answeredBy(
              answer,
              place(id),
              refused("restore_workflow", { ...onProduction, id })
            )
            assert.include(message, "production")
            assert.deepStrictEqual(yield* named, before)
            yield* ask("restore_workflow", { ...onProduction, id })
            assert.deepStrictEqual(yield* named, [{ id, name: "Orders", active: true }])
          }).pipe(Effect.provide(serverIn(version)))
        )

        it.live("stops a plan that deletes, which goes on afterwards", () =>
          Effect.gen(function* () {
            const [id] = [yield* made("Old 1"), yield* made("Old 2")]
            const args = { ...onProduction, action: "delete", where: { name: "Old*" } }
            const plan = yield* ask("plan_bulk", args)
            const apply = { plan_id: plan["plan_id"], confirm: true }
            const { error, result } = yield* answeredBy(answer, place(id), callTool("apply_plan", apply))
            assert.notInclude(JSON.stringify(result ?? {}), '"state":"applied"')
            assert.notInclude(JSON.stringify(result ?? {}), '\\"state\\":\\"applied\\"')
            assert.include(
              (yield* named).map((one) => one.id),
              id,
              `${error?.message}`
            )
            assert.deepInclude(yield* ask("apply_plan", apply), { state: "applied", done: 4 })
            assert.deepStrictEqual(yield* named, [])
          }).pipe(Effect.provide(serverIn(version)))
        )

        it.live("stops the planning of a rollback, and counts none of its steps as done", () =>
          Effect.gen(function* () {
            const id = yield* made("Orders")
            const off = yield* ask("plan_bulk", { ...onProduction, action: "deactivate", where: { name: "Orders" } })
            yield* ask("apply_plan", { plan_id: off["plan_id"], confirm: true })
            const planned = answeredBy(answer, place(id), refused("plan_rollback", { plan_id: off["plan_id"] }))
            assert.include((yield* planned).message, "production")
            const back = yield* ask("plan_rollback", { plan_id: off["plan_id"] })
            assert.deepInclude(back, { steps: 1, blocked: [] })
            const apply = { plan_id: back["plan_id"], confirm: true }
            yield* answeredBy(answer, place(id), refused("apply_plan", apply))
            assert.deepStrictEqual(yield* named, [{ id, name: "Orders", active: false }])
            assert.deepInclude(yield* ask("apply_plan", apply), { state: "applied", done: 1 })
            assert.deepStrictEqual(yield* named, [{ id, name: "Orders", active: true }])
          }).pipe(Effect.provide(serverIn(version)))
        )

        it.live("is no deletion by somebody else to the history", () =>
          Effect.gen(function* () {
            const id = yield* made("Orders")
            yield* ask("get_workflow", { ...onProduction, id })
            const before = yield* versionsOf(id)
            const writes: ReadonlyArray<readonly [string, Json]> = [
              ["get_workflow", {}],
              ["update_workflow", { name: "Other" }],
              ["activate_workflow", {}],
              ["deactivate_workflow", {}],
              ["delete_workflow", {}]
            ]
            for (const [tool, args] of writes) {
              yield* answeredBy(answer, place(id), refused(tool, { ...onProduction, id, ...args }))
            }
            yield* answeredBy(answer, place(id), callTool("backup", { ...onProduction }))
            assert.deepStrictEqual(yield* versionsOf(id), before)
          }).pipe(Effect.provide(serverIn(version)))
        )
      })
    }
  }
}
