import { assert, describe, it } from "@effect/vitest"
import { Array as Arrays, Schema } from "effect"
import * as fc from "fast-check"

import { articlesOf, bidOf, Campaign } from "../../src/marketplace/client/Campaign.ts"
import type { MinusPhrases } from "../../src/marketplace/client/Clusters.ts"
import { limitOf } from "../../src/marketplace/client/keyRules.ts"
import { Kopecks, Rubles, percentOf } from "../../src/marketplace/client/money.ts"
import { batchesOf, estimate, secondsFor } from "../../src/marketplace/plan/batches.ts"
import type { Change, Target } from "../../src/marketplace/plan/Change.ts"
import { twinName } from "../../src/marketplace/plan/migrateCampaign.ts"
import type { MigrationInput } from "../../src/marketplace/plan/Migration.ts"
import type { Draft } from "../../src/marketplace/plan/Plan.ts"
import { planBids } from "../../src/marketplace/plan/planBids.ts"
import { planCampaign } from "../../src/marketplace/plan/planCampaign.ts"
import { planClusterBids } from "../../src/marketplace/plan/planClusterBids.ts"
import { planMigration } from "../../src/marketplace/plan/planMigration.ts"
import { planMinusPhrases } from "../../src/marketplace/plan/planMinusPhrases.ts"
import { planProducts } from "../../src/marketplace/plan/planProducts.ts"
import { settings } from "./support.ts"

const { guards } = settings()
const kopecks = (amount: number) => Kopecks.make(amount)

const decode = Schema.decodeUnknownSync(Campaign)

const idOf = (target: Target): string => (typeof target === "number" ? String(target) : target.created_by)

const campaignOf = (given: {
  readonly id: number
  readonly bid_type?: string
  readonly status?: number
  readonly name?: string
  readonly bids: Readonly<Record<number, number>>
}): Campaign =>
  decode({
    id: given.id,
    bid_type: given.bid_type ?? "auto",
    status: given.status ?? 9,
    settings: {
      name: given.name ?? `c${given.id}`,
      payment_type: "cpm",
      placements: { search: true, recommendations: true }
    },
    nm_settings: Object.entries(given.bids).map(([nm_id, bid]) => ({
      nm_id: Number(nm_id),
      bids_kopecks: { search: bid, recommendations: bid }
    }))
  })

/** An account in a model of its own: what the changes of a plan do to it, and nothing else. */
interface Model {
  readonly bids: Map<string, number | null>
  readonly phrases: Map<string, ReadonlyArray<string>>
}

const modelOf = (campaigns: ReadonlyArray<Campaign>, phrases: ReadonlyArray<MinusPhrases>): Model => ({
  bids: new Map(
    campaigns.flatMap((campaign) =>
      articlesOf(campaign).map((article) => [`${campaign.id}/${article.nm_id}/combined`, bidOf(article, "combined")])
    )
  ),
  phrases: new Map(phrases.map(({ advert_id, nm_id, norm_queries }) => [`${advert_id}/${nm_id}`, norm_queries]))
})

const run = ({ bids, phrases }: Model, changes: ReadonlyArray<Change>) => {
  for (const change of changes) {
    if (change.kind === "bid") {
      const key = `${idOf(change.target)}/${change.nm_id}/${change.placement}`
      assert.strictEqual(bids.get(key) ?? null, change.before)
      bids.set(key, change.after)
    } else if (change.kind === "phrases") {
      const key = `${idOf(change.target)}/${change.nm_id}`
      assert.deepStrictEqual(phrases.get(key) ?? [], change.before)
      if (change.after.length === 0) phrases.delete(key)
      else phrases.set(key, change.after)
    } else assert.fail(`unexpected ${change.kind}`)
  }
}

const words = fc.array(
  fc.constantFrom<Array<string>>("glass", "Glass ", "cup", "paper  cup", "lamp", "bulb", "old", "used"),
  {
    maxLength: 5
  }
)

