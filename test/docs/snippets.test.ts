import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"

import { assert, it, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Predicate, Result, Schema } from "effect"
import * as Yaml from "effect/encoding/Yaml"
import { describe } from "vitest"

import { read } from "../../src/cli/commandLine.ts"
import { readOptions } from "../../src/cli/configuration/flags.ts"
import { readSettings } from "../../src/cli/configuration/readSettings.ts"
import { readTest } from "../../src/engine/operator/tests/TestFile.ts"
import { accountsIn, decode as decodeMarketplace } from "../../src/marketplace/client/MarketplaceConfig.ts"
import { offered } from "../marketplace/offered.ts"
import { intercepted } from "../marketplace/support.ts"
import { ask, OperatorServer } from "../support/harness.ts"
import { type Block, blocks, blocksIn, root } from "./pages.ts"

/** Blocks that another test follows, by their page: a whole page at once, or with a program that not everybody has. */
const elsewhere: Readonly<Record<string, { readonly languages: ReadonlyArray<string>; readonly test: string }>> = {
  "docs/promotion.md": { languages: ["sh", "json"], test: "test/engine/plans/page.ts" },
  "docs/bulk.md": { languages: ["json"], test: "test/engine/plans/page.ts" },
  "docs/sharing.md": { languages: ["nginx"], test: "test/shared/nginx.ts" }
}

/** Snippets that are only to be read, and why nothing can check it letter by letter. */
const unchecked: ReadonlyMap<string, string> = new Map([
  [
    "docs/history.md layout",
    "the tree of a history, with words about its files between; test/engine/history has the files"
  ],
  ["docs/history.md log", "a log of git, shortened; test/cli/engine/history.test.ts has its parts"],
  [
    "docs/upgrade.md report",
    "the report on the workflows of the embedded engine, shortened; test/cli/tasks/upgrade has its lines"
  ],
  ["docs/testing.md report", "tests of workflows that nobody has; test/cli/tasks/test has its lines"]
])

const languages = ["sh", "json", "ts", "yaml", "crontab"]

const isElsewhere = ({ language, page }: Block) => elsewhere[page]?.languages.includes(language) === true

/** Pairs of a title and a block that has not been taken elsewhere. */
const own = (...wanted: ReadonlyArray<string>) => blocksIn(...wanted).filter(([, block]) => !isElsewhere(block))

describe("every block of the pages", () => {
  it("is of a kind that a test looks at, or stands in a list with the reason why not", () => {
    assert.isAbove(blocks.length, 40)
    const left = blocks
      .filter(({ page }) => !page.startsWith("."))
      .filter((block) => !isElsewhere(block) && !languages.includes(block.language))
      .filter(({ language, of }) => language !== "text" || !sketches.includes(of))
      .map(({ of, page }) => `${page} ${of}`)
    assert.sameMembers(left, [...unchecked.keys()])
  })

  it.each(Object.entries(elsewhere))("of %s is followed by another test", (page, { test }) => {
    assert.include(readFileSync(path.join(root, test), "utf8"), path.basename(page))
  })
})

const json = own("json").map(([title, block]) => [title, { ...block, content: JSON.parse(block.text) }] as const)
const plain = json.filter(([, { of }]) => of === "")
const isClient = ({ content }: { readonly content: unknown }) => Predicate.hasProperty(content, "mcpServers")

describe("the configurations", () => {
  it.effect.each(plain.filter(([, block]) => !isClient(block)))("%s can be read, to the last field", ([, { text }]) =>
    Effect.gen(function* () {
      const { marketplace, warnings } = yield* readSettings({
        configuration: { name: ".config.json", text, isTrusted: true },
        isEmbedded: true
      }).pipe(Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({}))))
      assert.deepStrictEqual(warnings, [])
      if (marketplace === undefined || (yield* accountsIn(marketplace)) !== undefined) return
      yield* decodeMarketplace(marketplace, {})
    })
  )

  const Client = Schema.Struct({
    mcpServers: Schema.Record(
      Schema.String,
      Schema.Struct({
        command: Schema.Literal("node"),
        args: Schema.Array(Schema.String),
        env: Schema.Struct({ ENGINE_HOST: Schema.String, ENGINE_API_KEY: Schema.String })
      })
    )
  })

  it.each(plain.filter(([, block]) => isClient(block)))("%s starts our command in a client", (_, { content }) => {
    const { mcpServers } = Schema.decodeUnknownSync(Client, { onExcessProperty: "error" })(content)
    for (const { args } of Object.values(mcpServers)) {
      const [file = "", ...words] = args
      assert.match(file, /\/dist\/main\.js$/)
      const invocation = Result.getOrThrow(Effect.runSync(Effect.result(read(words))))
      Result.getOrThrow(readOptions(invocation?.texts ?? {}, {}))
    }
  })

  it("are found", () => {
    assert.isAbove(plain.length, 4)
  })
})

