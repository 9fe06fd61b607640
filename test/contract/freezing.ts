import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Schema } from "effect"
import { HttpClientResponse } from "effect/http"

import type { Instances } from "../../src/engine/client/Instances.ts"
import { objectsOf } from "../../src/internal/schema/JsonObject.ts"
import type { Sessions } from "../../src/mcp/protocol/Session.ts"
import { folder, git } from "../engine/history/support.ts"
import { Beside, type Given } from "../engine/plans/support.ts"
import { ask, type Json, refused } from "../support/harness.ts"
import { eventually, node } from "./fixtures.ts"
import { scene } from "./twoEngines.ts"

const readJson = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

const types = ["n8n-nodes-base.function", "n8n-nodes-base.functionItem"]

const refusal = (verb: string, { name, type }: Json) =>
  `Cannot ${verb} a "${String(type)}" node ("${String(name)}"): this node type is deprecated. Use another one.`

/**
 * Lets the engine at a place be one that has frozen Function and Function Item: it says so, and refuses what is new or changed.
 * Answers the methods of what it has refused.
 */
const frozen = Effect.fnUntraced(function* (host: string) {
  const { meddle, send } = yield* Beside
  const refusedMethods: Array<string> = []
  const release = btoa(JSON.stringify({ release: "n8n@2.42.6" }))
  yield* meddle((request, proceed) => {
    const url = new URL(request.url)
    if (url.origin !== new URL(host).origin) return proceed
    const answer = (response: Response) => Effect.succeed(HttpClientResponse.fromWeb(request, response))
    if (url.pathname === "/") return answer(new Response(`<meta name="n8n:config:sentry" content="${release}">`))
    const path = /^\/api\/v1(\/workflows(?:\/[^/]+)?)$/.exec(url.pathname)?.[1]
    if (path === undefined || request.body._tag !== "Uint8Array" || !["POST", "PUT"].includes(request.method)) {
      return proceed
    }
    const nodes = objectsOf(readJson(new TextDecoder().decode(request.body.body))["nodes"])
    return Effect.gen(function* () {
      const present = request.method === "POST" ? [] : objectsOf((yield* send("production", "GET", path))["nodes"])
      const bad = nodes.find(
        (one) =>
          types.includes(String(one["type"])) &&
          !present.some(
            ({ id, parameters, type }) =>
              id === one["id"] &&
              type === one["type"] &&
              JSON.stringify(parameters) === JSON.stringify(one["parameters"])
          )
      )
      if (bad === undefined) return yield* proceed
      refusedMethods.push(request.method)
      const verb = present.some(({ id }) => id === bad["id"]) ? "modify" : "use"
      return yield* answer(Response.json({ message: refusal(verb, bad) }, { status: 400 }))
    })
  })
  return refusedMethods
})

const clean = {
  ...node("function", "Clean", { functionCode: "return { name: $json.query.name }" }),
  id: "id-of-Clean",
  type: "n8n-nodes-base.function"
}
const keep = {
  ...node("set", "Keep", {
    assignments: { assignments: [{ id: "a", name: "kept", type: "string", value: "={{ $json.name }}" }] },
    options: {}
  }),
  id: "id-of-Keep",
  type: "n8n-nodes-base.set"
}

const test = (id: string) =>
  JSON.stringify({
    testFormat: 1,
    name: "orders",
    workflow: { id },
    trigger: { node: "Hook", items: [{ query: { name: "a" } }] },
    expect: { Keep: { exact: [{ kept: "a" }] } }
  })

const said = (tool: string, args: Json) => Effect.map(refused(tool, args), ({ message }) => message)

/** Two engines behind one server, of which `production` is one of generation 2. */
export interface Freezing {
  /** The address of `production`. */
  readonly host: string
  /** With the history in a folder, where one is given. */
  readonly layerOf: (given: Given, directory?: string) => Layer.Layer<Beside | Instances | Sessions>
}

