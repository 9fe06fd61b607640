import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect, Layer, Redacted, Schema } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"

import { JournalFailed } from "../../src/changes/PlanError.ts"
import { ChangesToolset } from "../../src/changes/toolset.ts"
import { PlanJournal, Plans } from "../../src/marketplace/apply/Plans.ts"
import { readKey } from "../../src/marketplace/client/ApiKey.ts"
import { decode } from "../../src/marketplace/client/MarketplaceConfig.ts"
import { EmbeddedMarketplace } from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import { readTools, writeTools } from "../../src/marketplace/tools/catalog.ts"
import { MarketplaceToolset } from "../../src/marketplace/toolset.ts"
import { Progress } from "../../src/mcp/callContext.ts"
import { Elicitation, type Reply } from "../../src/mcp/Elicitation.ts"
import * as Toolset from "../../src/mcp/Toolset.ts"
import { bigAccount } from "./accounts.ts"
import { offered, toolNamed } from "./offered.ts"
import { type Canned, embeddedClient, inTime, marketplace, plansOver, smallMarketplace, standIn } from "./support.ts"

const ajv = new Ajv2020({ strict: false })

const Answer = Schema.Record(Schema.String, Schema.Unknown)

const call = Effect.fnUntraced(function* (name: string, args: unknown = {}) {
  const tool = yield* toolNamed(name)
  return yield* Schema.decodeUnknownEffect(Answer)((yield* tool.call(args)).structured)
})

const fails = (name: string, args: unknown = {}) => Effect.flip(call(name, args))

const codeOf = (error: unknown): unknown =>
  Schema.is(Schema.Struct({ code: Schema.String }))(error) ? error.code : undefined

/** A key as the marketplace makes them; only its middle part matters. */
const token = (payload: object) => `e30.${Buffer.from(JSON.stringify(payload)).toString("base64url")}.sig`

const promotion = 2 ** 6
const readOnlyBit = 2 ** 30