/** Accounts in the middle of the move: any number of campaigns, articles, phrases and old settings. */
const accounts = fc.uniqueArray(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 8 }).chain((ids) =>
  fc.record({
    campaigns: fc.tuple(
      ...ids.map((id) =>
        fc
          .dictionary(fc.integer({ min: 1, max: 60 }).map(String), fc.integer({ min: 1, max: 90_000 }), { maxKeys: 8 })
          .map((bids) => campaignOf({ id, bids }))
      )
    ),
    snapshot: fc.uniqueArray(
      fc.record(
        {
          advert_id: fc.constantFrom(...ids),
          bid_rubles: fc.nat(900_000).map((amount) => Rubles.make((amount / 1000).toFixed(3))),
          minus_phrases: words
        },
        { requiredKeys: ["advert_id"] }
      ),
      { selector: ({ advert_id }) => advert_id, maxLength: 6 }
    ),
    wide: fc.tuple(...ids.map((id) => words.map((norm_queries) => ({ advert_id: id, nm_id: 0, norm_queries })))),
    own: fc.uniqueArray(
      fc.record({
        advert_id: fc.constantFrom(...ids),
        nm_id: fc.integer({ min: 1, max: 60 }),
        norm_queries: fc.uniqueArray(fc.constantFrom<Array<string>>("glass", "cup", "own"), { minLength: 1 })
      }),
      { selector: ({ advert_id, nm_id }) => `${advert_id}/${nm_id}`, maxLength: 20 }
    )
  })
)

type Account = typeof accounts extends fc.Arbitrary<infer A> ? A : never

const inputOf = (
  { campaigns, own, snapshot, wide }: Account,
  target: MigrationInput["options"]["target"] = "in-place"
): MigrationInput => ({
  campaigns,
  existing: campaigns,
  snapshot,
  phrases: [...wide, ...own],
  floors: [],
  guards,
  options: {
    target,
    percent: { combined: 100, search: 100, recommendations: 100 },
    onBelowFloor: "raise",
    phrases: "merge"
  }
})

const changesOf = ({ steps }: Draft) => steps.map(({ change }) => change)

/** The account after a plan, as it would be read again. */
const afterwards = (account: Account, draft: Draft): Account => {
  const bids = new Map(
    changesOf(draft).flatMap((change) =>
      change.kind === "bid" ? [[`${idOf(change.target)}/${change.nm_id}`, change.after]] : []
    )
  )
  const phrases = changesOf(draft).flatMap((change) =>
    change.kind === "phrases" && typeof change.target === "number"
      ? [{ advert_id: change.target, nm_id: change.nm_id, norm_queries: [...change.after] }]
      : []
  )
  const replaced = new Set(phrases.map(({ advert_id, nm_id }) => `${advert_id}/${nm_id}`))
  return {
    ...account,
    campaigns: account.campaigns.map((campaign) =>
      campaignOf({
        id: campaign.id,
        bids: Object.fromEntries(
          articlesOf(campaign).map((article) => [
            article.nm_id,
            bids.get(`${campaign.id}/${article.nm_id}`) ?? bidOf(article, "combined") ?? 0
          ])
        )
      })
    ),
    own: [...account.own.filter(({ advert_id, nm_id }) => !replaced.has(`${advert_id}/${nm_id}`)), ...phrases]
  }
}

