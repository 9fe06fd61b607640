import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"

import { EmbeddedMarketplace } from "../../src/embedded/marketplace/EmbeddedMarketplace.ts"
import { Plans } from "../../src/marketplace/apply/Plans.ts"
import { Entry } from "../../src/marketplace/apply/PlanStore.ts"
import { MarketplaceAds } from "../../src/marketplace/MarketplaceAds.ts"
import { MarketplaceConfig } from "../../src/marketplace/MarketplaceConfig.ts"
import { planMinusPhrases } from "../../src/marketplace/plan/planMinusPhrases.ts"
import * as FilePlanStore from "../../src/node/marketplace/FilePlanStore.ts"
import { embeddedClient, inTime, plansOver } from "./support.ts"

const temporaryFile = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "plans-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  ),
  (folder) => join(folder, "journal.jsonl")
)

const keepPlan = Effect.gen(function* () {
  const { guards } = yield* MarketplaceConfig
  const { adverts } = yield* MarketplaceAds.use((ads) => ads.getAdvertsV2({ ids: [1001] }))
  return yield* Plans.use((plans) =>
    plans.keep(planMinusPhrases({ campaigns: adverts, current: [], phrases: ["a"], mode: "merge", guards }))
  )
})

const readEntry = Schema.decodeUnknownSync(Schema.fromJsonString(Entry))

/** A server process with its journal in a file. */
const aProcess = (file: string) => plansOver({}, embeddedClient, Layer.orDie(FilePlanStore.layer(file)))

describe("a journal in a file", () => {
  it.effect("brings plans and their progress into the next process, also when it was torn while it was written", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const { id, steps } = yield* Effect.provide(keepPlan, aProcess(file), { local: true })
      appendFileSync(file, '{"type":"begun","at":1,"plan_id":"half a li')
      const report = yield* inTime(
        Plans.use((plans) => plans.apply(id)).pipe(Effect.provide(aProcess(file), { local: true }))
      )
      assert.deepInclude(report, { state: "applied", done: 3 })
      const entries = readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line) => readEntry(line))
      assert.deepStrictEqual([entries[0]?.type, entries.at(-1)?.type], ["planned", "finished"])
      const about = (step: string) =>
        entries.filter((entry) => "steps" in entry && entry.steps.includes(step)).map(({ type }) => type)
      for (const { id: step } of steps) assert.deepStrictEqual(about(step), ["begun", "done"])
      const again = yield* Effect.flip(
        Plans.use((plans) => plans.apply(id)).pipe(Effect.provide(aProcess(file), { local: true }))
      )
      assert.strictEqual(again._tag, "PlanSpent")
    }).pipe(Effect.provide(EmbeddedMarketplace.layer()))
  )

  it.effect("that cannot be read says so instead of beginning anew", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      appendFileSync(file, "this is no journal\n")
      const error = yield* Effect.flip(Effect.scoped(Layer.build(FilePlanStore.layer(file))))
      assert.strictEqual(error._tag, "PlanStoreFailed")
      assert.include(error.message, `line 1 of ${file} is no entry of this journal`)
    })
  )
})
