import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Schema } from "effect"
import { HttpClientResponse } from "effect/http"

import { type CallChange, isAsExpected } from "../../../src/engine/plans/call/CallChange.ts"
import { draftCall, undrafted } from "../../../src/engine/plans/call/draftCall.ts"
import { questionOf } from "../../../src/engine/plans/planQuestion.ts"
import { GuardFields } from "../../../src/engine/plans/settings.ts"
import { ask, type Json, refused } from "../../support/harness.ts"
import { Beside, twoEmbedded, workflow } from "./support.ts"

const engines = twoEmbedded(["1.82.3", "2.41.1"])

const on = { instance: "production" }
const plan = (call: string, args: Json = {}) => ask("plan_engine_call", { ...on, call, ...args })
const apply = (planned: Json, more: Json = {}) =>
  ask("apply_plan", { plan_id: String(planned["plan_id"]), confirm: true, ...more })
const rolledBack = Effect.fnUntraced(function* (planned: Json) {
  const rollback = yield* ask("plan_rollback", { plan_id: String(planned["plan_id"]) })
  return { rollback, report: yield* apply(rollback) }
})

const list = (path: string) =>
  Effect.gen(function* () {
    const { data } = yield* (yield* Beside).send("production", "GET", path)
    return Array.isArray(data) ? data.map((one) => Object(one)) : []
  })
const projects = Effect.map(list("/projects"), (all) => all.filter(({ type }) => type === "team"))
const variables = Effect.map(list("/variables"), (all) => all.map(({ key, value }) => `${key}=${value}`))

/** A variable with its id. */
const variable = Effect.fnUntraced(function* (key: string, value: string) {
  yield* (yield* Beside).send("production", "POST", "/variables", { key, value })
  return String((yield* list("/variables")).find((one) => one.key === key)?.id)
})