describe("a migration in place", () => {
  it("has no step with article 0, and only whole kopecks above 0", () => {
    fc.assert(
      fc.property(accounts, (account) => {
        const changes = changesOf(planMigration(inputOf(account)))
        const articles = changes.flatMap((change) => ("nm_id" in change ? [change.nm_id] : []))
        const bids = changes.flatMap((change) => (change.kind === "bid" ? [change.after] : []))
        assert.isTrue(articles.every((nm_id) => nm_id > 0))
        assert.isTrue(bids.every((bid) => Number.isSafeInteger(bid) && bid > 0))
      })
    )
  })

  it("has exactly one step of phrases for every article that gets some", () => {
    fc.assert(
      fc.property(accounts, (account) => {
        const seen = changesOf(planMigration(inputOf(account))).flatMap((change) =>
          change.kind === "phrases" ? [`${idOf(change.target)}/${change.nm_id}`] : []
        )
        assert.strictEqual(new Set(seen).size, seen.length)
        const model = modelOf(account.campaigns, account.own)
        run(model, changesOf(planMigration(inputOf(account))))
        for (const campaign of account.campaigns) {
          const wanted = account.wide
            .filter(({ advert_id }) => advert_id === campaign.id)
            .flatMap(({ norm_queries }) => norm_queries)
          for (const { nm_id } of articlesOf(campaign)) {
            const has = (model.phrases.get(`${campaign.id}/${nm_id}`) ?? []).map((one) => one.toLowerCase())
            for (const one of wanted)
              assert.strictEqual(
                has.filter((other) => other === one.trim().replace(/\s+/g, " ").toLowerCase()).length,
                1
              )
          }
        }
      })
    )
  })

  it("is rolled back to exactly what was there before", () => {
    fc.assert(
      fc.property(accounts, (account) => {
        const { steps } = planMigration(inputOf(account))
        const model = modelOf(account.campaigns, account.own)
        const undoable = steps.filter(({ undo }) => undo.length > 0)
        run(
          model,
          undoable.map(({ change }) => change)
        )
        run(
          model,
          undoable.toReversed().flatMap(({ undo }) => undo)
        )
        assert.deepStrictEqual(model, modelOf(account.campaigns, account.own))
      })
    )
  })

  it("is empty for an account that has been migrated", () => {
    fc.assert(
      fc.property(accounts, (account) => {
        const moved = afterwards(account, planMigration(inputOf(account)))
        assert.deepStrictEqual(planMigration(inputOf(moved)).steps, [])
      })
    )
  })

  it("is the same for its input in any order", () => {
    fc.assert(
      fc.property(accounts, fc.constantFrom("in-place" as const, "new-manual-campaign" as const), (account, target) => {
        const turned = {
          campaigns: account.campaigns
            .toReversed()
            .map((campaign) => ({ ...campaign, nm_settings: articlesOf(campaign).toReversed() })),
          snapshot: account.snapshot.toReversed(),
          wide: account.wide.toReversed(),
          own: account.own.toReversed()
        }
        assert.deepStrictEqual(planMigration(inputOf(turned, target)), planMigration(inputOf(account, target)))
      })
    )
  })

  it("estimates its calls and the time that they take under the limits", () => {
    const campaign = campaignOf({ id: 1, bids: { 7: 100, 8: 100 } })
    const wide = [{ advert_id: 1, nm_id: 0, norm_queries: ["glass"] }]
    const snapshot = [{ advert_id: 1, bid_rubles: Rubles.make("155") }]
    const { estimate: cost } = planMigration(inputOf({ campaigns: [campaign], snapshot, wide, own: [] }))
    assert.deepStrictEqual(cost, { calls: 7, seconds: 0 })
  })

  it("is split into calls that hold to every cap, without losing a step", () => {
    fc.assert(
      fc.property(accounts, fc.constantFrom("in-place" as const, "new-manual-campaign" as const), (account, target) => {
        const { steps } = planMigration(inputOf(account, target))
        const batches = batchesOf(steps)
        assert.deepStrictEqual(
          batches.flatMap((batch) => batch.steps),
          steps
        )
        for (const batch of batches) {
          const perCampaign = Object.values(
            Arrays.groupBy(batch.steps, ({ change }) => ("target" in change ? JSON.stringify(change.target) : ""))
          )
          if (batch.work === "bid") for (const some of perCampaign) assert.isAtMost(some.length, 50)
          if (batch.work === "phrases") assert.isAtMost(batch.steps.length, 100)
          if (batch.work === "create") assert.isAtMost(batch.steps.length, 1)
        }
      })
    )
  })

  it("reads rubles to the kopeck, half a kopeck up", () => {
    const campaign = campaignOf({ id: 1, bids: { 7: 100 } })
    const { steps } = planMigration({
      ...inputOf({
        campaigns: [campaign],
        snapshot: [{ advert_id: 1, bid_rubles: Rubles.make("155.005") }],
        wide: [],
        own: []
      })
    })
    assert.deepInclude(steps[0]?.change, { before: kopecks(100), after: kopecks(15_501) })
  })

  it("gives a reason for every campaign that stays as it is", () => {
    const input = inputOf({
      campaigns: [campaignOf({ id: 1, status: 7, bids: { 7: 1 } }), campaignOf({ id: 2, bids: {} })],
      snapshot: [{ advert_id: 9 }],
      wide: [],
      own: []
    })
    assert.deepStrictEqual(
      planMigration(input).blocked.map(({ what }) => what),
      ["migrate 1", "migrate 2", "migrate 9"]
    )
  })

  it("changes only the campaigns that may be changed", () => {
    const campaigns = [campaignOf({ id: 1, bids: { 7: 1 } }), campaignOf({ id: 2, bids: { 7: 1 } })]
    const snapshot = [1, 2].map((advert_id) => ({ advert_id, bid_rubles: Rubles.make("300") }))
    const draft = planMigration({
      ...inputOf({ campaigns, snapshot, wide: [], own: [] }),
      guards: { ...guards, allowedCampaigns: [2] }
    })
    assert.deepStrictEqual(
      draft.steps.map(({ id }) => id),
      ["bid 2/7/combined"]
    )
    assert.strictEqual(draft.blocked[0]?.what, "migrate 1")
  })
})

