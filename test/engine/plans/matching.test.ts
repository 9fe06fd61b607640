import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClientError } from "effect/http"

import type { Version } from "../../../src/engine/embedded/EmbeddedEngine.ts"
import { ask, type Json, refused } from "../../support/harness.ts"
import { Beside, type Given, hook, twoEmbedded } from "./support.ts"

const fetching = (credential: { readonly id: unknown; readonly name: string }, url = "https://test.example.com/a") => ({
  name: "Fetch",
  type: "n8n-nodes-base.httpRequest",
  typeVersion: 4.2,
  position: [220, 0],
  parameters: { url, options: {} },
  credentials: { httpBasicAuth: credential }
})

const calling = (id: string) => ({
  name: "Call",
  type: "n8n-nodes-base.executeWorkflow",
  typeVersion: 1.2,
  position: [220, 0],
  parameters: { workflowId: { __rl: true, mode: "list", value: id, cachedResultUrl: `/workflow/${id}` } }
})

const make = Effect.fnUntraced(function* (instance: string, name: string, body: Json = {}) {
  const { send } = yield* Beside
  const whole = { name, nodes: [hook(name)], connections: {}, settings: {}, ...body }
  const { id } = yield* send(instance, "POST", "/workflows", whole)
  return String(id)
})

const change = Effect.fnUntraced(function* (instance: string, id: string, body: Json) {
  const { send } = yield* Beside
  const { connections, name, nodes } = yield* send(instance, "GET", `/workflows/${id}`)
  yield* send(instance, "PUT", `/workflows/${id}`, { name, nodes, connections, settings: {}, ...body })
})

const credentialOn = Effect.fnUntraced(function* (instance: string, name: string) {
  const { send } = yield* Beside
  const { id } = yield* send(instance, "POST", "/credentials", { name, type: "httpBasicAuth", data: {} })
  return { id: String(id), name }
})

const plan = (more: Json = {}) => ask("plan_promotion", { from: "staging", to: "production", name: "*", ...more })
const apply = (planned: Json) => ask("apply_plan", { plan_id: planned["plan_id"], confirm: true })
const applied = Effect.fnUntraced(function* (more: Json = {}) {
  const planned = yield* plan(more)
  assert.deepInclude(planned, { blocked: [] })
  assert.deepInclude(yield* apply(planned), { state: "applied", refused: [] })
  return planned
})

const workflowNamed = Effect.fnUntraced(function* (name: string, instance = "production") {
  const { send } = yield* Beside
  const { data } = yield* send(instance, "GET", "/workflows?limit=250")
  const all: ReadonlyArray<Json> = Array.isArray(data) ? data : []
  const namesakes = all.filter((workflow) => workflow["name"] === name)
  assert.lengthOf(namesakes, 1, `workflows called ${name}`)
  return namesakes[0] ?? {}
})

const text = (value: unknown) => JSON.stringify(value)

const over = (given: Given = {}, versions: readonly [Version, Version] = ["1.82.3", "2.41.1"]) =>
  Effect.provide(twoEmbedded(versions, given))

const mapping = { from: "staging", to: "production" }

describe("credentials of a promotion", () => {
  it.live("that the target does not have block what needs them and what calls that, and are named", () =>
    Effect.gen(function* () {
      const login = yield* credentialOn("staging", "Login")
      const needy = yield* make("staging", "Needy", { nodes: [hook("needy"), fetching(login)] })
      yield* make("staging", "Caller", { nodes: [hook("caller"), calling(needy)] })
      yield* make("staging", "Free")
      const planned = yield* plan()
      assert.deepInclude(planned, { counts: { create: 1, update: 0, leave: 0, blocked: 2 }, steps: 1 })
      const words = text(planned["blocked"])
      assert.include(words, 'credential \\"Login\\" (httpBasicAuth) of node Fetch has no match on production')
      assert.include(words, "it calls Needy, which is blocked")
    }).pipe(over())
  )

  it.live("are known from the target's own workflows where its engine lists none", () =>
    Effect.gen(function* () {
      const login = yield* credentialOn("staging", "Login")
      const theirs = yield* credentialOn("production", "Login")
      yield* make("production", "Uses it", { nodes: [hook("uses"), fetching(theirs)] })
      yield* make("staging", "One", { nodes: [hook("one"), fetching(login)] })
      yield* applied()
      assert.nestedPropertyVal(yield* workflowNamed("One"), "nodes[1].credentials.httpBasicAuth.id", theirs.id)
    }).pipe(over({}, ["2.41.1", "1.82.3"]))
  )

  it.live("that are not there are found out when a workflow is changed, which stays as it was", () =>
    Effect.gen(function* () {
      const login = yield* credentialOn("staging", "Login")
      yield* make("staging", "One", { nodes: [hook("one"), fetching(login)] })
      yield* make("production", "One", { nodes: [hook("one")] })
      const before = yield* workflowNamed("One")
      const report = yield* apply(yield* plan())
      assert.deepInclude(report, { state: "refused", done: 0 })
      assert.include(text(report["refused"]), "production has no credential unlisted12345678 (httpBasicAuth)")
      assert.deepInclude(yield* workflowNamed("One"), { nodes: before["nodes"], settings: before["settings"] })
    }).pipe(
      over({ promotion: { mappings: [{ ...mapping, credentials: { "httpBasicAuth/Login": "unlisted12345678" } }] } }, [
        "2.41.1",
        "1.82.3"
      ])
    )
  )
})

