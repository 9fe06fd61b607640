import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"

import type { Instances } from "../../src/engine/client/Instances.ts"
import type { Sessions } from "../../src/mcp/protocol/Session.ts"
import type { Beside, Given } from "../engine/plans/support.ts"
import { ask } from "../support/harness.ts"
import { scene } from "./twoEngines.ts"

const text = (value: unknown) => JSON.stringify(value)

const fetching = (credential: { readonly id: string; readonly name: string } | undefined, typeVersion = 4.2) => ({
  name: "Fetch",
  type: "n8n-nodes-base.httpRequest",
  typeVersion,
  position: [220, 0],
  parameters: { url: "https://test.example.com/a", options: {} },
  ...(credential === undefined ? {} : { credentials: { httpBasicAuth: credential } })
})

/** Two engines behind one server, as a configuration describes them. */
export interface Pair {
  readonly to: string
  readonly layerOf: (given: Given) => Layer.Layer<Beside | Instances | Sessions>
}

/** Tests of promotions from one engine to another, embedded or real. */
export const promotingSuite = (title: string, { layerOf, to }: Pair) => {
  const over = (given: Given = {}) => Effect.provide(layerOf(given))
  const isV2 = to.startsWith("2.")

  describe(`A promotion ${title}`, () => {
    it.live("takes away what the source took away, where it brought it, and gives it back with the rollback", () =>
      Effect.gen(function* () {
        const { applied, change, make, plan, prefix, hook, shown, tagged, tagsOf, undone } = yield* scene
        const id = yield* make("staging", "Ours", { settings: { timezone: "UTC", executionTimeout: 60 } })
        yield* tagged("staging", id, "a", "b")
        const own = { executionOrder: "v1", saveManualExecutions: true }
        const counterpart = yield* make("production", "Ours", { nodes: [hook("other")], settings: own })
        yield* tagged("production", counterpart, "own", "b")
        const first = yield* applied()
        assert.include(
          text(first["warnings"]),
          "production keeps what staging does not have, as no promotion is known to have brought it: " +
            `${prefix} Ours (tag ${prefix}own, setting executionOrder, setting saveManualExecutions)`
        )
        assert.deepStrictEqual(yield* tagsOf("Ours"), ["a", "b", "own"])
        const before = yield* shown("Ours")
        assert.deepInclude(before, { settings: { ...own, timezone: "UTC", executionTimeout: 60 } })
        // An engine that merges settings loses one by its word for that.
        yield* change("staging", id, {
          settings: { executionTimeout: 60, ...(isV2 ? {} : { timezone: "DEFAULT" }) }
        })
        yield* tagged("staging", id, "a")
        const second = yield* applied()
        assert.deepInclude(second, { by_kind: { update: 1, tags: 1 } })
        assert.include(text(second["first_steps"]), "loses timezone, which staging has no more")
        assert.include(text(second["first_steps"]), `no more tagged ${prefix}b on staging`)
        assert.deepStrictEqual(yield* tagsOf("Ours"), ["a", "own"])
        assert.deepInclude(yield* shown("Ours"), { settings: { ...own, executionTimeout: 60 } })
        assert.deepInclude(yield* plan(), { steps: 0 })
        yield* undone(second)
        const after = yield* shown("Ours")
        for (const field of ["nodes", "connections", "settings", "active"]) {
          assert.deepStrictEqual(after[field], before[field])
        }
        assert.deepStrictEqual(yield* tagsOf("Ours"), ["a", "b", "own"])
        // What is known to have been brought came back, too.
        assert.deepInclude(yield* plan(), { by_kind: { update: 1, tags: 1 } })
      }).pipe(over())
    )

    it.live("leaves settings that a rule keeps, and counts a tag that was taken away on the target as drift", () =>
      Effect.gen(function* () {
        const { applied, change, make, plan, prefix, shown, tagged, tagsOf } = yield* scene
        const id = yield* make("staging", "Ours", { settings: { timezone: "UTC" } })
        yield* tagged("staging", id, "a")
        assert.include(
          text((yield* applied())["warnings"]),
          "nothing to keep on production for settings.timezone: as on staging"
        )
        yield* change("staging", id, { settings: { timezone: "Europe/Berlin", executionTimeout: 5 } })
        yield* applied()
        assert.deepInclude(yield* shown("Ours"), { settings: { timezone: "UTC", executionTimeout: 5 } })
        yield* tagged("production", (yield* shown("Ours")).id)
        assert.include(
          text((yield* plan())["blocked"]),
          `it was changed on production since the last promotion (tag ${prefix}a taken away)`
        )
        yield* applied({ on_drift: "overwrite" })
        assert.deepStrictEqual(yield* tagsOf("Ours"), ["a"])
      }).pipe(over({ promotion: { keep: [{ fields: ["settings.timezone"] }] } }))
    )

    it.live("tells what somebody changed since the last one, by whom as far as the engine knows, and when", () =>
      Effect.gen(function* () {
        const { applied, change, hook, make, plan, shown } = yield* scene
        const id = yield* make("staging", "Ours")
        yield* applied()
        const { id: counterpart } = yield* shown("Ours")
        yield* change("production", counterpart, { nodes: [hook("elsewhere")] })
        yield* change("staging", id, { nodes: [hook("new")] })
        const who = isV2 ? " by Engine Owner, last at " : ", the engine does not tell by whom, last at "
        const planned = yield* plan()
        assert.deepInclude(planned, { steps: 0 })
        assert.include(
          text(planned["blocked"]),
          `it was changed on production since the last promotion (nodes)${who}20`
        )
      }).pipe(over())
    )

    it.live("names what it leaves on the target, whose source is gone, and brings it nowhere again", () =>
      Effect.gen(function* () {
        const { applied, make, plan, prefix, remove, shown } = yield* scene
        const id = yield* make("staging", "Ours")
        yield* make("staging", "Other")
        yield* applied()
        yield* remove("staging", id)
        const { id: counterpart } = yield* shown("Ours")
        const planned = yield* plan()
        assert.deepInclude(planned, { steps: 0, counts: { create: 0, update: 0, leave: 1, blocked: 0 } })
        const words = `production keeps workflows that came from staging and are there no more: ${prefix} Ours (${counterpart})`
        assert.include(text(planned["warnings"]), words)
        const other = yield* plan({ name: `${prefix} Other` })
        assert.notInclude(text(other["warnings"]), "are there no more")
      }).pipe(over())
    )

    it.live("names credentials by the mapping of the call, and says which of them nobody has checked", () =>
      Effect.gen(function* () {
        const { applied, apply, credential, hook, listed, make, plan, prefix, shown, undone } = yield* scene
        const login = yield* credential("staging", "Login")
        const live = yield* credential("production", "Live")
        yield* make("staging", "Ours", { nodes: [hook("ours"), fetching(login)] })
        const needy = yield* plan()
        assert.deepInclude(needy, { steps: 0 })
        assert.include(text(needy["blocked"]), "create it there, or give its id in mapping.credentials")
        const byName = yield* plan({ mapping: { credentials: { [login.name]: live.name } } })
        if (isV2) assert.deepInclude(byName, { blocked: [] })
        else assert.include(text(byName["blocked"]), `${prefix} Live is not the id of one`)
        if (!isV2) {
          const wrong = yield* plan({ mapping: { credentials: { [login.name]: "AAAAAAAAAAAAAAAA" } } })
          const report = yield* apply(wrong)
          assert.deepInclude(report, { state: "refused", done: 0 })
          assert.include(text(report["refused"]), "production has no credential AAAAAAAAAAAAAAAA (httpBasicAuth)")
          assert.lengthOf(yield* listed("production", "workflows"), 0)
        }
        const byId = yield* plan({ mapping: { credentials: { [login.name]: live.id } } })
        assert.nestedPropertyVal(
          byId,
          "first_steps[0].after.credentials",
          isV2 ? `${live.name} (found on production)` : live.id
        )
        const first = yield* applied({ mapping: { credentials: { [login.name]: live.id } } })
        const doubt = `Nobody has checked that production has the credential ${live.id} (httpBasicAuth)`
        assert.strictEqual(text(first["warnings"]).includes(doubt), !isV2)
        assert.deepNestedInclude(yield* shown("Ours"), { "nodes[1].credentials.httpBasicAuth": live })
        const again = yield* plan({ mapping: { credentials: { [login.id]: live.id } } })
        assert.deepInclude(again, { steps: 0, blocked: [] })
        assert.notInclude(text(again["warnings"]), "Nobody has checked")
        yield* undone(first)
        assert.lengthOf(yield* listed("production", "workflows"), 0)
      }).pipe(over())
    )

    if (isV2) {
      it.live("is blocked by what somebody has not published yet, which a rollback would publish", () =>
        Effect.gen(function* () {
          const { activate, change, hook, make, plan } = yield* scene
          yield* make("staging", "Ours", { nodes: [hook("new")] })
          const there = yield* make("production", "Ours")
          yield* activate("production", there)
          yield* change("production", there, { nodes: [hook("draft")] }, "?publishIfActive=false")
          const blocked = yield* plan()
          assert.deepInclude(blocked, { steps: 0 })
          assert.include(
            text(blocked["blocked"]),
            "it has changes on production that are not published by Engine Owner"
          )
          assert.include(text((yield* plan({ on_drift: "overwrite" }))["warnings"]), "which is overwritten")
        }).pipe(over())
      )

      it.live("goes over a draft that somebody changed and put back, as what it shows is what runs", () =>
        Effect.gen(function* () {
          const { activate, apply, change, hook, make, plan } = yield* scene
          yield* make("staging", "Ours", { nodes: [hook("new")] })
          const there = yield* make("production", "Ours", { nodes: [hook("old")] })
          yield* activate("production", there)
          yield* change("production", there, { nodes: [hook("draft")] }, "?publishIfActive=false")
          yield* change("production", there, { nodes: [hook("old")] }, "?publishIfActive=false")
          const planned = yield* plan()
          assert.deepInclude(planned, { blocked: [] })
          assert.deepInclude(yield* apply(planned), { state: "applied" })
          const back = yield* ask("plan_rollback", { plan_id: planned["plan_id"] })
          assert.nestedPropertyVal(back, "first_steps[0].reason", "puts back what was there before")
        }).pipe(over())
      )

      it.live("is rolled back but for what its engine would not run any more, which is named", () =>
        Effect.gen(function* () {
          const { activate, apply, applied, change, deactivate, hook, listed, make, prefix, shown } = yield* scene
          const called = {
            name: "In",
            type: "n8n-nodes-base.executeWorkflowTrigger",
            typeVersion: 1.1,
            position: [0, 0],
            parameters: { inputSource: "passthrough" }
          }
          const calling = (id: string) => ({
            nodes: [
              hook("calls"),
              {
                name: "Call",
                type: "n8n-nodes-base.executeWorkflow",
                typeVersion: 1.2,
                position: [220, 0],
                parameters: { workflowId: { __rl: true, mode: "id", value: id }, options: {} }
              }
            ],
            connections: { Hook: { main: [[{ node: "Call", type: "main", index: 0 }]] } }
          })
          const former = yield* make("production", "Former", { nodes: [called] })
          const there = yield* make("production", "Ours", calling(former))
          yield* activate("production", former)
          yield* activate("production", there)
          const now = yield* make("staging", "Now", { nodes: [called] })
          const ours = yield* make("staging", "Ours")
          yield* change("staging", ours, calling(now))
          const first = yield* applied()
          yield* deactivate("production", former)
          const held = yield* shown("Ours")
          const back = yield* ask("plan_rollback", { plan_id: first["plan_id"] })
          const rolledBack = yield* apply(back)
          assert.deepInclude(rolledBack, { state: "partly applied", refused_count: 1, unconfirmed: [] })
          assert.include(text(rolledBack["refused"]), "Cannot publish workflow")
          const left = yield* shown("Ours")
          assert.deepStrictEqual([left["nodes"], left["active"]], [held["nodes"], true])
          assert.isFalse((yield* listed("production", "workflows")).some(({ name }) => name === `${prefix} Now`))
        }).pipe(over())
      )

      it.live("leaves a setting that its engine cannot lose, and says so", () =>
        Effect.gen(function* () {
          const { applied, change, make, plan } = yield* scene
          const id = yield* make("staging", "Ours", { settings: { saveManualExecutions: true } })
          yield* applied()
          yield* change("staging", id, { settings: {} })
          const second = yield* plan()
          assert.deepInclude(second, { steps: 0 })
          assert.include(
            text(second["warnings"]),
            "Ours: staging has no saveManualExecutions any more; production keeps it, as its engine cannot lose such a setting"
          )
        }).pipe(over())
      )
    } else {
      it.live("says that it brings along what is not published on the source", () =>
        Effect.gen(function* () {
          const { activate, applied, change, hook, make } = yield* scene
          const id = yield* make("staging", "Ours")
          yield* activate("staging", id)
          yield* change("staging", id, { nodes: [hook("draft")] }, "?publishIfActive=false")
          assert.include(
            text((yield* applied())["warnings"]),
            "Ours: has changes on staging that are not published: they go along"
          )
        }).pipe(over())
      )

      it.live("blocks what could not be active with its nodes, and names what of others the target cannot run", () =>
        Effect.gen(function* () {
          const { activate, applied, hook, make, plan, prefix, shown } = yield* scene
          const odd = { ...hook("x"), name: "Odd", type: "n8n-nodes-base.doesNotExist" }
          const active = yield* make("staging", "Active", { nodes: [hook("active"), fetching(undefined, 4.4)] })
          const call = {
            name: "Call",
            type: "n8n-nodes-base.executeWorkflow",
            typeVersion: 1.2,
            position: [220, 0],
            parameters: { workflowId: { __rl: true, mode: "list", value: active } }
          }
          yield* make("staging", "Calls it", { nodes: [hook("calls"), call] })
          yield* make("staging", "Quiet", { nodes: [hook("quiet"), odd] })
          yield* activate("staging", active)
          const planned = yield* plan()
          assert.deepInclude(planned, { counts: { create: 1, update: 0, leave: 0, blocked: 2 } })
          assert.include(
            text(planned["blocked"]),
            "it cannot be active on production (node Fetch: n8n-nodes-base.httpRequest has no version 4.4 on this engine"
          )
          assert.include(text(planned["blocked"]), `it calls ${prefix} Active, which is blocked`)
          assert.include(
            text(planned["warnings"]),
            `${prefix} Quiet: production cannot run it (node Odd: this engine has no node type n8n-nodes-base.doesNotExist`
          )
          const quiet = yield* applied({ activation: "inactive" })
          assert.deepInclude(quiet, { counts: { create: 3, update: 0, leave: 0, blocked: 0 } })
          assert.include(text(quiet["warnings"]), `${prefix} Active: production cannot run it (node Fetch`)
          assert.deepInclude(yield* shown("Active"), { active: false })
        }).pipe(over())
      )
    }
  })
}