describe("the marketplace toolset", () => {
  it.effect.each([
    ["by default", { readOnly: true }],
    ["for a read-only key", { apiKey: token({ acc: 3, s: promotion + readOnlyBit }) }]
  ] as const)("lists only reads and plans %s; any other tool says why it is not there", ([, given]) =>
    Effect.gen(function* () {
      const tools = yield* offered
      assert.deepStrictEqual(
        tools.filter(({ isListed }) => isListed !== false).map(({ name }) => name),
        [...readTools.map(({ name }) => name), "show_plan", "plan_rollback", "audit_log"]
      )
      for (const { name } of writeTools) {
        const { tools: all } = yield* Toolset.offered(MarketplaceToolset)
        const tool = all.find((one) => one.name === name) ?? (yield* Effect.die(`no tool ${name}`))
        const error = yield* Effect.flip(tool.call({ advert_id: 1001, confirm: true }))
        assert.strictEqual(codeOf(error), "ADS_READ_ONLY")
        assert.match(String(error), /marketplace\.readOnly|read-only/)
      }
    }).pipe(Effect.provide(marketplace(given)))
  )

  const readOnlyKey = token({ acc: 3, s: promotion + readOnlyBit })

  it.effect.each([
    [{ readOnly: true }, ["marketplace.readOnly"]],
    [{ serverReadOnly: true }, ["--read-only"]],
    [{ apiKey: readOnlyKey }, ["the key is a read-only one"]],
    [{ readOnly: true, serverReadOnly: true }, ["--read-only", "marketplace.readOnly"]]
  ] as const)("names every switch that forbids a write, and no other: %o", ([given, switches]) => {
    const options = "apiKey" in given ? { apiKey: given.apiKey } : {}
    return Effect.gen(function* () {
      const plan = yield* call("ads_plan_minus_phrases", { advert_id: 1001, phrases: ["toy"], mode: "merge" })
      const said = [plan["next"], (yield* call("ads_check_key"))["why_not"]].map(String)
      const refused = yield* Effect.flip(Plans.use((plans) => plans.apply(String(plan["plan_id"]))))
      for (const text of [...said, refused.message]) {
        for (const one of ["--read-only", "marketplace.readOnly", "the key is a read-only one"]) {
          assert.strictEqual(
            text.includes(one),
            switches.some((expected) => expected === one),
            text
          )
        }
      }
    }).pipe(Effect.provide(marketplace(given, options)))
  })

  it("describes every tool, argument and element of a list, with plain types", () => {
    const check = (schema: unknown, at: string): void => {
      const read = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Unknown))(schema)
      for (const combination of ["anyOf", "oneOf", "allOf", "$ref"]) assert.notProperty(read, combination, at)
      assert.isString(read["type"], at)
      if (read["type"] === "array") check(read["items"], `${at}[]`)
      if (at.endsWith("]") || at.endsWith("arguments")) {
        for (const [name, property] of Object.entries(Object(read["properties"] ?? {}))) {
          assert.property(property, "description", `${at}.${name}`)
          check(property, `${at}.${name}`)
        }
      }
    }
    for (const { name } of [...readTools, ...writeTools]) assert.match(name, /^ads_/)
    for (const tool of [...readTools, ...writeTools, ...ChangesToolset.tools]) {
      assert.isAbove(tool.description.length, 20)
      check(tool.inputSchema(), `${tool.name} arguments`)
    }
  })

  it("says of every tool whether it writes", () => {
    for (const { annotations } of readTools) assert.isTrue(annotations.readOnlyHint)
    for (const { annotations } of writeTools) assert.isFalse(annotations.readOnlyHint)
  })

  const small: ReadonlyArray<readonly [string, object]> = [
    ["ads_check_key", {}],
    ["ads_list_campaigns", { statuses: [9] }],
    ["ads_get_campaign", { advert_id: 1001 }],
    ["ads_report", { campaigns: { ids: [1001, 1002] }, from: "2026-01-01", to: "2026-03-15", by_day: true }],
    ["ads_report", { level: "cluster", campaigns: { ids: [1001] }, from: "2026-01-01", to: "2026-01-30" }],
    ["ads_report", { level: "keyword", campaigns: { ids: [1001] }, from: "2026-01-01", to: "2026-01-10" }],
    ["ads_get_minus_phrases", { advert_id: 1003 }],
    ["ads_get_minus_phrases", { advert_id: 1003, clusters: true }],
    ["ads_report", { level: "charge" }],
    ["ads_min_bids", { advert_id: 1001 }],
    ["ads_plan_bids", { changes: [{ advert_id: 1001, nm_id: 500101, bid_rubles: 255.5 }] }],
    ["ads_plan_minus_phrases", { advert_id: 1001, phrases: ["toy"], mode: "merge" }],
    ["ads_plan_products", { advert_id: 1001, add_nms: [5], delete_nms: [500101] }],
    ["ads_plan_cluster_bids", { changes: [{ advert_id: 1003, nm_id: 500301, norm_query: "diary", bid_rubles: 300 }] }],
    ["ads_plan_migration", {}],
    ["ads_plan_campaign", { name: "New", nms: [1, 2], bid_rubles: 260 }],
    ["audit_log", {}]
  ]

  it.effect.each(small)("%s answers small and without a key", ([name, args]) =>
    Effect.gen(function* () {
      const answer = yield* inTime(call(name, args))
      const shape = (yield* offered).find((tool) => tool.name === name)?.outputSchema?.()
      assert.isTrue(ajv.validate(shape ?? false, answer), ajv.errorsText())
      const text = JSON.stringify(answer)
      assert.isAbove(text.length, 20)
      assert.isBelow(text.length, 32_000)
      assert.notInclude(text, "the-secret")
    }).pipe(Effect.provide(marketplace({ apiKey: "the-secret" }, { apiKey: "the-secret" })))
  )

  it.effect("lists the clusters of articles by their state, those without phrases included", () =>
    Effect.gen(function* () {
      const args = { items: [1, 2].map((nm) => ({ advert_id: 1003, nm_id: 500300 + nm })), clusters: true }
      const { items } = yield* call("ads_get_minus_phrases", { ...args, phrases_each: 1 })
      const rows = Array.from(Object(items), Object)
      assert.deepStrictEqual(
        rows.map(({ clusters, count, nm_id }) => [nm_id, count, clusters.excluded.norm_queries]),
        [
          [500301, 1, ["school diary"]],
          [500302, 0, []]
        ]
      )
      for (const { clusters } of rows) {
        assert.isAbove(clusters.active.count, 1)
        assert.lengthOf(clusters.active.norm_queries, 1)
      }
    }).pipe(Effect.provide(marketplace()))
  )

  it.effect("shows money in kopecks and rubles", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* call("ads_get_campaign", { advert_id: 1002 }), {
        budget: { kopecks: 500_000, rubles: "5000.00" },
        articles: [500201, 500202].map((nm_id) => ({
          nm_id,
          subject: "goods",
          bids: { combined: { kopecks: 31_550, rubles: "315.50" } }
        }))
      })
    }).pipe(Effect.provide(marketplace()))
  )

  it.effect("plans, applies and rolls back a migration", () =>
    Effect.gen(function* () {
      const world = yield* EmbeddedMarketplace
      const before = yield* world.account
      const plan = yield* call("ads_plan_migration", { snapshot: [{ advert_id: 1001, bid_rubles: 300 }] })
      assert.deepInclude(plan, { steps: 8, by_kind: { bid: 3, phrases: 5 }, blocked_count: 0 })
      const refused = yield* fails("apply_plan", { plan_id: plan["plan_id"], confirm: false })
      assert.include(String(refused), "nothing was changed")
      const applied = yield* inTime(call("apply_plan", { plan_id: plan["plan_id"], confirm: true }))
      const shape = ChangesToolset.tools.find(({ name }) => name === "apply_plan")?.outputSchema?.() ?? false
      assert.isTrue(ajv.validate(shape, applied), ajv.errorsText())
      assert.deepInclude(applied, { state: "applied", done: 8, unconfirmed_count: 0 })
      assert.notDeepEqual(yield* world.account, before)
      const answer = yield* call("show_plan", { plan_id: plan["plan_id"], limit: 2 })
      assert.deepInclude(answer, { state: "applied", done: 8, next: "Repeat with offset 2 for more" })
      const back = yield* inTime(call("plan_rollback", { plan_id: plan["plan_id"] }))
      yield* inTime(call("apply_plan", { plan_id: back["plan_id"], confirm: true }))
      assert.deepStrictEqual(yield* world.account, before)
      assert.deepInclude(yield* call("audit_log", { advert_id: 1001, limit: 3 }), { total: 12 })
    }).pipe(Effect.provide(marketplace()))
  )

  it.effect("starts and pauses only with confirm, and records it", () =>
    Effect.gen(function* () {
      const move = (name: string, confirm: boolean) => inTime(call(name, { advert_id: 1001, confirm }))
      assert.deepInclude(yield* move("ads_pause_campaign", false), { done: false })
      assert.deepInclude(yield* move("ads_pause_campaign", true), { done: true, status_now: 11 })
      assert.deepInclude(yield* move("ads_start_campaign", true), { done: true, status_now: 9 })
      const again = yield* Effect.flip(move("ads_start_campaign", true))
      assert.strictEqual(codeOf(again), "ADS_CAMPAIGN_STATE")
      const { entries } = yield* call("audit_log")
      assert.include(JSON.stringify(entries), '"outcome":"done"')
    }).pipe(Effect.provide(marketplace()))
  )

  it.effect(
    "leaves the start of a campaign, which spends money, to the person at the client, and its pause to the caller",
    () => {
      const questions: Array<string> = []
      const person = (reply: Reply) =>
        Layer.succeed(Elicitation, {
          ask: ({ message }) => Effect.sync(() => questions.push(message)).pipe(Effect.as(reply))
        })
      return Effect.gen(function* () {
        const move = (name: string, reply: Reply) =>
          inTime(call(name, { advert_id: 1001, confirm: true })).pipe(Effect.provide(person(reply)))
        yield* move("ads_pause_campaign", { _tag: "Declined" })
        assert.deepStrictEqual(questions, [])
        const refusal = yield* Effect.flip(move("ads_start_campaign", { _tag: "Declined" }))
        assert.strictEqual(codeOf(refusal), "ADS_NOT_AGREED")
        assert.match(
          questions[0] ?? "",
          /^Start campaign 1001 ".+" with \d+ articles\? It then spends its budget, 5000\.00 rub\.$/
        )
        assert.deepInclude(yield* move("ads_start_campaign", { _tag: "Accepted", content: { agree: true } }), {
          done: true
        })
      }).pipe(Effect.provide(marketplace()))
    }
  )

  it.effect("leaves every plan to the person at the client, who is told what it changes", () => {
    const questions: Array<string> = []
    const person = (reply: Reply) =>
      Layer.succeed(Elicitation, {
        ask: ({ message }) => Effect.sync(() => questions.push(message)).pipe(Effect.as(reply))
      })
    return Effect.gen(function* () {
      const changes = [{ advert_id: 1001, nm_id: 500101, bid_rubles: 260 }]
      const { plan_id } = yield* call("ads_plan_bids", { changes })
      const apply = (reply: Reply) =>
        inTime(call("apply_plan", { plan_id, confirm: true })).pipe(Effect.provide(person(reply)))
      const refusal = yield* Effect.flip(apply({ _tag: "Declined" }))
      assert.strictEqual(codeOf(refusal), "ADS_NOT_AGREED")
      assert.match(String(refusal), /is for a person to agree to, and the person who was asked declined/)
      const [title, row, last, ...more] = questions[0]?.split("\n") ?? []
      assert.strictEqual(title, "This plan (bids) makes 1 change of campaigns and what they spend:")
      assert.match(row ?? "", /^- bid 1001\/500101\/\w+: \d+\.\d\d rub → 260\.00 rub$/)
      assert.strictEqual(last, `Apply plan ${String(plan_id)}?`)
      assert.deepStrictEqual(more, [])
      assert.deepInclude(yield* apply({ _tag: "Accepted", content: { agree: true } }), { state: "applied" })
      assert.lengthOf(questions, 2)
    }).pipe(Effect.provide(marketplace()))
  })

  it.effect("tells the person which phrases come and which go", () => {
    const questions: Array<string> = []
    const declining = Layer.succeed(Elicitation, {
      ask: ({ message }) => Effect.sync(() => questions.push(message)).pipe(Effect.as<Reply>({ _tag: "Declined" }))
    })
    return Effect.gen(function* () {
      const { plan_id } = yield* call("ads_plan_minus_phrases", {
        advert_id: 1003,
        mode: "replace",
        phrases: ["cheap"]
      })
      yield* Effect.flip(inTime(call("apply_plan", { plan_id, confirm: true })).pipe(Effect.provide(declining)))
      const both = '- phrases 1003/500301: no longer shown for "cheap"; shown again for "school diary"'
      assert.include(questions[0], `\n${both}\n`)
    }).pipe(Effect.provide(marketplace()))
  })

  it.effect("names the guard wherever a campaign may not be changed", () =>
    Effect.gen(function* () {
      const move = yield* fails("ads_pause_campaign", { advert_id: 1001, confirm: true })
      assert.strictEqual(codeOf(move), "ADS_GUARD")
      const problem = "guard allowedCampaigns: campaign 1001 is not among the campaigns that may be changed"
      assert.include(String(move), problem)
      const changes = [{ advert_id: 1001, nm_id: 500101, bid_rubles: 260 }]
      for (const plan of [yield* call("ads_plan_bids", { changes }), yield* call("ads_plan_migration")]) {
        assert.include(JSON.stringify(plan["blocked"]), problem)
      }
      const created = yield* call("ads_plan_campaign", { name: "New", nms: [1] })
      assert.include(JSON.stringify(created["blocked"]), "guard allowedCampaigns: a new campaign is not among")
    }).pipe(Effect.provide(marketplace({ guards: { allowedCampaigns: [1002] } })))
  )

  it.effect("calls a start done when the journal and the campaign cannot be reached afterwards", () => {
    const campaign = { id: 1001, bid_type: "auto", status: 11, settings: {} }
    const { client, requests } = standIn(({ path }) => {
      const isStarted = requests.some((one) => one.path.endsWith("/start"))
      if (path.endsWith("/adverts")) return isStarted ? { status: 403 } : { body: { adverts: [campaign] } }
      return path.endsWith("/budget") ? { status: 404 } : {}
    })
    return Effect.gen(function* () {
      const { append, ...journal } = yield* PlanJournal
      const full = PlanJournal.of({
        append: (entry) =>
          entry.type === "action" && entry.outcome === "done"
            ? Effect.fail(new JournalFailed({ problem: "the disk is full" }))
            : append(entry),
        ...journal
      })
      const over = plansOver({}, Layer.succeed(HttpClient.HttpClient, client), Layer.succeed(PlanJournal, full))
      const started = yield* call("ads_start_campaign", { advert_id: 1001, confirm: true }).pipe(
        Effect.provide(over, { local: true })
      )
      assert.deepInclude(started, { done: true })
      assert.notProperty(started, "status_now")
      assert.include(started["next"], "the journal could not be written")
    }).pipe(Effect.provide(Layer.merge(smallMarketplace(), PlanJournal.layerMemory)))
  })

  it.effect.each([
    ["1970-01-01T00:00:01Z", 1],
    ["1970-01-01T03:00:01+03:00", 1],
    ["1970-01-01T00:00:01.001Z", 0],
    ["1969-12-31T23:30:01-00:30", 1],
    ["1970-01-01", 1],
    ["1970-01-02", 0]
  ] as const)("shows the entries since %s: %s", ([since, total]) =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 second")
      yield* call("ads_plan_minus_phrases", { advert_id: 1001, phrases: ["toy"], mode: "merge" })
      assert.deepInclude(yield* call("audit_log", { since }), { total })
    }).pipe(Effect.provide(marketplace()))
  )

  const days = { from: "2026-01-01", to: "2026-01-07" }
  const wrong: ReadonlyArray<readonly [string, object, string]> = [
    ["ads_get_campaign", { advert_id: 5 }, "there is no campaign 5"],
    ["ads_get_campaign", {}, "Invalid advert_id: is required"],
    ["ads_get_campaign", { advert: 5 }, "unknown argument. Did you mean advert_id?"],
    ["ads_plan_bids", { changes: [{ advert_id: 1001, nm_id: 500101 }] }, "exactly one of"],
    ["ads_get_minus_phrases", {}, "Invalid arguments: must have exactly one of items, advert_id"],
    [
      "ads_get_minus_phrases",
      { advert_id: 1003, items: [{ advert_id: 1003, nm_id: 500301 }] },
      "Invalid arguments: must have exactly one of items, advert_id"
    ],
    ["ads_get_minus_phrases", { items: [] }, "Invalid items: must not be empty"],
    ["ads_list_campaigns", { ids: [] }, "Invalid ids: must not be empty"],
    ["ads_report", { campaigns: { ids: [] }, ...days }, "Invalid campaigns.ids: must not be empty"],
    ["ads_min_bids", { advert_id: 1001, nm_ids: [] }, "Invalid nm_ids: must not be empty"],
    ["ads_min_bids", { advert_id: 1001, placements: [] }, "Invalid placements: must not be empty"],
    ["ads_plan_campaign", { name: "New", nms: [1], placements: [] }, "Invalid placements: must not be empty"],
    [
      "ads_plan_migration",
      { placements: ["search"] },
      "Invalid placements: must not be given with target in-place, which leaves a campaign where it is shown"
    ],
    [
      "ads_plan_migration",
      { target: "new-manual-campaign", placements: ["search"], recommendations_percent: 50 },
      "Invalid recommendations_percent: must not be given without recommendations among placements"
    ],
    ["ads_plan_products", { advert_id: 1001 }, "Invalid arguments: must name articles in add_nms or delete_nms"],
    ["ads_plan_minus_phrases", { advert_id: 1001, nm_ids: [], mode: "clear" }, "Invalid nm_ids: must not be empty"],
    [
      "ads_plan_bids",
      { changes: [{ advert_id: 1001, nm_id: 500101, bid_rubles: 1, bid_kopecks: 100 }] },
      "exactly one of"
    ],
    ["ads_plan_bids", { changes: [{ advert_id: 1001, nm_id: 500101, bid_rubles: -3 }] }, "not negative"],
    ["audit_log", { since: "soon" }, "Invalid since: must be a day or a moment, such as today, yesterday, 2026-11-21"],
    [
      "audit_log",
      { since: "2026-11-21T09:00" },
      "Invalid since: must be a day or a moment, such as today, yesterday, 2026-11-21"
    ],
    [
      "audit_log",
      { since: "2026-13-01" },
      "Invalid since: must be a day or a moment, such as today, yesterday, 2026-11-21"
    ],
    ["apply_plan", { plan_id: "nope", confirm: true }, "There is no plan nope"],
    ["plan_rollback", { plan_id: "nope" }, "There is no plan nope"],
    ["ads_report", { level: "keyword", campaigns: { ids: [5] }, ...days }, "campaign not found"]
  ]

  it.effect.each(wrong)("refuses %s %o and says: %s", ([name, args, expected]) =>
    Effect.gen(function* () {
      assert.include(String(yield* fails(name, args)), expected)
    }).pipe(Effect.provide(marketplace()))
  )

  it.effect("names a campaign that is to be moved and is not there", () =>
    Effect.gen(function* () {
      const { blocked, next, steps } = yield* call("ads_plan_migration", { advert_ids: [77] })
      assert.strictEqual(steps, 0)
      assert.deepStrictEqual(blocked, [{ what: "migrate 77", reason: "there is no such campaign" }])
      assert.strictEqual(next, "Nothing can be changed; blocked says why.")
    }).pipe(Effect.provide(marketplace()))
  )

  it.effect("says how many warnings it does not show", () =>
    Effect.gen(function* () {
      const args = { target: "new-manual-campaign", check_floors: false }
      const { plan_id, warnings } = yield* call("ads_plan_migration", args)
      const answer = yield* call("show_plan", { plan_id, limit: 50 })
      assert.lengthOf(Object(answer["warnings"]), 13)
      assert.match(Object(warnings).at(-1), /^\d+ more warnings: show_plan with limit shows them all$/)
      assert.strictEqual(Object(warnings).length - 1 + Number.parseInt(Object(warnings).at(-1), 10), 13)
    }).pipe(Effect.provide(marketplace({}, { account: bigAccount({ campaigns: 12, articles: 1 }) })))
  )

  it.effect("renders an error with its code, blame and details", () =>
    Effect.gen(function* () {
      const error = yield* fails("ads_list_campaigns")
      const shape = { _tag: "ToolError", blame: "upstream", code: "ADS_UNAUTHORIZED" }
      assert.deepInclude(Object(error), shape)
      assert.notInclude(JSON.stringify(error), "wrong-key")
    }).pipe(Effect.provide(marketplace({ apiKey: "wrong-key" })))
  )

  const echoes: ReadonlyArray<readonly [string, (said: string, key: string) => Canned]> = [
    ["a field", (said) => ({ status: 401, body: { detail: said } })],
    ["the list of errors", (said, key) => ({ status: 400, body: { errors: [{ field: key, detail: said }] } })],
    ["a page", (said) => ({ status: 403, text: `<p>${encodeURIComponent(said)}</p>` })],
    ["Base64", (said) => ({ status: 422, text: btoa(said) })],
    ["an answer that cannot be read", (_said, key) => ({ text: `["${key}", "${btoa(key)}"]` })]
  ]

  it.effect.each(echoes)("hides the key when the marketplace repeats it in %s", ([, echo]) => {
    const apiKey = "the/secret+key"
    const campaign = { id: 1001, bid_type: "auto", status: 11, settings: { name: `of ${apiKey}` } }
    const { client } = standIn(({ headers, path }) => {
      if (path.endsWith("/adverts")) return { body: { adverts: [campaign] } }
      return path.endsWith("/budget") ? { status: 404 } : echo(headers["authorization"] ?? "", apiKey)
    })
    return Effect.gen(function* () {
      const answers = [
        yield* call("ads_list_campaigns"),
        yield* Effect.result(call("ads_start_campaign", { advert_id: 1001, confirm: true })),
        yield* Effect.result(call("ads_check_key")),
        yield* call("audit_log"),
        yield* Plans.use((plans) => plans.entries)
      ]
      const log = JSON.stringify(answers)
      assert.include(log, '"what":"start the campaign"')
      const forms = [apiKey, encodeURIComponent(apiKey), btoa(apiKey), btoa(`Bearer ${apiKey}`)]
      for (const form of forms) assert.notInclude(log, form)
    }).pipe(
      Effect.provide(
        plansOver({ apiKey }, Layer.succeed(HttpClient.HttpClient, client)).pipe(Layer.provideMerge(smallMarketplace()))
      )
    )
  })

  it.effect("reads the lowest bids of an article once, and reports progress", () => {
    const steps: Array<unknown> = []
    const changes = [1001, 1002].map((advert_id) => ({ advert_id, nm_id: 7, bid_kopecks: 1 }))
    return Effect.gen(function* () {
      yield* call("ads_plan_bids", { changes })
      yield* Effect.replicateEffect(call("ads_plan_bids", { changes }), 8)
      assert.deepStrictEqual(steps.slice(0, 2), [
        { progress: 1, total: 2 },
        { progress: 2, total: 2 }
      ])
    }).pipe(
      Effect.provideService(Progress, (step) => Effect.sync(() => void steps.push(step))),
      Effect.provide(
        marketplace(
          { maxWaitSeconds: 1, limits: { getAdvertsV2: { limit: 99, periodMs: 1000, burst: 99 } } },
          { limits: "none" }
        )
      )
    )
  })

  it.effect("reads ids and amounts that come as text", () =>
    Effect.gen(function* () {
      const changes = [{ advert_id: "1001", nm_id: "500101", bid_rubles: "260.50" }]
      const { first_steps } = yield* call("ads_plan_bids", { changes })
      assert.include(JSON.stringify(first_steps), '"rubles":"260.50"')
      assert.deepInclude(yield* call("ads_list_campaigns", { ids: '["1001"]' }), { total: 1 })
    }).pipe(Effect.provide(marketplace()))
  )

  it.effect("keeps its plans in the journal over a restart", () =>
    Effect.gen(function* () {
      const kept = Layer.succeed(PlanJournal, yield* PlanJournal)
      const aProcess = plansOver({}, embeddedClient, kept)
      const { plan_id } = yield* call("ads_plan_minus_phrases", {
        advert_id: 1001,
        phrases: ["a"],
        mode: "merge"
      }).pipe(Effect.provide(aProcess, { local: true }))
      const again = yield* inTime(
        call("apply_plan", { plan_id, confirm: true }).pipe(Effect.provide(aProcess, { local: true }))
      )
      assert.deepInclude(again, { state: "applied", done: 3 })
    }).pipe(Effect.provide(Layer.merge(smallMarketplace(), PlanJournal.layerMemory)))
  )
})