describe("a migration with a wrong input", () => {
  const rubles = (amount: string) => Rubles.make(amount)
  const campaigns = [campaignOf({ id: 1, bids: { 7: 100, 8: 100 } }), campaignOf({ id: 2, bids: { 7: 100 } })]
  const plan = (
    snapshot: MigrationInput["snapshot"],
    more: Partial<MigrationInput> = {},
    target: "in-place" | "new-manual-campaign" = "in-place"
  ) => planMigration({ ...inputOf({ campaigns, snapshot: [], wide: [], own: [] }, target), snapshot, ...more })
  const stepsOf = ({ steps }: Draft) => steps.map(({ id }) => id)

  it("names a campaign that does not exist", () => {
    const draft = plan([], { requestedIds: [1, 77] })
    assert.deepStrictEqual(draft.blocked, [{ what: "migrate 77", reason: "there is no such campaign" }])
    assert.deepStrictEqual(plan([{ advert_id: 77 }], { requestedIds: [1, 77] }).blocked, draft.blocked)
  })

  const other = { advert_id: 2, bid_rubles: rubles("300") }
  const twice = [
    [[1, 2].map((bid) => ({ advert_id: 1, bid_rubles: rubles(`${bid}`) })), "the snapshot has it 2 times"],
    [
      [{ advert_id: 1, bids: ["310", "300"].map((amount) => ({ nm_id: 8, rubles: rubles(amount) })) }],
      "the snapshot has article 8 more than once among its bids"
    ]
  ] as const

  it.each(twice)("blocks what the snapshot has twice, in any order: %o", (said, reason) => {
    for (const target of ["in-place", "new-manual-campaign"] as const) {
      const draft = plan([...said, other], {}, target)
      assert.deepStrictEqual(draft.blocked, [{ what: "migrate 1", reason }])
      assert.isNotEmpty(draft.steps)
      assert.notInclude(JSON.stringify(draft.steps), "campaign 1")
      assert.isFalse(draft.steps.some(({ change }) => "target" in change && change.target === 1))
      assert.deepStrictEqual(plan([...said, other].toReversed(), {}, target), draft)
    }
  })

  it.each(["in-place", "new-manual-campaign"] as const)("names articles that are not in the campaign: %s", (target) => {
    const snapshot = [{ advert_id: 2, bids: [{ nm_id: 9, rubles: rubles("300") }], nm_ids: [7, 10] }]
    const { blocked, warnings } = plan(snapshot, {}, target)
    assert.deepStrictEqual(blocked, [{ what: "bid 2/9", reason: "the article is not in the campaign" }])
    assert.include(warnings, "Article 10 of the snapshot is no longer in campaign 2")
  })

  it("refuses percentages per placement where the campaign has one bid for all", () => {
    const { options } = inputOf({ campaigns: [], snapshot: [], wide: [], own: [] })
    const manual = campaignOf({ id: 3, bid_type: "manual", bids: { 7: 100 } })
    for (const place of ["search", "recommendations"] as const) {
      const halved = { ...options, percent: { ...options.percent, [place]: 50 } }
      const snapshot = [other, { ...other, advert_id: 3 }]
      const draft = plan(snapshot, { campaigns: [...campaigns, manual], options: halved })
      assert.deepStrictEqual(
        draft.blocked.map(({ what }) => what),
        ["migrate 1", "migrate 2"]
      )
      assert.include(draft.blocked[1]?.reason, "one bid for all placements")
      assert.deepStrictEqual(stepsOf(draft), ["bid 3/7/recommendations", "bid 3/7/search"])
    }
  })

  it("names the articles of a twin whose old bids are not known", () => {
    const blind = campaignOf({ id: 5, bids: { 7: 0, 8: 0, 9: 500 } })
    const given = (snapshot: MigrationInput["snapshot"], existing = [blind]) =>
      plan(snapshot, { campaigns: [blind], existing }, "new-manual-campaign").warnings.filter((one) =>
        one.includes("lowest bids")
      )
    assert.deepStrictEqual(given([]), [
      "The old bids of campaign 5 are not known for article 7, 8: the twin starts with the lowest bids there. Give the old " +
        "ones in the snapshot, as bid_rubles or bids"
    ])
    assert.deepStrictEqual(given([{ advert_id: 5, bid_rubles: rubles("300") }]), [])
    const twin = campaignOf({ id: 6, bid_type: "manual", name: twinName(blind), bids: { 7: 20_000 } })
    assert.include(given([], [blind, twin])[0], "for article 8:")
    const many = campaignOf({ id: 5, bids: Object.fromEntries(Array.from({ length: 30 }, (_, nm) => [nm + 1, 0])) })
    const [warning] = plan([], { campaigns: [many] }, "new-manual-campaign").warnings.filter((one) =>
      one.includes("lowest bids")
    )
    assert.include(warning, "19, 20 and 10 more:")
  })

  it("says that a campaign with manual bids needs no twin", () => {
    const manual = campaignOf({ id: 3, bid_type: "manual", bids: { 7: 100 } })
    const { steps, warnings } = plan([], { campaigns: [manual], existing: [manual] }, "new-manual-campaign")
    assert.deepStrictEqual(steps, [])
    assert.deepStrictEqual(warnings, [
      "Campaign 3 has manual bids already: it needs no twin, and nothing is planned for it"
    ])
  })
})

