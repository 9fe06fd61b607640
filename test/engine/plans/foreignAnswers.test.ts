import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { type HttpClientRequest, UrlParams } from "effect/http"

import { answers, type Step } from "../../internal/http/standIn.ts"
import { foreignAnswers } from "../../support/foreignAnswers.ts"
import { ask, callTool, type Json, refused } from "../../support/harness.ts"
import { folder, historyIn, versionsOf } from "../history/support.ts"
import { json } from "../tools/standIn.ts"
import { Beside, hook, twoEmbedded, workflow } from "./support.ts"

const engines = ["1.82.3", "2.41.1"] as const

/** The requests that are answered in the engine's place: everything of its API, or all that names one workflow. */
const ofTheApi = () => (path: string) => path.includes("/api/v1/")
const ofOne = (id: unknown) => (path: string) => path.includes(`/api/v1/workflows/${String(id)}`)
const places = { "all calls": ofTheApi, "the calls of one workflow": ofOne }

const decodeNamed = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String, active: Schema.Boolean }))
  })
)

const decodeIds = Schema.decodeUnknownSync(Schema.Struct({ data: Schema.Array(Schema.Struct({ id: Schema.String })) }))

/** The workflows that the engine itself has. */
const named = Effect.gen(function* () {
  const { send } = yield* Beside
  return decodeNamed(yield* send("production", "GET", "/workflows?limit=250")).data
})

/** Runs with an engine that has nothing yet, and leaves it that way. */
const emptied = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.ensuring(
    self,
    Effect.gen(function* () {
      const { meddle, send } = yield* Beside
      yield* meddle(undefined)
      for (const instance of ["staging", "production"] as const) {
        const { data } = decodeIds(yield* send(instance, "GET", "/workflows?limit=250"))
        for (const { id } of data) {
          yield* send(instance, "POST", `/workflows/${id}/deactivate`, {})
          yield* send(instance, "DELETE", `/workflows/${id}`)
        }
      }
    })
  )

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
  layer(serverIn(version), { excludeTestServices: true })(`of an engine ${version}`, (it) => {
    for (const [what, answer] of Object.entries(foreignAnswers)) {
      for (const [extent, place] of Object.entries(places)) {
        describe(`${what}, in place of ${extent}`, () => {
          it.effect("lets restore_workflow make no second copy", () =>
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
            }).pipe(emptied)
          )

          it.effect("stops a plan that deletes, which goes on afterwards", () =>
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
            }).pipe(emptied)
          )

          it.effect("stops the planning of a rollback, and counts none of its steps as done", () =>
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
            }).pipe(emptied)
          )

          it.effect("is no deletion by somebody else to the history", () =>
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
            }).pipe(emptied)
          )
        })
      }
    }
  })
}

/** One request, of which the engine may have got word all the same. */
interface Single {
  readonly method: string
  readonly path: RegExp
  readonly answer: Step
  readonly isReceived?: boolean
}

/** Runs while something else answers the first request of these on `production`. */
const answeredOnce = <A, E, R>({ answer, isReceived = false, method, path }: Single, self: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { meddle } = yield* Beside
    let isAnswered = false
    yield* meddle((request, proceed) => {
      const address = `${request.url}?${UrlParams.toString(request.urlParams)}`
      const isMeant = request.method === method && address.includes(":5002") && path.test(address)
      if (!isMeant || isAnswered) return proceed
      isAnswered = true
      return isReceived ? Effect.andThen(proceed, answer(request)) : answer(request)
    })
    const outcome = yield* Effect.ensuring(self, meddle(undefined))
    assert.isTrue(isAnswered, `${method} ${String(path)} was not sent`)
    return outcome
  })

const decodePlan = Schema.decodeUnknownSync(
  Schema.Struct({
    plan_id: Schema.String,
    steps: Schema.Int,
    blocked: Schema.Array(Schema.Struct({ what: Schema.String, reason: Schema.String }))
  })
)

/** A plan that has deleted active workflows. */
const deleted = Effect.fnUntraced(function* (name: string) {
  yield* made("Orders")
  const plan = yield* ask("plan_bulk", { ...onProduction, action: "delete", where: { name } })
  yield* ask("apply_plan", { plan_id: plan["plan_id"], confirm: true })
  assert.deepStrictEqual(yield* named, [])
  return plan["plan_id"]
})

const page404 = answers(404, { "content-type": "text/html" }, "<pre>Cannot POST /api/v1/workflows</pre>")
const appliedAgain = (plan_id: unknown) => ask("apply_plan", { plan_id, confirm: true })

