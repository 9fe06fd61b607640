import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Schema } from "effect"
import type { HttpClientRequest } from "effect/http"

import { answers } from "../../internal/http/standIn.ts"
import { ask, type Json, refused } from "../../support/harness.ts"
import { inTime } from "../../support/inTime.ts"
import { movedClock } from "../../support/movedClock.ts"
import { json } from "../tools/standIn.ts"
import { Beside, twoEmbedded } from "./support.ts"

const hook = (path: string, more: Json = {}) => ({
  name: "Hook",
  type: "n8n-nodes-base.webhook",
  typeVersion: 2,
  position: [0, 0],
  parameters: { path, httpMethod: "POST", responseMode: "lastNode", options: {} },
  webhookId: path,
  ...more
})

/** A workflow whose every run fails. */
const failing = {
  name: "Fails",
  nodes: [
    hook("fails"),
    {
      name: "Stop",
      type: "n8n-nodes-base.stopAndError",
      typeVersion: 1,
      position: [220, 0],
      parameters: { errorMessage: "no" }
    }
  ],
  connections: { Hook: { main: [[{ node: "Stop", type: "main", index: 0 }]] } }
}

const fetching = (credential?: { readonly id: unknown; readonly name: string }) => ({
  name: "Fetch",
  type: "n8n-nodes-base.httpRequest",
  typeVersion: 4.2,
  position: [220, 0],
  parameters: { url: "https://old.example.com/a", options: { note: "https://old.example.com" } },
  ...(credential === undefined ? {} : { credentials: { httpBasicAuth: credential } })
})

const toFetch = { Hook: { main: [[{ node: "Fetch", type: "main", index: 0 }]] } }

const decodePage = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Array(
      Schema.StructWithRest(Schema.Struct({ id: Schema.String, name: Schema.String }), [
        Schema.Record(Schema.String, Schema.Unknown)
      ])
    )
  })
)

const shownOn = Effect.fnUntraced(function* (instance: string) {
  const { send } = yield* Beside
  const { data } = decodePage(yield* send(instance, "GET", "/workflows?limit=250"))
  return new Map(data.map((workflow) => [workflow.name, workflow]))
})

