import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { HttpClientResponse } from "effect/http"

import { objectsOf } from "../../../src/internal/schema/JsonObject.ts"
import { freezingSuite } from "../../contract/freezing.ts"
import { ask, type Json, refused } from "../../support/harness.ts"
import { historyIn } from "../history/support.ts"
import { Beside, type Given, mutateCopies, twoEmbedded } from "./support.ts"

const node = (kind: string, name: string, parameters: Json = {}, beside: Json = {}) => ({
  id: `id-of-${name}`,
  name,
  type: `n8n-nodes-base.${kind}`,
  typeVersion: kind === "set" ? 3.4 : kind === "webhook" ? 2 : 1,
  position: [0, 0],
  parameters,
  ...beside
})

/** Nodes that lead to each other, one after the other. */
const chain = (name: string, nodes: ReadonlyArray<ReturnType<typeof node>>, settings: Json = {}) => ({
  name,
  nodes,
  connections: Object.fromEntries(
    nodes.slice(1).map((one, index) => [nodes[index]?.name, { main: [[{ node: one.name, type: "main", index: 0 }]] }])
  ),
  settings
})

const webhook = (path: string) =>
  node("webhook", "Orders", { path, httpMethod: "POST", options: {} }, { webhookId: path })

const keep = node("set", "Keep", {
  assignments: { assignments: [{ id: "a", name: "kept", type: "string", value: "={{ $json.name }}" }] },
  options: {}
})

/** Makes a workflow on `production`, runs it by its webhook for each query, and answers its id. */
const made = Effect.fnUntraced(function* (workflow: Json, path?: string, queries: ReadonlyArray<string> = []) {
  const { send, trigger } = yield* Beside
  const { id } = yield* send("production", "POST", "/workflows", workflow)
  if (path !== undefined) {
    yield* send("production", "POST", `/workflows/${String(id)}/activate`)
    for (const query of queries) yield* trigger("production", `${path}?${query}`)
  }
  return String(id)
})

const workflowOf = (id: string) => Effect.flatMap(Beside, ({ send }) => send("production", "GET", `/workflows/${id}`))

const instances = { instances: "production" }

/** Mutated rewrites that are tried; `MUTANTS=200` tries as many as people asked for. */
const mutated = Number(process.env["MUTANTS"] ?? 20)

const readJson = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

const each = (test: (version: "1.82.3" | "2.41.1") => void) => {
  test("1.82.3")
  test("2.41.1")
}

const engine = (version: "1.82.3" | "2.41.1", given: Given = {}) => twoEmbedded(["2.41.1", version], given)

