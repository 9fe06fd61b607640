import { readFileSync } from "node:fs"

import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"

import { MarketplaceAds, MarketplaceConfig, operations } from "../../src/marketplace/index.ts"
import { readTools, writeTools } from "../../src/tools/marketplace/toolset.ts"
import { standIn } from "./support.ts"

const page = readFileSync(new URL("../../docs/marketplace.md", import.meta.url), "utf8")

describe("the page about the marketplace", () => {
  it.each(Object.values(operations))("has a row for $name", ({ method, name, path }) => {
    const row = page.split("\n").find((line) => line.startsWith(`| ${method} ${path} `))
    assert.include(row, `\`${name}\``)
    assert.match(row ?? "", /`ads_/)
  })

  it.each([...readTools, ...writeTools])("names $name", ({ name }) => {
    assert.include(page, `\`${name}`)
  })

  it("counts the tools rightly", () => {
    assert.strictEqual(readTools.length + writeTools.length, 20)
  })

  it.effect("shows a program that works", () => {
    const { client, requests } = standIn(() => ({
      body: { adverts: [{ id: 7, bid_type: "auto", status: 9, settings: { name: "Mugs" } }] }
    }))
    const program = Effect.gen(function* () {
      const ads = yield* MarketplaceAds
      const { adverts } = yield* ads.getAdvertsV2({ statuses: [9] })
      return adverts.map(({ id, settings }) => `${id} ${settings.name}`)
    })
    return Effect.gen(function* () {
      const names = yield* program.pipe(
        Effect.provide(
          MarketplaceAds.layer.pipe(
            Layer.provide([
              MarketplaceConfig.layer({ apiKey: "the key" }),
              Layer.succeed(HttpClient.HttpClient, client)
            ])
          )
        )
      )
      assert.deepStrictEqual(names, ["7 Mugs"])
      assert.deepStrictEqual(requests[0]?.query, { statuses: "9" })
    })
  })
})
