import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

import { problemOf } from "../../../src/internal/config/json.ts"

const parses = (text: string) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe("problemOf", () => {
  it("finds nothing in anything that JSON.stringify writes", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), fc.nat(3), (value, indent) => {
        assert.isUndefined(problemOf(JSON.stringify(value, null, indent)))
      })
    )
  })

  it("agrees with JSON.parse on what is JSON, one edit away from it", () => {
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
        const found = problemOf(text)
        fc.pre(found === undefined || !found.problem.endsWith("is given twice"))
        assert.strictEqual(found === undefined, parses(text), text)
      }),
      { numRuns: 500 }
    )
  })

  it("points at the line and the column, in words that hold nothing of the values", () => {
    assert.deepStrictEqual(problemOf(`{\n  "key": "sec\nret" }`), { line: 2, column: 10, problem: "expected a value" })
    assert.deepStrictEqual(problemOf(`{ "a": 1 "b": 2 }`), { line: 1, column: 10, problem: "expected a comma or }" })
    assert.deepStrictEqual(problemOf("[1 2]"), { line: 1, column: 4, problem: "expected a comma or ]" })
    assert.deepStrictEqual(problemOf(`{"a" 1}`), { line: 1, column: 6, problem: "expected a colon" })
    assert.deepStrictEqual(problemOf("{} {}"), { line: 1, column: 4, problem: "expected nothing more" })
  })

  it("finds a name given twice, however it is spelt", () => {
    assert.deepStrictEqual(problemOf(`{"a": {"x": 1}, "b": {"x": 1}, "\\u0061": 2}`), {
      line: 1,
      column: 32,
      problem: `"\\u0061" is given twice`
    })
  })

  it("does not follow an endless nesting", () => {
    assert.deepInclude(problemOf("[".repeat(100_000)), { problem: "nested too deeply" })
  })
})