describe("a migration into new campaigns", () => {
  const bids = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [index + 1, 20_000]))
  const campaign = campaignOf({ id: 5, name: "x".repeat(200), bids })
  const input = inputOf(
    { campaigns: [campaign], snapshot: [], wide: [{ advert_id: 5, nm_id: 0, norm_queries: ["old"] }], own: [] },
    "new-manual-campaign"
  )

  it("creates with 50 articles, adds the others, then sets bids and phrases of all", () => {
    const counts = Arrays.groupBy(changesOf(planMigration(input)), ({ kind }) => kind)
    assert.strictEqual(counts["create"]?.length, 1)
    assert.strictEqual(counts["product"]?.length, 70)
    assert.strictEqual(counts["bid"]?.length, 240)
    assert.strictEqual(counts["phrases"]?.length, 120)
  })

  it("measures the largest change against the bid of today", () => {
    const tenfold = { ...input.options, percent: { ...input.options.percent, search: 1000 } }
    const draft = planMigration({ ...input, options: tenfold, guards: { ...guards, maxChangePercent: 20 } })
    const planned = draft.steps.flatMap(({ change }) => (change.kind === "bid" ? [change.placement] : []))
    assert.deepStrictEqual([...new Set(planned)], ["recommendations"])
    assert.strictEqual(draft.blocked.filter(({ reason }) => reason.includes("maxChangePercent")).length, 120)
  })

  it("names the twin within the length a name may have", () => {
    assert.strictEqual(twinName(campaign).length, 100)
  })

  it.each(["\ufffd lamps ", "Lamps"])("recognizes its twin by the end of its name: %s", (name) => {
    const called = `${name} (manual, ${campaign.id})`
    const twin = campaignOf({ id: 7, bid_type: "manual", name: called, bids: { 1: 20_000 } })
    const kinds = planMigration({ ...input, existing: [campaign, twin] }).steps.map(({ change }) => change.kind)
    assert.notInclude(kinds, "create")
  })

  it("never cuts a character of a name in two", () => {
    const name = "\u{1f4a1}".repeat(50)
    assert.isFalse(/[\ud800-\udbff](?![\udc00-\udfff])/.test(twinName(campaignOf({ id: 61, name, bids: { 1: 1 } }))))
  })

  it("completes a twin that exists already", () => {
    const twin = campaignOf({ id: 6, bid_type: "manual", name: twinName(campaign), bids: { 1: 20_000 } })
    const kinds = planMigration({ ...input, existing: [campaign, twin] }).steps.map(({ change }) => change.kind)
    assert.notInclude(kinds, "create")
    assert.strictEqual(kinds.filter((kind) => kind === "product").length, 119)
  })

  it("leaves campaigns alone that are manual already", () => {
    const manual = campaignOf({ id: 6, bid_type: "manual", bids: { 1: 20_000 } })
    assert.deepStrictEqual(planMigration({ ...input, campaigns: [manual], existing: [manual] }).steps, [])
  })
})