describe("the mapping of one promotion", () => {
  it.live("names credentials that an engine does not list by their ids, which the plan says nobody has checked", () =>
    Effect.gen(function* () {
      const login = yield* credentialOn("staging", "Login")
      const theirs = yield* credentialOn("production", "Live")
      yield* make("staging", "One", { nodes: [hook("one"), fetching(login)] })
      const needy = yield* plan()
      assert.include(text(needy["blocked"]), "give its id in mapping.credentials")
      const byName = yield* plan({ mapping: { credentials: { Login: "Live" } } })
      assert.include(text(byName["blocked"]), "as far as its workflows show, and Live is not the id of one")
      const first = yield* applied({ mapping: { credentials: { Login: theirs.id } } })
      const doubt = `Nobody has checked that production has the credential ${theirs.id} (httpBasicAuth)`
      assert.include(text(first["warnings"]), doubt)
      assert.nestedPropertyVal(yield* workflowNamed("One"), "nodes[1].credentials.httpBasicAuth.id", theirs.id)
      const again = yield* plan({ mapping: { credentials: { [login.id]: theirs.id } } })
      assert.deepInclude(again, { steps: 0, blocked: [] })
      assert.notInclude(text(again["warnings"]), "Nobody has checked")
    }).pipe(over({}, ["2.41.1", "1.82.3"]))
  )

  it.live("goes before that of the configuration, and what it misspells is told", () =>
    Effect.gen(function* () {
      const { send } = yield* Beside
      const login = yield* credentialOn("staging", "Login")
      yield* credentialOn("production", "Old")
      const live = yield* credentialOn("production", "Live")
      const id = yield* make("staging", "One", {
        nodes: [hook("one"), fetching(login)],
        settings: { timezone: "UTC" }
      })
      const { id: tag } = yield* send("staging", "POST", "/tags", { name: "candidate" })
      yield* send("staging", "PUT", `/workflows/${id}/tags`, [{ id: tag }])
      const mapping = { credentials: { Login: "Live", Lgoin: "Old" }, tags: { candidate: "live" } }
      const planned = yield* applied({ mapping })
      assert.nestedPropertyVal(planned, "warnings[0]", "mapping.credentials: nothing of the source is called Lgoin")
      assert.deepNestedInclude(yield* workflowNamed("One"), {
        "nodes[1].credentials.httpBasicAuth": live,
        "tags[0].name": "live"
      })
      const wrong = yield* refused("plan_promotion", { ...mapping, from: "staging", to: "production", name: "*" })
      assert.include(wrong.message, "unknown argument")
      const inside = { from: "staging", to: "production", name: "*", mapping: { credential: {} } }
      assert.include((yield* refused("plan_promotion", inside)).message, "mapping")
      const strange = yield* plan({ mapping: { credentials: { Login: "Nobody" } } })
      assert.include(text(strange["blocked"]), 'nor is \\"Nobody\\", which the mapping names, one')
    }).pipe(over({ promotion: { mappings: [{ ...mapping, credentials: { Login: "Old" } }] } }))
  )
})

