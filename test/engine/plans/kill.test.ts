import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { useCommand } from "../../cli/built.ts"
import { journey } from "./journey.ts"
import { sender } from "./process.ts"
import { seed } from "./scenario.ts"
import { served } from "./served.ts"

describe("a promotion of 150 workflows", () => {
  useCommand()

  it.live(
    "survives kill -9 in the middle, arrives field by field, and is rolled back to what was there",
    () =>
      Effect.gen(function* () {
        const places = { staging: yield* served("1.82.3"), production: yield* served("2.41.1") }
        const seeded = yield* Effect.promise(() => seed(sender(places), "Acme", 150))
        const { workflows } = yield* Effect.promise(() => journey(places, seeded))
        assert.strictEqual(workflows, 150)
      }),
    120_000
  )
})
