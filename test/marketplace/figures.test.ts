import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"

import { PlanSources } from "../../src/changes/tools/PlanSource.ts"
import { ChangesToolset } from "../../src/changes/toolset.ts"
import { EmbeddedMarketplace } from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import type { State } from "../../src/marketplace/embedded/State.ts"
import { adsPlans } from "../../src/marketplace/tools/catalog.ts"
import { MarketplaceToolset } from "../../src/marketplace/toolset.ts"
import { find } from "../../src/mcp/protocol/ProtocolVersion.ts"
import type { Sessions } from "../../src/mcp/protocol/Session.ts"
import * as Server from "../../src/mcp/Server.ts"
import { request } from "../support/harness.ts"
import { bigAccount } from "./accounts.ts"
import { type Given, inTime, plansOver } from "./support.ts"

/* An advertiser's jobs over the whole server, by tools alone: in calls, and in bytes of what comes and goes. */

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).byteLength

type Options = Parameters<typeof EmbeddedMarketplace.layer>[0]

const server = (given: Given = {}, options: Options = {}) => {
  const sent: Array<{ readonly path: string; readonly at: number }> = []
  const client = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(EmbeddedMarketplace, ({ httpClient }) =>
      HttpClient.make((sentRequest, url) =>
        Effect.clockWith((clock) => {
          sent.push({ path: url.pathname, at: clock.currentTimeMillisUnsafe() })
          return httpClient.execute(sentRequest)
        })
      )
    )
  )
  const layer = Server.layer({ toolsets: [MarketplaceToolset, ChangesToolset] }).pipe(
    Layer.provide(
      Layer.effect(
        PlanSources,
        Effect.map(adsPlans, (plans) => [plans])
      )
    ),
    Layer.provideMerge(plansOver(given, client)),
    Layer.provideMerge(EmbeddedMarketplace.layer(options)),
    Layer.provideMerge(Layer.effectDiscard(TestClock.setTime(Date.parse("2026-11-20T07:00:00Z"))))
  )
  return { layer, sent }
}

const Result = Schema.Struct({ structuredContent: Schema.Record(Schema.String, Schema.Unknown) })
type Answer = (typeof Result.Type)["structuredContent"]

/** The bytes that went to the tools and came back, and the number of calls. */
interface Traffic {
  readonly calls: number
  readonly in: number
  readonly out: number
}

const revision = find("2025-11-25")

/** The answer to a call through the whole server; nothing of it is counted. */
const called = Effect.fnUntraced(function* (name: string, args: Readonly<Record<string, unknown>> = {}) {
  // A brake is held to its first second, reports to minutes.
  const step = name === "ads_pause_campaign" ? 200 : 500
  const { error, result } = yield* inTime(request("tools/call", { name, arguments: args }, revision), step)
  assert.isUndefined(error, `${name}: ${error?.message}`)
  return (yield* Schema.decodeUnknownEffect(Result)(result)).structuredContent
})

/** Calls through the whole server, and what they have cost so far. */
const counted = () => {
  const traffic = { calls: 0, in: 0, out: 0 }
  const call: typeof called = Effect.fnUntraced(function* (name, args = {}) {
    const answer = yield* called(name, args)
    traffic.calls++
    traffic.in += bytes(args)
    traffic.out += bytes(answer)
    return answer
  })
  return { traffic, call }
}

/** An advertiser's job: its calls are counted, what comes before them is not. */
interface Job {
  readonly name: string
  readonly most: Partial<Traffic>
  readonly given?: Given
  readonly options?: Options
  readonly run: (
    call: typeof called,
    sent: ReturnType<typeof server>["sent"]
  ) => Effect.Effect<unknown, unknown, Sessions | EmbeddedMarketplace>
}

const dear = [{ when: ["drr_percent > 15"], at_least: { clicks: 50 }, do: "bid", percent: -20 }]
const pauseOf = ({ path }: { readonly path: string }) => path.endsWith("/pause")

/** Pauses everything that runs, in as many calls as that takes; no pause is further behind than five a second allow. */
const pausedAll = Effect.fnUntraced(function* (
  call: typeof called,
  sent: ReturnType<typeof server>["sent"],
  count: number
) {
  let answer: Answer = {}
  while (answer["done"] !== true) answer = yield* call("ads_pause_campaign", { all: true, confirm: true })
  assert.deepInclude(answer, { done: true, still_running: 0 })
  const pauses = sent.filter(pauseOf)
  assert.lengthOf(pauses, count)
  const [first = { at: Infinity }] = pauses
  assert.isAtMost(first.at - (sent[0]?.at ?? 0), 1000)
  for (const [index, { at }] of pauses.entries()) assert.isAtMost(at - first.at, (index / 5) * 1000 * 1.15 + 1000)
})

/** An account of 3,000 campaigns, all of which run. */
const { adverts: some, ...rest } = bigAccount({ campaigns: 3000, articles: 1 })
const thousands: State = { ...rest, adverts: new Map([...some].map(([id, one]) => [id, { ...one, status: 9 }])) }

