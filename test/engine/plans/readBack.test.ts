import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { objectsOf } from "../../../src/internal/schema/JsonObject.ts"
import { answers } from "../../internal/http/standIn.ts"
import { ask, askAsPerson, refused } from "../../support/harness.ts"
import { Beside, hook, twoEmbedded, workflow } from "./support.ts"

describe("an apply that was broken off before it could read back what it has sent", () => {
  it.live("reads that before it says so, and tells what does not show", () =>
    Effect.gen(function* () {
      const { meddle, send } = yield* Beside
      const { id } = yield* send("production", "POST", "/workflows", workflow("Orders"))
      const { plan_id } = yield* ask("plan_bulk", {
        instance: "production",
        action: "activate",
        where: { name: "Orders" }
      })
      let isSent = false
      yield* meddle((request, proceed) => {
        isSent ||= request.method === "POST"
        return isSent && request.method === "GET" ? answers(502, {}, "")(request) : proceed
      })
      yield* refused("apply_plan", { plan_id, confirm: true })
      const { message } = yield* refused("apply_plan", { plan_id, confirm: true })
      assert.include(message, "stopped after 1 of 1 changes")
      const { error } = yield* askAsPerson("apply_plan", { plan_id, confirm: true })
      assert.match(error, /stopped after 1 of 1 changes: .* status 502, and is an empty answer: .*\.$/)
      assert.isTrue(message.startsWith(`${error} When that is settled, apply the same plan again`), message)
      const stops = objectsOf((yield* ask("audit_log", { plan_id }))["entries"]).filter(
        ({ what }) => what === "stopped"
      )
      assert.deepStrictEqual(
        stops.slice(0, 2).map(({ problem }) => problem),
        [error, error]
      )
      yield* meddle(undefined)
      yield* send("production", "POST", `/workflows/${String(id)}/deactivate`, {})
      const again = yield* ask("apply_plan", { plan_id, confirm: true })
      assert.deepInclude(again, { state: "applied", unconfirmed_count: 1 })
      assert.notInclude(String(again["next"]), "read back")
    }).pipe(Effect.provide(twoEmbedded(["1.82.3", "2.41.1"])))
  )
})

describe("an update of a plan", () => {
  it.live("names what it has overwritten that somebody else wrote in the same moment, and how to bring it back", () =>
    Effect.gen(function* () {
      const { meddle, send } = yield* Beside
      const made = yield* send("production", "POST", "/workflows", workflow("Orders"))
      const id = String(made["id"])
      const { plan_id } = yield* ask("plan_bulk", {
        instance: "production",
        action: "replace_text",
        find: "Orders",
        value: "Bills",
        where: { ids: [id] }
      })
      const theirs = { ...workflow("Orders"), nodes: [{ ...hook("Orders"), notes: "Theirs" }] }
      let isWritten = false
      yield* meddle((request, proceed) => {
        if (request.method !== "PUT" || isWritten) return proceed
        isWritten = true
        return Effect.andThen(send("production", "PUT", `/workflows/${id}`, theirs), proceed)
      })
      const answer = yield* ask("apply_plan", { plan_id, confirm: true })
      assert.deepInclude(answer, { state: "applied", done: 1 })
      assert.match(
        String(answer["notice"]),
        new RegExp(`^Workflow ${id} on production: Somebody else .* overwritten that: .*Theirs.*restore_workflow`)
      )
      const [, version] = /"version": "([^"]+)"/.exec(String(answer["notice"])) ?? []
      yield* ask("restore_workflow", { instance: "production", id, version })
      assert.include(JSON.stringify(yield* send("production", "GET", `/workflows/${id}`)), "Theirs")
    }).pipe(Effect.provide(twoEmbedded(["1.82.3", "2.41.1"])))
  )
})