/** Tests on an engine that has frozen node types, embedded or real, of which every tool knows before anything is sent. */
export const freezingSuite = (title: string, { host, layerOf }: Freezing) => {
  const frozenScene = Effect.gen(function* () {
    const stage = yield* scene
    const { send, trigger } = yield* Beside
    const { activate, hook, make, prefix } = stage
    const webhook = (path: string) => ({
      ...hook(path),
      id: "id-of-Hook",
      parameters: { path: `${prefix}-${path}`, httpMethod: "POST", responseMode: "lastNode", options: {} }
    })
    const to = (name: string) => ({ main: [[{ node: name, type: "main", index: 0 }]] })
    const orders = (path: string) => ({
      nodes: [webhook(path), clean, keep],
      connections: { Hook: to("Clean"), Clean: to("Keep") },
      settings: { executionOrder: "v1" }
    })
    return {
      ...stage,
      webhook,
      orders,
      unfrozen: (path: string) => ({
        ...orders(path),
        nodes: [webhook(path), keep],
        connections: { Hook: to("Keep") }
      }),
      /** Makes a workflow, runs it for each name, and waits until its runs are kept. */
      ran: Effect.fnUntraced(function* (instance: string, name: string, path: string, names: ReadonlyArray<string>) {
        const id = yield* make(instance, name, orders(path))
        yield* activate(instance, id)
        for (const one of names) assert.strictEqual(yield* trigger(instance, `${prefix}-${path}?name=${one}`), 200)
        yield* eventually(
          send(instance, "GET", `/executions?workflowId=${id}&status=success`),
          ({ data }) => objectsOf(data).length === names.length
        )
        return id
      }),
      upgrade: { instances: "production", where: { name: `${prefix}*` } }
    }
  })
  const workflowOf = (id: string) => Effect.flatMap(Beside, ({ send }) => send("production", "GET", `/workflows/${id}`))
  const over = (given: Given = {}) => Effect.provide(layerOf(given))

  describe(`An engine that has frozen node types, ${title}`, () => {
    it.live("gets nothing that it would refuse, and what would be sent to it is named with the way out", () =>
      Effect.gen(function* () {
        const { apply, orders, prefix, ran, unfrozen, upgrade } = yield* frozenScene
        const id = yield* ran("production", "Orders", "orders", ["a", "b"])
        const refusedMethods = yield* frozen(host)
        const on = { instance: "production", id }
        const other = { op: "set", node: "Clean", path: "parameters.functionCode", value: "return items" }
        for (const [tool, args] of [
          ["create_workflow", { instance: "production", name: `${prefix} New`, ...orders("new") }],
          ["edit_workflow", { ...on, operations: [], copy_as: `${prefix} Copy` }],
          ["edit_workflow", { ...on, operations: [other] }],
          ["run_workflow", on]
        ] as const) {
          const message = yield* said(tool, args)
          assert.match(
            message,
            /production \(2\.42\.6\) lets nobody create or change nodes of this deprecated type: "Clean"/
          )
          assert.match(message, /plan_upgrade rewrites them/)
        }
        const tested = JSON.stringify(yield* ask("run_tests", { ...on, test: test(id) }))
        assert.match(tested, /lets nobody create or change nodes of this deprecated type/)
        const bulk = yield* ask("plan_bulk", {
          instance: "production",
          where: { ids: [id] },
          action: "replace_text",
          match: "part",
          find: "$json.query",
          value: "$json.body"
        })
        assert.include(bulk, { steps: 0, blocked_count: 1 })
        assert.match(JSON.stringify(bulk["blocked"]), /these deprecated nodes: Clean\. plan_upgrade/)
        assert.deepStrictEqual(refusedMethods, [])
        const plan = yield* ask("plan_upgrade", upgrade)
        assert.deepInclude(plan, { steps: 1, verdicts: { proved: 1 } }, JSON.stringify(plan))
        assert.deepInclude(yield* apply(plan), { state: "applied" })
        yield* ask("create_workflow", { instance: "production", name: `${prefix} New`, ...unfrozen("new") })
        yield* ask("edit_workflow", { ...on, operations: [], copy_as: `${prefix} Copy` })
        assert.include(yield* ask("run_workflow", { ...on, items: [{ query: { name: "c" } }] }), { ran: true })
        assert.match(JSON.stringify(yield* ask("run_tests", { ...on, test: test(id) })), /"passed":1|1 passed/)
        assert.deepStrictEqual(refusedMethods, [])
      }).pipe(Effect.scoped, over())
    )

    it.live("blocks the workflow of a promotion that it would refuse, or gets it rewritten on the way", () =>
      Effect.gen(function* () {
        const { activate, apply, listed, make, orders, plan, prefix, unfrozen } = yield* frozenScene
        const { send, trigger } = yield* Beside
        const refusedMethods = yield* frozen(host)
        const id = yield* make("staging", "Orders", orders("orders"))
        yield* make("staging", "Other", unfrozen("other"))
        const all = { activation: "inactive" }
        const first = yield* plan(all)
        assert.deepInclude(first, { counts: { create: 1, update: 0, leave: 0, blocked: 1 } })
        assert.match(JSON.stringify(first["blocked"]), /deprecated nodes: Clean\. rewrite: true rewrites them/)
        const unproved = yield* plan({ ...all, rewrite: true })
        assert.match(JSON.stringify(unproved["blocked"]), /its rewrite is not proved/)
        yield* activate("staging", id)
        assert.strictEqual(yield* trigger("staging", `${prefix}-orders?name=a`), 200)
        yield* eventually(
          send("staging", "GET", `/executions?workflowId=${id}&status=success`),
          ({ data }) => objectsOf(data).length === 1
        )
        const rewriting = yield* plan({ ...all, rewrite: true })
        assert.deepInclude(rewriting, { counts: { create: 2, update: 0, leave: 0, blocked: 0 } })
        assert.deepInclude(yield* apply(rewriting), { state: "applied" })
        const there = JSON.stringify(yield* listed("production", "workflows"))
        assert.include(there, '"jsCode":"return { name: $json.query.name }"')
        assert.deepStrictEqual(refusedMethods, [])
        assert.include(JSON.stringify(yield* send("staging", "GET", `/workflows/${id}`)), "functionCode")
        assert.deepInclude(yield* plan(all), { steps: 0 })
      }).pipe(Effect.scoped, over())
    )

    it.live("gets back no frozen node that a restore would make or change, and all else of it", () =>
      Effect.gen(function* () {
        const directory = yield* folder
        yield* Effect.gen(function* () {
          const { apply, make, orders, prefix, remove, upgrade, webhook } = yield* frozenScene
          const { send } = yield* Beside
          const on = { instance: "production" }
          const saved = (id: string, nodes: ReadonlyArray<Json>) =>
            Effect.flatMap(workflowOf(id), ({ connections, name }) =>
              send("production", "PUT", `/workflows/${id}`, { name, nodes, connections, settings: {} })
            )
          const other = { ...clean, parameters: { functionCode: "return items" } }
          const changed = yield* make("production", "Changed", orders("changed"))
          const beside = yield* make("production", "Changed beside", orders("beside"))
          const gone = yield* make("production", "Gone", orders("gone"))
          const untouched = yield* workflowOf(beside)
          yield* ask("backup", { instances: ["production"] })
          const version = git(directory, "rev-parse", "--short=12", "HEAD").trim()
          yield* saved(changed, [webhook("changed"), other, keep])
          yield* saved(beside, [webhook("beside"), clean, { ...keep, notes: "new" }])
          yield* remove("production", gone)
          const refusedMethods = yield* frozen(host)
          for (const id of [changed, gone]) {
            const message = yield* said("restore_workflow", { ...on, id, version })
            assert.match(message, /lets nobody create or change nodes of this deprecated type: "Clean"/)
            assert.match(message, /plan_upgrade rewrites them/)
          }
          const plan = yield* ask("plan_restore", { ...on, version })
          assert.include(plan, { steps: 1, blocked_count: 2 })
          assert.match(JSON.stringify(plan["blocked"]), /these deprecated nodes: Clean\. plan_upgrade/)
          assert.deepInclude(yield* apply(plan), { state: "applied" })
          assert.deepStrictEqual((yield* workflowOf(beside))["nodes"], untouched["nodes"])

          const accept = [`${prefix} Changed`, `${prefix} Changed beside`]
          assert.deepInclude(yield* apply(yield* ask("plan_upgrade", { ...upgrade, accept })), { state: "applied" })
          yield* ask("backup", { instances: ["production"] })
          const rewritten = yield* workflowOf(changed)
          yield* ask("delete_workflow", { ...on, id: changed })
          const { id } = yield* ask("restore_workflow", { ...on, id: changed })
          assert.deepStrictEqual((yield* workflowOf(String(id)))["nodes"], rewritten["nodes"])
          assert.deepStrictEqual(refusedMethods, [])
        }).pipe(Effect.scoped, Effect.provide(layerOf({}, directory)))
      }).pipe(Effect.scoped)
    )

    it.live("is understood where its version tells nothing, and believed where it is set to take such nodes", () =>
      Effect.gen(function* () {
        const { orders, prefix } = yield* frozenScene
        const refusedMethods = yield* frozen(host)
        assert.match(
          yield* said("create_workflow", { instance: "production", name: `${prefix} New`, ...orders("new") }),
          /Cannot use a ".*" node \("Clean"\): this node type is deprecated.*plan_upgrade rewrites them/
        )
        assert.deepStrictEqual(refusedMethods, ["POST"])
      }).pipe(Effect.scoped, over({ instances: { production: { allowsDeprecatedNodes: true } } }))
    )
  })
}