/** The part of an instance that has to be the same after a plan and its rollback. */
const stateOn = (instance: string) =>
  Effect.map(shownOn(instance), (all) =>
    [...all.values()]
      .map(({ active, connections, isArchived, name, nodes, settings, tags }) => ({
        name,
        active,
        isArchived,
        nodes,
        connections,
        settings,
        tags: JSON.stringify(tags).match(/"name":"[^"]*"/g)
      }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  )

const decodeTags = Schema.decodeUnknownSync(
  Schema.Struct({ tags: Schema.Array(Schema.Struct({ name: Schema.String })) })
)

const decodeRows = Schema.decodeUnknownSync(
  Schema.Struct({
    warnings: Schema.Array(Schema.String),
    first_steps: Schema.Array(
      Schema.Struct({
        before: Schema.Struct({ name: Schema.optionalKey(Schema.String), workflow: Schema.String }),
        same_in: Schema.optionalKey(Schema.Array(Schema.String))
      })
    )
  })
)

const make = Effect.fnUntraced(function* (instance: string, body: Json, active = false) {
  const { send } = yield* Beside
  const { id } = yield* send(instance, "POST", "/workflows", { connections: {}, settings: {}, ...body })
  if (active) yield* send(instance, "POST", `/workflows/${String(id)}/activate`, {})
  return String(id)
})

const apply = (plan: Json) => ask("apply_plan", { plan_id: plan["plan_id"], confirm: true })

const undone = Effect.fnUntraced(function* (plan: Json) {
  const back = yield* ask("plan_rollback", { plan_id: plan["plan_id"] })
  assert.deepStrictEqual(back["blocked"], [])
  assert.deepInclude(yield* apply(back), { state: "applied" })
  return back
})

const versions = ["1.82.3", "2.41.1"] as const

for (const version of versions) {
  describe(`plan_bulk on ${version}`, () => {
    const engines = twoEmbedded([version, version])

    it.live("tags all workflows of a name and deactivates them, in four small calls, and takes that back", () =>
      Effect.gen(function* () {
        for (const name of ["ACME orders", "ACME bills", "Other"]) {
          yield* make("production", { name, nodes: [hook(name.replace(" ", "-"))] }, true)
        }
        const before = yield* stateOn("production")
        const where = { name: "ACME*" }
        const tagging = yield* ask("plan_bulk", { instance: "production", action: "tag", value: "acme", where })
        assert.deepInclude(tagging, { steps: 3, by_kind: { "create-tag": 1, tags: 2 }, selected: 2 })
        assert.deepStrictEqual(yield* stateOn("production"), before)
        assert.deepInclude(yield* apply(tagging), { state: "applied" })
        const off = yield* ask("plan_bulk", { instance: "production", action: "deactivate", where: { tags: ["acme"] } })
        assert.deepInclude(yield* apply(off), { state: "applied", done: 2 })
        const now = yield* shownOn("production")
        assert.deepInclude(now.get("ACME bills"), { active: false })
        assert.deepInclude(now.get("Other"), { active: true, tags: [] })
        assert.nestedPropertyVal(now.get("ACME orders"), "tags[0].name", "acme")
        const again = yield* ask("plan_bulk", { instance: "production", action: "tag", value: "acme", where })
        assert.deepInclude(again, { steps: 0, selected: 2, unchanged: 2 })
        yield* undone(off)
        const back = yield* undone(tagging)
        assert.include(JSON.stringify(back["first_steps"]), '"tags":["acme"]', "by its name, not by its id")
        assert.deepStrictEqual(yield* stateOn("production"), before)
      }).pipe(Effect.provide(engines))
    )

    it.live("tags and deactivates in one plan, and refuses two actions that change the same", () =>
      Effect.gen(function* () {
        yield* make("production", { name: "ACME one", nodes: [hook("acme-one")] }, true)
        const before = yield* stateOn("production")
        const request = { instance: "production", value: "acme", where: { name: "ACME*" } }
        const plan = yield* ask("plan_bulk", { ...request, action: ["tag", "deactivate"] })
        assert.deepInclude(plan, { by_kind: { "create-tag": 1, tags: 1, active: 1 } })
        assert.deepInclude(yield* apply(plan), { state: "applied", done: 3 })
        assert.deepNestedInclude((yield* shownOn("production")).get("ACME one"), {
          active: false,
          "tags[0].name": "acme"
        })
        yield* undone(plan)
        assert.deepStrictEqual(yield* stateOn("production"), before)
        const { message } = yield* refused("plan_bulk", { ...request, action: ["deactivate", "delete"] })
        assert.include(message, "two actions change the same")
      }).pipe(Effect.provide(engines))
    )

    it.live("merges tags with those of another plan, each once, and leaves what a person has changed after that", () =>
      Effect.gen(function* () {
        const { send } = yield* Beside
        const id = yield* make("production", { name: "ACME one", nodes: [hook("acme-one")] })
        const tagging = (...[value, ...also]: ReadonlyArray<string>) => {
          const one = { action: "tag", where: { name: "ACME*" } }
          const others = also.map((other) => ({ ...one, value: other }))
          return ask("plan_bulk", { instance: "production", ...one, value, also: others })
        }
        const tags = Effect.map(shownOn("production"), (all) =>
          decodeTags(all.get("ACME one"))
            .tags.map(({ name }) => name)
            .toSorted()
        )
        const first = yield* tagging("red", "green")
        const second = yield* tagging("red", "blue")
        const third = yield* tagging("late")
        assert.deepInclude(yield* apply(first), { state: "applied" })
        assert.deepInclude(yield* apply(second), { state: "applied", refused: [] })
        assert.deepStrictEqual(yield* tags, ["blue", "green", "red"])
        yield* undone(second)
        assert.deepStrictEqual(yield* tags, ["green", "red"])

        const { id: mine } = yield* send("production", "POST", "/tags", { name: "mine" })
        yield* send("production", "PUT", `/workflows/${id}/tags`, [{ id: mine }])
        const { refused: left } = yield* apply(third)
        assert.include(JSON.stringify(left), "someone else has changed it since")
        assert.deepStrictEqual(yield* tags, ["mine"])
      }).pipe(Effect.provide(engines))
    )

    it.live("leaves in a rollback what a person had done before the turn of the plan", () =>
      Effect.gen(function* () {
        const { send } = yield* Beside
        const id = yield* make("production", { name: "ACME one", nodes: [hook("acme-one")] }, true)
        const { id: mine } = yield* send("production", "POST", "/tags", { name: "mine" })
        const where = { name: "ACME*" }
        const plan = yield* ask("plan_bulk", {
          instance: "production",
          action: ["tag", "deactivate"],
          value: "mine",
          where
        })
        assert.deepInclude(plan, { steps: 2 })
        yield* send("production", "PUT", `/workflows/${id}/tags`, [{ id: mine }])
        const answer = yield* apply(plan)
        assert.deepInclude(answer, { state: "applied", done: 2 })
        assert.propertyVal(answer, "found", 1)
        assert.deepInclude(yield* undone(plan), { steps: 1 })
        const now = (yield* shownOn("production")).get("ACME one")
        assert.deepNestedInclude(now, { active: true, "tags[0].name": "mine" })
      }).pipe(Effect.provide(engines))
    )

    it.live("rolls a plan back under another one that was applied before it was at its end", () =>
      Effect.gen(function* () {
        const { meddle } = yield* Beside
        for (const name of ["ACME one", "ACME two"]) {
          yield* make("production", { name, nodes: [hook(name.replace(" ", "-"))] })
        }
        const two = (yield* shownOn("production")).get("ACME two")?.id ?? ""
        const tagging = (value: string, name: string) =>
          ask("plan_bulk", { instance: "production", action: "tag", value, where: { name } })
        const tags = Effect.map(shownOn("production"), (all) =>
          ["ACME one", "ACME two"].map((name) => decodeTags(all.get(name)).tags.map((tag) => tag.name))
        )
        const plan = yield* tagging("red", "ACME*")
        yield* meddle((request, proceed) =>
          request.method === "PUT" && request.url.includes(two)
            ? json({ message: "unauthorized" }, 401)(request)
            : proceed
        )
        yield* refused("apply_plan", { plan_id: plan["plan_id"], confirm: true })
        yield* meddle(undefined)
        assert.deepStrictEqual(yield* tags, [["red"], []])
        assert.deepInclude(yield* apply(yield* tagging("blue", "ACME one")), { state: "applied" })
        assert.deepInclude(yield* apply(plan), { state: "applied", refused: [] })
        assert.deepStrictEqual(yield* tags, [["blue", "red"], ["red"]])
        yield* undone(plan)
        assert.deepStrictEqual(yield* tags, [["blue"], []])
      }).pipe(Effect.provide(engines))
    )

    it.live("merges texts with those of another plan, and blames no plan for a person's change", () =>
      Effect.gen(function* () {
        const { send } = yield* Beside
        const name = "Fetch again"
        const urls = (prefix: string) => [`https://${prefix}.example.com/a`, `https://${prefix}.example.com/b`]
        const fetch = (url: string, more: Json = {}) => ({ ...fetching(), parameters: { url, options: {} }, ...more })
        const [one = "", other = ""] = urls("old")
        const content = { name: "ACME one", nodes: [hook("acme-one"), fetch(one), fetch(other, { name })] }
        const id = yield* make("production", content)
        const replacing = (from = "", to = "") =>
          ask("plan_bulk", {
            instance: "production",
            where: { name: "ACME*" },
            action: "replace_text",
            find: from,
            value: to
          })
        const [newOne = "", newOther = ""] = urls("new")
        const [first, second] = [yield* replacing(one, newOne), yield* replacing(other, newOther)]
        assert.deepInclude(yield* apply(first), { state: "applied" })
        assert.deepInclude(yield* apply(second), { state: "applied", refused: [] })
        const text = JSON.stringify(yield* send("production", "GET", `/workflows/${id}`))
        for (const part of ["acme-one", newOne, newOther]) assert.include(text, part)

        const third = yield* replacing("acme-one", "acme")
        const tagging = { action: "tag", value: "red", where: { name: "ACME*" } }
        const tagged = yield* ask("plan_bulk", { instance: "production", ...tagging })
        yield* apply(tagged)
        const nodes = [hook("acme-one"), fetch(newOne, { notes: "by hand" }), fetch(newOther, { name })]
        yield* send("production", "PUT", `/workflows/${id}`, { ...content, nodes, connections: {}, settings: {} })
        const left = JSON.stringify((yield* apply(third))["refused"])
        assert.include(left, "someone else has changed it since, and it stays as it is (nodes)")
      }).pipe(Effect.provide(engines))
    )

    it.live("deletes workflows that call each other, and brings them back so that they find each other again", () =>
      Effect.gen(function* () {
        const { send } = yield* Beside
        const { id: tag } = yield* send("production", "POST", "/tags", { name: "gone" })
        const start = {
          name: "In",
          type: "n8n-nodes-base.executeWorkflowTrigger",
          typeVersion: 1,
          position: [0, 0],
          parameters: {}
        }
        const called = yield* make(
          "production",
          { name: "Called", nodes: [start], settings: { timezone: "UTC" } },
          version === "2.41.1"
        )
        const call = {
          name: "Call",
          type: "n8n-nodes-base.executeWorkflow",
          typeVersion: 1.2,
          position: [220, 0],
          parameters: {
            workflowId: { __rl: true, mode: "list", value: called, cachedResultUrl: `/workflow/${called}` }
          }
        }
        const caller = yield* make(
          "production",
          {
            name: "Caller",
            nodes: [hook("caller"), call],
            staticData: { seen: 3 },
            ...(version === "2.41.1" ? { pinData: { Hook: [{ json: { pinned: 1 } }] } } : {})
          },
          true
        )
        yield* make("production", { name: "Also calls", nodes: [hook("also"), call] })
        yield* send("production", "PUT", `/workflows/${caller}/tags`, [{ id: tag }])
        const plan = yield* ask("plan_bulk", {
          instance: "production",
          action: "delete",
          where: { ids: [called, caller] }
        })
        assert.include(JSON.stringify(plan["warnings"]), "a rollback creates them anew, under new ids")
        assert.include(JSON.stringify(plan["warnings"]), "1 other workflows call what is deleted: Also calls")
        assert.deepInclude(yield* apply(plan), { state: "applied", refused: [] })
        assert.deepStrictEqual([...(yield* shownOn("production")).keys()], ["Also calls"])
        const back = yield* undone(plan)
        assert.include(JSON.stringify(back["warnings"]), "under new ids")
        const now = yield* shownOn("production")
        const again = now.get("Called")?.id
        assert.notStrictEqual(again, called)
        assert.deepNestedInclude(now.get("Caller"), {
          active: true,
          "nodes[1].parameters.workflowId": {
            __rl: true,
            mode: "list",
            value: again,
            cachedResultUrl: `/workflow/${again}`
          },
          "tags[0].name": "gone"
        })
        const pinned = version === "2.41.1" ? { Hook: [{ json: { pinned: 1 } }] } : null
        assert.deepInclude(now.get("Caller"), { staticData: { seen: 3 }, pinData: pinned })
        assert.deepInclude(now.get("Called"), { settings: { timezone: "UTC" }, active: version === "2.41.1" })
      }).pipe(Effect.provide(engines))
    )

    it.live("leaves alone what somebody changes between the reading of its batch and its turn", () =>
      Effect.gen(function* () {
        const { meddle, send } = yield* Beside
        const theirs = yield* send("production", "POST", "/tags", { name: "theirs" })
        for (const action of ["tag", "delete"]) {
          const id = yield* make("production", { name: action, nodes: [hook(action)] })
          const request = {
            instance: "production",
            action,
            where: { ids: [id] },
            ...(action === "tag" ? { value: "ours" } : {})
          }
          const plan = yield* ask("plan_bulk", request)
          let readings = 0
          yield* meddle((request, proceed) => {
            if (request.method !== "GET" || !request.url.endsWith(`/workflows/${id}`) || ++readings > 1) return proceed
            const change =
              action === "tag"
                ? send("production", "PUT", `/workflows/${id}/tags`, [{ id: theirs["id"] }])
                : send("production", "PUT", `/workflows/${id}`, {
                    name: "kept",
                    nodes: [],
                    connections: {},
                    settings: {}
                  })
            return Effect.tap(proceed, () => Effect.asVoid(change))
          })
          const { refused_count } = yield* apply(plan)
          assert.strictEqual(refused_count, 1)
          yield* meddle(undefined)
          const now = yield* send("production", "GET", `/workflows/${id}`)
          if (action === "tag") assert.deepNestedInclude(now, { "tags[0].name": "theirs" })
          else assert.deepInclude(now, { name: "kept" })
        }
      }).pipe(Effect.provide(engines))
    )

    it.live(
      "deletes no workflow whose tags somebody has changed since, so that a rollback brings back what was there",
      () =>
        Effect.gen(function* () {
          const { send } = yield* Beside
          const { id: tag } = yield* send("production", "POST", "/tags", { name: "theirs" })
          const id = yield* make("production", { name: "Goes", nodes: [hook("goes")] }, true)
          const planned = ask("plan_bulk", { instance: "production", action: "delete", where: { ids: [id] } })
          const early = yield* planned
          yield* send("production", "PUT", `/workflows/${id}/tags`, [{ id: tag }])
          const { refused } = yield* apply(early)
          assert.include(JSON.stringify(refused), "changed it since, and it stays as it is (tags)")
          assert.deepInclude((yield* shownOn("production")).get("Goes"), { active: true })
          const plan = yield* planned
          assert.deepInclude(yield* apply(plan), { state: "applied", refused: [] })
          yield* undone(plan)
          assert.deepNestedInclude((yield* shownOn("production")).get("Goes"), {
            active: true,
            "tags[0].name": "theirs"
          })
        }).pipe(Effect.provide(engines))
    )

    it.live("counts as done what arrives late, after the reading of its batch and before its turn", () =>
      Effect.gen(function* () {
        const { meddle, send } = yield* Beside
        yield* ask("create_tag", { instance: "production", name: "known" })
        /** The first write of a plan is not answered, and arrives when this is read for the third time, or sent again. */
        const arrivesLate = (plan: Json, isThen: (request: HttpClientRequest.HttpClientRequest) => boolean) =>
          Effect.gen(function* () {
            let late: Effect.Effect<unknown> | undefined
            let isLate = false
            yield* meddle((request, proceed) => {
              if (late === undefined && request.method !== "GET") {
                late = Effect.ignore(proceed)
                return answers(502, {}, "")(request)
              }
              if (late === undefined || isLate || !isThen(request)) return proceed
              isLate = true
              return Effect.andThen(late, proceed)
            })
            assert.deepInclude(yield* apply(plan), { state: "applied", refused: [] })
            assert.isTrue(isLate)
            yield* meddle(undefined)
          })
        const thirdReading = (id: string) => {
          let readings = 0
          return ({ method, url }: HttpClientRequest.HttpClientRequest) =>
            method === "GET" && url.endsWith(`/workflows/${id}`) && ++readings === 3
        }
        const isDeletion = ({ method }: HttpClientRequest.HttpClientRequest) => method === "DELETE"
        const planned = Effect.fnUntraced(function* (name: string, wish: Json) {
          const id = yield* make("production", { name, nodes: [hook(name)] })
          return { id, plan: yield* ask("plan_bulk", { instance: "production", where: { ids: [id] }, ...wish }) }
        })
        const tagged = yield* planned("tagged", { action: "tag", value: "known" })
        yield* arrivesLate(tagged.plan, thirdReading(tagged.id))
        const written = yield* planned("written", { action: "replace_text", find: "written", value: "other" })
        yield* arrivesLate(written.plan, thirdReading(written.id))
        const read = yield* planned("read", { action: "delete" })
        yield* arrivesLate(read.plan, thirdReading(read.id))
        const sent = yield* planned("sent", { action: "delete" })
        yield* arrivesLate(sent.plan, isDeletion)
        const made = yield* planned("made", { action: "tag", value: "made" })
        yield* apply(made.plan)
        yield* send("production", "PUT", `/workflows/${made.id}/tags`, [])
        yield* arrivesLate(yield* ask("plan_rollback", { plan_id: made.plan["plan_id"] }), isDeletion)
        const now = yield* shownOn("production")
        assert.deepStrictEqual([...now.keys()].toSorted(), ["made", "tagged", "written"])
        assert.deepNestedInclude(now.get("tagged"), { "tags[0].name": "known" })
        assert.deepNestedInclude(now.get("written"), { "nodes[0].parameters.path": "other" })
      }).pipe(Effect.provide(engines))
    )

    it.live("counts a deactivation that was refused as done where the workflow is deleted all the same", () =>
      Effect.gen(function* () {
        const { meddle } = yield* Beside
        const id = yield* make("production", { name: "Goes", nodes: [hook("goes")] }, true)
        const plan = yield* ask("plan_bulk", { instance: "production", action: "delete", where: { ids: [id] } })
        assert.deepInclude(plan, { by_kind: { active: 1, delete: 1 } })
        let isRefused = false
        yield* meddle((request, proceed) => {
          if (isRefused || !request.url.endsWith("/deactivate")) return proceed
          isRefused = true
          return json({ message: "not now" }, 400)(request)
        })
        assert.deepInclude(yield* apply(plan), { state: "applied", done: 2, refused: [] })
        assert.isTrue(isRefused)
        assert.deepInclude(yield* ask("show_plan", { plan_id: plan["plan_id"] }), { state: "applied" })
        yield* undone(plan)
        assert.deepInclude((yield* shownOn("production")).get("Goes"), { active: true })
      }).pipe(Effect.provide(engines))
    )

    it.live("names tags that are there already, and after a rollback is planned as well", () =>
      Effect.gen(function* () {
        const { send } = yield* Beside
        const kept = yield* send("production", "POST", "/tags", { name: "kept" })
        yield* send("production", "POST", "/tags", { name: "known" })
        const id = yield* make("production", { name: "One", nodes: [hook("one")] })
        yield* send("production", "PUT", `/workflows/${id}/tags`, [{ id: kept["id"] }])
        const wish = { instance: "production", where: { name: "One" }, action: "tag", value: "known" }
        const plan = yield* ask("plan_bulk", wish)
        const [before, after] = [
          { name: "One", tags: ["kept"] },
          { name: "One", tags: ["kept", "known"] }
        ]
        assert.deepNestedInclude(plan, { "first_steps[0].before": before, "first_steps[0].after": after })
        yield* apply(plan)
        const back = yield* ask("plan_rollback", { plan_id: plan["plan_id"] })
        assert.deepNestedInclude(back, { "first_steps[0].before": after, "first_steps[0].after": before })
      }).pipe(Effect.provide(engines))
    )

    it.live("replaces credentials, texts and the error workflow, and nothing else", () =>
      Effect.gen(function* () {
        const { send } = yield* Beside
        const credential = (name: string) =>
          send("production", "POST", "/credentials", {
            name,
            type: "httpBasicAuth",
            data: { user: "u", password: "p" }
          })
        const [old, young] = [yield* credential("Old"), yield* credential("New")]
        yield* make(
          "production",
          {
            name: "One",
            nodes: [hook("one"), fetching({ id: old["id"], name: "Old" })],
            connections: toFetch,
            settings: { executionOrder: "v1" }
          },
          true
        )
        yield* make("production", {
          name: "Two",
          nodes: [hook("two"), fetching({ id: young["id"], name: "New" })],
          connections: toFetch
        })
        const errors = yield* make("production", { name: "Errors", nodes: [hook("errors")] })
        const before = yield* stateOn("production")
        const everywhere = { instance: "production", where: { name: "*" } }
        const credentials = yield* ask("plan_bulk", {
          ...everywhere,
          action: "replace_credential",
          find: "Old",
          value: "New"
        })
        assert.deepInclude(credentials, { steps: 1, selected: 3, unchanged: 2, blocked: [] })
        assert.include(JSON.stringify(credentials["first_steps"]), "Old")
        yield* apply(credentials)
        const texts = yield* ask("plan_bulk", {
          ...everywhere,
          action: "replace_text",
          find: "old.example.com",
          value: "$&new.example.com",
          match: "part",
          in: { field: "url" }
        })
        yield* apply(texts)
        const error = yield* ask("plan_bulk", {
          ...everywhere,
          where: { name: "O*" },
          action: "set_error_workflow",
          value: "Errors"
        })
        assert.include(JSON.stringify(error["first_steps"]), `errorWorkflow set to \\"Errors (${errors})\\"`)
        yield* apply(error)
        const now = yield* shownOn("production")
        assert.deepNestedInclude(now.get("One"), {
          active: true,
          "nodes[1].credentials.httpBasicAuth": { id: young["id"], name: "New" },
          "nodes[1].parameters.url": "https://$&new.example.com/a",
          "nodes[1].parameters.options.note": "https://old.example.com",
          "settings.errorWorkflow": errors
        })
        const none = yield* ask("plan_bulk", {
          ...everywhere,
          where: { name: "One" },
          action: "set_error_workflow",
          value: "none"
        })
        yield* apply(none)
        yield* undone(none)
        yield* undone(error)
        yield* undone(texts)
        yield* undone(credentials)
        assert.deepStrictEqual(yield* stateOn("production"), before)
        const unknown = yield* ask("plan_bulk", {
          ...everywhere,
          action: "replace_credential",
          find: "Old",
          value: "Nobody's"
        })
        assert.deepInclude(unknown, { steps: 0, blocked_count: 1 })
        assert.include(
          JSON.stringify(unknown["blocked"]),
          "production has no credential Nobody's of type httpBasicAuth"
        )
      }).pipe(Effect.provide(engines))
    )

    it.live("deletes failed executions in several calls, and says beforehand that they do not come back", () =>
      Effect.gen(function* () {
        const { send, trigger } = yield* Beside
        yield* make("production", failing, true)
        const works = yield* make("production", { name: "Works", nodes: [hook("works")] }, true)
        yield* Effect.forEach(Array.from({ length: 330 }), () => trigger("production", "fails"), { concurrency: 10 })
        assert.strictEqual(yield* trigger("production", "works"), 200)
        const early = yield* ask("plan_bulk", {
          instance: "production",
          action: "delete_executions",
          status: "error",
          before: "2020-01-01"
        })
        assert.deepInclude(early, { steps: 0 })
        const plan = yield* ask("plan_bulk", { instance: "production", action: "delete_executions", status: "error" })
        assert.deepInclude(plan, {
          steps: 330,
          warnings: ["330 executions are deleted for good: no rollback brings them back"]
        })
        assert.deepInclude(yield* apply(plan), {
          state: "applied",
          done: 330,
          next: "Applied and read back. Nothing of it can be rolled back."
        })
        const { data } = yield* send("production", "GET", "/executions?limit=250")
        assert.isTrue(Array.isArray(data) && data.length === 1)
        assert.nestedPropertyVal(data, "[0].workflowId", works)
        const { message } = yield* refused("plan_rollback", { plan_id: plan["plan_id"] })
        assert.include(message, "a deleted execution cannot be brought back")
      }).pipe(Effect.provide(engines))
    )

    it.live("tells of executions to delete by their workflows, and which workflows have the name that was given", () =>
      Effect.gen(function* () {
        const { trigger } = yield* Beside
        const [one, two] = [
          yield* make("production", { name: "Twice", nodes: [hook("one")] }, true),
          yield* make("production", { name: "Twice", nodes: [hook("two")] }, true)
        ]
        for (const path of ["one", "two", "two", "two"]) assert.strictEqual(yield* trigger("production", path), 200)
        const wish = { instance: "production", action: "delete_executions", where: { name: "Twice" } }
        const plan = yield* ask("plan_bulk", wish)
        const { first_steps: rows, warnings } = decodeRows(plan)
        assert.deepStrictEqual(
          rows.map(({ before: { name, workflow }, same_in: others = [] }) => [name, workflow, others.length]),
          [
            ["Twice", one, 0],
            ["Twice", two, 2]
          ]
        )
        assert.include(warnings, `The executions are 3 of Twice (${two}), 1 of Twice (${one})`)
        const namesakes = warnings.find((warning) => warning.startsWith("2 workflows have this name"))
        for (const id of [one, two]) assert.include(namesakes, `Twice (${id})`)
        assert.deepInclude(yield* apply(plan), { state: "applied", done: 4 })
        const all = yield* ask("plan_bulk", { ...wish, action: "deactivate", where: { name: "Tw*" } })
        assert.notInclude(JSON.stringify(all["warnings"]), "have this name")
      }).pipe(Effect.provide(engines))
    )

    it.live("makes no deleted workflow anew beside one of its name that was restored meanwhile", () =>
      Effect.gen(function* () {
        yield* make("production", { name: "Gone", nodes: [hook("gone")] })
        const plan = yield* ask("plan_bulk", { instance: "production", where: { name: "Gone" }, action: "delete" })
        yield* apply(plan)
        yield* make("production", { name: "Gone", nodes: [hook("gone")] })
        const { message } = yield* refused("plan_rollback", { plan_id: plan["plan_id"] })
        assert.include(message, "a workflow of this name was made since then, and it is not made anew beside that")
        assert.lengthOf(Object.keys(yield* stateOn("production")), 1)
      }).pipe(Effect.provide(engines))
    )

    it.live("says what is looked for and stands nowhere, and where no workflow fits", () =>
      Effect.gen(function* () {
        yield* make("production", { name: "One", nodes: [hook("one")] })
        const wishes = [
          [{ name: "*", action: "replace_credential", find: "Old", value: "New" }, 'has a credential "Old"'],
          [
            { name: "*", action: "replace_text", find: "a.b", value: "c", in: { field: "url" } },
            'has the text "a.b" in url'
          ],
          [{ name: "Two", action: "deactivate" }, "No workflow on production matches where"]
        ] as const
        for (const [{ name, ...wish }, words] of wishes) {
          const plan = yield* ask("plan_bulk", { instance: "production", where: { name }, ...wish })
          assert.deepInclude(plan, { steps: 0, blocked: [], next: "Nothing is to change; warnings say more." })
          assert.include(JSON.stringify(plan["warnings"]), JSON.stringify(words).slice(1, -1))
        }
        const done = yield* ask("plan_bulk", { instance: "production", where: { name: "One" }, action: "deactivate" })
        assert.deepInclude(done, { warnings: [], next: "Nothing is to change: everything is as wanted already." })
      }).pipe(Effect.provide(engines))
    )

    it.live("replaces no text in what is masked, and answers the same whether the guess is right or wrong", () =>
      Effect.gen(function* () {
        const fetch = {
          ...hook("x"),
          name: "Fetch",
          type: "n8n-nodes-base.httpRequest",
          typeVersion: 4.2,
          parameters: { url: "https://shop.example.com/?api_key=sesame42", options: { password: "sesame42" } }
        }
        const id = yield* make("production", { name: "Secret", nodes: [hook("secret"), fetch] })
        const guessed = Effect.fnUntraced(function* (guess: string) {
          const wish = { instance: "production", where: { name: "Secret" }, action: "replace_text", find: guess }
          const { steps, unchanged, warnings } = yield* ask("plan_bulk", { ...wish, value: "x" })
          const operations = [{ op: "replace", node: "Fetch", find: guess, value: "x" }]
          const { message } = yield* refused("edit_workflow", { instance: "production", id, operations })
          return JSON.stringify({ steps, unchanged, warnings, message }).replaceAll(guess, "")
        })
        const wrong = yield* guessed("sesame43")
        assert.strictEqual(yield* guessed("sesame42"), wrong)
        assert.strictEqual(yield* guessed("ses"), wrong)
        assert.lengthOf(wrong.match(/Masked values \(secrets\) are neither searched nor changed/g) ?? [], 2)

        const moved = { instance: "production", where: { name: "Secret" }, action: "replace_text" }
        yield* apply(
          yield* ask("plan_bulk", { ...moved, find: "shop.example.com", value: "new.example.com", match: "part" })
        )
        const now = (yield* shownOn("production")).get("Secret")
        assert.deepNestedInclude(now, { "nodes[1].parameters.url": "https://new.example.com/?api_key=sesame42" })
      }).pipe(Effect.provide(engines))
    )

    it.live("deletes old failures and puts idle workflows away in one plan, each with its own selection", () =>
      Effect.gen(function* () {
        const { send, trigger } = yield* Beside
        yield* make("production", failing, true)
        yield* make("production", { name: "Idle", nodes: [hook("idle")] }, true)
        yield* Effect.forEach(Array.from({ length: 3 }), () => trigger("production", "fails"))
        const failures = { action: "delete_executions", status: "error", before: "2100-01-01" }
        const away = version === "1.82.3" ? "deactivate" : "archive"
        const plan = yield* ask("plan_bulk", {
          instance: "production",
          ...failures,
          also: [
            { action: away, where: { name: "Idle" } },
            { ...failures, where: { name: "Fails" } }
          ]
        })
        const kinds = version === "1.82.3" ? { active: 1 } : { active: 1, archived: 1 }
        assert.deepInclude(plan, { by_kind: { ...kinds, "delete-execution": 3 } })
        assert.deepInclude(yield* apply(plan), { state: "applied", refused: [] })
        assert.deepStrictEqual((yield* send("production", "GET", "/executions?limit=250"))["data"], [])
        assert.deepInclude((yield* shownOn("production")).get("Idle"), { active: false })
        assert.deepInclude((yield* shownOn("production")).get("Fails"), { active: true })
        const wrong = { instance: "production", ...failures, also: [{ action: "archive", were: {} }] }
        assert.include((yield* refused("plan_bulk", wrong)).message, "also")
        const blank = { instance: "production", ...failures, also: [{ action: "archive" }] }
        assert.include((yield* refused("plan_bulk", blank)).message, "must say which workflows")
      }).pipe(Effect.provide(engines))
    )

    it.live(
      "archives where the engine can, also what was deleted and is made anew, and says why not where it cannot",
      () =>
        Effect.gen(function* () {
          yield* make("production", { name: "Idle", nodes: [hook("idle")] }, true)
          const plan = yield* ask("plan_bulk", { instance: "production", action: "archive", where: { name: "Idle" } })
          if (version === "1.82.3") {
            assert.deepInclude(plan, { steps: 0, blocked_count: 1 })
            assert.include(
              JSON.stringify(plan["blocked"]),
              "production cannot archive workflows: its engine is too old"
            )
            return
          }
          assert.deepInclude(plan, { steps: 2, by_kind: { active: 1, archived: 1 } })
          assert.deepInclude(yield* apply(plan), { state: "applied" })
          assert.deepInclude((yield* shownOn("production")).get("Idle"), { isArchived: true, active: false })
          const deletion = yield* ask("plan_bulk", {
            instance: "production",
            action: "delete",
            where: { name: "Idle" }
          })
          assert.deepInclude(yield* apply(deletion), { state: "applied" })
          yield* undone(deletion)
          assert.deepInclude((yield* shownOn("production")).get("Idle"), { isArchived: true, active: false })
        }).pipe(Effect.provide(engines))
    )

    it.live("takes an archive back", () =>
      Effect.gen(function* () {
        if (version === "1.82.3") return
        yield* make("production", { name: "Idle", nodes: [hook("idle")] }, true)
        const before = yield* stateOn("production")
        const plan = yield* ask("plan_bulk", { instance: "production", action: "archive", where: { name: "Idle" } })
        assert.deepInclude(yield* apply(plan), { state: "applied" })
        yield* undone(plan)
        assert.deepStrictEqual(yield* stateOn("production"), before)
      }).pipe(Effect.provide(engines))
    )

    it.live(
      "leaves alone what is younger than the days of idleness, and refuses a selection that says nothing or a mask",
      () =>
        Effect.gen(function* () {
          yield* make("production", { name: "Young", nodes: [hook("young")] })
          const idle = yield* ask("plan_bulk", { instance: "production", action: "delete", where: { idle_days: 30 } })
          assert.deepInclude(idle, { steps: 0, selected: 0 })
          for (const idle_days of [0, -1]) {
            const { message } = yield* refused("plan_bulk", { action: "delete", where: { idle_days } })
            assert.strictEqual(message, "Invalid idle_days: must be 1 or more")
          }
          const unsaid = { instance: "production", action: "replace_text", find: "young", value: "old", match: "part" }
          assert.deepInclude(yield* ask("plan_bulk", unsaid), { steps: 1 })
          const { message } = yield* refused("plan_bulk", { instance: "production", action: "delete" })
          assert.include(message, 'must say which workflows; {"name": "*"} means all')
          const mistyped = yield* refused("plan_bulk", {
            instance: "production",
            action: "delete",
            where: { nodetype: "webhook" }
          })
          assert.include(mistyped.message, "nodeType")
          const text = { action: "replace_text", find: "young", value: "[masked]", where: { name: "*" } }
          const masking = yield* refused("plan_bulk", { instance: "production", ...text })
          assert.include(masking.message, "[masked] stands for a secret that is not shown")
        }).pipe(Effect.provide(engines))
    )
  })
}

describe("idle workflows", () => {
  it.live("are those without a run for so many days, which are not younger themselves; the unknowable are named", () =>
    Effect.gen(function* () {
      const { clock, putForward } = yield* movedClock
      yield* Effect.gen(function* () {
        const { trigger } = yield* Beside
        yield* make("production", { name: "Never ran", nodes: [hook("never")] })
        yield* make("production", { name: "Ran once", nodes: [hook("once")] }, true)
        yield* make("production", { name: "Ran lately", nodes: [hook("lately")] }, true)
        yield* make("production", {
          name: "Keeps no runs",
          nodes: [hook("none")],
          settings: { saveDataSuccessExecution: "none" }
        })
        assert.strictEqual(yield* trigger("production", "once"), 200)
        putForward(31 * 86_400_000)
        assert.strictEqual(yield* trigger("production", "lately"), 200)
        yield* make("production", { name: "Young", nodes: [hook("young")] })
        const plan = yield* ask("plan_bulk", { instance: "production", action: "archive", where: { idle_days: 30 } })
        assert.deepInclude(plan, { selected: 2, by_kind: { active: 1, archived: 2 }, blocked_count: 1 })
        assert.include(JSON.stringify(plan["blocked"]), "Keeps no runs")
        assert.include(JSON.stringify(plan["warnings"]), "Idle means without a recorded run")
        assert.deepInclude(yield* apply(plan), { state: "applied", refused: [] })
        const now = yield* shownOn("production")
        const archived = [...now.values()].filter(({ isArchived }) => isArchived === true)
        assert.sameMembers(
          archived.map(({ name }) => name),
          ["Never ran", "Ran once"]
        )
      }).pipe(Effect.provideService(Clock.Clock, clock))
    }).pipe(Effect.provide(twoEmbedded(versions)))
  )
})

describe("plan_bulk on a read-only instance", () => {
  it.live("refuses at planning", () =>
    Effect.gen(function* () {
      const { data, message } = yield* refused("plan_bulk", {
        instance: "production",
        action: "delete",
        where: { name: "*" }
      })
      assert.include(message, "Instance production is read-only: plan_bulk was not sent")
      assert.deepInclude(data, { code: "READ_ONLY" })
    }).pipe(Effect.provide(twoEmbedded(versions, { instances: { production: { readOnly: true } } })))
  )
})

describe("a long apply", () => {
  it.effect(
    "stays below the instance's requests a second, says how far it is, and goes on when it is called again",
    () =>
      Effect.gen(function* () {
        const { meddle, trigger } = yield* Beside
        yield* make("production", { name: "Works", nodes: [hook("works")] }, true)
        yield* Effect.forEach(Array.from({ length: 200 }), () => trigger("production", "works"), { concurrency: 10 })
        const plan = yield* ask("plan_bulk", {
          instance: "production",
          action: "delete_executions",
          where: { name: "Works" }
        })
        assert.deepInclude(plan, { steps: 200 })
        const deletions: Array<number> = []
        yield* meddle((request, proceed) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            if (request.method === "DELETE") deletions.push(now)
            return proceed
          })
        )
        const reports: Array<Json> = []
        for (let state: unknown = "in progress"; state === "in progress"; state = reports.at(-1)?.["state"]) {
          const args = { plan_id: plan["plan_id"], confirm: true, max_seconds: 1 }
          reports.push(yield* ask("apply_plan", args))
          if (reports.length === 1) assert.match(String(reports[0]?.["next"]), /steps are left: call apply_plan/)
        }
        assert.isAbove(reports.length, 2)
        assert.deepInclude(reports.at(-1), { state: "applied", done: 200 })
        assert.lengthOf(deletions, 200)
        const within = deletions.map((at, index) => deletions.slice(index).filter((later) => later - at < 1000).length)
        assert.isAtMost(Math.max(...within), 45)
      }).pipe(
        (test) => inTime(test, 20),
        Effect.provide(twoEmbedded(versions, { instances: { production: { requestsPerSecond: 40 } } }))
      )
  )
})