describe("a plan of bids", () => {
  const campaign = campaignOf({ id: 1, bids: { 7: 20_000, 8: 30_000 } })
  const plan = (
    to: { readonly kopecks: Kopecks } | { readonly percent: number },
    more: Partial<Parameters<typeof planBids>[0]> = {}
  ) =>
    planBids({
      campaigns: [campaign],
      wishes: [{ advert_id: 1, nm_id: 7, to }],
      floors: [],
      onBelowFloor: "block",
      guards,
      ...more
    })
  const floors = [{ nm_id: 7, placement: "combined", payment_type: "cpm", kopecks: kopecks(15_500) }] as const

  it("works a percentage out exactly, half a kopeck up", () => {
    assert.deepInclude(plan({ percent: 110 }).steps[0]?.change, { before: kopecks(20_000), after: kopecks(22_000) })
    assert.strictEqual(percentOf(kopecks(5), 110), 6)
    const exact = [100.125, 101.005, 100.004, 33.335].map((percent) => percentOf(kopecks(1_000_000), percent))
    assert.deepStrictEqual(exact.map(Number), [1_001_250, 1_010_050, 1_000_040, 333_350])
    assert.strictEqual(percentOf(kopecks(Number.MAX_SAFE_INTEGER), 100), Number.MAX_SAFE_INTEGER)
  })

  it("is empty where the bid is as wanted", () => {
    assert.deepStrictEqual(plan({ kopecks: kopecks(20_000) }).steps, [])
  })

  it.each([
    ["raise", 15_500, 0],
    ["skip", undefined, 0],
    ["block", undefined, 1]
  ] as const)("treats a bid below the lowest one by on_below_floor %s", (onBelowFloor, expected, blocked) => {
    const draft = plan({ kopecks: kopecks(100) }, { floors, onBelowFloor })
    const change = draft.steps[0]?.change
    assert.strictEqual(change?.kind === "bid" ? Number(change.after) : undefined, expected)
    assert.strictEqual(draft.blocked.length, blocked)
  })

  it.each([
    ["maxBidKopecks", { maxBidKopecks: kopecks(20_999) }],
    ["maxChangePercent", { maxChangePercent: 4 }],
    ["allowedCampaigns", { allowedCampaigns: [2] }],
    ["maxItemsPerApply", { maxItemsPerApply: 0 }]
  ] as const)("is blocked by the guard %s", (name, guard) => {
    const draft = plan({ kopecks: kopecks(21_000) }, { guards: { ...guards, ...guard } })
    assert.deepStrictEqual(draft.steps, [])
    assert.include(draft.blocked[0]?.reason, name)
  })

  it("is blocked where one bid is asked for twice, with or without its placement, in any order", () => {
    const low = { advert_id: 1, nm_id: 7, to: { kopecks: kopecks(21_000) } }
    const high = { ...low, placement: "combined", to: { percent: 300 } } as const
    const unchanged = { ...low, to: { percent: 100 } }
    const other = { ...low, nm_id: 8, to: { kopecks: kopecks(31_000) } }
    for (const rival of [high, unchanged, low]) {
      const draft = plan(low.to, { wishes: [low, other, rival] })
      assert.deepStrictEqual(draft.blocked, [{ what: "bid 1/7/combined", reason: "it is asked for 2 times" }])
      assert.deepStrictEqual(
        draft.steps.map(({ id }) => id),
        ["bid 1/8/combined"]
      )
      assert.deepStrictEqual(plan(low.to, { wishes: [rival, other, low] }), draft)
    }
  })

  it("asks which placement is meant where there are two", () => {
    const manual = campaignOf({ id: 1, bid_type: "manual", bids: { 7: 1 } })
    assert.include(plan({ kopecks: kopecks(500) }, { campaigns: [manual] }).blocked[0]?.reason, "say which placement")
  })
})

