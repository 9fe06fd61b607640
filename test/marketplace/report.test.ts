import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"

import { MarketplaceAds } from "../../src/marketplace/client/MarketplaceAds.ts"
import { EmbeddedMarketplace } from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import { contradiction, meets, parse } from "../../src/marketplace/report/conditions.ts"
import { metricNames, type Metrics, valueOf } from "../../src/marketplace/report/metrics.ts"
import { lastDays, lengthOf, periodBefore } from "../../src/marketplace/report/period.ts"
import { MarketplaceToolset } from "../../src/marketplace/toolset.ts"
import { Progress } from "../../src/mcp/callContext.ts"
import { bigAccount } from "./accounts.ts"
import { toolNamed } from "./offered.ts"
import { embeddedClient, intercepted, inTime, marketplace, plansOver } from "./support.ts"

const Report = Schema.Struct({
  period: Schema.Struct({ from: Schema.String, to: Schema.String }),
  total: Schema.Record(Schema.String, Schema.Unknown),
  rows: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)),
  unread: Schema.optionalKey(Schema.Struct({ campaigns: Schema.Int, reads: Schema.Int, minutes: Schema.Int })),
  cursor: Schema.optionalKey(Schema.String),
  next: Schema.String
})

/** Seconds of the test clock at a step: reads of statistics are twenty seconds apart. */
const step = 5000

const ask = Effect.fnUntraced(function* (args: object) {
  const tool = yield* toolNamed("ads_report")
  return (yield* inTime(tool.call(args), step)).structured
})
const report = (args: object = {}) => Effect.flatMap(ask(args), Schema.decodeUnknownEffect(Report))
const refused = (args: object) => Effect.map(Effect.flip(ask(args)), String)

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).byteLength

/** A morning in Moscow, three months after the embedded shop has opened. */
const morning = "2026-11-20T07:00:00Z"
const atMorning = TestClock.setTime(Date.parse(morning))

/** The shop of the embedded marketplace. */
const shop = (options: Parameters<typeof EmbeddedMarketplace.layer>[0] = {}) =>
  Layer.provideMerge(
    plansOver({}, embeddedClient).pipe(Layer.provideMerge(EmbeddedMarketplace.layer(options))),
    Layer.effectDiscard(atMorning)
  )

