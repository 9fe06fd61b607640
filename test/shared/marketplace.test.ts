import { symlink } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { afterAll, beforeAll } from "vitest"

import { commandFile } from "../cli/built.ts"
import { dataOf, directory, type HttpServer, overHttp, useCommand } from "../faults/servers.ts"
import { served } from "../marketplace/served.ts"
import { makeRedis, type TestRedis } from "./redis.ts"

useCommand()

let redis: TestRedis
beforeAll(async () => {
  // The library is installed beside the command.
  const folder = path.dirname(path.dirname(commandFile()))
  await symlink(fileURLToPath(new URL("../../node_modules", import.meta.url)), path.join(folder, "node_modules"))
  redis = await makeRedis()
})
afterAll(() => redis.remove())

/** A marketplace on a port, with what it was asked and how often it had to refuse that. */
const market = Effect.gen(function* () {
  const paths: Array<string> = []
  const times: Array<number> = []
  const refused: Array<string> = []
  const outside = { calls: 0 }
  const middleware = HttpRouter.middleware(
    (answer) =>
      Effect.gen(function* () {
        const { url } = yield* HttpServerRequest.HttpServerRequest
        paths.push(url)
        times.push(performance.now())
        if (outside.calls-- > 0) {
          return HttpServerResponse.empty({ status: 429, headers: { "x-ratelimit-retry": "4" } })
        }
        const response = yield* answer
        if (response.status === 429) refused.push(url)
        return response
      }),
    { global: true }
  )
  return { outside, paths, refused, times, ...(yield* served({}, { middleware })) }
})

/** A server of one key, as on a machine of its own. */
const serverOf = async (marketplace: object, isSharing: boolean) =>
  overHttp(
    {
      marketplace: { tokenKind: "personal", ...marketplace },
      toolsets: ["marketplace"],
      ...(isSharing ? { shared: { redis: redis.url, prefix: "ads" } } : {})
    },
    { env: { XDG_STATE_HOME: await directory() } }
  )
const serversOf = (marketplace: object, isSharing: boolean) =>
  Effect.promise(() => Promise.all([serverOf(marketplace, isSharing), serverOf(marketplace, isSharing)]))

/** A script that counts the pauses that servers have told each other. */
const pauses = `local count = 0
for _, key in ipairs(redis.call("KEYS", "*")) do
  if redis.call("TYPE", key).ok == "zset" then
    for _, member in ipairs(redis.call("ZRANGE", key, 0, -1)) do
      if string.find(member, "pause") then count = count + 1 end
    end
  end
end
return count`

describe("two servers of one key", () => {
  it.live.each([
    [true, "cause no refusal for too many calls, and use the whole limit"],
    [false, "cause some where they share nothing"]
  ] as const)("with a Redis in common: %s, %s", ([isSharing]) =>
    Effect.gen(function* () {
      const { paths, refused, settings, times } = yield* market
      const servers = yield* serversOf(settings, isSharing)
      const calls = servers.flatMap((server) =>
        Array.from({ length: 15 }, () => server.call("ads_list_campaigns", { limit: 1 }))
      )
      for (const answer of yield* Effect.promise(() => Promise.all(calls))) dataOf(answer)
      if (isSharing) {
        assert.isEmpty(refused)
        assert.lengthOf(paths, 30)
        // Five a second beyond the burst, in the seconds in which this machine keeps up.
        const beyond = times.slice(5)
        const inTwoSeconds = beyond.map((from) => beyond.filter((at) => at >= from && at < from + 2000).length)
        assert.isAtLeast(Math.max(...inTwoSeconds), 8)
      } else assert.isNotEmpty(refused)
    }).pipe(Effect.scoped)
  )

  it.live("pause together where a program of somebody else has used the limit up", () =>
    Effect.gen(function* () {
      const { outside, paths, settings, times } = yield* market
      const [one, other] = yield* serversOf(settings, true)
      outside.calls = 1
      const first = one.call("ads_list_campaigns", { limit: 1 })
      while (paths.length === 0) yield* Effect.sleep("5 millis")
      // The one that was refused tells the other by the Redis.
      while (redis.command("EVAL", pauses, "0") === "0") yield* Effect.sleep("20 millis")
      dataOf(yield* Effect.promise(() => other.call("ads_list_campaigns", { limit: 1 })))
      dataOf(yield* Effect.promise(() => first))
      const [refusal = NaN, ...others] = times
      assert.lengthOf(others, 2)
      for (const at of others) assert.isAtLeast(at - refusal, 3900)
    }).pipe(Effect.scoped)
  )

  it.live("know each other's plans, the day's changes and the statistics that were read", () =>
    Effect.gen(function* () {
      const { paths, settings, world } = yield* market
      const [one, other] = yield* serversOf(settings, true)
      const ask = (server: HttpServer, tool: string, args: object) =>
        Effect.promise(async () => dataOf(await server.call(tool, { ...args })))
      const changes = [{ advert_id: 1001, nm_id: 500_101, bid_rubles: 300 }]
      const { plan_id } = yield* ask(one, "ads_plan_bids", { changes })
      assert.deepInclude(yield* ask(other, "apply_plan", { plan_id, confirm: true }), { state: "applied" })
      assert.deepInclude(yield* ask(one, "show_plan", { plan_id }), { state: "applied" })
      const { adverts } = yield* world.account
      assert.strictEqual(Number(adverts.get(1001)?.rows[0]?.search), 30_000)
      const first = yield* ask(one, "ads_report", { campaigns: { ids: [1001, 1002] } })
      paths.length = 0
      assert.deepStrictEqual(
        (yield* ask(other, "ads_report", { campaigns: { ids: [1001, 1002] } }))["rows"],
        first["rows"]
      )
      assert.isEmpty(paths.filter((url) => url.includes("fullstats")))
    }).pipe(Effect.scoped)
  )
})
