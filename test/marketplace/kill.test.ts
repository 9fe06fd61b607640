import { createServer } from "node:http"
import path from "node:path"

import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

import { operations } from "../../src/marketplace/client/operations.ts"
import { directory, once, useCommand } from "../cli/built.ts"
import { nodesHere } from "../engines/install.ts"
import { dataOf, overHttp } from "../faults/servers.ts"
import { bigAccount, comparable } from "./accounts.ts"
import { command } from "./overStdio.ts"
import { served } from "./served.ts"

const account = bigAccount({ campaigns: 12, articles: 15 })

const enough = once<void>()

/** Tells the test when so many articles have been sent their phrases. */
const server = () => {
  let count = 0
  return createServer().on("request", ({ url }) => {
    if (url?.endsWith("set-minus") === true && ++count === 80) enough.resolve()
  })
}

const unlimited = { limit: 5000, periodMs: 1000, burst: 5000 }

describe("kill -9 in the middle of an apply", () => {
  useCommand()

  it.live("loses no change and repeats none: the next process goes on, and rolls everything back", () =>
    Effect.gen(function* () {
      const { settings, world } = yield* served({ account, limits: "none" }, { server })
      const limits = Object.fromEntries(Object.keys(operations).map((name) => [name, unlimited]))
      const marketplace = { ...settings, limits }
      const environments = { none: { engine_host: "http://127.0.0.1:9", engine_api_key: "none" } }
      const cwd = yield* Effect.promise(() => directory({ ".config.json": { environments, marketplace } }))

      const doomed = command(cwd, {}, "--config", ".config.json")
      const args = { target: "new-manual-campaign", check_floors: true, on_below_floor: "raise" }
      const plan = yield* Effect.promise(() => doomed.call("ads_plan_migration", args))
      const { plan_id } = plan
      const unanswered = doomed.call("apply_plan", { plan_id, confirm: true, max_seconds: 600 })
      yield* Effect.promise(() => Promise.race([enough.promise, unanswered]))
      doomed.child.kill("SIGKILL")
      assert.isTrue(Exit.isFailure(yield* Effect.exit(Effect.tryPromise(() => unanswered))))
      yield* Effect.promise(() => doomed.ended)

      const next = command(cwd, {}, "--config", ".config.json")
      const apply = (id: unknown) =>
        Effect.promise(() => next.call("apply_plan", { plan_id: id, confirm: true, max_seconds: 600 }))
      const report = yield* apply(plan_id)
      assert.deepInclude(report, { state: "applied", done: plan["steps"] })
      const { adverts, phrases } = yield* world.account
      assert.strictEqual(adverts.size, 24)
      assert.strictEqual(phrases.size, 12 + 12 * 15)

      const back = yield* Effect.promise(() => next.call("plan_rollback", { plan_id }))
      assert.deepInclude(yield* apply(back["plan_id"]), { state: "applied" })
      assert.deepStrictEqual(comparable(yield* world.account), comparable(account))
      next.child.stdin.end()
      yield* Effect.promise(() => next.ended)
    }).pipe(Effect.scoped)
  )
})

describe("an apply in the background", () => {
  useCommand()

  it.live("goes on without a caller, also after kill -9 and a restart, until everything is done", () =>
    Effect.gen(function* () {
      const { settings, world } = yield* served({ account, limits: "none" })
      const limits = Object.fromEntries(Object.keys(operations).map((name) => [name, unlimited]))
      const slow = { ...limits, setMinusPhrases: { limit: 25, periodMs: 1000, burst: 1 } }
      const configuration = { toolsets: ["marketplace"], marketplace: { ...settings, limits: slow } }
      const cwd = yield* Effect.promise(() => directory())
      const journal = path.join(cwd, "plans.jsonl")
      const started = () =>
        Effect.promise(() => overHttp({ ...configuration, marketplace: { ...configuration.marketplace, journal } }, {}))
      const doomed = yield* started()
      const ask = (server: typeof doomed, tool: string, args: Readonly<Record<string, unknown>>) =>
        Effect.promise(async () => dataOf(await server.call(tool, args)))
      const args = { target: "in-place", check_floors: false }
      const { plan_id, steps } = yield* ask(doomed, "ads_plan_migration", args)
      const report = yield* ask(doomed, "apply_plan", { plan_id, confirm: true, background: true })
      assert.deepInclude(report, { state: "in progress" })
      assert.include(String(report["next"]), "It goes on in the background")
      const phrases = Effect.map(world.account, (state) => state.phrases.size)
      const before = yield* phrases
      while ((yield* phrases) < before + 20) yield* Effect.sleep("10 millis")
      assert.include(String((yield* ask(doomed, "show_plan", { plan_id }))["next"]), "It goes on in the background")
      doomed.child.kill("SIGKILL")
      yield* Effect.promise(() => doomed.ended)
      const atKill = yield* phrases
      assert.isBelow(atKill, 12 + 12 * 15)
      const next = yield* started()
      let shown = yield* ask(next, "show_plan", { plan_id, limit: 1 })
      while (shown["state"] !== "applied") {
        yield* Effect.sleep("100 millis")
        shown = yield* ask(next, "show_plan", { plan_id, limit: 1 })
      }
      assert.strictEqual(shown["done"], steps)
      assert.strictEqual(yield* phrases, 12 + 12 * 15)
      assert.notInclude(String(shown["next"]), "in the background")
    }).pipe(Effect.scoped)
  )
})