for (const version of engines) {
  layer(serverIn(version), { excludeTestServices: true })(`one answer in place of an engine ${version}`, (it) => {
    it.effect("refuses what a rollback makes anew: the next apply makes it, and what belongs to it", () =>
      Effect.gen(function* () {
        const { plan_id } = decodePlan(yield* ask("plan_rollback", { plan_id: yield* deleted("Orders") }))
        const refusal: Single = {
          method: "POST",
          path: /\/workflows\?$/,
          answer: json({ message: "request/body/name must be string" }, 400)
        }
        const first = yield* answeredOnce(refusal, appliedAgain(plan_id))
        assert.deepInclude(first, { state: "refused", done: 0, total: 2 })
        assert.include(JSON.stringify(first), "its workflow was not created")
        assert.deepInclude(yield* appliedAgain(plan_id), { state: "applied", done: 2 })
        assert.deepInclude((yield* named)[0], { name: "Orders", active: true })
      }).pipe(emptied)
    )

    it.effect("blocks in the plan of a rollback what belongs to a thing that it leaves out", () =>
      Effect.gen(function* () {
        yield* made("Invoices")
        const plan_id = yield* deleted("*")
        const { meddle } = yield* Beside
        yield* meddle((request, proceed) => {
          const isOfOrders = UrlParams.toString(request.urlParams).includes("name=Orders")
          return isOfOrders ? json({ message: "Forbidden" }, 403)(request) : proceed
        })
        const { blocked, steps } = decodePlan(yield* ask("plan_rollback", { plan_id }))
        const kinds = blocked.map(({ reason, what }) => [what.split(" ")[0], reason.split(" (")[0]])
        assert.deepStrictEqual(kinds, [
          ["create", "API call failed for instance production: Insufficient permissions."],
          ["activate", "what it belongs to was not created"]
        ])
        assert.strictEqual(steps, 2)
        yield* meddle(undefined)
        assert.deepInclude(decodePlan(yield* ask("plan_rollback", { plan_id })), { steps: 4, blocked: [] })
      }).pipe(emptied)
    )

    for (const answer of [
      page404,
      json({ message: "no Route matched with those values" }, 404),
      json({ message: "Gone" }, 410)
    ]) {
      it.effect("instead of the answer to a creation that was made: nothing is made a second time", () =>
        Effect.gen(function* () {
          const { plan_id } = decodePlan(yield* ask("plan_rollback", { plan_id: yield* deleted("Orders") }))
          const creation: Single = { method: "POST", path: /\/workflows\?$/, answer, isReceived: true }
          const { message } = yield* answeredOnce(creation, refused("apply_plan", { plan_id, confirm: true }))
          assert.include(message, "is unknown")
          assert.deepInclude(yield* appliedAgain(plan_id), { state: "applied", done: 2 })
          assert.deepInclude(yield* named, { ...(yield* named)[0], name: "Orders", active: true })
          assert.lengthOf(yield* named, 1)
        }).pipe(emptied)
      )
    }

    it.effect("counts no execution as deleted that is there", () =>
      Effect.gen(function* () {
        const { send, trigger } = yield* Beside
        const { parameters, ...node } = hook("Orders")
        const nodes = [{ ...node, parameters: { ...parameters, httpMethod: "POST" } }]
        const { id } = yield* send("production", "POST", "/workflows", { ...workflow("Orders"), nodes })
        yield* send("production", "POST", `/workflows/${String(id)}/activate`, {})
        assert.strictEqual(yield* trigger("production", "Orders"), 200)
        const runs = send("production", "GET", "/executions")
        const { plan_id } = yield* ask("plan_bulk", {
          ...onProduction,
          action: "delete_executions",
          where: { name: "Orders" }
        })
        const missing: Single = {
          method: "DELETE",
          path: /\/executions\/\d+\?$/,
          answer: json({ message: "Not Found" }, 404)
        }
        const { message } = yield* answeredOnce(missing, refused("apply_plan", { plan_id, confirm: true }))
        assert.match(message, /answers "not found" for execution \d+, and shows it all the same/)
        assert.lengthOf(Array.from(Object(yield* runs).data), 1)
        assert.deepInclude(yield* appliedAgain(plan_id), { state: "applied", done: 1 })
        assert.lengthOf(Array.from(Object(yield* runs).data), 0)
      }).pipe(emptied)
    )

    it.effect("is no list of what there is, where it does not end as an engine's list does", () =>
      Effect.gen(function* () {
        const { meddle } = yield* Beside
        const id = yield* made("Orders")
        const promotion = { from: "staging", to: "production", name: "Orders" }
        const { send } = yield* Beside
        yield* send("staging", "POST", "/workflows", workflow("Orders"))
        const { plan_id } = yield* ask("plan_bulk", { ...onProduction, action: "delete", where: { ids: [id] } })
        yield* meddle((request, proceed) => {
          const isList = request.method === "GET" && request.url.endsWith(":5002/api/v1/workflows")
          return isList ? json({ data: [] })(request) : proceed
        })
        const calls: ReadonlyArray<readonly [string, Json]> = [
          ["plan_promotion", promotion],
          ["plan_bulk", { ...onProduction, action: "delete", where: { name: "*" } }],
          ["search_workflows", { ...onProduction, text: "Orders" }],
          ["backup", onProduction],
          ["instance_health", onProduction]
        ]
        for (const [tool, args] of calls) {
          const answer = JSON.stringify(yield* callTool(tool, args))
          assert.include(answer, "has no end that an engine's list has", tool)
        }
        yield* meddle(undefined)
        assert.deepInclude(yield* appliedAgain(plan_id), { state: "applied" })
      }).pipe(emptied)
    )
  })
}
