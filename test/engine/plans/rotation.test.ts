import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { HttpClientResponse } from "effect/http"

import { inMemory } from "../../../src/changes/Journal.ts"
import type { Change } from "../../../src/engine/plans/Change.ts"
import { WorkflowJournal } from "../../../src/engine/plans/Plans.ts"
import { CredentialSources } from "../../../src/engine/tools/CredentialSources.ts"
import { objectOf, objectsOf } from "../../../src/internal/schema/JsonObject.ts"
import { ask, type Json, refused } from "../../support/harness.ts"
import { Beside, twoEmbedded, workflowUsing } from "./support.ts"

const versions = ["1.82.3", "2.41.1"] as const
const places = ["staging", "production"]
const secret = "hidden-4711"
const data = { user: "ann", password: secret }

/** The credential and a workflow that uses it on both instances. */
const seeded = Effect.gen(function* () {
  const { send } = yield* Beside
  return yield* Effect.forEach(places, (instance) =>
    Effect.gen(function* () {
      const { id } = yield* send(instance, "POST", "/credentials", { name: "Mail", type: "httpBasicAuth", data })
      const workflow = yield* send(instance, "POST", "/workflows", workflowUsing("Post", String(id)))
      return { instance, credential: String(id), workflow: String(workflow["id"]) }
    })
  )
})
type Seeded = Effect.Success<typeof seeded>[number]

/** The credential that the workflow uses now. */
const usedIn = ({ instance, workflow }: Seeded) =>
  Effect.map(
    Effect.flatMap(Beside, ({ send }) => send(instance, "GET", `/workflows/${workflow}`)),
    ({ nodes }) => String(objectOf(objectOf(objectsOf(nodes)[0]?.["credentials"])["httpBasicAuth"])["id"])
  )

const apply = (plan: Json) => ask("apply_plan", { plan_id: String(plan["plan_id"]), confirm: true })