const calls = json.filter(([, { of }]) => of !== "" && of !== "test")
const isAds = ([, { of }]: (typeof calls)[number]) => of.startsWith("ads_")

layer(OperatorServer)("the arguments", (it) => {
  it.effect.each(calls.filter((call) => !isAds(call)))("%s do on the embedded engine what is asked", ([, block]) =>
    Effect.gen(function* () {
      const { code, warnings } = yield* ask(block.of, block.content)
      assert.deepStrictEqual([code, warnings], [undefined, undefined])
    })
  )
})

describe("the arguments for the marketplace", () => {
  it.effect.each(calls.filter(isAds))("%s do on the embedded one what is asked", ([, { content, of }]) =>
    Effect.gen(function* () {
      const tool = (yield* offered).find(({ name }) => name === of)
      assert.isDefined(tool)
      const answer = yield* tool?.call(content) ?? Effect.undefined
      assert.property(answer?.structured, of?.startsWith("ads_plan_") ? "plan_id" : "rows")
    }).pipe(Effect.provide(intercepted(() => undefined)))
  )

  it("are found", () => {
    assert.isAbove(calls.length, 2)
  })
})

it.each(json.filter(([, { of }]) => of === "test"))("%s is a recorded test", (_, { content }) => {
  assert.isTrue(Result.isSuccess(readTest(content)))
})

const sketches = ["Tg4xJr6oBv0MwS3k", "Fs8lDn0aUj7KxP5h"]

layer(OperatorServer)("the sketches", (it) => {
  it.effect.each(sketches)("of %s is what view_workflow answers", (id) =>
    Effect.gen(function* () {
      const { sketch } = yield* ask("view_workflow", { id })
      assert.strictEqual(blocks.find(({ of }) => of === id)?.text.trim(), sketch)
    })
  )
})

describe("the programs", () => {
  const samples = readdirSync(path.join(root, "test"), { recursive: true, encoding: "utf8" })
    .filter((file) => /^(?:ai|embedding|marketplace)\/.*\.ts$/.test(file))
    .map((file) => readFileSync(path.join(root, "test", file), "utf8"))
    .map((text) =>
      text.replaceAll(/\n{2}(import .*) "(?:\.\.\/)+src\/(\w+)\/index\.ts"/g, '\n$1 "workflow-tool-server/$2"')
    )

  it.each(own("ts"))("%s is the sample that a test compiles and runs, letter by letter", (_, { text }) => {
    assert.isTrue(samples.some((sample) => sample.includes(text.trim())))
  })
})

describe("the settings of other programs", () => {
  const Scraping = Schema.Struct({
    scrape_configs: Schema.Tuple([
      Schema.Struct({
        job_name: Schema.String,
        authorization: Schema.Struct({ credentials_file: Schema.String }),
        static_configs: Schema.Tuple([Schema.Struct({ targets: Schema.Tuple([Schema.Literal("127.0.0.1:3456")]) })])
      })
    ])
  })

  it.each(own("yaml"))("%s scrape the default port", (_, { text }) => {
    const read = Schema.decodeUnknownResult(Scraping, { onExcessProperty: "error" })(Yaml.parse(text))
    assert.strictEqual(Result.isFailure(read) ? read.failure.message : "", "")
  })

  it.each(own("crontab"))("%s start a command of ours at a time", (_, { text }) => {
    const [, words = ""] = /^(?:[\d*/,-]+ +){5}workflow-tool-server ([^&]+)(?:&&|$)/.exec(text.trim()) ?? []
    const invocation = Result.getOrThrow(Effect.runSync(Effect.result(read(words.trim().split(" ")))))
    assert.strictEqual(invocation?.task, "backup")
  })
})