/** A write under test: the call that leads to it, and the path that meets the fault. */
interface Write {
  readonly name: string
  readonly path: string
  readonly tool: string
  readonly args: object
}

const writes: ReadonlyArray<Write> = [
  { name: "a start", path: "GET /adv/v0/start", tool: "ads_plan_state", args: { start: { ids: [1004, 1057] } } },
  { name: "a pause", path: "GET /adv/v0/pause", tool: "ads_plan_state", args: { pause: { ids: [1005, 1006] } } },
  { name: "an end", path: "GET /adv/v0/stop", tool: "ads_plan_state", args: { end: [1007, 1008] } },
  {
    name: "placements",
    path: "PUT /adv/v0/auction/placements",
    tool: "ads_plan_state",
    args: { campaigns: { ids: [1045, 1046] }, placements: ["search"] }
  },
  {
    name: "a name",
    path: "POST /adv/v0/rename",
    tool: "ads_plan_state",
    args: { campaigns: { ids: [1009] }, name: "Новая кружка" }
  },
  {
    name: "the brake",
    path: "GET /adv/v0/pause",
    tool: "ads_pause_campaign",
    args: { advert_ids: [1011, 1012, 1013] }
  },
  {
    name: "a top-up",
    path: "POST /adv/v1/budget/deposit",
    tool: "ads_plan_money",
    args: { top_up: [{ advert_id: 1059, rubles: 1000 }] }
  },
  {
    name: "a daily limit",
    path: "PUT /api/advert/v0/daily-limits",
    tool: "ads_plan_money",
    args: { daily_limits: [1055, 1056].map((advert_id) => ({ advert_id, rubles: 700 })) }
  },
  ...["PATCH /api/advert/v1/bids", "POST /adv/v0/normquery/set-minus", "DELETE /adv/v0/normquery/bids"].map(
    (path): Write => {
      const dear = { when: ["drr_percent > 15"], at_least: { clicks: 50 }, do: "bid", percent: -20 }
      const vain = { when: ["orders = 0", "spent > 5"], at_least: { clicks: 1 }, do: "exclude" }
      const isOfBids = path.endsWith("v1/bids")
      const id = isOfBids ? 1010 : path.startsWith("DELETE") ? 1043 : 1044
      const args = { rules: [isOfBids ? dear : vain], campaigns: { ids: [id] } }
      return { name: `a rule by ${path}`, path, tool: "ads_plan_rules", args }
    }
  ),
  {
    name: "a cluster bid",
    path: "POST /api/advert/v1/normquery/bids",
    tool: "ads_plan_cluster_bids",
    args: { changes: [{ advert_id: 1003, nm_id: 500_302, norm_query: "блокнот в подарок", bid_rubles: 400 }] }
  }
]

type Fault = "429" | "answer lost" | "killed"

const ofWrites: ReadonlyArray<string> = Object.values(operations).flatMap(({ kind, method, path }) =>
  kind === "write" ? [`${method} ${path}`] : []
)