describe("a plan of minus-phrases", () => {
  const campaign = campaignOf({ id: 1, bids: { 7: 1, 8: 1 } })
  const current = [{ advert_id: 1, nm_id: 7, norm_queries: ["b", "A"] }]
  const afters = (mode: "clear" | "merge" | "remove" | "replace", phrases: ReadonlyArray<string>) =>
    planMinusPhrases({ campaigns: [campaign], current, phrases, mode, guards }).steps.flatMap(({ change }) =>
      change.kind === "phrases" ? [[change.nm_id, ...change.after]] : []
    )

  it.each([
    [
      "merge",
      [" a ", "c"],
      [
        [7, "b", "A", "c"],
        [8, "a", "c"]
      ]
    ],
    [
      "replace",
      ["c", "C"],
      [
        [7, "C"],
        [8, "C"]
      ]
    ],
    ["remove", ["a"], [[7, "b"]]],
    ["clear", [], [[7]]]
  ] as const)("has the wanted lists in mode %s", (mode, phrases, expected) => {
    assert.deepEqual(
      afters(mode, phrases),
      expected.map((row) => [...row])
    )
  })

  it("does not clear a list because no phrases were given", () => {
    assert.deepStrictEqual(afters("replace", []), [])
  })

  it("does not clear a list in mode clear where phrases are given", () => {
    const { blocked, steps } = planMinusPhrases({
      campaigns: [campaign],
      current,
      phrases: ["a"],
      mode: "clear",
      guards
    })
    assert.deepStrictEqual(steps, [])
    assert.deepStrictEqual(
      blocked.map(({ reason }) => reason),
      ["mode clear removes all phrases; use mode remove to take out those that are given"]
    )
  })

  it("blocks more phrases than an article takes", () => {
    const many = Array.from({ length: 1001 }, (_, index) => `p${index}`)
    assert.deepStrictEqual(afters("replace", many), [])
  })
})

