import { assert, describe, it } from "@effect/vitest"
import { Option, Result, Schema } from "effect"
import * as fc from "fast-check"

import { parseJson } from "../../../src/cli/configuration/json.ts"

const strict = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))
const problemOf = (text: string) => Result.getOrThrow(Result.flip(parseJson(text)))
/** The value as JSON, so that objects of another making compare. */
const valueOf = (text: string) => JSON.stringify(Result.getOrThrow(parseJson(text)))

describe("the JSON of the configuration file", () => {
  it("has the value that JSON.stringify wrote", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), fc.nat(3), (value, indent) => {
        assert.strictEqual(valueOf(JSON.stringify(value, null, indent)), JSON.stringify(value))
      })
    )
  })

  it("is what JSON.parse takes, one edit away from JSON, but for commas behind the last field or element", () => {
    const edited = fc
      .tuple(
        fc.jsonValue(),
        fc.nat(),
        fc.constantFrom("", '"', "{", "}", "[", ",", ":", "0", "-", "e", "\\", "\n", "\u0001", "x")
      )
      .map(([value, place, insert]) => {
        const text = JSON.stringify({ value })
        const at = place % text.length
        return text.slice(0, at) + insert + text.slice(at + 1)
      })
    fc.assert(
      fc.property(edited, (text) => {
        const outcome = parseJson(text)
        fc.pre(Result.isSuccess(outcome) || !outcome.failure.endsWith("is given twice"))
        const withoutLastCommas = text.replace(/,(?=[}\]])/g, "")
        assert.strictEqual(
          Result.isSuccess(outcome),
          Option.isSome(strict(text)) || Option.isSome(strict(withoutLastCommas)),
          text
        )
      }),
      { numRuns: 500 }
    )
  })

  it("may hold comments and a comma behind the last field or element", () => {
    const text = `// mine
{
  /* the one at home */ "a": [1, 2,], // two
  "b": "// text",
}`
    assert.strictEqual(valueOf(text), `{"a":[1,2],"b":"// text"}`)
    assert.strictEqual(valueOf(`\uFEFF${text}`), valueOf(text))
    assert.strictEqual(problemOf("{} /* open"), "line 1, column 4: expected the end of the comment")
    assert.strictEqual(problemOf("[1,,2]"), "line 1, column 4: expected a value")
  })

  it("is refused with the line and the column, in words that hold nothing of the values", () => {
    assert.strictEqual(problemOf(`{\n  "key": "sec\nret" }`), "line 2, column 10: expected a value")
    assert.strictEqual(problemOf(`{ "a": 1 "b": 2 }`), "line 1, column 10: expected a comma or }")
    assert.strictEqual(problemOf("[1 2]"), "line 1, column 4: expected a comma or ]")
    assert.strictEqual(problemOf(`{"a" 1}`), "line 1, column 6: expected a colon")
    assert.strictEqual(problemOf("{} {}"), "line 1, column 4: expected nothing more")
    assert.strictEqual(problemOf("{a: 1}"), "line 1, column 2: expected the name of a field in double quotes")
    assert.strictEqual(problemOf(""), "line 1, column 1: expected a value")
  })

  it("is refused when a name is given twice, however it is spelt", () => {
    const twice = `{"a": {"x": 1}, "b": {"x": 1}, "\\u0061": 2}`
    assert.strictEqual(problemOf(twice), `line 1, column 32: "\\u0061" is given twice`)
  })

  it("is refused when it is nested without end", () => {
    assert.strictEqual(problemOf("[".repeat(100_000)), "line 1, column 1: nested too deeply")
  })
})
