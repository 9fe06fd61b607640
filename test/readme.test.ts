import { readFileSync } from "node:fs"

import { assert, describe, it } from "vitest"

import { engineTools } from "../src/engine/tools/catalog.ts"

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")

const kind = ({ annotations: { destructiveHint, readOnlyHint } }: (typeof engineTools)[number]) =>
  readOnlyHint ? "reads" : destructiveHint ? "changes" : "adds or runs"

const table = [
  "| tool | | what it does |",
  "| --- | --- | --- |",
  ...engineTools.map((tool) => `| \`${tool.name}\` | ${kind(tool)} | ${tool.description} |`)
].join("\n")

describe("the README", () => {
  it("shows the tools as the catalog has them", () => {
    assert.include(readme, `keeps it fresh -->\n\n${table}\n\n<!-- /tools -->`)
  })

  it("is short enough to be read", () => {
    assert.isAtMost(readme.split("\n").length, 250)
  })
})