describe("what differs from place to place", () => {
  it.live("is kept by rules, replaced by mapped values, and told where there is nothing to keep", () =>
    Effect.gen(function* () {
      const login = yield* credentialOn("staging", "Login")
      const theirs = yield* credentialOn("production", "Login")
      const nodes = [hook("kept"), fetching(login)]
      yield* make("staging", "Kept", { nodes, settings: { timezone: "UTC" } })
      yield* make("production", "Kept", {
        nodes: [{ ...hook("kept"), webhookId: "own" }, fetching(theirs, "https://own.example.com")]
      })
      yield* make("staging", "New", {
        nodes: [{ ...hook("new"), parameters: { path: "https://test.example.com", options: {} } }, fetching(login)]
      })
      const planned = yield* applied()
      assert.include(
        text(planned["warnings"]),
        "New: nothing to keep on production for Fetch.parameters.url: as on staging"
      )
      assert.include(text(planned["warnings"]), "has the same name; what is there is overwritten")
      assert.deepNestedInclude(yield* workflowNamed("Kept"), {
        "nodes[0].webhookId": "own",
        "nodes[1].parameters.url": "https://own.example.com",
        settings: { timezone: "UTC" }
      })
      const fresh = yield* workflowNamed("New")
      assert.nestedPropertyVal(fresh, "nodes[0].parameters.path", "https://live.example.com")
    }).pipe(
      over({
        promotion: {
          mappings: [{ ...mapping, values: { "test.example": "live.example" } }],
          keep: [{ type: "httpRequest", fields: ["parameters.url"] }]
        }
      })
    )
  )

  it.live(
    "is not told of secrets by values that a promotion is given: a guess is answered the same, right or wrong",
    () =>
      Effect.gen(function* () {
        const login = yield* credentialOn("staging", "Login")
        yield* credentialOn("production", "Login")
        const fetch = fetching(login, "https://test.example.com/?api_key=sesame42")
        const secrets = { options: { password: "sesame42" }, note: "test.example of sesame-keys" }
        const node = { ...fetch, parameters: { ...fetch.parameters, ...secrets } }
        yield* make("staging", "Secret", { nodes: [hook("secret"), node] })
        yield* applied()
        const guessed = Effect.fnUntraced(function* (guess: string) {
          const { blocked, steps, unchanged, warnings } = yield* plan({ mapping: { values: { [guess]: "found" } } })
          return { blocked, steps, unchanged, warnings }
        })
        const wrong = yield* guessed("sesame43")
        assert.deepInclude(wrong, { steps: 0 })
        assert.include(text(wrong.warnings), "mapping.values: Masked values (secrets) are neither searched nor changed")
        assert.deepStrictEqual(yield* guessed("sesame42"), wrong)
        assert.deepStrictEqual(yield* guessed("sesame4"), wrong)

        const values = { "test.example": "given.example", "sesame-": "open-" }
        yield* applied({ mapping: { values, match: "part" } })
        assert.deepNestedInclude(yield* workflowNamed("Secret"), {
          "nodes[1].parameters.url": "https://given.example.com/?api_key=live42",
          "nodes[1].parameters.options.password": "live42",
          "nodes[1].parameters.note": "given.example of open-keys"
        })
      }).pipe(over({ promotion: { mappings: [{ ...mapping, values: { sesame4: "live4" } }] } }))
  )

  it.live(
    "is replaced as whole values by what a promotion is given, lists what is only alike, and keeps named fields",
    () =>
      Effect.gen(function* () {
        const body = { jsonBody: '{ "kind": "returns" }', note: "returns", options: {} }
        const fetch = { ...fetching({ id: "c", name: "Login" }), credentials: {}, parameters: body }
        yield* make("staging", "Returns", { nodes: [hook("test-path"), fetch] })
        yield* make("production", "Returns", { nodes: [hook("live-path"), { ...fetch, parameters: { note: "old" } }] })
        const wish = { mapping: { values: { returns: "refunds" } }, keep: [{ node: "Hook", field: "path" }] }
        const planned = yield* plan(wish)
        assert.include(text(planned["warnings"]), "only a part of the value is looked for")
        assert.include(text(planned["warnings"]), "(1). match")
        yield* apply(planned)
        assert.deepNestedInclude(yield* workflowNamed("Returns"), {
          "nodes[0].parameters.path": "live-path",
          "nodes[1].parameters.jsonBody": body.jsonBody,
          "nodes[1].parameters.note": "refunds"
        })
        yield* applied({ ...wish, mapping: { ...wish.mapping, match: "part" } })
        assert.deepNestedInclude(yield* workflowNamed("Returns"), {
          "nodes[1].parameters.jsonBody": '{ "kind": "refunds" }'
        })
      }).pipe(over({}))
  )

  it.live("leaves settings and fields of nodes that a promotion is told to keep, and the plan says so", () =>
    Effect.gen(function* () {
      const settings = (timezone: string, executionTimeout: number) => ({ settings: { timezone, executionTimeout } })
      yield* make("staging", "Returns", { nodes: [hook("test-path")], ...settings("UTC", 5) })
      yield* make("production", "Returns", { nodes: [hook("live-path")], ...settings("Europe/Berlin", 60) })
      const wish = { keep: [{ node: "Hook", field: "path" }, { field: "timezone" }] }
      const planned = yield* plan(wish)
      const names = "Hook.parameters.path, settings.timezone"
      assert.include(text(planned["warnings"]), `what is there is overwritten, but for ${names}`)
      assert.include(text(planned["first_steps"]), `differs from staging; keeps ${names}`)
      assert.notInclude(text((yield* plan())["first_steps"]), "keeps")
      yield* apply(planned)
      assert.deepNestedInclude(yield* workflowNamed("Returns"), {
        "nodes[0].parameters.path": "live-path",
        "settings.timezone": "Europe/Berlin",
        "settings.executionTimeout": 5
      })
      const again = yield* plan({ keep: [{ node: "Hook", field: "path" }, { field: "settings.timezone" }] })
      assert.deepInclude(again, { steps: 0 })
      assert.notInclude(text(again["warnings"]), "keep: ")
      const useless = [{ node: "Hok", field: "path" }, { node: "Hook", field: "pathh" }, { field: "timezon" }]
      const warnings = text((yield* plan({ keep: useless }))["warnings"])
      assert.include(warnings, 'keep: no node of what is promoted is called \\"Hok\\"')
      assert.include(warnings, 'keep: no node called \\"Hook\\" has parameters.pathh')
      assert.include(warnings, "keep: no workflow has settings.timezon")
      const wrong = { from: "staging", to: "production", name: "*", keep: [{ field: "parameters.path" }] }
      assert.include((yield* refused("plan_promotion", wrong)).message, "needs a node for parameters.path")
    }).pipe(over({}))
  )

  it.live("is a tag that two promotions bring: the second uses it, and leaves it where it is taken back", () =>
    Effect.gen(function* () {
      const { send } = yield* Beside
      const { id: tag } = yield* send("staging", "POST", "/tags", { name: "new" })
      for (const name of ["One", "Two"]) {
        const id = yield* make("staging", name)
        yield* send("staging", "PUT", `/workflows/${id}/tags`, [{ id: tag }])
      }
      const [one, two] = [yield* plan({ name: "One" }), yield* plan({ name: "Two" })]
      assert.deepInclude(yield* apply(one), { state: "applied", refused: [] })
      assert.deepInclude(yield* apply(two), { state: "applied", refused: [] })
      assert.nestedPropertyVal(yield* workflowNamed("Two"), "tags[0].name", "new")
      const back = yield* ask("plan_rollback", { plan_id: two["plan_id"] })
      assert.notInclude(text(back["by_kind"]), "delete-tag")
      assert.deepInclude(yield* apply(back), { state: "applied" })
      assert.nestedPropertyVal(yield* workflowNamed("One"), "tags[0].name", "new")
    }).pipe(over({}))
  )

  it.live("is named beforehand where an older engine does not take it", () =>
    Effect.gen(function* () {
      yield* make("staging", "Modern", { settings: { callerPolicy: "any", executionOrder: "v1" } })
      const planned = yield* applied()
      assert.deepStrictEqual(planned["warnings"], ["Modern: production does not take settings.callerPolicy"])
      assert.deepInclude(yield* workflowNamed("Modern"), { settings: { executionOrder: "v1" } })
      assert.deepInclude(yield* plan(), { steps: 0 })
    }).pipe(over({}, ["2.41.1", "1.82.3"]))
  )

  it.live("is named as unknown where nobody has told which node types the target has", () =>
    Effect.gen(function* () {
      yield* make("staging", "Ours", { nodes: [hook("ours"), { ...fetching({ id: "", name: "" }), credentials: {} }] })
      yield* make("production", "Theirs", { nodes: [hook("theirs")] })
      const planned = yield* plan()
      assert.include(
        text(planned["warnings"]),
        "Whether production has these node types in these versions is not known: httpRequest 4.2. This engine (2.41.1) does not"
      )
    }).pipe(over())
  )

  it.live("blocks what a stricter engine would refuse, before anything is sent", () =>
    Effect.gen(function* () {
      yield* make("staging", "Odd", { nodes: [hook("a"), hook("b")] })
      const planned = yield* plan()
      assert.deepInclude(planned, { steps: 0 })
      assert.include(text(planned["blocked"]), "production would refuse it: two nodes are called Hook")
    }).pipe(over())
  )
})

