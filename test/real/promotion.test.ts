import { assert, describe, inject, it } from "vitest"

import { useCommand } from "../cli/built.ts"
import { journey } from "../engine/plans/journey.ts"
import { followPage } from "../engine/plans/page.ts"
import { sender } from "../engine/plans/process.ts"
import { clean, seed } from "../engine/plans/scenario.ts"

const engines = inject("engines")
const staging = engines.find(({ version }) => version.startsWith("1."))
const production = engines.find(({ version }) => version.startsWith("2."))

/** How many workflows go along; the embedded engines take 150 of them in every run of the tests. */
const count = Number(process.env["PROMOTED_WORKFLOWS"] ?? 40)

const unique = (word: string) => `${word} ${crypto.randomUUID().slice(0, 8)}`

describe.skipIf(staging === undefined || production === undefined)(
  "a promotion from a real engine of generation 1 to one of generation 2",
  () => {
    useCommand()

    it("survives kill -9 in the middle, arrives field by field, and is rolled back to what was there", async () => {
      if (staging === undefined || production === undefined) return
      const places = { staging, production }
      const send = sender(places)
      const seeded = await seed(send, unique("Promoted"), count)
      try {
        assert.strictEqual((await journey(places, seeded)).workflows, count)
      } finally {
        await clean(send, seeded)
      }
    }, 300_000)

    it("goes as docs/promotion.md says", async () => {
      if (staging === undefined || production === undefined) return
      const places = { staging, production }
      const send = sender(places)
      const seeded = await followPage(places, send, unique("Page"))
      assert.lengthOf(seeded.credentials, 2)
      await clean(send, seeded)
    }, 120_000)
  }
)
