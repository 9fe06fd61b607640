import { existsSync, readFileSync } from "node:fs"
import path from "node:path"

import { assert, describe, it } from "vitest"

import { pages, root } from "./pages.ts"

const page = (name: string) => (pages.get(name) ?? "").replaceAll(/\s+/g, " ")
const words = [...pages.keys()]
  .filter((name) => !name.startsWith("."))
  .map(page)
  .join(" ")

const row = /^\| (.+?) \| `(src\/[^`]+)` \| `(test\/[^`]+)`: (.+) \|$/gm
const rows = [...(pages.get(".github/CONTRIBUTING.md") ?? "").matchAll(row)].map(
  ([, promise = "", file = "", test = "", title = ""]) => ({ promise, file, test, title })
)

/** Each line that promises something: what the README says of safety, and the rows about security. */
const promising = [
  ...(pages.get("README.md") ?? "").matchAll(/^- \*\*[^]*?(?=\n- |\n\n)/gm),
  ...(pages.get("docs/security.md") ?? "").matchAll(/^\| (?!promise|---)[^|]+/gm)
].map(([text]) => text.replaceAll(/\s+/g, " "))

describe("the promises in CONTRIBUTING", () => {
  it.each(rows)("are made in a page: $promise", ({ promise }) => {
    assert.include(words, promise)
  })

  it.each(rows)("are kept by files that are there, and held by tests that are: $promise", ({ file, test, title }) => {
    assert.isTrue(existsSync(path.join(root, file)), file)
    const text = readFileSync(path.join(root, test), "utf8")
    assert.isTrue(text.includes(`"${title}"`) || text.includes(`\`${title}\``), `${test} has no test with this title`)
  })

  it("are all that the README says of safety, and all about security", () => {
    assert.isAbove(promising.length, 20)
    assert.deepStrictEqual(
      promising.filter((text) => !rows.some(({ promise }) => text.includes(promise))),
      []
    )
  })
})
