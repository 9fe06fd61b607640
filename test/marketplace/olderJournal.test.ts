import { copyFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"

import { journal } from "../../src/cli/marketplace/configured.ts"
import { PlanJournal, Plans } from "../../src/marketplace/apply/Plans.ts"
import { MarketplaceAds } from "../../src/marketplace/client/MarketplaceAds.ts"
import { EmbeddedMarketplace } from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import { call as answerTo } from "./offered.ts"
import { embeddedClient, inTime, plansOver, smallMarketplace } from "./support.ts"

/**
 * Written by commit 306559c, before steps could be refused, reverted at once or asked about: a migration that was
 * applied, a plan that stopped at its first step with an unknown outcome, a pause, and a plan that waits.
 */
const written = new URL("data/older-journal.jsonl", import.meta.url)
const migration = "migration-0-1jfzydq"
const stopped = "cluster-bids-2gw0-8dl6xu"
const waiting = "campaign-37a0-90v09g"

const fromFile = Layer.unwrap(
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "plans-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
    ),
    (folder) => {
      copyFileSync(written, join(folder, "journal.jsonl"))
      return journal(join(folder, "journal.jsonl"))
    }
  )
)

/** A server of today that has found this journal; from then on in memory, because the test clock waits for no disk. */
const ofToday = plansOver(
  { wire: "spec", guards: { maxBidKopecks: 3_100_000 } },
  embeddedClient,
  Layer.effect(
    PlanJournal,
    Effect.gen(function* () {
      const lines = yield* PlanJournal.use((store) => store.entries).pipe(Effect.provide(fromFile), Effect.orDie)
      const store = yield* PlanJournal
      const entries = lines.flatMap((entry) => (entry.type === "unreadable" ? [] : [entry]))
      assert.strictEqual(entries.length, lines.length)
      yield* Effect.orDie(store.append(...entries))
      return store
    })
  ).pipe(Layer.provide(PlanJournal.layerMemory))
).pipe(Layer.provideMerge(smallMarketplace()))

const Answer = Schema.Record(Schema.String, Schema.Unknown)

const call = (name: string, args: object) =>
  Effect.flatMap(answerTo(name, args), (answer) => Schema.decodeUnknownEffect(Answer)(answer))

/** The older server's changes of the account, done to this one. */
const asItWasLeft = Effect.gen(function* () {
  const ads = yield* MarketplaceAds
  const { plan } = yield* Plans.use((plans) => plans.state(migration))
  for (const { change } of plan.steps) {
    if (!("target" in change) || typeof change.target !== "number") continue
    const advert_id = change.target
    if (change.kind === "bid") {
      const { after: bid_kopecks, nm_id, placement } = change
      yield* ads.updateBids({ bids: [{ advert_id, nm_bids: [{ nm_id, bid_kopecks, placement }] }] })
    }
    if (change.kind === "phrases") {
      yield* ads.setMinusPhrases({ advert_id, nm_id: change.nm_id, norm_queries: change.after })
    }
  }
})

describe("a journal of an older version", () => {
  it.effect("is read with the states of its plans and what was done", () =>
    Effect.gen(function* () {
      const show = (plan_id: string) => call("show_plan", { plan_id })
      assert.deepInclude(yield* show(migration), { state: "applied", total: 8, done: 8, refused: 0, unconfirmed: 0 })
      assert.deepInclude(yield* show(stopped), { state: "begun", total: 2, done: 0, refused: 0 })
      assert.deepInclude(yield* show(waiting), { state: "planned", total: 2, done: 0 })
      const { entries } = yield* call("audit_log", { limit: 100 })
      const log = JSON.stringify(entries)
      for (const what of ["planned", "begun", "done", "stopped", "finished", "pause the campaign"]) {
        assert.include(log, `"what":"${what}"`)
      }
    }).pipe(Effect.provide(ofToday))
  )

  it.effect("is enough to roll its plans back", () =>
    Effect.gen(function* () {
      const world = yield* EmbeddedMarketplace
      const before = yield* world.account
      yield* inTime(asItWasLeft)
      assert.notDeepEqual(yield* world.account, before)
      const back = yield* call("plan_rollback", { plan_id: migration })
      assert.deepInclude(back, { reverses: migration, by_kind: { bid: 3, phrases: 5 }, blocked_count: 0 })
      const applied = yield* call("apply_plan", { plan_id: back["plan_id"], confirm: true, max_seconds: 600 })
      assert.deepInclude(applied, { state: "applied", done: 8 })
      assert.deepStrictEqual(yield* world.account, before)
      assert.deepInclude(yield* call("show_plan", { plan_id: migration }), { state: "rolled back" })
    }).pipe(Effect.provide(ofToday))
  )

  it.effect.each([stopped, waiting])("is enough to go on with plan %s", (plan_id) =>
    Effect.gen(function* () {
      const applied = yield* call("apply_plan", { plan_id, confirm: true, max_seconds: 600 })
      assert.deepInclude(applied, { state: "applied", done: 2, refused_count: 0 })
    }).pipe(Effect.provide(ofToday))
  )
})