describe("a key", () => {
  it.each([
    [{ acc: 1 }, "base"],
    [{ acc: 2, t: true }, "test"],
    [{ acc: 3, for: "self" }, "personal"],
    [{ acc: 4, for: "asid:x" }, "service"],
    [{}, "unknown"]
  ])("with payload %o is of kind %s", (payload, kind) => {
    assert.strictEqual(readKey(Redacted.make(token(payload))).kind, kind)
  })

  it("shows its rights and its expiry", () => {
    const facts = readKey(Redacted.make(token({ acc: 3, s: promotion + readOnlyBit, exp: 1_800_000_000 })))
    assert.deepStrictEqual(facts, { kind: "personal", promotion: true, readOnly: true, expires: 1_800_000_000 })
    assert.isFalse(readKey(Redacted.make(token({ s: 2 }))).promotion)
  })

  it.each(["plain", "a.b.c", "..", ""])("may be any text: %s", (text) => {
    assert.strictEqual(readKey(Redacted.make(text)).kind, "unknown")
  })
})

describe("the configuration", () => {
  it.effect.each([
    [undefined, "marketplace.apiKey is required"],
    [{ apiKey: "secret", authScheme: "basic" }, "marketplace.authScheme"],
    [{ apiKey: "secret", guards: { maxBidKopecks: -1 } }, "marketplace.guards.maxBidKopecks"],
    [{ apiKey: "secret", gards: {} }, "marketplace.gards"],
    [{ apiKey: "secret", limits: { getAdverts: {} } }, "marketplace.limits.getAdverts"],
    [{ apiKey: "secret", baseUrl: "http://example.com" }, "marketplace.baseUrl"],
    [{ apiKey: "secret", baseUrl: "here" }, "marketplace.baseUrl"],
    [{ apiKey: "k", baseUrl: "https://me:secret@example.com" }, "marketplace.baseUrl must not hold a user name"],
    [{ apiKey: "k", baseUrl: "https://example.com/?key=secret" }, "marketplace.baseUrl must be a base URL only"],
    [{ apiKey: "k", baseUrl: "https://example.com/#secret" }, "marketplace.baseUrl must be a base URL only"],
    [{ apiKey: "  " }, "marketplace.apiKey must be the key, as text of printable ASCII characters"],
    [{ apiKey: "secret\nkey" }, "marketplace.apiKey must be the key, as text of printable ASCII characters"],
    [{ apiKey: "secret\u2013key" }, "marketplace.apiKey must be the key, as text of printable ASCII characters"],
    [["text"], "marketplace must be an object"],
    ["text", "marketplace must be an object"]
  ] as const)("fails for %o with the field, without the key: %s", ([given, expected]) =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(decode(given))
      assert.include(message, expected)
      assert.notInclude(message, "secret")
    })
  )

  it.effect("defaults to read-only, the real host and no chosen wire", () =>
    Effect.gen(function* () {
      const settings = yield* decode({ apiKey: "k" })
      assert.isUndefined(settings.wire)
      assert.deepInclude(settings, {
        readOnly: true,
        authScheme: "bearer",
        planMinutes: 15
      })
    })
  )

  it.effect("takes key and host from the environment before the file", () =>
    Effect.gen(function* () {
      const environment = { MARKETPLACE_API_KEY: " from-env\n", MARKETPLACE_HOST: "https://example.com/" }
      const { apiKey, baseUrl } = yield* decode({ apiKey: "from-file" }, environment)
      assert.deepStrictEqual([Redacted.value(apiKey), baseUrl], ["from-env", "https://example.com"])
    })
  )
})