describe("a report", () => {
  it.effect("is about the last seven whole days, Moscow time, and agrees with a plain recount", () =>
    Effect.gen(function* () {
      const { period, rows, total } = yield* report({ limit: 100 })
      assert.deepStrictEqual(period, { from: "2026-11-13", to: "2026-11-19" })
      const ids = rows.map(({ id }) => Number(id))
      const stats = yield* inTime(
        MarketplaceAds.use((ads) => ads.getAdvFullstats({ ids, beginDate: period.from, endDate: period.to })),
        step
      )
      assert.lengthOf(rows, stats.length)
      const cents = (value: unknown) => Math.round(Number(value) * 100)
      for (const row of rows) {
        const one = stats.find(({ advertId }) => advertId === row["id"])
        assert.deepInclude(row, { orders: one?.orders, clicks: one?.clicks })
        assert.strictEqual(cents(row["spent"]), cents(one?.sum))
        assert.strictEqual(cents(row["revenue"]), cents(one?.sum_price))
        const expected = one?.sum_price ? Math.round((10_000 * (one.sum ?? 0)) / one.sum_price) / 100 : "no orders"
        assert.strictEqual(row["drr_percent"], one?.sum ? expected : null)
      }
      const sum = (of: "orders" | "sum") => stats.reduce((all, one) => all + (one[of] ?? 0), 0)
      assert.strictEqual(cents(total["spent"]), cents(sum("sum")))
      assert.strictEqual(total["orders"], sum("orders"))
    }).pipe(Effect.provide(shop()))
  )

  it.effect("tells which campaigns wasted money this week in one call of at most 3 kB", () =>
    Effect.gen(function* () {
      const answer = yield* ask({ where: ["drr_percent > 15"], sort: "drr_percent" })
      assert.isAtMost(bytes(answer), 3000)
      const { rows } = yield* Schema.decodeUnknownEffect(Report)(answer)
      assert.deepStrictEqual(
        rows.map(({ id }) => Number(id)).toSorted((a, b) => a - b),
        [1010, 1017, 1024, 1031, 1038, 1045, 1050]
      )
      assert.deepInclude(rows[0], { id: 1050, orders: 0, drr_percent: "no orders" })
      for (const row of rows) assert.isAtMost(bytes(row), 170, JSON.stringify(row))
    }).pipe(Effect.provide(shop()))
  )

  it.effect("has rows of at most 170 bytes on every level, with names and all that is asked for", () =>
    Effect.gen(function* () {
      for (const level of ["campaign", "article", "cluster"]) {
        const sort = level === "cluster" ? "cpm" : "cpo"
        const { rows } = yield* report({ level, compare: level !== "cluster", sort, limit: 500 })
        assert.isAbove(rows.length, 50)
        for (const row of rows) assert.isAtMost(bytes(row), 170, JSON.stringify(row))
      }
    }).pipe(Effect.provide(shop({ limits: "none" })))
  )

  it.effect("of articles sums to its campaign, and clusters cost no more than their article", () =>
    Effect.gen(function* () {
      const campaigns = { ids: [1010, 1050, 1055] }
      const [whole, articles, clusters] = yield* Effect.forEach(["campaign", "article", "cluster"], (level) =>
        report({ level, campaigns, limit: 500 })
      )
      const spent = (rows: (typeof Report.Type)["rows"] = [], key: string, value: unknown) =>
        rows.filter((row) => row[key] === value).reduce((sum, row) => sum + Math.round(Number(row["spent"]) * 100), 0)
      for (const id of campaigns.ids) assert.strictEqual(spent(articles?.rows, "id", id), spent(whole?.rows, "id", id))
      for (const { nm_id } of articles?.rows ?? []) {
        assert.isAtMost(spent(clusters?.rows, "nm_id", nm_id), spent(articles?.rows, "nm_id", nm_id))
      }
    }).pipe(Effect.provide(shop({ limits: "none" })))
  )

  it.effect("of clusters estimates what is not published, and calls it so", () =>
    Effect.gen(function* () {
      const { rows } = yield* report({ level: "cluster", campaigns: { ids: [1043] }, limit: 500 })
      for (const row of rows) {
        assert.notProperty(row, "drr_percent")
        assert.property(row, "drr_estimate")
        assert.strictEqual(row["drr_estimate"] === "no orders", row["orders"] === 0)
      }
      const vain = yield* report({ level: "cluster", campaigns: { ids: [1043] }, where: ["orders = 0", "spent > 20"] })
      assert.include(JSON.stringify(vain.rows), "своими руками")
    }).pipe(Effect.provide(shop({ limits: "none" })))
  )

  it.effect("adds the period before", () =>
    Effect.gen(function* () {
      const { rows } = yield* report({ compare: true, campaigns: { ids: [1010] } })
      const before = yield* report({ from: "2026-11-06", to: "2026-11-12", campaigns: { ids: [1010] } })
      assert.strictEqual(rows[0]?.["spent_before"], before.rows[0]?.["spent"])
      assert.strictEqual(rows[0]?.["drr_before"], before.rows[0]?.["drr_percent"])
    }).pipe(Effect.provide(shop({ limits: "none" })))
  )

  it.effect("has a row for each day where that is asked for, and sums to the whole", () =>
    Effect.gen(function* () {
      const { rows, total } = yield* report({ by_day: true })
      const whole = yield* report()
      assert.deepStrictEqual(
        rows.map(({ day }) => day),
        Array.from({ length: 7 }, (_, index) => `2026-11-${13 + index}`)
      )
      assert.strictEqual(total["spent"], whole.total["spent"])
    }).pipe(Effect.provide(shop({ limits: "none" })))
  )

  it.effect("goes on behind a cursor with what was asked, each row once", () =>
    Effect.gen(function* () {
      const all = yield* report({ limit: 500, sort: "clicks asc" })
      const ids: Array<unknown> = []
      let page = yield* report({ limit: 13, sort: "clicks asc" })
      assert.include(
        yield* refused({ cursor: page.cursor, sort: "spent" }),
        "Invalid sort: must be as in the call that returned the cursor, or left out"
      )
      for (; page.cursor !== undefined; page = yield* report({ cursor: page.cursor })) {
        ids.push(...page.rows.map(({ id }) => id))
      }
      ids.push(...page.rows.map(({ id }) => id))
      assert.deepStrictEqual(
        ids,
        all.rows.map(({ id }) => id)
      )
    }).pipe(Effect.provide(shop({ limits: "none" })))
  )

  it.effect("chooses campaigns by part of a name, status and payment", () =>
    Effect.gen(function* () {
      const named = yield* report({ campaigns: { name: "кружка" }, limit: 100 })
      assert.isTrue(named.rows.every(({ name }) => String(name).startsWith("Кружка")))
      assert.lengthOf(named.rows, 3)
      const clicks = yield* report({ campaigns: { payment_type: "cpc", statuses: [9] } })
      assert.deepStrictEqual(
        clicks.rows.map(({ id }) => Number(id)).toSorted((a, b) => a - b),
        [1055, 1056]
      )
    }).pipe(Effect.provide(shop({ limits: "none" })))
  )

  it.effect("of charges has what was charged, by day and document, and sums to the whole", () =>
    Effect.gen(function* () {
      const { rows, total } = yield* report({ level: "charge", limit: 500 })
      const charges = yield* MarketplaceAds.use((ads) => ads.getAdvUpd({ from: "2026-11-13", to: "2026-11-19" }))
      assert.lengthOf(rows, charges.length)
      assert.strictEqual(
        total["spent"],
        charges.reduce((sum, { updSum }) => sum + (updSum ?? 0), 0)
      )
      assert.notProperty(total, "orders")
      assert.match(String(rows[0]?.["day"]), /^2026-11-1[3-9]$/)
      const days = yield* report({ level: "charge", by_day: true, campaigns: { ids: [1050] } })
      assert.lengthOf(days.rows, 7)
      assert.include(
        yield* refused({ level: "charge", where: ["orders = 0"] }),
        "Invalid where: must not be about orders: level charge has spent"
      )
      assert.include(yield* refused({ level: "charge", compare: true }), "Invalid compare")
      const contents = yield* Effect.flatMap(Effect.fromNullishOr(MarketplaceToolset.resources), ({ read }) =>
        read("ads://report?level=charge&where=spent%20%3E%20100")
      )
      assert.match("text" in contents ? contents.text : "", /^campaign,name,document,paid_from,day,spent,/)
    }).pipe(Effect.provide(shop({ limits: "none" })))
  )

  it.effect("of charges tells documents, moments around midnight in Moscow, and charges that are not settled", () => {
    const charge = { updNum: 77, advertId: 1001, campName: "Mugs", paymentType: "Счет", updSum: 24 }
    const body = [
      { ...charge, updTime: "2026-11-18T22:30:00Z" },
      { ...charge, updNum: 0, advertId: 5, campName: null, updTime: null, updSum: 3 }
    ]
    return Effect.gen(function* () {
      yield* atMorning
      const { rows } = yield* report({ level: "charge" })
      assert.deepStrictEqual(rows, [
        { id: 1001, name: "Mugs", day: "2026-11-19", document: 77, spent: 24, paid_from: "Счет" },
        { id: 5, spent: 3, paid_from: "Счет" }
      ])
      const { rows: gone } = yield* report({ level: "charge", campaigns: { ids: [5] } })
      assert.lengthOf(gone, 1)
    }).pipe(Effect.provide(intercepted((path) => (path === "/adv/v1/upd" ? { body } : undefined))))
  })

  it.effect("is CSV as a resource, with every row and every metric", () =>
    Effect.gen(function* () {
      yield* report()
      const contents = yield* inTime(
        Effect.flatMap(Effect.fromNullishOr(MarketplaceToolset.resources), ({ read }) =>
          read("ads://report?level=campaign&where=spent%20%3E%200&sort=spent")
        ),
        step
      )
      const text = "text" in contents ? contents.text : ""
      const [head = "", ...lines] = text.trim().split("\r\n")
      assert.include(head, "campaign,name,status,spent,revenue,orders,drr_percent,cpo")
      assert.isAbove(lines.length, 55)
      assert.isTrue(lines.every((line) => /^\d+,"/.test(line)))
    }).pipe(Effect.provide(shop({ limits: "none" })))
  )
})

describe("an overview", () => {
  const Overview = Schema.Struct({
    balance: Schema.Unknown,
    yesterday: Schema.Record(Schema.String, Schema.Unknown),
    week: Schema.Record(Schema.String, Schema.Unknown),
    wasters: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)),
    budgets: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)),
    stopped: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)),
    next: Schema.String
  })
  const overview = Effect.flatMap(
    Effect.flatMap(toolNamed("ads_overview"), (tool) => inTime(tool.call({}), step)),
    (answer) => Schema.decodeUnknownEffect(Overview)(answer.structured)
  )

  it.effect("is one answer of at most 3 kB that agrees with the reports, and finds what burns and what runs out", () =>
    Effect.gen(function* () {
      const answer = yield* overview
      assert.isAtMost(bytes(answer), 3000)
      assert.deepStrictEqual<unknown>(answer.balance, { account: 100_000, balance: 50_000, bonus: 0 })
      const week = yield* report({ compare: true })
      for (const field of ["spent", "orders", "revenue", "drr_percent", "spent_before"]) {
        assert.strictEqual(answer.week[field], week.total[field])
      }
      const day = { from: "2026-11-19", to: "2026-11-19" }
      const yesterday = yield* report({ ...day, compare: true })
      assert.deepInclude(answer.yesterday, { day: day.to, spent: yesterday.total["spent"] })
      assert.strictEqual(answer.yesterday["spent_before"], yesterday.total["spent_before"])
      const wasters = answer.wasters.map(({ id }) => Number(id))
      assert.strictEqual(wasters[0], 1050)
      assert.includeMembers([1010, 1017, 1024, 1031, 1038, 1045, 1050], wasters)
      assert.deepInclude(answer.wasters[0], {
        orders: 0,
        drr_percent: "no orders",
        wasted: answer.wasters[0]?.["spent"]
      })
      const low = answer.budgets.map(({ id }) => Number(id))
      assert.includeMembers(low, [1012, 1026])
      for (const { days_left } of answer.budgets.slice(0, 2)) assert.isBelow(Number(days_left), 1)
      assert.deepStrictEqual(
        answer.stopped.map(({ id }) => Number(id)),
        [1058]
      )
    }).pipe(Effect.provide(shop()))
  )

  it.effect("of thousands of campaigns says what is not read yet, and goes on with the next call", () =>
    Effect.gen(function* () {
      const answer = yield* overview
      assert.match(answer.next, /^Not complete: .* campaigns are not read yet/)
      assert.isAtMost(bytes(answer), 3000)
    }).pipe(Effect.provide(shop({ account: bigAccount({ campaigns: 450, articles: 1 }) })))
  )

  it.effect("does without what this key is not told", () =>
    Effect.gen(function* () {
      const answer = yield* overview
      assert.isNull(answer.balance)
      assert.isEmpty(answer.budgets)
      assert.isNotEmpty(answer.wasters)
    }).pipe(
      Effect.provide(
        Layer.provideMerge(
          intercepted(
            (path) => (/balance|budget/.test(path) ? { status: 403, body: { detail: "no" } } : undefined),
            {},
            {}
          ),
          Layer.effectDiscard(atMorning)
        )
      )
    )
  )
})