describe("what people have pinned to a workflow and said of it", () => {
  const pinData = { Hook: [{ json: { pinned: 1 } }] }
  const described = Effect.fnUntraced(function* (instance: string, id: string, description: string) {
    const { send } = yield* Beside
    const { connections, name, nodes, settings } = yield* send(instance, "GET", `/workflows/${id}`)
    yield* send(instance, "PUT", `/workflows/${id}`, { name, nodes, connections, settings, description, pinData })
  })

  const whole = Effect.fnUntraced(function* (name: string) {
    const { id } = yield* workflowNamed(name)
    return yield* (yield* Beside).send("production", "GET", `/workflows/${String(id)}`)
  })

  it.live("goes along, goes again where the source loses it, and comes back with a rollback", () =>
    Effect.gen(function* () {
      const id = yield* make("staging", "Ours")
      yield* described("staging", id, "What it is for")
      const first = yield* applied()
      assert.deepStrictEqual(first["warnings"], [])
      assert.deepInclude(yield* whole("Ours"), { pinData, description: "What it is for" })
      assert.propertyVal(yield* plan(), "steps", 0)

      const { send } = yield* Beside
      const { connections, name, nodes, settings } = yield* send("staging", "GET", `/workflows/${id}`)
      yield* send("staging", "PUT", `/workflows/${id}`, {
        name,
        nodes,
        connections,
        settings,
        description: "",
        pinData: {}
      })
      const second = yield* applied()
      assert.deepInclude(yield* whole("Ours"), { pinData: {}, description: "" })
      const back = yield* ask("plan_rollback", { plan_id: second["plan_id"] })
      yield* ask("apply_plan", { plan_id: back["plan_id"], confirm: true })
      assert.deepInclude(yield* whole("Ours"), { pinData, description: "What it is for" })
    }).pipe(over({}, ["2.41.1", "2.41.1"]))
  )

  it.live("of the target stays where the source has none", () =>
    Effect.gen(function* () {
      const counterpart = yield* make("production", "Ours")
      yield* described("production", counterpart, "Theirs")
      yield* make("staging", "Ours", { settings: { timezone: "UTC" } })
      yield* applied()
      assert.deepInclude(yield* whole("Ours"), { pinData, description: "Theirs" })
    }).pipe(over({}, ["2.41.1", "2.41.1"]))
  )

  it.live("stays behind where the target's API takes none, which is told", () =>
    Effect.gen(function* () {
      const id = yield* make("staging", "Ours")
      yield* described("staging", id, "What it is for")
      const planned = yield* applied()
      assert.include(text(planned["warnings"]), "Ours: its pinData on staging does not go along")
    }).pipe(over({}, ["2.41.1", "1.82.3"]))
  )
})

