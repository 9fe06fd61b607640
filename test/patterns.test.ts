import { globSync, readFileSync } from "node:fs"

import { assert, describe, it } from "@effect/vitest"

import { patternsIn } from "./support/patterns/patternsIn.ts"
import { slowness } from "./support/patterns/slowness.ts"

/** Expressions that would be slow where a search tries them at every place, by file; each with the reason why they are not. */
const harmless: Readonly<Record<string, string>> = {
  "src/cli/tasks/call/completions.ts": "reads a script that the command itself has made",
  "src/engine/embedded/run/Expression.ts": "is tried once at each token: the first that does not fit ends the reading"
}

/** Expressions that are put together; each with the reason why that is safe. */
const composed: Readonly<Record<string, string>> = {
  "src/cli/shared/Store.ts": "is a choice of words, without a loop",
  "src/engine/api/shapes.ts": "is of a document, anchored at both ends, with one loop at the most",
  "src/engine/client/replies.ts": "is anchored at both ends, with one loop in each alternative",
  "src/engine/operator/explain/failureRules.ts": "has loops with a bound alone",
  "src/engine/operator/tests/volatileFields.ts": "is a choice of two that are judged by themselves",
  "src/internal/foreignText.ts": "is a character with a few around it, without a loop"
}

const sources = globSync("src/**/*.{ts,tsx}").map((file) => file.replaceAll("\\", "/"))
const found = sources.flatMap((file) =>
  patternsIn(readFileSync(file, "utf8"), file.endsWith("x") ? "tsx" : "ts").map((pattern) => ({ file, ...pattern }))
)

describe("every regular expression of the sources", () => {
  it("takes time in proportion to the text, whatever the text is", () => {
    assert.isAbove(found.length, 300)
    const slow = found.flatMap(({ file, flags, source }) =>
      source === undefined || harmless[file] !== undefined
        ? []
        : slowness(source, flags).map((reason) => `${file}: /${source}/${flags}: ${reason}`)
    )
    assert.deepStrictEqual(slow, [])
  })

  it("stands in the sources as it is, so that it can be judged", () => {
    const files = found.flatMap(({ file, source }) => (source === undefined ? [file] : []))
    assert.deepStrictEqual(
      files.filter((file) => composed[file] === undefined),
      []
    )
  })
})

describe("the judgement of regular expressions", () => {
  const slow = [
    ["blanks at the end", String.raw`\s+$`],
    ["a word with an end that is missing", String.raw`\beyJ[\w-]{5,}\.[\w-]{5,}`],
    ["two loops that read the same", String.raw`^a*a*b`],
    ["a loop in a loop", String.raw`^(?:a+)+b`],
    ["alternatives that read the same", String.raw`^(?:a|a)*b`],
    ["a path of folders", String.raw`(?:\/[\w.@+-]+){2,}\/([\w.@+-]+\.[cm]?[jt]s)`],
    ["a stack behind blank lines", String.raw`\n\s*at `],
    ["something ahead of every word", String.raw`(?=\w*\d)x`],
    ["a text in quotes with escapes", String.raw`"(?:[^"\\]|\\.)*":`],
    ["a reference to a group", String.raw`(["'])x\1`],
    ["a look behind without a bound", String.raw`(?<=^\d+)\.`],
    ["repeats within repeats", String.raw`(?:a|(?:bc){1,1000}){1,1000}`]
  ] as const
  it.each(slow)("finds %s slow", (_, source) => {
    assert.isNotEmpty(slowness(source, "g"))
  })

  const quick = [
    ["blanks at the beginning", String.raw`^\s+x`],
    ["words that are taken whole", String.raw`\w+`],
    ["a tag that ends at the next", String.raw`<[^<>]*>`],
    ["a date", String.raw`^\d{4}-\d{2}-\d{2}$`],
    ["texts whose loops share no character", String.raw`^[a-z]+:\s*\d+$`],
    ["a stack in its line", String.raw`\n[^\S\n]*at `]
  ] as const
  it.each(quick)("finds %s quick", (_, source) => {
    assert.deepStrictEqual(slowness(source, "g"), [])
  })
})