describe("the statistics of a report", () => {
  const account = (campaigns: number) => bigAccount({ campaigns, articles: 2 })

  /** The requests for statistics that reach the marketplace, each with its days and number of campaigns. */
  const counted = (options: Parameters<typeof EmbeddedMarketplace.layer>[0], given = {}) => {
    const reads: Array<string> = []
    const client = Layer.effect(
      HttpClient.HttpClient,
      Effect.map(EmbeddedMarketplace, ({ httpClient }) =>
        HttpClient.tapRequest(httpClient, (request) =>
          Effect.sync(() => {
            if (request.url.includes("fullstats")) reads.push(JSON.stringify([...request.urlParams.params]))
          })
        )
      )
    )
    return {
      reads,
      layer: plansOver(given, client).pipe(
        Layer.provideMerge(EmbeddedMarketplace.layer(options)),
        Layer.provideMerge(Layer.effectDiscard(atMorning))
      )
    }
  }

  it.effect("are kept: the same question goes on where it stopped, and nothing is read twice", () => {
    const { layer, reads } = counted({ account: account(250) })
    const steps: Array<number> = []
    return Effect.gen(function* () {
      const october = { from: "2026-10-01", to: "2026-10-31" }
      const first = yield* report(october)
      assert.deepInclude(first.unread, { reads: 1 })
      assert.match(first.next, /call again with the same arguments/i)
      assert.strictEqual(reads.length, 3)
      const second = yield* report(october)
      assert.isUndefined(second.unread)
      assert.strictEqual(reads.length, 4)
      assert.strictEqual(new Set(reads).size, 4)
      yield* report({ from: "2026-10-05", to: "2026-10-12" })
      assert.strictEqual(reads.length, 4)
      assert.deepStrictEqual(steps.slice(0, 3), [1, 2, 3])
    }).pipe(
      Effect.provideService(Progress, ({ progress }) => Effect.sync(() => void steps.push(progress))),
      Effect.provide(layer)
    )
  })

  it.effect("of today are read anew after ten minutes, those of past days not", () => {
    const { layer, reads } = counted({ account: account(1), limits: "none" })
    return Effect.gen(function* () {
      const today = { from: "2026-11-18", to: "2026-11-20" }
      yield* report(today)
      yield* TestClock.adjust("9 minutes")
      yield* report(today)
      assert.strictEqual(reads.length, 1)
      yield* TestClock.adjust("2 minutes")
      yield* report(today)
      assert.strictEqual(reads.length, 2)
      assert.include(reads[1], '"beginDate","2026-11-20"')
    }).pipe(Effect.provide(layer))
  })

  it.effect("with a base key come with what it can do in an hour", () => {
    const { layer } = counted({ account: account(120), limits: "base", keyKind: "base" }, { tokenKind: "base" })
    return Effect.gen(function* () {
      const { next } = yield* report({ from: "2026-11-01", to: "2026-11-07" })
      assert.match(next, /^A base key reads the statistics of 50 campaigns once an hour/)
      assert.match(next, /In 3\d{3} seconds, call again/)
    }).pipe(Effect.provide(layer))
  })

  it.effect("that the marketplace refuses for one campaign are read for the others", () => {
    const bad = (query: string) => query.includes("7003")
    const refusing = Layer.effect(
      HttpClient.HttpClient,
      Effect.map(EmbeddedMarketplace, ({ httpClient }) =>
        HttpClient.make((request, url) =>
          httpClient.execute(
            url.pathname.endsWith("fullstats") && bad(url.search)
              ? HttpClientRequest.get("http://marketplace/adv/v3/nowhere", { headers: request.headers })
              : request
          )
        )
      )
    )
    return Effect.gen(function* () {
      const { next, rows } = yield* report({ from: "2026-11-01", to: "2026-11-02", limit: 100 })
      assert.match(next, /1 of 6 campaigns are not read.*Could not read campaign statistics/)
      assert.notInclude(
        rows.map(({ id }) => id),
        7003
      )
      assert.isAbove(rows.length, 3)
    }).pipe(
      Effect.provide(
        plansOver({ limits: { getAdvFullstats: { limit: 99, periodMs: 1000, burst: 99 } } }, refusing).pipe(
          Layer.provideMerge(EmbeddedMarketplace.layer({ account: account(9), limits: "none" }))
        )
      )
    )
  })
})