/** The embedded shop on a port, whose next write of a path meets a fault; every write that it carries out is counted. */
const faulty = Effect.fnUntraced(function* (fault: Fault) {
  const carriedOut = new Map<string, number>()
  const next = { path: "", met: once<void>(), three: once<void>(), gone: once<void>() }
  const middleware = HttpRouter.middleware(
    (answer) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const operation = `${request.method} ${request.url.split("?")[0]}`
        const isHit = operation === next.path
        if (isHit) next.path = ""
        if (isHit && fault === "429") {
          return HttpServerResponse.empty({ status: 429, headers: { "x-ratelimit-retry": "1" } })
        }
        const key = `${request.method} ${request.url} ${yield* Effect.orDie(request.text)}`
        const response = yield* answer
        if (ofWrites.includes(operation) && response.status < 300) carriedOut.set(key, (carriedOut.get(key) ?? 0) + 1)
        if (carriedOut.size === 3) next.three.resolve()
        if (!isHit) return response
        next.met.resolve()
        if (fault === "killed") yield* Effect.promise(() => next.gone.promise)
        NodeHttpServerRequest.toIncomingMessage(request).socket.destroy()
        return response
      }),
    { global: true }
  )
  return { carriedOut, next, ...(yield* served({ limits: "none", wire: "published" }, { middleware })) }
})

describe("a write of today's interface", () => {
  useCommand()

  it.live.each(
    nodesHere().flatMap((node) => (["429", "answer lost", "killed"] as const).map((fault) => [fault, node] as const))
  )("is carried out once and to the end where it meets: %s, on %s", ([fault, node]) =>
    Effect.gen(function* () {
      const { carriedOut, next, settings, world } = yield* faulty(fault)
      const limits = Object.fromEntries(Object.keys(operations).map((name) => [name, unlimited]))
      const guards = { maxTopUpRublesPerDay: 100_000 }
      const marketplace = { ...settings, wire: "published", tokenKind: "personal", limits, guards }
      const cwd = yield* Effect.promise(() => directory({ ".config.json": { marketplace } }))
      const started = () => command(cwd, { node }, "--config", ".config.json")
      let server = started()
      const ask = (tool: string, args: object) => Effect.promise(() => server.call(tool, args))

      for (const { args, name, path, tool } of writes) {
        const isBrake = tool === "ads_pause_campaign"
        const planned = isBrake ? {} : yield* ask(tool, args)
        const { plan_id, steps } = planned
        if (!isBrake) assert.isAbove(Number(steps), 0, name)
        const [acting, given] = isBrake
          ? [tool, { ...args, confirm: true }]
          : ["apply_plan", { plan_id, confirm: true, max_seconds: 30 }]
        Object.assign(next, { path, met: once<void>(), three: once<void>(), gone: once<void>() })
        carriedOut.clear()
        if (fault === "killed") {
          const unanswered = server.call(acting, given)
          // The brake goes on meanwhile, so that nothing of it is left for the next server but to tell how it is undone.
          const begun = isBrake ? [next.met.promise, next.three.promise] : [next.met.promise]
          yield* Effect.promise(() => Promise.race([Promise.all(begun), unanswered]))
          server.child.kill("SIGKILL")
          assert.isTrue(Exit.isFailure(yield* Effect.exit(Effect.tryPromise(() => unanswered))), name)
          yield* Effect.promise(() => server.ended)
          next.gone.resolve()
          server = started()
        }
        const report = yield* ask(acting, given)
        assert.deepInclude(report, isBrake ? { done: true } : { state: "applied", done: steps }, name)
        assert.strictEqual(next.path, "", `${name} met no fault`)
        for (const [request, times] of carriedOut) assert.strictEqual(times, 1, `${name}: ${request}`)
        if (!isBrake) continue
        // What was paused before the kill belongs to the pause, too.
        const undo = yield* ask("ads_plan_state", { undo_pause: report["pause_id"] })
        assert.strictEqual(undo["steps"], 3)
      }

      const { adverts, clusterBids, dailyLimits } = yield* world.account
      assert.deepStrictEqual(
        [1004, 1057, 1005, 1006, 1011, 1012, 1013].map((id) => adverts.get(id)?.status),
        [9, 9, 11, 11, 11, 11, 11]
      )
      assert.strictEqual(adverts.get(1059)?.budget, 1000)
      assert.deepStrictEqual(
        [1055, 1056].map((id) => dailyLimits.get(id)?.dailyLimit),
        [70_000, 70_000]
      )
      assert.strictEqual(Number(clusterBids.get("1003:500302:блокнот в подарок")), 40_000)
      server.child.stdin.end()
      yield* Effect.promise(() => server.ended)
    }).pipe(Effect.scoped)
  )
})