describe("plan_upgrade", () => {
  each((version) => {
    it.live(`rewrites a Function that recorded runs prove, keeps what belongs to it, and rolls back (${version})`, () =>
      Effect.gen(function* () {
        const old = node(
          "function",
          "Clean",
          { functionCode: "return { name: $json.query.name, size: items.length }" },
          { notes: "why", retryOnFail: true, position: [440, 20] }
        )
        const id = yield* made(chain("Orders", [webhook("orders"), old, keep]), "orders", ["name=a", "name=b"])
        const before = yield* workflowOf(id)
        const plan = yield* ask("plan_upgrade", instances)
        assert.deepInclude(plan, { steps: 1, kind: "upgrade", verdicts: { proved: 1 }, blocked_count: 0 })
        assert.match(JSON.stringify(plan["workflows"]), /proved by 2 runs with 2 items on production/)
        assert.isBelow(JSON.stringify(plan).length, 6500)
        assert.deepInclude(yield* ask("apply_plan", { plan_id: plan["plan_id"], confirm: true }), { state: "applied" })
        const after = yield* workflowOf(id)
        assert.deepInclude(after["nodes"], {
          ...old,
          type: "n8n-nodes-base.code",
          typeVersion: 2,
          parameters: { mode: "runOnceForAllItems", jsCode: old.parameters["functionCode"] }
        })
        assert.deepStrictEqual(after["connections"], before["connections"])
        assert.include(yield* ask("plan_upgrade", instances), { steps: 0 })
        const { send } = yield* Beside
        assert.notInclude(JSON.stringify(yield* send("production", "GET", "/workflows")), "Temporary run of")
        const back = yield* ask("plan_rollback", { plan_id: plan["plan_id"] })
        yield* ask("apply_plan", { plan_id: back["plan_id"], confirm: true })
        assert.deepStrictEqual((yield* workflowOf(id))["nodes"], before["nodes"])
      }).pipe(Effect.provide(engine(version)))
    )
  })

  it.live("needs the names of workflows that no run can prove, and says of each rewrite why it is not made", () =>
    Effect.gen(function* () {
      const clock = node("cron", "Clock", { triggerTimes: { item: [{ mode: "everyX", value: 7, unit: "minutes" }] } })
      const timed = yield* made(chain("Timed", [clock, keep]))
      const unseen = yield* made(
        chain("Unseen", [webhook("unseen"), node("function", "New", { functionCode: "return items" }), keep])
      )
      const unlike = yield* made(
        chain("Unlike", [
          webhook("unlike"),
          node("function", "Late", { functionCode: "return [{ json: { at: $now } }]" })
        ])
      )
      const code = "// process.env\nconst at = 1\nreturn [{ json: { key: process.env.KEY } }]"
      yield* made(
        chain("Odd", [
          webhook("odd"),
          node("function", "Reads", { functionCode: code }),
          node("interval", "Often", { interval: 90, unit: "seconds" })
        ])
      )
      const plan = yield* ask("plan_upgrade", instances)
      assert.deepInclude(plan, {
        steps: 1,
        verdicts: { proved: 1, "equal by rule": 1, unproved: 1 }
      })
      const blocked = JSON.stringify(plan["blocked"])
      assert.include(blocked, `Unseen (${unseen})`)
      assert.include(blocked, "equal by rule: no recorded run shows New at work. Accept it by name")
      assert.include(blocked, "unproved: no recorded run shows Late at work; it uses $now. Accept it by name")
      assert.include(blocked, "node Reads")
      assert.include(blocked, "U3-function: reads the environment by `process`, which a Code node has not (line 3)")
      assert.include(blocked, String.raw`every 90 \"seconds\" is a rhythm that no schedule by the clock keeps`)
      assert.match(JSON.stringify(plan["workflows"]), /"proved \(Clock: the same next 100 times\)"/)
      const { send } = yield* Beside
      const staged = chain("Unseen", [webhook("unseen"), node("function", "New", { functionCode: "return items" })])
      const { id: other } = yield* send("staging", "POST", "/workflows", staged)
      const fleet = yield* ask("plan_upgrade", { instances: "*", where: { name: "Unseen" } })
      const places = JSON.stringify(fleet["blocked"])
      assert.include(places, `Unseen (${unseen}) on production"`)
      assert.include(places, `Unseen (${String(other)}) on staging"`)
      assert.include(
        JSON.stringify(fleet["workflows"]),
        '"on staging: equal by rule: no recorded run shows New at work'
      )
      const all = yield* ask("plan_upgrade", { ...instances, accept: ["Unseen", unlike] })
      assert.include(all, { steps: 3 })
      yield* ask("apply_plan", { plan_id: all["plan_id"], confirm: true })
      const { connections, nodes } = yield* workflowOf(timed)
      assert.deepInclude(nodes, {
        ...clock,
        name: "Clock (schedule)",
        type: "n8n-nodes-base.scheduleTrigger",
        typeVersion: 1.2,
        parameters: { rule: { interval: [{ field: "cronExpression", expression: "*/7 * * * *" }] } }
      })
      const to = (name: string) => ({ main: [[{ node: name, type: "main", index: 0 }]] })
      assert.deepStrictEqual(connections, { Clock: to("Keep"), "Clock (schedule)": to("Clock") })
      assert.include(yield* ask("plan_upgrade", instances), { steps: 0 })
      assert.match(
        (yield* refused("plan_upgrade", { ...instances, accept: ["nobody"] })).message,
        /no workflow "nobody" is to be rewritten/
      )
      assert.match(
        (yield* refused("plan_upgrade", { ...instances, rules: ["U2-env"] })).message,
        /U2-env has no rewrite/
      )
    }).pipe(Effect.provide(engine("1.82.3")))
  )

  it.live("is proved on the instance that has the target version as well, which gets no secret", () =>
    Effect.gen(function* () {
      const { meddle, send, trigger } = yield* Beside
      const secret = "sk-proj-0123456789abcdefghijklmnopqrstuv"
      const old = node("function", "Clean", {
        functionCode:
          "return { name: $json.query.name, key: $json.query.token, long: $json.query.token.length, size: items.length }"
      })
      const id = yield* made(chain("Orders", [webhook("orders"), old, keep]), "orders", [`name=a&token=${secret}`])
      const newest = btoa(JSON.stringify({ release: "n8n@3.0.0" }))
      const bodies: Array<string> = []
      let change = (text: string) => text
      yield* meddle((request, proceed) => {
        const { pathname, port } = new URL(request.url)
        if (port !== "5001") return proceed
        const answer = (response: Response) => HttpClientResponse.fromWeb(request, response)
        if (pathname === "/") {
          return Effect.succeed(answer(new Response(`<meta name="n8n:config:sentry" content="${newest}">`)))
        }
        if (request.method !== "POST" || request.body._tag !== "Uint8Array") return proceed
        const text = new TextDecoder().decode(request.body.body)
        bodies.push(text)
        const body = readJson(change(text))
        return pathname === "/api/v1/workflows"
          ? Effect.map(send("staging", "POST", "/workflows", body), (copy) => answer(Response.json(copy)))
          : proceed
      })
      const plan = yield* ask("plan_upgrade", instances)
      assert.deepInclude(plan, { steps: 1, verdicts: { proved: 1 } }, JSON.stringify(plan))
      assert.match(JSON.stringify(plan["workflows"]), /proved by 1 run with 1 item on production and staging/)
      assert.include(JSON.stringify(plan["workflows"]), "of which the same was made on production")
      assert.include(bodies.join(), "Temporary run of Orders")
      assert.notInclude(bodies.join(), secret)
      change = (text) => text.replace("size: items.length", "size: 7")
      yield* trigger("production", "orders?name=b&token=none")
      const other = yield* ask("plan_upgrade", { ...instances, accept: ["Orders"] })
      assert.deepInclude(other, { steps: 0, verdicts: { different: 1 } })
      assert.match(JSON.stringify(other["blocked"]), /different on staging: Clean, item 1, size: expected 1, got 7/)
      const left = JSON.stringify([yield* send("staging", "GET", "/workflows"), yield* workflowOf(id)])
      assert.notInclude(left, "Temporary run of")
      change = (text) => text
      const { connections, name, nodes } = yield* workflowOf(id)
      const settings = { executionOrder: "v1" }
      yield* send("production", "PUT", `/workflows/${id}`, { name, nodes, connections, settings })
      const anew = yield* ask("plan_upgrade", instances)
      assert.deepInclude(anew, { verdicts: { proved: 1 } }, "proved anew, as settings may change what a run gives")
    }).pipe(Effect.provide(engine("1.82.3")))
  )

  it.live("proves nothing of a node that acts outside, which is not run", () =>
    Effect.gen(function* () {
      const old = node("function", "Asks", { functionCode: 'return { name: true ? "a" : helpers }' })
      yield* made(chain("Outside", [webhook("outside"), old, keep]), "outside", ["name=a"])
      const plan = yield* ask("plan_upgrade", instances)
      assert.deepInclude(plan, { steps: 0, verdicts: { "equal by rule": 1 } })
      assert.match(JSON.stringify(plan["blocked"]), /equal by rule: run \d+: Asks would act outside/)
    }).pipe(Effect.provide(engine("1.82.3")))
  )

  it.live("proves nothing of a node past which items went, as it is disabled", () =>
    Effect.gen(function* () {
      const off = (name: string) => node("function", name, { functionCode: "return items" }, { disabled: true })
      yield* made(chain("Off", [webhook("off"), off("Off"), keep]), "off", ["name=a"])
      const id = yield* made(chain("Once off", [webhook("once"), off("Once"), keep]), "once", ["name=a"])
      const { connections, name, nodes, settings } = yield* workflowOf(id)
      const enabled = objectsOf(nodes).map((one) => ({ ...one, disabled: false }))
      yield* (yield* Beside).send("production", "PUT", `/workflows/${id}`, {
        name,
        nodes: enabled,
        connections,
        settings
      })
      const plan = yield* ask("plan_upgrade", instances)
      assert.deepInclude(plan, { steps: 0, verdicts: { "equal by rule": 2 } })
      assert.include(JSON.stringify(plan["blocked"]), "no recorded run shows Off at work")
    }).pipe(Effect.provide(engine("2.41.1")))
  )

  it.live("is refused by a proof where a rewritten node fails, or changes what nodes before it gave out", () =>
    Effect.gen(function* () {
      const code = "return { name: $json.kept, list: [1] }"
      const nodes = (path: string) => [webhook(path), keep, node("function", "Clean", { functionCode: code })]
      yield* made(chain("Fails", nodes("fails")), "fails", ["name=a"])
      yield* made(chain("Leaks", nodes("leaks")), "leaks", ["name=a"])
      yield* mutateCopies((workflow, all) => {
        const changed = workflow.startsWith("Fails") ? "Clean" : "Keep"
        const parameters = changed === "Keep" ? {} : { jsCode: "return nobody.knows" }
        // Where the rewritten node is mocked, what is before it gives the same as ever.
        const isMocked = !JSON.stringify(all).includes("$json.kept")
        return all.map((one) => (one["name"] === changed && !isMocked ? { ...one, parameters } : one))
      })
      const plan = yield* ask("plan_upgrade", { ...instances, accept: ["Fails", "Leaks"] })
      assert.deepInclude(plan, { steps: 0, verdicts: { different: 2 } }, JSON.stringify(plan))
      const blocked = JSON.stringify(plan["blocked"])
      assert.match(blocked, /different on production: Clean, error: expected nothing, got /)
      assert.match(blocked, /different on production: Keep, item 1, kept: expected /)
    }).pipe(Effect.provide(engine("2.41.1")))
  )

  it.live(
    "catches every rewrite that gives something else, and names the node, the item and the field",
    () =>
      Effect.gen(function* () {
        const { send } = yield* Beside
        const item = (index: number) =>
          `{ json: { name: $json.query.name, place: ${index}, list: [1, 2], more: { deep: "x" } }, ` +
          `binary: { note: { data: "aGk=", mimeType: "text/plain" } }, pairedItem: { item: 0 } }`
        const code = `return [${[0, 1, 2].map(item).join(", ")}]`
        const mutations: ReadonlyArray<(code: string) => string> = [
          (text) => text.replace(", place: 1", ""),
          (text) => text.replace("place: 2", "place: 3"),
          (text) => text.replace("place: 0", 'place: "0"'),
          (text) => text.replace(item(1), item(2)),
          (text) => text.replace(`${item(0)}, ${item(1)}`, `${item(1)}, ${item(0)}`),
          (text) => text.replace(`, ${item(2)}`, ""),
          (text) => text.replace("]", `, ${item(2)}]`),
          (text) => text.replace("[1, 2]", "[2, 1]"),
          (text) => text.replace('deep: "x"', "deep: null"),
          (text) => text.replace("name:", "nome:"),
          (text) => text.replace(/, binary: \{ note: \{.*?\} \}/, ""),
          (text) => text.replace("aGk=", "aG8="),
          (text) => text.replace("note:", "other:"),
          (text) => text.replace("text/plain", "text/html"),
          (text) => text.replace("pairedItem: { item: 0 }", "pairedItem: { item: 1 }")
        ]
        const count = mutated
        for (let index = 0; index < count; index++) {
          const path = `m${index}`
          const old = node("function", "Clean", { functionCode: code })
          const id = yield* made(chain(`Mutant ${index}`, [webhook(path), old, keep]), path, [`name=n${index}`])
          yield* send("production", "POST", `/workflows/${id}/deactivate`)
        }
        const same = chain("Same", [webhook("same"), node("function", "Clean", { functionCode: code }), keep])
        yield* made(same, "same", ["name=a"])
        yield* mutateCopies((workflow, nodes) => {
          const index = /^Mutant (\d+)/.exec(workflow)?.[1]
          const mutate = index === undefined ? undefined : mutations[Number(index) % mutations.length]
          return nodes.map((one) =>
            mutate !== undefined && one["name"] === "Clean"
              ? { ...one, parameters: { mode: "runOnceForAllItems", jsCode: mutate(code) } }
              : one
          )
        })
        const plan = yield* ask("plan_upgrade", { ...instances, accept: ["Mutant 0"] })
        assert.deepInclude(plan, { steps: 1, verdicts: { different: count, proved: 1 } })
        assert.match(
          JSON.stringify(plan["blocked"]),
          /different on production: Clean, (?:item \d, )?\w+.*: expected .*, got /
        )
        assert.isBelow(JSON.stringify(plan).length, 6500)
      }).pipe(Effect.provide(engine("2.41.1"))),
    120_000
  )
})

freezingSuite("embedded", {
  host: "http://127.0.0.1:5002",
  layerOf: (given, directory) => {
    const both = engine("2.41.1", given)
    return directory === undefined ? both : both.pipe(Layer.provide(historyIn(directory)))
  }
})