describe("odd statistics", () => {
  const campaign = (id: number, currency?: string) => ({
    id,
    bid_type: "manual",
    status: 9,
    settings: { name: `C${id}` },
    nm_settings: [],
    ...(currency && { currency })
  })
  const day = (numbers: object) => [{ date: "2026-11-01T00:00:00Z", ...numbers }]
  const over = (stats: ReadonlyArray<object>, adverts: ReadonlyArray<object>) =>
    intercepted((path) => {
      if (path.endsWith("/adverts")) return { body: { adverts } }
      return path.endsWith("fullstats") ? { body: stats } : undefined
    })
  const one = { from: "2026-11-01", to: "2026-11-01" }

  it.effect("of other currencies are never added up with rubles", () =>
    Effect.gen(function* () {
      const { rows, total } = yield* report(one)
      assert.deepInclude(total, { spent: 30, orders: 6 })
      assert.deepNestedInclude(total, { "other_currencies[0].currency": "KZT", "other_currencies[0].spent": 5000 })
      assert.deepInclude(rows[0], { id: 2, spent: 5000, currency: "KZT" })
    }).pipe(
      Effect.provide(
        over(
          [
            { advertId: 1, days: day({ sum: 30, sum_price: 600, orders: 6 }) },
            { advertId: 2, currency: "KZT", days: day({ sum: 5000, sum_price: 9000, orders: 1 }) }
          ],
          [campaign(1), campaign(2, "KZT")]
        )
      )
    )
  )

  it.effect.each([
    ["orders without views", { views: 0, orders: 2, sum: 0, sum_price: 900 }, { orders: 2, drr_percent: null }],
    ["nulls", { views: null, clicks: null, orders: null, sum: 10 }, { spent: 10, orders: null, drr_percent: null }],
    ["no orders", { orders: 0, sum: 10, sum_price: 0 }, { drr_percent: "no orders" }],
    ["orders without revenue", { orders: 2, sum: 10, sum_price: 0 }, { drr_percent: "no revenue" }],
    ["a negative amount", { orders: 1, sum: -1.5, sum_price: 100 }, { spent: -1.5, drr_percent: null }],
    ["a number that is none", { orders: 1, sum: "NaN", sum_price: 1 }, undefined]
  ] as const)("are reported as they are: %s", ([, numbers, expected]) =>
    Effect.gen(function* () {
      const result = yield* Effect.result(report(one))
      if (expected === undefined) assert.isTrue(Result.isFailure(result))
      else assert.deepInclude(Result.getOrThrow(result).rows[0], expected)
    }).pipe(Effect.provide(over([{ advertId: 1, days: day(numbers) }], [campaign(1)])))
  )
})

