import { describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { useCommand } from "../../cli/built.ts"
import { followPage } from "./page.ts"
import { sender } from "./process.ts"
import { served } from "./served.ts"

describe("docs/promotion.md", () => {
  useCommand()

  it.live(
    "leads from two instances to a promotion and back",
    () =>
      Effect.gen(function* () {
        const places = { staging: yield* served("1.82.3"), production: yield* served("2.41.1") }
        yield* Effect.promise(() => followPage(places, sender(places), "Page"))
      }),
    120_000
  )
})