describe("a plan of articles", () => {
  const campaign = campaignOf({ id: 1, bids: { 7: 20_000, 8: 1 } })

  it("restores bids, phrases and cluster bids of a deleted article when it is rolled back", () => {
    const draft = planProducts({
      campaign,
      add: [9],
      delete: [7],
      phrases: [{ advert_id: 1, nm_id: 7, norm_queries: ["a"] }],
      clusterBids: [{ advert_id: 1, nm_id: 7, norm_query: "q", bid: kopecks(500), unit: "kopecks" }],
      guards
    })
    const deletion = draft.steps.find(({ id }) => id === "product 1/7")
    assert.deepStrictEqual(
      deletion?.undo.map(({ kind }) => kind),
      ["product", "bid", "phrases", "cluster"]
    )
  })

  it("never leaves a campaign empty", () => {
    const draft = planProducts({ campaign, add: [], delete: [7, 8], phrases: [], clusterBids: [], guards })
    assert.deepStrictEqual(draft.steps, [])
  })
})

describe("other plans", () => {
  it("refuse cluster bids where there are none, and warn of the unit", () => {
    const manual = campaignOf({ id: 1, bid_type: "manual", bids: { 7: 1 } })
    const wishes = [{ advert_id: 1, nm_id: 7, norm_query: "q", to: kopecks(500) }]
    const draft = planClusterBids({ campaigns: [manual], current: [], wishes, wire: "spec", guards })
    assert.include(draft.warnings[0], "(D2)")
    const auto = planClusterBids({
      campaigns: [campaignOf({ id: 1, bids: { 7: 1 } })],
      current: [],
      wishes,
      wire: "spec",
      guards
    })
    assert.deepStrictEqual(auto.steps, [])
    const published = planClusterBids({
      campaigns: [manual],
      current: [],
      wishes: wishes.map((wish) => ({ ...wish, to: kopecks(555) })),
      wire: "published",
      guards
    })
    assert.include(published.blocked[0]?.reason, "whole rubles")
  })

  it("block a cluster bid that is asked for twice, in any order", () => {
    const manual = campaignOf({ id: 1, bid_type: "manual", bids: { 7: 1 } })
    const wish = { advert_id: 1, nm_id: 7, norm_query: "q", to: kopecks(500) }
    const wishes = [wish, { ...wish, to: kopecks(900) }, { ...wish, norm_query: "r" }]
    const input = { campaigns: [manual], current: [], wire: "published", guards } as const
    const draft = planClusterBids({ ...input, wishes })
    assert.deepStrictEqual(draft.blocked, [{ what: "cluster 1/7/q", reason: "it is asked for 2 times" }])
    assert.strictEqual(draft.steps.length, 1)
    assert.deepStrictEqual(planClusterBids({ ...input, wishes: wishes.toReversed() }), draft)
  })

  it("refuse a second campaign of the same name", () => {
    const input = { name: "c1", nms: [1], payment_type: "cpm", placements: ["search"], guards } as const
    assert.strictEqual(planCampaign({ ...input, existing: [campaignOf({ id: 1, bids: {} })] }).blocked.length, 1)
    assert.strictEqual(
      planCampaign({ ...input, existing: [campaignOf({ id: 1, status: 7, bids: {} })] }).steps.length,
      1
    )
  })

  it("are estimated with their calls and seconds", () => {
    const campaign = campaignOf({
      id: 1,
      bids: Object.fromEntries(Array.from({ length: 40 }, (_, index) => [index + 1, 1]))
    })
    const { steps } = planMinusPhrases({ campaigns: [campaign], current: [], phrases: ["a"], mode: "merge", guards })
    assert.deepStrictEqual(
      estimate(steps, (name) => limitOf(settings(), name)),
      { calls: 42, seconds: 7 }
    )
    assert.strictEqual(secondsFor(3, { limit: 3, periodMs: 60_000, burst: 1 }), 40)
    assert.strictEqual(secondsFor(0, { limit: 3, periodMs: 60_000, burst: 1 }), 0)
  })
})
