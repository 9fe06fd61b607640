import { Result } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"

import {
  csvHead,
  csvProblemText,
  csvRows,
  csvText,
  formulasIn,
  keyProblem,
  rowsOfCsv
} from "../../../src/engine/workflow/csv.ts"

const columns = [
  { name: "city", type: "string" },
  { name: "amount", type: "number" },
  { name: "paid", type: "boolean" },
  { name: "due", type: "date" }
]

const read = (text: string, style = {}, names = columns) =>
  Result.match(rowsOfCsv(text, names, style), {
    onFailure: (problems) => problems.map(csvProblemText),
    onSuccess: ({ rows }) => rows
  })

const problemsOf = (text: string) => {
  const result = rowsOfCsv(text, columns)
  return Result.isFailure(result) ? result.failure.map(csvProblemText) : assert.fail(`${text} is read`)
}

const utf8 = (text: string) => new TextEncoder().encode(text)

const textIn = (bytes: Uint8Array, encoding?: string) =>
  Result.match(csvText(bytes, encoding), {
    onFailure: (problems) => problems.map(csvProblemText).join(),
    onSuccess: (text) => text
  })

/** Texts out of what CSV, spreadsheets and people make trouble with. */
const texts = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc
    .array(fc.constantFrom('"', ",", ";", "\t", "\r", "\n", "\r\n", " ", "'", "=", "+", "-", "@", "a", "é", "名"))
    .map((all) => all.join(""))
)

const rows = fc.array(
  fc.record({
    city: fc.option(texts.filter((text) => !text.includes("[masked]") && !text.includes("\0"))),
    amount: fc.option(
      fc
        .oneof(
          fc.maxSafeInteger(),
          fc.constantFrom(2 ** 53, -(2 ** 60), 1.2345678901234568e20),
          fc.double({ noNaN: true, noDefaultInfinity: true })
        )
        .map((one) => one + 0)
    ),
    paid: fc.option(fc.boolean()),
    due: fc.option(
      fc
        .date({ min: new Date("1970-01-01"), max: new Date("2999-01-01"), noInvalidDate: true })
        .map((one) => one.toISOString())
    )
  })
)