describe("the counterpart of a workflow", () => {
  it.live("is not guessed where several have its name, until a mapping names it", () =>
    Effect.gen(function* () {
      yield* make("staging", "Same", { settings: { timezone: "UTC" } })
      yield* make("production", "Same")
      yield* make("production", "Same")
      const planned = yield* plan()
      assert.deepInclude(planned, { steps: 0, blocked_count: 1 })
      assert.include(text(planned["blocked"]), "production has several workflows of this name")
    }).pipe(over())
  )

  it.live("is the one that the mapping names", () =>
    Effect.gen(function* () {
      yield* make("staging", "Here", { settings: { timezone: "UTC" } })
      const there = yield* make("production", "There")
      assert.deepInclude(yield* applied(), { counts: { create: 0, update: 1, leave: 0, blocked: 0 } })
      assert.deepInclude(yield* workflowNamed("Here"), { id: there, settings: { timezone: "UTC" } })
    }).pipe(over({ promotion: { mappings: [{ ...mapping, workflows: { Here: "There" } }] } }))
  )

  it.live(
    "is known by what an earlier promotion made, under whatever name, and its drift blocks unless told otherwise",
    () =>
      Effect.gen(function* () {
        const { send } = yield* Beside
        const id = yield* make("staging", "First", { settings: { timezone: "UTC" } })
        yield* applied()
        const { id: counterpart } = yield* workflowNamed("First")
        yield* change("production", String(counterpart), { name: "Renamed there", settings: { timezone: "UTC" } })
        yield* change("staging", id, { settings: { timezone: "Europe/Berlin" } })
        const blocked = yield* plan()
        assert.deepInclude(blocked, { steps: 0 })
        assert.include(text(blocked["blocked"]), "it was changed on production since the last promotion (name)")
        const over = yield* applied({ on_drift: "overwrite" })
        assert.include(
          text(over["first_steps"]),
          "what was changed on production since the last promotion is overwritten"
        )
        assert.deepInclude(yield* workflowNamed("First"), { id: counterpart, settings: { timezone: "Europe/Berlin" } })
        const back = yield* ask("plan_rollback", { plan_id: over["plan_id"] })
        assert.deepInclude(yield* apply(back), { state: "applied" })
        assert.deepInclude(yield* workflowNamed("Renamed there"), { id: counterpart, settings: { timezone: "UTC" } })
        yield* send("production", "DELETE", `/workflows/${String(counterpart)}`)
        const gone = yield* plan()
        assert.deepInclude(gone, { steps: 0, blocked_count: 1 })
        assert.include(text(gone["blocked"]), `somebody has deleted ${String(counterpart)} on production`)
        const anew = yield* plan({ on_drift: "overwrite" })
        assert.deepInclude(anew, { counts: { create: 1, update: 0, leave: 0, blocked: 0 } })
      }).pipe(over())
  )
})