describe("a plan of a call of the engine's API", () => {
  it.live("shows a change before and after, makes it, and puts it back", () =>
    Effect.gen(function* () {
      const id = yield* variable("region", "eu")
      const args = { arguments: { id }, body: { key: "region", value: "us" } }
      const planned = yield* plan("PUT /variables/{id}", args)
      assert.deepInclude(planned, { kind: "call", steps: 1, warnings: [] })
      assert.deepInclude(Object(planned["first_steps"])[0], { before: { value: "eu" }, after: { value: "us" } })
      assert.deepStrictEqual(yield* variables, ["region=eu"])
      assert.deepInclude(yield* apply(planned), { state: "applied", done: 1 })
      assert.deepStrictEqual(yield* variables, ["region=us"])
      assert.deepInclude((yield* rolledBack(planned)).report, { state: "applied" })
      assert.deepStrictEqual(yield* variables, ["region=eu"])
      assert.deepInclude(yield* plan("PUT /variables/{id}", { ...args, body: { key: "region", value: "eu" } }), {
        steps: 0,
        warnings: ["It is so already"]
      })
    }).pipe(Effect.provide(engines))
  )

  it.live("creates, and deletes again what it has created, though the engine answers no id", () =>
    Effect.gen(function* () {
      const planned = yield* plan("POST /variables", { body: { key: "region", value: "eu" } })
      const { created } = yield* apply(planned)
      const [one] = yield* list("/variables")
      assert.deepStrictEqual(Object.values(Object(created)), [one.id])
      assert.deepInclude((yield* rolledBack(planned)).report, { state: "applied" })
      assert.deepStrictEqual(yield* variables, [])
    }).pipe(Effect.provide(engines))
  )

  it.live("unmakes a project that is still empty, on engines of both generations", () =>
    Effect.gen(function* () {
      for (const instance of ["staging", "production"]) {
        const planned = yield* plan("POST /projects", { instance, body: { name: "Sales" } })
        yield* apply(planned)
        assert.deepInclude((yield* rolledBack(planned)).report, { state: "applied" }, instance)
      }
    }).pipe(Effect.provide(engines))
  )

  it.live("deletes, and makes anew what the API makes the same again", () =>
    Effect.gen(function* () {
      const id = yield* variable("region", "eu")
      const planned = yield* plan("DELETE /variables/{id}", { arguments: { id } })
      assert.deepInclude(planned["warnings"], "A rollback makes it anew, under a new id")
      yield* apply(planned)
      assert.deepStrictEqual(yield* variables, [])
      yield* rolledBack(planned)
      assert.deepStrictEqual(yield* variables, ["region=eu"])
      assert.notInclude(
        (yield* list("/variables")).map((one) => one.id),
        id
      )
    }).pipe(Effect.provide(engines))
  )

  it.live("leaves alone what somebody else has changed since, before it is applied and before it is rolled back", () =>
    Effect.gen(function* () {
      const { send } = yield* Beside
      const id = yield* variable("region", "eu")
      const planned = yield* plan("PUT /variables/{id}", { arguments: { id }, body: { key: "region", value: "us" } })
      yield* send("production", "DELETE", `/variables/${id}`)
      assert.include(JSON.stringify(yield* apply(planned)), "it is not there any more")

      const created = yield* plan("POST /projects", { body: { name: "Sales" } })
      yield* apply(created)
      const [project] = yield* projects
      yield* send("production", "POST", `/projects/${project.id}/folders`, { name: "Inside" })
      const { report } = yield* rolledBack(created)
      assert.include(JSON.stringify(report), "it is not empty any more, so that it stays")
      assert.lengthOf(yield* projects, 1)

      const another = yield* plan("POST /projects", { body: { name: "Stock" } })
      const [projectId] = Object.values(Object((yield* apply(another))["created"]))
      yield* send("production", "POST", "/variables", { key: "region", value: "eu", projectId })
      assert.include(JSON.stringify((yield* rolledBack(another)).report), "it is not empty any more, so that it stays")
      assert.deepStrictEqual(yield* variables, ["region=eu"])
    }).pipe(Effect.provide(engines))
  )

  it.live("takes a person's word for what nothing undoes", () =>
    Effect.gen(function* () {
      const { send } = yield* Beside
      yield* send("production", "POST", "/projects", { name: "Sales" })
      const [project] = yield* projects
      const planned = yield* plan("DELETE /projects/{projectId}", { arguments: { projectId: project.id } })
      assert.include(JSON.stringify(planned["warnings"]), "a person has to agree")
      const { message } = yield* refused("apply_plan", { plan_id: String(planned["plan_id"]), confirm: true })
      assert.include(message, `nothing undoes DELETE /projects/${project.id}, which needs confirm_protected`)
      assert.lengthOf(yield* projects, 1)
      yield* apply(planned, { confirm_protected: true })
      assert.lengthOf(yield* projects, 0)
      const rollback = yield* refused("plan_rollback", { plan_id: String(planned["plan_id"]) })
      assert.include(rollback.message, "the engine's API has no call that undoes it")
    }).pipe(Effect.provide(engines))
  )

  it.live("makes a call whose answer is lost once, and finds what it has made", () =>
    Effect.gen(function* () {
      const { meddle } = yield* Beside
      let sent = 0
      const arrived = yield* Deferred.make<void>()
      yield* meddle((request, proceed) => {
        if (request.method !== "POST") return proceed
        sent++
        return proceed.pipe(Effect.andThen(Deferred.succeed(arrived, undefined)), Effect.andThen(Effect.never))
      })
      const planned = yield* plan("POST /variables", { body: { key: "region", value: "eu" } })
      const broken = yield* Effect.forkChild(apply(planned))
      yield* Deferred.await(arrived)
      yield* Fiber.interrupt(broken)
      yield* meddle(undefined)
      assert.deepInclude(yield* apply(planned), { state: "applied", done: 1 })
      assert.deepStrictEqual(yield* variables, ["region=eu"])
      assert.strictEqual(sent, 1)
    }).pipe(Effect.provide(engines))
  )

  it.live("never makes a call again of which nobody can read whether it was carried out", () =>
    Effect.gen(function* () {
      const { meddle } = yield* Beside
      let sent = 0
      const arrived = yield* Deferred.make<void>()
      yield* meddle((request, proceed) => {
        if (request.method !== "POST") return proceed
        sent++
        return Effect.andThen(Deferred.succeed(arrived, undefined), Effect.never)
      })
      const planned = yield* plan("POST /audit", { instance: "staging", body: {} })
      assert.include(JSON.stringify(planned["warnings"]), "cannot be read back")
      const broken = yield* Effect.forkChild(apply(planned, { confirm_protected: true }))
      yield* Deferred.await(arrived)
      yield* Fiber.interrupt(broken)
      for (const _ of [1, 2, 3]) {
        const again = yield* apply(planned, { confirm_protected: true })
        assert.include(JSON.stringify(again), "it is not sent again")
      }
      assert.strictEqual(sent, 1)
      const { message } = yield* refused("plan_rollback", { plan_id: String(planned["plan_id"]) })
      assert.include(message, "has no call that undoes it")
    }).pipe(Effect.provide(engines))
  )

  it.live("writes no mask in place of a secret", () =>
    Effect.gen(function* () {
      const id = yield* variable("apiKey", "sk-live-4f9a8b7c6d5e4f3a2b1c")
      const { message } = yield* refused("plan_engine_call", {
        ...on,
        call: "PUT /variables/{id}",
        arguments: { id },
        body: { key: "apiKey", value: "[masked]" }
      })
      assert.include(message, "[masked] stands for a secret that is not shown")
    }).pipe(Effect.provide(engines))
  )

  it.live("never makes a call again that creates several things at once", () =>
    Effect.gen(function* () {
      const { meddle } = yield* Beside
      let sent = 0
      const arrived = yield* Deferred.make<void>()
      yield* meddle((request, proceed) => {
        if (request.method === "POST") {
          sent++
          return Effect.andThen(Deferred.succeed(arrived, undefined), Effect.never)
        }
        return request.url.includes("/users")
          ? Effect.succeed(HttpClientResponse.fromWeb(request, Response.json({ data: [], nextCursor: null })))
          : proceed
      })
      const body = { items: [{ email: "ann@example.com", role: "global:member" }] }
      const planned = yield* plan("POST /users", { instance: "staging", body })
      const broken = yield* Effect.forkChild(apply(planned, { confirm_protected: true }))
      yield* Deferred.await(arrived)
      yield* Fiber.interrupt(broken)
      assert.include(JSON.stringify(yield* apply(planned, { confirm_protected: true })), "it is not sent again")
      assert.strictEqual(sent, 1)
    }).pipe(Effect.provide(engines))
  )

  it.live("takes nothing for deleted because something else than the engine answers no list", () =>
    Effect.gen(function* () {
      const { meddle } = yield* Beside
      const id = yield* variable("region", "eu")
      const planned = yield* plan("DELETE /variables/{id}", { arguments: { id } })
      yield* meddle((request, proceed) =>
        request.method === "GET" && request.url.endsWith("/variables")
          ? Effect.succeed(HttpClientResponse.fromWeb(request, Response.json({ status: "ok" })))
          : proceed
      )
      const { message } = yield* refused("apply_plan", { plan_id: String(planned["plan_id"]), confirm: true })
      assert.include(message, "does not prove what is missing")
      yield* meddle(undefined)
      assert.deepInclude(yield* apply(planned), { state: "applied", done: 1 })
      assert.deepStrictEqual(yield* variables, [])
    }).pipe(Effect.provide(engines))
  )

  it.live("takes nothing for absent that could be behind the last page that is read", () =>
    Effect.gen(function* () {
      const { meddle } = yield* Beside
      let pages = 0
      let sent = 0
      const arrived = yield* Deferred.make<void>()
      yield* meddle((request, proceed) => {
        if (!request.url.includes("/variables")) return proceed
        if (request.method !== "GET") {
          sent++
          return Effect.andThen(Deferred.succeed(arrived, undefined), Effect.never)
        }
        const page = { data: [{ id: `v${++pages}`, key: `k${pages}`, value: "eu" }], nextCursor: `c${pages}` }
        return Effect.succeed(HttpClientResponse.fromWeb(request, Response.json(page)))
      })
      const planned = yield* plan("PUT /variables/{id}", {
        arguments: { id: "A1b2C3d4E5f6G7h8" },
        body: { key: "region", value: "us" }
      })
      assert.strictEqual(pages, 100)
      assert.include(JSON.stringify(planned["warnings"]), "cannot be read back")
      const created = yield* plan("POST /variables", { body: { key: "region", value: "us" } })
      const broken = yield* Effect.forkChild(apply(created, { confirm_protected: true }))
      yield* Deferred.await(arrived)
      yield* Fiber.interrupt(broken)
      const again = yield* apply(created, { confirm_protected: true })
      assert.include(JSON.stringify(again), "nobody can read whether it was carried out: it is not sent again")
      assert.strictEqual(sent, 1)
    }).pipe(Effect.provide(engines))
  )

  it("compares whole what was read, and what replaces it, and of all else the part that a call sets", () => {
    const read = { id: "1", key: "a", value: { list: [{ b: 1, c: 2 }] } }
    const part = { value: { list: [{ b: 1 }] } }
    assert.isTrue(isAsExpected(read, { ...read, more: 1, updatedAt: "later" }))
    assert.isFalse(isAsExpected({ ...read, ...part }, read))
    assert.isTrue(isAsExpected(part, read))
    assert.isFalse(isAsExpected(part, read, { isReplaced: true }))
    assert.isTrue(isAsExpected(part, { ...read, value: { list: [{ b: 1, id: "x" }] } }, { isReplaced: true }))
  })

  it("asks a person about what a call sends and changes, without its secrets", () => {
    const call = {
      kind: "call" as const,
      instance: "production",
      call: "DELETE /projects/{projectId}",
      path: "/projects",
      thing: "p1",
      query: { transferId: "p2" },
      read: { as: "item" as const, query: {} },
      before: { id: "p1", name: "Sales\u202E", apiKey: "sk-live-4f9a8b7c6d5e4f3a2b1c" },
      after: null
    }
    const question = (change: CallChange) => {
      const step = { id: "a", change, reason: "", undo: [] }
      const plan = {
        id: "p",
        kind: "call" as const,
        steps: [step],
        warnings: []
      }
      return questionOf(Schema.decodeUnknownSync(GuardFields)({}), plan) ?? ""
    }
    const deletion = question(call)
    assert.include(deletion, '- DELETE /projects/p1, with {"transferId":"p2"}, {"id":"p1","name":"Sales\\u202e"')
    assert.include(deletion, " becomes nothing")
    assert.notInclude(deletion, "sk-live")
    const { read: _, thing: __, ...unread } = call
    const sent = question({
      ...unread,
      call: "POST /audit",
      path: "/audit",
      query: {},
      before: null,
      body: { days: 3 }
    })
    assert.include(sent, '- POST /audit, sends {"days":3}')
  })

  it("is undone by no creation that could not be recognised in a list", () => {
    const call = (method: string, path: string) => ({
      call: `${method} ${path}`,
      method,
      path,
      summary: "",
      description: "",
      tag: "",
      parameters: [],
      ...(method === "POST"
        ? { body: { isRequired: true, schema: { type: "object", properties: { name: { type: "string" } } } } }
        : {})
    })
    const deletion = call("DELETE", "/hooks/{id}")
    const calls = [deletion, call("POST", "/hooks"), call("GET", "/hooks"), call("GET", "/hooks/{id}")]
    const wanted = { instance: "production", call: deletion, args: { id: "7" }, body: undefined, calls }
    const { steps } = draftCall(wanted, undrafted(wanted), { id: "7", name: "Sales" })
    const [undo] = steps[0]?.undo ?? []
    assert.deepInclude(undo, { kind: "call", call: "POST /hooks", read: { as: "list", query: {} } })
  })

  it.live("counts as a change of the workflow that it is about", () =>
    Effect.gen(function* () {
      const { id } = yield* (yield* Beside).send("staging", "POST", "/workflows", workflow("Billing run"))
      const args = { instance: "staging", arguments: { id }, body: { destinationProjectId: "A1b2C3d4E5f6G7h8" } }
      const planned = yield* plan("PUT /workflows/{id}/transfer", args)
      assert.include(JSON.stringify(planned["warnings"]), "Protected workflows are changed (Billing run)")
      const { message } = yield* refused("apply_plan", { plan_id: String(planned["plan_id"]), confirm: true })
      assert.include(message, "it changes protected workflows (Billing run)")
    }).pipe(
      Effect.provide(twoEmbedded(["1.82.3", "2.41.1"], { plans: { guards: { protected: { names: ["Billing*"] } } } }))
    )
  )

  it.live("is refused before anything is sent, where a tool does it better, or what is asked for does not fit", () =>
    Effect.gen(function* () {
      const { meddle } = yield* Beside
      const changing: Array<string> = []
      yield* meddle((request, proceed) => {
        if (request.method !== "GET") changing.push(request.url)
        return proceed
      })
      const id = { arguments: { id: "A1b2C3d4E5f6G7h8" } }
      for (const [call, args, problem] of [
        ["DELETE /workflows/{workflowId}", { arguments: { workflowId: "1" } }, "is what delete_workflow does"],
        ["GET /variables", {}, "only reads: call_engine does that"],
        ["PUT /variable/{id}", id, "did you mean PUT /variables/{id}?"],
        ["PUT /variables/{id}", { body: { key: "a", value: "b" } }, "id"],
        ["PUT /variables/{id}", { ...id, body: { key: "a", value: "b" } }, "does not have: /variables/A1b2"],
        ["PUT /variables/{id}", { ...id, body: { key: "a", valu: "b" } }, "Did you mean value?"],
        ["POST /variables", {}, "is required"],
        ["POST /variables", { body: { key: "a" } }, "body.value: is required"],
        ["POST /variables", { body: { key: "a b", value: "b" } }, "must be like"],
        ["POST /variables", { body: { key: "a", value: 1 } }, "body.value"],
        ["POST /variables", { body: { id: "x", key: "a", value: "b" } }, "body.id"],
        ["DELETE /variables/{id}", { arguments: { id: ".." } }, "neither empty nor dots alone"],
        ["DELETE /variables/{id}", { ...id, body: { key: "a" } }, "is not taken by this call"]
      ] as const) {
        const { message } = yield* refused("plan_engine_call", { ...on, call, ...args })
        assert.include(message, problem, call)
      }
      assert.deepStrictEqual(changing, [])
    }).pipe(Effect.provide(engines))
  )
})
