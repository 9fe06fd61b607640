import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

import { EmbeddedMarketplace } from "../../src/embedded/marketplace/EmbeddedMarketplace.ts"
import { MarketplaceAds } from "../../src/marketplace/MarketplaceAds.ts"
import { MarketplaceConfig } from "../../src/marketplace/MarketplaceConfig.ts"
import { planMinusPhrases } from "../../src/marketplace/plan/planMinusPhrases.ts"
import { Plans } from "../../src/marketplace/plan/Plans.ts"
import * as FilePlanStore from "../../src/node/FilePlanStore.ts"
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

/** A server process with its journal in a file. */
const aProcess = (file: string) => plansOver({}, embeddedClient, Layer.orDie(FilePlanStore.layer(file)))

describe("a journal in a file", () => {
  it.effect("brings plans and their progress into the next process, also when it was torn while it was written", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const { id } = yield* Effect.provide(keepPlan, aProcess(file), { local: true })
      appendFileSync(file, '{"type":"begun","at":1,"plan_id":"half a li')
      const report = yield* inTime(
        Plans.use((plans) => plans.apply(id)).pipe(Effect.provide(aProcess(file), { local: true }))
      )
      assert.deepInclude(report, { state: "applied", done: 3 })
      const types = readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line) => Object(JSON.parse(line)).type)
      const each = ["begun", "done"]
      assert.deepStrictEqual(types, ["planned", ...each, ...each, ...each, "finished"])
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
    })
  )
})
