import * as fc from "fast-check"
import { assert, describe, it } from "vitest"

import { fieldAt, render } from "../../../../src/cli/tasks/call/render.ts"
import { coloured, plain, table } from "../../../../src/cli/terminal.ts"
import { visible } from "../../../../src/internal/foreignText.ts"

const lines = (...all: ReadonlyArray<string>) => all.join("\n")

describe("an answer as text", () => {
  it("shows a list as a table, with the names of what its cells hold", () => {
    const data = [
      {
        id: "1",
        name: "Zahlung 💶",
        tags: [
          { id: "a", name: "sales" },
          { id: "b", name: "vip" }
        ]
      },
      { id: "22", name: "支払い", tags: [], active: true }
    ]
    assert.strictEqual(
      render({ data, nextCursor: "x" }, plain),
      lines(
        "id  name        tags        active",
        "1   Zahlung 💶  sales, vip  -",
        "22  支払い      -           true",
        "nextCursor: x"
      )
    )
  })

  it("fits a table into the terminal, with times as people write them, and cuts nothing for programs", () => {
    const startedAt = "2026-11-26T02:00:00.000Z"
    const data = [
      {
        id: "AbCdEfGhIjKlMnOp",
        name: "The nightly import of all orders of the marketplace, 支払い",
        startedAt,
        tags: "a"
      },
      { id: "2", name: "Short", startedAt, tags: "b" }
    ]
    for (const width of [80, 60, 40]) {
      const rendered = render({ data }, { ...plain, width }).split("\n")
      assert.lengthOf(rendered, 3)
      for (const line of rendered) assert.isAtMost(Array.from(line).length, width)
      assert.include(rendered[1], "…")
    }
    assert.match(render({ data }, { ...plain, width: 80 }), /2026-11-2[567] \d\d:00/)
    assert.match(render({ data }, { ...plain, width: 24 }), /^- id: AbCdEfGhIjKlMnOp$/m)
    const piped = render({ data }, plain)
    assert.include(piped, startedAt)
    assert.notInclude(piped, "…")
  })

  it("shows a drawing as it is, behind what is said about it", () => {
    assert.strictEqual(render({ sketch: "A -> B\n  -> C", name: "Two" }, plain), lines("A -> B", "  -> C", "name: Two"))
    assert.strictEqual(render({ name: "Two", mermaid: "graph" }, plain), lines("name: Two", "", "graph"))
  })

  it("shows everything else by its name, indented below it", () => {
    assert.strictEqual(
      render(
        { id: 5, ok: null, options: {}, list: [1, "a"], code: "a\nb", deep: [[{ a: 1 }]], rows: [{ text: "x\ny" }] },
        plain
      ),
      lines(
        "id: 5",
        "ok: null",
        "options: {}",
        "list: 1, a",
        "code:",
        "  > a",
        "  > b",
        "deep:",
        "  - - a: 1",
        "rows:",
        "  - text:",
        "      > x",
        "      > y"
      )
    )
  })

  it("shows a list of sentences one below the other", () => {
    assert.strictEqual(render({ notes: ["one, two", "three"] }, plain), lines("notes:", "  - one, two", "  - three"))
  })

  it("says so where a list or the answer is empty", () => {
    assert.strictEqual(render({ data: [] }, plain), "none")
    assert.strictEqual(render({}, plain), "done")
  })

  it("sets names off in a terminal", () => {
    assert.strictEqual(render({ id: 1 }, coloured), "\u001B[1mid:\u001B[22m 1")
  })

  it("holds nothing that commands a terminal, whatever the answer holds", () => {
    assert.strictEqual(visible("a\u001B[2Jb\r\nc\u202Ed\u0007"), "a\\u{1b}[2Jb\nc\\u{202e}d\\u{7}")
    const commands = /(?!\n|\t)[\p{Cc}\u202A-\u202E\u2066-\u2069]/u
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ stringUnit: "binary" })), (answer) => {
        assert.notMatch(render(answer, plain), commands)
      })
    )
  })

  it("holds every text and number of the answer", () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/)
    const value = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, word, fc.integer(), fc.array(tie("value")), fc.dictionary(word, tie("value")))
    })).value
    const leaves = (inner: unknown): ReadonlyArray<string> =>
      typeof inner === "object" && inner !== null ? Object.values(inner).flatMap(leaves) : [String(inner)]
    fc.assert(
      fc.property(fc.dictionary(word, value), (answer) => {
        fc.pre(!JSON.stringify(answer).includes('"name"'))
        const text = render(answer, plain)
        for (const leaf of leaves(answer)) assert.include(text, leaf)
      })
    )
  })

  it("counts the columns of a line as a terminal does", () => {
    const columns = { abc: 3, é: 1, "e\u0301": 1, 支払い: 6, "💶": 2 }
    assert.deepStrictEqual(
      table(
        ["text", ""],
        Object.keys(columns).map((text) => [text, "|"]),
        plain
      ).slice(1),
      Object.entries(columns).map(([text, width]) => `${text}${" ".repeat(6 - width)}  |`)
    )
  })
})

describe("a field of an answer", () => {
  it("is found by its path: a text as it is, all else as JSON, nothing where there is none", () => {
    const answer = { data: [{ name: "a\nb", tags: ["x"] }] }
    assert.strictEqual(fieldAt(answer, "data.0.name"), "a\nb")
    assert.strictEqual(fieldAt(answer, "data.0.tags"), '["x"]')
    for (const path of ["data.1", "toString", "data.0.name.length", "__proto__"])
      assert.isUndefined(fieldAt(answer, path))
  })
})