describe("what a report cannot take", () => {
  it.effect.each([
    [{ from: "2026-11-09", to: "2026-11-01" }, "Invalid from: must not be after to"],
    [{ from: "2026-01-01", to: "2026-11-01" }, "Invalid from: must be at most 92 days before to"],
    [{ from: "2026-02-30" }, "Invalid from: must be a date"],
    [{ campaigns: {} }, "Invalid campaigns: must name campaigns by ids, statuses, name or payment_type"],
    [{ campaigns: { ids: [] } }, "Invalid campaigns.ids: must not be empty"],
    [
      { campaigns: { ids: Array.from({ length: 10_000 }, (_, id) => id + 1) } },
      "Invalid campaigns.ids: must be at most 3000"
    ],
    [{ campaigns: { name: " " } }, "Invalid campaigns.name: must not be blank"],
    [{ where: ["drr > "] }, 'Invalid where.0: must be like "drr_percent > 15"'],
    [{ where: ["drr_percnt > 5"] }, "Invalid where.0: drr_percnt is no metric: use drr_percent"],
    [{ where: ["constructor > 5"] }, "Invalid where.0: constructor is no metric: use one of spent, revenue"],
    [{ sort: "__proto__" }, "Invalid sort: must be one of spent, revenue"],
    [{ where: ["spent > 5", "spent < 5"] }, "Invalid where: spent > 5 and spent < 5 can never be met together"],
    [{ sort: "money" }, "Invalid sort: must be one of spent"],
    [{ cursor: "x" }, "Invalid cursor: must be one that ads_report returned"],
    [{ level: "keyword" }, "Invalid campaigns.ids: must be one campaign for level keyword"],
    [{ wher: [] }, "Invalid wher: unknown argument. Did you mean where?"]
  ] as const)("is named with the remedy: %o", ([args, expected]) =>
    Effect.gen(function* () {
      assert.include(yield* refused(args), expected)
    }).pipe(Effect.provide(marketplace()))
  )
})