describe("a plan to rotate a credential", () => {
  it.live("makes it anew on all instances that hold it, switches the workflows, and back again", () =>
    Effect.gen(function* () {
      const entries = yield* inMemory<Change>()
      const journal = Layer.succeed(WorkflowJournal, entries)
      yield* Effect.gen(function* () {
        const all = yield* seeded
        const plan = yield* ask("plan_rotation", { credential: "Mail", instances: "*", data })
        assert.deepInclude(plan, { kind: "rotation", steps: 2, by_kind: { update: 2 } })
        assert.notInclude(JSON.stringify(plan), secret)
        const created = objectOf(plan["created"])
        assert.sameMembers(Object.keys(created), places)
        for (const one of all) assert.strictEqual(yield* usedIn(one), one.credential)
        assert.deepInclude(yield* apply(plan), { state: "applied" })
        for (const one of all) assert.strictEqual(yield* usedIn(one), created[one.instance])
        yield* apply(yield* ask("plan_rollback", { plan_id: String(plan["plan_id"]) }))
        for (const one of all) assert.strictEqual(yield* usedIn(one), one.credential)
        assert.notInclude(JSON.stringify(yield* entries.entries), secret)
      }).pipe(Effect.provide(twoEmbedded(versions, {}, journal)))
    })
  )

  it.live("takes the values of a source that is only named, and shows none of them, whatever the engine repeats", () =>
    Effect.gen(function* () {
      const entries = yield* inMemory<Change>()
      const journal = Layer.succeed(WorkflowJournal, entries)
      yield* Effect.gen(function* () {
        const { meddle, send } = yield* Beside
        yield* seeded
        let sent: unknown
        yield* meddle((request, proceed) => {
          const { body, method, url } = request
          if (method === "POST" && url.endsWith("/credentials") && body._tag === "Uint8Array") {
            sent = JSON.parse(new TextDecoder().decode(body.body)).data
          }
          return proceed
        })
        const request = { credential: "Mail", instances: ["production"], data: { user: "ann" } }
        const plan = yield* ask("plan_rotation", { ...request, source: "vault" })
        assert.deepStrictEqual(sent, data)
        assert.deepInclude(yield* apply(plan), { state: "applied" })
        assert.notInclude(JSON.stringify([plan, yield* entries.entries]), secret)

        const strange = yield* refused("plan_rotation", { ...request, source: "toString" })
        assert.include(strange.message, "is no name in credentialSources of the configuration: vault")
        const settings = yield* refused("plan_rotation", { ...request, source: "settings" })
        assert.include(settings.message, "is for variables alone")
        yield* meddle((request, proceed) =>
          request.url.endsWith("/test")
            ? Effect.succeed(
                HttpClientResponse.fromWeb(request, Response.json({ status: "Error", message: `401 for ${secret}` }))
              )
            : proceed
        )
        const before = yield* send("production", "GET", "/credentials")
        const again = { ...request, credential: "Mail (new)", source: "vault" }
        const refusal = yield* refused("plan_rotation", again)
        assert.include(refusal.message, "do not work on instance production: 401 for [redacted]")
        assert.deepStrictEqual(yield* send("production", "GET", "/credentials"), before)
        yield* meddle((request, proceed) =>
          request.url.endsWith("/test")
            ? Effect.succeed(
                HttpClientResponse.fromWeb(request, Response.json({ message: `no ${secret}` }, { status: 400 }))
              )
            : proceed
        )
        const failure = yield* refused("plan_rotation", again)
        assert.include(failure.message, "no [redacted]")
        assert.notInclude(JSON.stringify(failure), secret)
        assert.deepStrictEqual(yield* send("production", "GET", "/credentials"), before)
      }).pipe(
        Effect.provide(twoEmbedded(versions, {}, journal)),
        Effect.provideService(CredentialSources, {
          vault: { use: "credentials", values: Effect.succeed({ password: secret }) },
          settings: { use: "variables", values: Effect.succeed({ password: secret }) }
        })
      )
    })
  )

  it.live("keeps no new credential where the engine finds that the values do not work", () =>
    Effect.gen(function* () {
      const { meddle, send } = yield* Beside
      const [, one] = yield* seeded
      yield* meddle((request, proceed) =>
        request.url.endsWith("/test")
          ? Effect.succeed(
              HttpClientResponse.fromWeb(request, Response.json({ status: "Error", message: "401 Unauthorized" }))
            )
          : proceed
      )
      const { message } = yield* refused("plan_rotation", { credential: "Mail", instances: ["production"], data })
      assert.include(message, "do not work on instance production: 401 Unauthorized")
      const { data: left } = yield* send("production", "GET", "/credentials")
      assert.deepStrictEqual(
        objectsOf(left).map(({ id }) => id),
        [one?.credential]
      )
    }).pipe(Effect.provide(twoEmbedded(versions)))
  )

  it.live("says of no new credential that it is not kept, where it could not be deleted again", () =>
    Effect.gen(function* () {
      const { meddle } = yield* Beside
      yield* seeded
      yield* meddle((request, proceed) => {
        if (request.method !== "DELETE" && !request.url.endsWith("/test")) return proceed
        const [body, status] =
          request.method === "DELETE" ? [{ message: "Not now" }, 400] : [{ status: "Error", message: "401" }, 200]
        return Effect.succeed(HttpClientResponse.fromWeb(request, Response.json(body, { status })))
      })
      const { message } = yield* refused("plan_rotation", { credential: "Mail", instances: ["production"], data })
      assert.include(message, "The new credential could not be deleted again: delete")
      assert.notInclude(message, "no new credential is kept")
    }).pipe(Effect.provide(twoEmbedded(versions)))
  )

  it.live("names the credential of an earlier rotation that was broken off before anybody heard of it", () =>
    Effect.gen(function* () {
      const { meddle, send } = yield* Beside
      yield* seeded
      const request = { credential: "Mail", data }
      for (const instance of places) {
        const arrived = yield* Deferred.make<void>()
        yield* meddle((request, proceed) =>
          request.method === "POST" && request.url.endsWith("/credentials")
            ? proceed.pipe(Effect.andThen(Deferred.succeed(arrived, undefined)), Effect.andThen(Effect.never))
            : proceed
        )
        const broken = yield* Effect.forkChild(ask("plan_rotation", { ...request, instances: [instance] }))
        yield* Deferred.await(arrived)
        yield* Fiber.interrupt(broken)
      }
      yield* meddle(undefined)
      const { data: listed } = yield* send("production", "GET", "/credentials")
      const left = objectsOf(listed).find(({ name }) => name === "Mail (new)")
      const { entries: rows } = yield* ask("audit_log", {})
      for (const instance of places) {
        const row = { what: "create credential", instance, credential: "Mail (new)", outcome: "begun" }
        assert.isTrue(objectsOf(rows).some((one) => Object.entries(row).every(([name, value]) => one[name] === value)))
      }
      const { warnings } = yield* ask("plan_rotation", { ...request, instances: "*" })
      assert.include(
        JSON.stringify(warnings),
        "staging: an earlier rotation was broken off while it made Mail (new), and this engine lists no credentials"
      )
      assert.include(JSON.stringify(warnings), `production: no workflow uses Mail (new) (${String(left?.["id"])})`)
      const third = yield* ask("plan_rotation", { ...request, instances: ["staging"] })
      assert.match(
        JSON.stringify(third["warnings"]),
        /staging: no workflow uses Mail \(new\) \(\w+\), which an earlier/
      )
    }).pipe(Effect.provide(twoEmbedded(versions)))
  )

  it.live("keeps the new credential of a plan that was kept, though its caller leaves at that moment", () =>
    Effect.gen(function* () {
      const entries = yield* inMemory<Change>()
      const written = yield* Deferred.make<void>()
      const append: typeof entries.append = (...more) =>
        entries
          .append(...more)
          .pipe(
            Effect.andThen(more[0]?.type === "planned" ? Deferred.succeed(written, undefined) : Effect.void),
            Effect.andThen(Effect.sleep("50 millis"))
          )
      const journal = Layer.succeed(WorkflowJournal, { ...entries, append })
      yield* Effect.gen(function* () {
        yield* seeded
        const planning = yield* Effect.forkChild(
          ask("plan_rotation", { credential: "Mail", instances: ["production"], data })
        )
        yield* Deferred.await(written)
        yield* Fiber.interrupt(planning)
        const { data: left } = yield* Effect.flatMap(Beside, ({ send }) => send("production", "GET", "/credentials"))
        assert.strictEqual((yield* entries.entries).at(-1)?.type, "planned")
        assert.lengthOf(objectsOf(left), 2)
      }).pipe(Effect.provide(twoEmbedded(versions, {}, journal)))
    })
  )

  it.live(
    "is refused before anything is made, where nobody has the credential, or nobody can be asked for values",
    () =>
      Effect.gen(function* () {
        yield* seeded
        const unknown = yield* refused("plan_rotation", { credential: "Post", instances: "*", data })
        assert.include(unknown.message, "is on none of staging, production")
        const alone = yield* refused("plan_rotation", { credential: "Mail", instances: "*" })
        assert.include(alone.message, "no person can be asked for the values here")
        assert.include(alone.message, "workflow-tool-server call plan_rotation")
        const { data: left } = yield* Effect.flatMap(Beside, ({ send }) => send("production", "GET", "/credentials"))
        assert.lengthOf(objectsOf(left), 1)
      }).pipe(Effect.provide(twoEmbedded(versions)))
  )
})