describe("a CSV file", () => {
  it("holds any rows of a table, and gives exactly these back", () => {
    fc.assert(
      fc.property(rows, fc.boolean(), fc.boolean(), (all, isForSpreadsheets, hasOneColumn) => {
        const names = hasOneColumn ? columns.slice(0, 1) : columns
        const given = all.map((row) => Object.fromEntries(names.map(({ name }) => [name, Object(row)[name]])))
        const style = { isForSpreadsheets }
        const text = csvHead(names, style) + csvRows(given, names, style)
        assert.deepStrictEqual(read(textIn(utf8(text)), style, names), given)
      })
    )
  })

  it("is read with commas, semicolons or tabs, with any line end, and in the encoding that it names or is told", () => {
    const expected = [{ city: "Köln; a,b", amount: 1.5, paid: true, due: "2026-01-02T00:00:00.000Z" }]
    for (const separator of [",", ";", "\t"]) {
      for (const end of ["\n", "\r\n", "\r"]) {
        const line = (cells: ReadonlyArray<string>) => cells.join(separator) + end
        const text = line(["city", "amount", "paid", "due"]) + line(['"Köln; a,b"', " 1.5 ", "TRUE", "2026-01-02"])
        assert.deepStrictEqual(read(text), expected)
        const utf16 = (isLittle: boolean) => {
          const bytes = new DataView(new ArrayBuffer(2 * text.length + 2))
          for (const [at, unit] of Array.from(`\uFEFF${text}`, (one) => one.charCodeAt(0)).entries()) {
            bytes.setUint16(2 * at, unit, isLittle)
          }
          return new Uint8Array(bytes.buffer)
        }
        for (const bytes of [utf8(text), utf8(`\uFEFF${text}`), utf16(true), utf16(false)]) {
          assert.strictEqual(textIn(bytes), text)
        }
        assert.strictEqual(
          textIn(
            Uint8Array.from(text, (one) => one.charCodeAt(0)),
            "windows-1252"
          ),
          text
        )
      }
    }
  })

  it("of another encoding is told so by the line", () => {
    assert.include(textIn(Uint8Array.from([99, 10, 0xe9, 10])), "line 2: is not in utf-8: name its encoding")
    assert.include(textIn(Uint8Array.from([99, 0, 100, 0])), "line 1: holds a NUL")
    assert.include(textIn(utf8("a"), "klingon"), '"klingon" is no known encoding')
    assert.include(textIn(new Uint8Array(64 * 1024 * 1024 + 1)), "has more than 64 MiB")
  })

  it("has null in an empty cell, an empty text in an empty quoted one, and null for other types in both", () => {
    assert.deepStrictEqual(read('city,amount,paid,due\n,,,\n"","","",""\n'), [
      { city: null, amount: null, paid: null, due: null },
      { city: "", amount: null, paid: null, due: null }
    ])
  })

  it("may leave columns out, end without a line end, and have blank lines between rows", () => {
    assert.deepStrictEqual(read("amount\n1\n\n2"), [{ amount: 1 }, { amount: null }, { amount: 2 }])
    assert.deepStrictEqual(read("due,city\n\n,a\n\n,b"), [
      { due: null, city: "a" },
      { due: null, city: "b" }
    ])
  })

  it("leaves out the columns that the engine writes, and says which", () => {
    const result = Result.getOrThrow(rowsOfCsv("id,city,createdAt\n7,Rome,now\n", columns))
    assert.deepStrictEqual(result.leftOut, ["id", "createdAt"])
    assert.deepStrictEqual(result.rows, [{ city: "Rome" }])
  })

  it("is refused by line and column for what does not fit", () => {
    const head = "city,amount,paid,due\n"
    for (const [text, problem] of [
      ["", "is empty"],
      ["citty\na\n", 'line 1: the table has no column "citty". Did you mean city?'],
      ["city,city\na,b\n", 'line 1: the column "city" stands there twice'],
      ["id\n1\n", "line 1: names no column of the table"],
      [`${head}a,1,true,2026-01-02,more\n`, "line 2: has 5 cells, and the first line names 4 columns"],
      [`${head}a,1\n`, "line 2: has 2 cells"],
      [`${head}"two\nlines",1,,\nb,much,,\n`, 'line 4, amount: must be a number, and is "much"'],
      [`${head}a,"1,5",,\n`, 'line 2, amount: must be a number, and is "1,5"'],
      [`${head}a,0x10,,\n`, "line 2, amount: must be a number"],
      [`${head}a,9007199254740993,,\n`, "line 2, amount: must be a number"],
      [`${head}a,1e999,,\n`, "line 2, amount: must be a number"],
      [`${head}a,,yes,\n`, "line 2, paid: must be true or false"],
      [`${head}a,,,02.01.2026\n`, "line 2, due: must be a date or a time"],
      [`${head}a,,,2026-02-30\n`, "line 2, due: must be a date or a time"],
      [`${head}[masked],,,\n`, "line 2, city: [masked] stands for a secret"],
      [`${head}\n"never closed,,,\n`, "line 3: a quotation mark is not closed"],
      [`${head}"a"b,,,\n`, "line 2: something stands behind a closing quotation mark"]
    ] as const) {
      assert.include(problemsOf(text).join("\n"), problem)
    }
    assert.lengthOf(problemsOf(head + "a,x,y,z\n".repeat(100)), 12)
    assert.include(problemsOf(`city\n${",".repeat(2000)}`).join(), "line 2: has more than 1000 cells")
  })

  it("shows no secret in what it says of a value", () => {
    assert.notInclude(problemsOf("amount\nsk-live-4f9a8b7c6d5e4f3a\n").join(), "4f9a8b7c6d5e4f3a")
  })

  it("has each key once, where rows are found by it", () => {
    const keyed = (text: string) => keyProblem(Result.getOrThrow(rowsOfCsv(text, columns)), "city")
    assert.isUndefined(keyed("city,amount\na,1\nb,1\n"))
    assert.deepInclude(keyed('city,amount\n"a\n",1\nb,2\n"a\n",1\n'), { line: 5, problem: "is the same as on line 2" })
    assert.deepInclude(keyed("city,amount\na,1\n,2\n"), { line: 3, column: "city" })
  })

  it("for a spreadsheet holds no formula, and others are counted", () => {
    const row = { city: "=1+1", amount: -1 }
    assert.strictEqual(formulasIn(row, columns), 1)
    assert.strictEqual(csvRows([row], columns.slice(0, 2)), "=1+1,-1\n")
    for (const city of ["=1+1", "+49", "-x", "@SUM(A1)", "\tx", "\r=1"]) {
      const text = csvRows([{ city }], columns.slice(0, 1), { isForSpreadsheets: true })
      assert.match(text, /^"?'/)
    }
  })
})