describe("warnings", () => {
  it.live("say once what holds of several workflows, and name them all", () =>
    Effect.gen(function* () {
      for (const name of ["One", "Two", "Three"]) {
        yield* make("staging", name, { settings: { callerPolicy: "any" } })
      }
      assert.deepInclude(yield* plan(), {
        warnings: ["One, Three, Two: production does not take settings.callerPolicy"]
      })
    }).pipe(over({}, ["2.41.1", "1.82.3"]))
  )

  it.live("of a rollback name the settings that the engine does not lose", () =>
    Effect.gen(function* () {
      yield* make("staging", "Ours", { settings: { timezone: "UTC", saveManualExecutions: true } })
      yield* make("production", "Ours", { nodes: [hook("other")] })
      const planned = yield* applied()
      const back = yield* ask("plan_rollback", { plan_id: planned["plan_id"] })
      assert.deepInclude(back, {
        warnings: ["Ours keeps the settings saveManualExecutions: the engine of production cannot lose them"]
      })
      assert.deepInclude(yield* apply(back), { state: "applied" })
      assert.deepNestedInclude(yield* workflowNamed("Ours"), { "settings.saveManualExecutions": true })
    }).pipe(over({}, ["1.82.3", "2.41.1"]))
  )
})

describe("calls of other workflows", () => {
  for (const version of ["1.82.3", "2.41.1"] as const) {
    it.live(`tells error workflows and tags that are there by their names, on ${version}`, () =>
      Effect.gen(function* () {
        const { send } = yield* Beside
        const errors = yield* make("staging", "Errors")
        const alarm = yield* make("staging", "Alarm")
        const one = yield* make("staging", "One", { settings: { errorWorkflow: errors } })
        yield* applied({ activation: "inactive" })
        const { id } = yield* send("staging", "POST", "/tags", { name: "night" })
        yield* send("production", "POST", "/tags", { name: "night" })
        yield* send("staging", "PUT", `/workflows/${one}/tags`, [{ id }])
        yield* change("staging", one, { settings: { errorWorkflow: alarm } })
        const planned = yield* plan({ activation: "inactive", name: "One" })
        const [was, is] = [(yield* workflowNamed("Errors"))["id"], (yield* workflowNamed("Alarm"))["id"]]
        const firstSteps = text(planned["first_steps"])
        assert.include(firstSteps, `errorWorkflow \\"Errors (${String(was)})\\" → \\"Alarm (${String(is)})\\"`)
        assert.include(firstSteps, '"after":{"name":"One","tags":["night"]}')
      }).pipe(over({}, ["1.82.3", version]))
    )

    it.live(`lead to those of the target also around circles and to themselves, on ${version}`, () =>
      Effect.gen(function* () {
        const one = yield* make("staging", "One")
        const two = yield* make("staging", "Two", { nodes: [hook("two"), calling(one)] })
        yield* change("staging", one, { nodes: [hook("one"), calling(two)], settings: { errorWorkflow: one } })
        const planned = yield* applied({ activation: "inactive", name: "One" })
        assert.deepNestedInclude(planned, { "by_kind.create": 2 })
        const [first, second] = [yield* workflowNamed("One"), yield* workflowNamed("Two")]
        assert.nestedPropertyVal(first, "nodes[1].parameters.workflowId.value", second["id"])
        assert.nestedPropertyVal(
          first,
          "nodes[1].parameters.workflowId.cachedResultUrl",
          `/workflow/${String(second["id"])}`
        )
        assert.nestedPropertyVal(first, "settings.errorWorkflow", first["id"])
        assert.nestedPropertyVal(second, "nodes[1].parameters.workflowId.value", first["id"])
        assert.deepInclude(yield* plan({ activation: "inactive" }), { steps: 0 })
        const back = yield* ask("plan_rollback", { plan_id: planned["plan_id"] })
        assert.deepInclude(yield* apply(back), { state: "applied" })
        const { send } = yield* Beside
        assert.deepStrictEqual((yield* send("production", "GET", "/workflows"))["data"], [])
      }).pipe(over({}, ["1.82.3", version]))
    )
  }

  it.live("come along where the target lacks them, are matched where it has them, and are switched on first", () =>
    Effect.gen(function* () {
      const { send } = yield* Beside
      const start = {
        name: "In",
        type: "n8n-nodes-base.executeWorkflowTrigger",
        typeVersion: 1,
        position: [0, 0],
        parameters: {}
      }
      const counterpart = yield* make("staging", "Known", { nodes: [start], settings: { timezone: "UTC" } })
      const there = yield* make("production", "Known", { nodes: [start] })
      const lacking = yield* make("staging", "Lacking", { nodes: [start, calling(counterpart)] })
      const main = yield* make("staging", "Main", { nodes: [hook("main"), calling(lacking)] })
      yield* send("staging", "POST", `/workflows/${main}/activate`, {})
      yield* send("production", "POST", `/workflows/${there}/activate`, {})
      const planned = yield* applied({ name: "Main" })
      assert.deepInclude(planned, { by_kind: { create: 2, active: 2 } })
      const words = text(planned["first_steps"])
      assert.include(words, "not on production yet, and Main calls it")
      assert.include(words, "Main is active and calls it, and production runs only what is published")
      const [called, caller] = [yield* workflowNamed("Lacking"), yield* workflowNamed("Main")]
      assert.deepInclude(called, { active: true })
      assert.deepInclude(caller, { active: true })
      assert.nestedPropertyVal(called, "nodes[1].parameters.workflowId.value", there)
      assert.deepInclude(yield* workflowNamed("Known"), { settings: {} })
      yield* applied({ name: "Main", dependencies: "all" })
      assert.deepInclude(yield* workflowNamed("Known"), { settings: { timezone: "UTC" } })
    }).pipe(over())
  )
})