/** Twins are made at once, as these figures are not about them. */
const atOnce = { limit: 100, periodMs: 1000, burst: 100 }
const making: Given = {
  guards: { maxTopUpRublesPerDay: 50_000 },
  limits: { createSeacatSaveAd: atOnce, setMinusPhrases: atOnce, createBudgetDeposit: atOnce }
}

const jobs: ReadonlyArray<Job> = [
  { name: "the morning's overview", most: { calls: 1, out: 3000 }, run: (call) => call("ads_overview") },
  {
    name: "waste this week, 60 campaigns",
    most: { calls: 1, out: 3000 },
    run: Effect.fnUntraced(function* (call) {
      const { rows } = yield* call("ads_report", { where: ["drr_percent > 15"], sort: "drr_percent" })
      assert.lengthOf(Array.from(Object(rows)), 7)
    })
  },
  {
    name: "bids down where ДРР > 15 %",
    most: { calls: 3, in: 600, out: 6000 },
    run: Effect.fnUntraced(function* (call) {
      const { plan_id } = yield* call("ads_plan_rules", { rules: dear })
      yield* call("show_plan", { plan_id, limit: 1 })
      const lowered = yield* call("apply_plan", { plan_id, confirm: true, max_seconds: 300 })
      assert.strictEqual(lowered["state"], "applied")
    })
  },
  {
    name: "clusters without orders out of a campaign",
    most: { calls: 3, out: 4000 },
    run: Effect.fnUntraced(function* (call) {
      const campaigns = { ids: [1043] }
      const where = ["orders = 0", "spent > 5"]
      yield* call("ads_report", { level: "cluster", campaigns, where, limit: 7 })
      const vain = [{ when: where, at_least: { clicks: 1 }, do: "exclude" }]
      const { plan_id } = yield* call("ads_plan_rules", { rules: vain, campaigns })
      const excluded = yield* call("apply_plan", { plan_id, confirm: true })
      assert.strictEqual(excluded["state"], "applied")
    })
  },
  {
    name: "everything paused",
    most: { calls: 1, out: 2000 },
    run: (call, sent) => pausedAll(call, sent, 55)
  },
  {
    name: "everything paused, 3,000 campaigns: five a second from the start",
    most: {},
    options: { account: thousands },
    run: (call, sent) => pausedAll(call, sent, 3000)
  },
  {
    name: "switch-over of 40 pairs",
    most: { calls: 3, out: 6000 },
    given: making,
    options: { limits: "none", lagMs: 20_000, account: bigAccount({ campaigns: 120, articles: 2 }) },
    run: Effect.fnUntraced(function* (call) {
      const account = Effect.flatMap(EmbeddedMarketplace, (world) => world.account)
      const before = (yield* account).adverts
      const advert_ids = [...before.values()].filter(({ status }) => status === 9).map(({ id }) => id)
      const { plan_id: migration } = yield* called("ads_plan_migration", {
        advert_ids,
        target: "new-manual-campaign",
        search_percent: 200,
        recommendations_percent: 200,
        check_floors: false
      })
      yield* called("apply_plan", { plan_id: migration, confirm: true, max_seconds: 3600 })
      yield* TestClock.adjust("1 minute")
      const twins = [...(yield* account).adverts.keys()].filter((id) => !before.has(id))
      assert.lengthOf(twins, 40)
      const money = yield* called("ads_plan_money", { top_up: twins.map((advert_id) => ({ advert_id, rubles: 1000 })) })
      yield* called("apply_plan", { plan_id: money["plan_id"], confirm: true, max_seconds: 3600 })
      yield* TestClock.adjust("5 minutes")
      const { plan_id, steps } = yield* call("ads_plan_state", { switch_over: migration })
      assert.strictEqual(steps, 80)
      let answer: Answer = {}
      while (answer["state"] !== "applied") answer = yield* call("apply_plan", { plan_id, confirm: true })
      const { adverts } = yield* account
      assert.isTrue(advert_ids.every((id) => adverts.get(id)?.status === 11))
      assert.isTrue(twins.every((id) => adverts.get(id)?.status === 9))
    })
  },
  {
    name: "yesterday's changes and who made them",
    most: { calls: 1, out: 2000 },
    run: Effect.fnUntraced(function* (call) {
      const { plan_id } = yield* called("ads_plan_rules", { rules: dear })
      yield* called("apply_plan", { plan_id, confirm: true, max_seconds: 300 })
      yield* called("ads_pause_campaign", { all: true, confirm: true })
      yield* TestClock.adjust("24 hours")
      const { entries } = yield* call("audit_log", { plans: true, since: "yesterday", until: "yesterday" })
      assert.lengthOf(Array.from(Object(entries)), 2)
    })
  },
  {
    name: "report over 3,000 campaigns: 60 reads in 20 minutes with answers on the way, then none within the hour",
    most: {},
    options: { account: thousands },
    run: Effect.fnUntraced(function* (call, sent) {
      const days = { from: "2026-11-01", to: "2026-11-07" }
      const reads = () => sent.filter(({ path }) => path.endsWith("fullstats"))
      const worked = (since?: NodeJS.CpuUsage) => {
        const { system, user } = process.cpuUsage(since)
        return system + user
      }
      const begun = process.cpuUsage()
      let answer = yield* call("ads_report", days)
      for (; answer["unread"] !== undefined; answer = yield* call("ads_report", days)) {
        assert.isNotEmpty(Array.from(Object(answer["rows"])))
      }
      assert.strictEqual(Object(answer["total"]).rows, 3000)
      const all = reads()
      assert.lengthOf(all, 60)
      assert.isAtMost((all.at(-1)?.at ?? Infinity) - (all[0]?.at ?? 0), 20 * 60_000)
      yield* TestClock.adjust("50 minutes")
      const work = worked(begun)
      const before = process.cpuUsage()
      yield* call("ads_report", days)
      assert.lengthOf(reads(), 60)
      assert.isBelow(worked(before), work / 3)
    })
  }
]