describe("a condition", () => {
  const amount = fc.option(fc.integer({ min: 0, max: 1_000_000 }), { nil: null })
  const metrics: fc.Arbitrary<Metrics> = fc.record({
    views: amount,
    clicks: amount,
    baskets: amount,
    orders: amount,
    items: amount,
    cancelled: amount,
    spent: amount,
    revenue: amount
  })

  it("is met by exactly one of below, equal and above, and by none where nothing is told", () => {
    fc.assert(
      fc.property(metrics, fc.constantFrom(...metricNames), fc.integer({ min: 0, max: 500 }), (row, metric, bound) => {
        const met = (["<", "=", ">"] as const).filter((comparison) => meets(row, { metric, comparison, bound }))
        assert.lengthOf(met, valueOf(row, metric) === null ? 0 : 1)
      }),
      { seed: 3 }
    )
  })

  it("takes a share without orders for the worst", () => {
    const row = { views: 9, clicks: 5, baskets: 0, orders: 0, items: 0, cancelled: 0, spent: 100, revenue: 0 }
    assert.isTrue(meets(row, { metric: "drr_percent", comparison: ">", bound: 1e9 }))
    assert.isFalse(meets(row, { metric: "drr_percent", comparison: "<", bound: 1e9 }))
  })

  it.each([
    ["ДРР > 15%", { metric: "drr_percent", comparison: ">", bound: 15 }],
    ["расход>=1500,5 руб", { metric: "spent", comparison: ">=", bound: 1500.5 }],
    [" orders == 0 ", { metric: "orders", comparison: "=", bound: 0 }]
  ] as const)("is read in sellers' words, too: %s", (text, expected) => {
    assert.deepStrictEqual(Result.getOrThrow(parse(text)), expected)
  })

  it.each([
    [["spent > 5", "spent < 9"], false],
    [["spent >= 5", "spent <= 5"], false],
    [["spent >= 5", "spent < 5"], true],
    [["orders = 0", "orders > 0"], true],
    [["orders = 0", "clicks > 0"], false]
  ])("%s contradict each other: %s", (texts, expected) => {
    const conditions = texts.map((text) => Result.getOrThrow(parse(text)))
    assert.strictEqual(contradiction(conditions) !== undefined, expected)
  })
})

describe("a period", () => {
  it("of the last days ends yesterday in Moscow, and the one before it is as long", () => {
    const evening = Date.parse("2026-03-01T21:30:00Z")
    const period = lastDays(evening, 7)
    assert.deepStrictEqual(period, { from: "2026-02-23", to: "2026-03-01" })
    assert.deepStrictEqual(periodBefore(period), { from: "2026-02-16", to: "2026-02-22" })
    assert.strictEqual(lengthOf(period), 7)
  })
})