describe("an apply", () => {
  it.live("leaves alone what somebody changes after the plan was made, and tells it", () =>
    Effect.gen(function* () {
      yield* make("staging", "Shared", { settings: { timezone: "UTC" } })
      yield* make("staging", "New")
      const there = yield* make("production", "Shared")
      const planned = yield* plan()
      yield* change("production", there, { settings: { timezone: "Asia/Tokyo" }, nodes: [hook("elsewhere")] })
      yield* make("production", "New", { nodes: [hook("theirs")] })
      const report = yield* apply(planned)
      assert.deepInclude(report, { state: "refused", done: 0, refused_count: 2 })
      assert.include(text(report["refused"]), "someone else has changed it since, and it stays as it is (nodes")
      assert.include(text(report["refused"]), "there is a new workflow of this name by now: plan again")
      assert.deepInclude(yield* workflowNamed("Shared"), { settings: { timezone: "Asia/Tokyo" } })
      assert.nestedPropertyVal(yield* workflowNamed("New"), "nodes[0].parameters.path", "theirs")
    }).pipe(over())
  )

  it.live("neither tags nor switches on what somebody has changed meanwhile, until that is planned anew", () =>
    Effect.gen(function* () {
      const { send } = yield* Beside
      const here = yield* make("staging", "Tagged", { nodes: [hook("new")] })
      const { id: tag } = yield* send("staging", "POST", "/tags", { name: "release" })
      yield* send("staging", "PUT", `/workflows/${here}/tags`, [{ id: tag }])
      yield* send("staging", "POST", `/workflows/${here}/activate`, {})
      const there = yield* make("production", "Tagged", { nodes: [hook("old")] })
      const planned = yield* plan({ activation: "activate" })
      assert.deepInclude(planned, { by_kind: { update: 1, "create-tag": 1, tags: 1, active: 1 } })
      yield* change("production", there, { nodes: [hook("elsewhere")] })
      const report = yield* apply(planned)
      assert.deepInclude(report, { state: "partly applied", done: 1, refused_count: 3 })
      assert.include(text(report["refused"]), `the change that it depends on was not made (update production/${there})`)
      assert.deepInclude(yield* workflowNamed("Tagged"), { active: false, tags: [] })
    }).pipe(over())
  )

  it.live("finds what it has made where the answer was lost, and makes nothing twice", () =>
    Effect.gen(function* () {
      const { meddle } = yield* Beside
      yield* make("staging", "Lost")
      yield* make("staging", "Next")
      const planned = yield* plan()
      let posts = 0
      yield* meddle((request, proceed) => {
        const isCreation = request.method === "POST" && request.url.endsWith("/workflows")
        const failure = new HttpClientError.HttpClientError({
          reason: new HttpClientError.TransportError({ request, cause: new Error("socket hang up") })
        })
        return isCreation && ++posts === 1 ? Effect.andThen(proceed, Effect.fail(failure)) : proceed
      })
      assert.deepInclude(yield* apply(planned), { state: "applied", refused: [] })
      yield* workflowNamed("Lost")
      yield* workflowNamed("Next")
      assert.strictEqual(posts, 2)
    }).pipe(over())
  )

  it.live("puts back what an engine saves although it refuses to run it", () =>
    Effect.gen(function* () {
      const { send } = yield* Beside
      yield* make("staging", "Runs", {
        nodes: [hook("runs"), { ...hook("x"), name: "Odd", type: "n8n-nodes-base.doesNotExist" }]
      })
      const there = yield* make("production", "Runs", { nodes: [hook("runs")] })
      yield* send("production", "POST", `/workflows/${there}/activate`, {})
      const before = yield* workflowNamed("Runs")
      const report = yield* apply(yield* plan())
      assert.deepInclude(report, { state: "refused", done: 0 })
      assert.include(text(report["refused"]), "Unrecognized node type")
      const after = yield* workflowNamed("Runs")
      for (const field of ["nodes", "connections", "settings", "active"]) {
        assert.deepStrictEqual(after[field], before[field])
      }
    }).pipe(over())
  )
})

describe("plan_promotion", () => {
  it.live("refuses what names no workflow, the same instance twice, and a target that is read-only", () =>
    Effect.gen(function* () {
      yield* make("staging", "One")
      const ask = { from: "staging", to: "production" }
      assert.include((yield* refused("plan_promotion", ask)).message, "must hold ids, tag or name")
      assert.include((yield* refused("plan_promotion", { ...ask, ids: [] })).message, "Invalid ids: fits no workflow")
      assert.include((yield* refused("plan_promotion", { ...ask, tag: "none" })).message, "fits no workflow on staging")
      assert.include(
        (yield* refused("plan_promotion", { ...ask, to: "staging", name: "*" })).message,
        "another instance"
      )
      assert.include(
        (yield* refused("plan_promotion", { ...ask, to: "moon", name: "*" })).message,
        "Instance moon not found"
      )
      const back = yield* refused("plan_promotion", { from: "production", to: "staging", name: "*" })
      assert.include(back.message, "Instance staging is read-only")
    }).pipe(over({ instances: { staging: { readOnly: true } } }))
  )
})