describe("an advertiser's figure", () => {
  // Each is told by --reporter verbose.
  for (const { given, most, name, options, run } of jobs)
    it.effect(
      name,
      (context) => {
        const { layer, sent } = server(given, options)
        const { call, traffic } = counted()
        return Effect.gen(function* () {
          yield* run(call, sent)
          yield* Effect.promise(() => context.annotate(`${JSON.stringify(traffic)}, at most ${JSON.stringify(most)}`))
          for (const key of ["calls", "in", "out"] as const) assert.isAtMost(traffic[key], most[key] ?? Infinity, key)
        }).pipe(Effect.provide(layer))
      },
      120_000
    )

  it.effect("lists its tools in 18 kB with everything that a client is sent", () =>
    Effect.gen(function* () {
      const { result } = yield* request("tools/list", {}, revision)
      const { tools } = Object(result)
      assert.isAtMost(tools.length, 24)
      assert.isAtMost(bytes(result), 18_000)
    }).pipe(Effect.provide(server().layer))
  )

  /** Words of sellers, and the tool that they mean. */
  const questions: ReadonlyArray<readonly [string, string]> = [
    ["Дай сводку на утро", "ads_overview"],
    ["Кто сливает бюджет?", "ads_overview"],
    ["Покажи ДРР по товарам за неделю", "ads_report"],
    ["Статистика по кластерам", "ads_report"],
    ["Снизить ставки там, где ДРР выше 15", "ads_plan_rules"],
    ["Исключить кластеры без заказов", "ads_plan_rules"],
    ["Покажи минус-фразы кампании", "ads_get_minus_phrases"],
    ["Добавь минус-фразы", "ads_plan_minus_phrases"],
    ["Останови все кампании: остановить сейчас же", "ads_pause_campaign"],
    ["Запустить кампанию", "ads_start_campaign"],
    ["Пополнить бюджет кампании", "ads_plan_money"],
    ["Поставь дневной лимит", "ads_plan_money"],
    ["Какие минимальные ставки?", "ads_min_bids"],
    ["Поставь ставки на артикулы", "ads_plan_bids"],
    ["Ставка на кластеры в ручной кампании", "ads_plan_cluster_bids"],
    ["Список: кампании", "ads_list_campaigns"],
    ["Добавить товары в кампанию", "ads_plan_products"],
    ["Создать новую кампанию", "ads_plan_campaign"],
    ["Что умеет мой токен?", "ads_check_key"],
    ["Кто менял ставки вчера?", "audit_log"],
    ["Нужна миграция со старого типа", "ads_plan_migration"],
    ["Поменять места показа", "ads_plan_state"],
    ["Переименовать кампанию", "ads_plan_state"],
    ["Какие были списания?", "ads_report"]
  ]

  it.effect("finds the tool for each question in the sellers' own words", () =>
    Effect.gen(function* () {
      const { result } = yield* request("tools/list", {}, revision)
      const words = (text: string) =>
        (text.toLowerCase().match(/[а-яё]+(?:-[а-яё]+)?/g) ?? [])
          .filter((word) => word.length > 2)
          .map((word) => word.slice(0, 5))
      for (const [question, expected] of questions) {
        const asked = new Set(words(question))
        const ranked = Object(result)
          .tools.map(({ description, name }: { readonly description: string; readonly name: string }) => ({
            name,
            hits: new Set(words(description).filter((word) => asked.has(word))).size
          }))
          .toSorted((a: { readonly hits: number }, b: { readonly hits: number }) => b.hits - a.hits)
        const best = ranked.filter(({ hits }: { readonly hits: number }) => hits === ranked[0].hits && hits > 0)
        assert.include(
          best.map(({ name }: { readonly name: string }) => name),
          expected,
          question
        )
        assert.isAtMost(best.length, 3, question)
      }
    }).pipe(Effect.provide(server().layer))
  )
})
