import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"

import { PlanSources } from "../../src/changes/tools/PlanSource.ts"
import { ChangesToolset } from "../../src/changes/toolset.ts"
import { EmbeddedMarketplace } from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import { adsPlans } from "../../src/marketplace/tools/catalog.ts"
import { MarketplaceToolset } from "../../src/marketplace/toolset.ts"
import { find } from "../../src/mcp/protocol/ProtocolVersion.ts"
import * as Server from "../../src/mcp/Server.ts"
import { request } from "../support/harness.ts"
import { type Given, inTime, plansOver } from "./support.ts"

/* An advertiser's jobs over the whole server, by tools alone: in calls, and in bytes of what comes and goes. */

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).byteLength

const server = (given: Given = {}, options: Parameters<typeof EmbeddedMarketplace.layer>[0] = {}) => {
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

/** The bytes that went to the tools and came back, and the number of calls. */
interface Traffic {
  calls: number
  in: number
  out: number
}

const revision = find("2025-11-25")

const call = Effect.fnUntraced(function* (
  traffic: Traffic,
  name: string,
  args: Readonly<Record<string, unknown>> = {}
) {
  const { result } = yield* inTime(request("tools/call", { name, arguments: args }, revision), 500)
  const { structuredContent } = yield* Schema.decodeUnknownEffect(Result)(result)
  traffic.calls++
  traffic.in += bytes(args)
  traffic.out += bytes(structuredContent)
  return structuredContent
})

const traffic = (): Traffic => ({ calls: 0, in: 0, out: 0 })
const atMost = (one: Traffic, most: Partial<Traffic>) => {
  for (const key of ["calls", "in", "out"] as const) assert.isAtMost(one[key], most[key] ?? Infinity, key)
}

describe("an advertiser's morning", () => {
  const { layer, sent } = server()

  it.effect("keeps to its figures, job by job", () =>
    Effect.gen(function* () {
      const overview = traffic()
      yield* call(overview, "ads_overview")
      atMost(overview, { calls: 1, out: 3000 })

      const waste = traffic()
      const { rows } = yield* call(waste, "ads_report", { where: ["drr_percent > 15"], sort: "drr_percent" })
      assert.lengthOf(Array.from(Object(rows)), 7)
      atMost(waste, { calls: 1, out: 3000 })

      const bids = traffic()
      const rules = [{ when: ["drr_percent > 15"], at_least: { clicks: 50 }, do: "bid", percent: -20 }]
      const { plan_id } = yield* call(bids, "ads_plan_rules", { rules })
      yield* call(bids, "show_plan", { plan_id, limit: 1 })
      const lowered = yield* call(bids, "apply_plan", { plan_id, confirm: true, max_seconds: 300 })
      assert.strictEqual(lowered["state"], "applied")
      atMost(bids, { calls: 3, in: 600, out: 6000 })

      const clusters = traffic()
      const campaigns = { ids: [1043] }
      const where = ["orders = 0", "spent > 5"]
      yield* call(clusters, "ads_report", { level: "cluster", campaigns, where, limit: 7 })
      const vain = [{ when: where, at_least: { clicks: 1 }, do: "exclude" }]
      const exclusion = yield* call(clusters, "ads_plan_rules", { rules: vain, campaigns })
      const excluded = yield* call(clusters, "apply_plan", { plan_id: exclusion["plan_id"], confirm: true })
      assert.strictEqual(excluded["state"], "applied")
      atMost(clusters, { calls: 3, out: 4000 })

      const brake = traffic()
      sent.length = 0
      const paused = yield* call(brake, "ads_pause_campaign", { all: true, confirm: true })
      assert.deepInclude(paused, { done: true, still_running: 0 })
      atMost(brake, { calls: 1, out: 2000 })
      const pauses = sent.filter(({ path }) => path.endsWith("/pause"))
      assert.isAtMost((pauses[0]?.at ?? Infinity) - (sent[0]?.at ?? 0), 1000)

      yield* TestClock.adjust("24 hours")
      const changes = traffic()
      const log = yield* call(changes, "audit_log", { plans: true, since: "yesterday", until: "yesterday" })
      assert.lengthOf(Array.from(Object(log["entries"])), 3)
      atMost(changes, { calls: 1, out: 2000 })
    }).pipe(Effect.provide(layer))
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
