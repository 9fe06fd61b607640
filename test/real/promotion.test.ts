import { assert, describe, inject, it } from "vitest"

import { useCommand } from "../cli/built.ts"
import { journey } from "../engine/plans/journey.ts"
import { sender } from "../engine/plans/process.ts"
import { clean, seed } from "../engine/plans/scenario.ts"

const engines = inject("engines")
const staging = engines.find(({ version }) => version.startsWith("1."))
const production = engines.find(({ version }) => version.startsWith("2."))

/** How many workflows go along; the embedded engines take 150 of them in every run of the tests. */
const count = Number(process.env["PROMOTED_WORKFLOWS"] ?? 40)

describe("a promotion from a real engine of generation 1 to one of generation 2", () => {
  useCommand()

  it.skipIf(staging === undefined || production === undefined)(
    "survives kill -9 in the middle, arrives field by field, and is rolled back to what was there",
    async () => {
      if (staging === undefined || production === undefined) return
      const places = { staging, production }
      const send = sender(places)
      const prefix = `Promoted ${crypto.randomUUID().slice(0, 8)}`
      const seeded = await seed(send, prefix, count)
      try {
        assert.strictEqual((await journey(places, seeded)).workflows, count)
      } finally {
        await clean(send, seeded)
      }
    },
    300_000
  )
})
