import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import fc from "fast-check"

import { Callable, evaluate, resolve } from "../../../src/engine/embedded/run/evaluate.ts"
import { parse } from "../../../src/engine/embedded/run/Expression.ts"

const scope = {
  $json: { n: 21, text: "hello", list: [1, 2, 3], inner: { key: "value" }, empty: "" },
  $: new Callable(([name]) => ({ item: { json: { from: name } } }))
}

const valueOf = (source: string) =>
  Result.flatMap(parse(source), (expression) => Result.mapError(evaluate(expression, scope), ({ text }) => text))

describe("expressions", () => {
  const values: ReadonlyArray<readonly [source: string, value: unknown]> = [
    ["$json.n * 2", 42],
    ["1 + 2 * 3 - 4 / 2", 5],
    ["(1 + 2) * 3", 9],
    ["10 - 3 - 2", 5],
    ["-$json.n + 1", -20],
    ['"a" + "b" + 1', "ab1"],
    ["$json['inner'].key", "value"],
    ["$json.nowhere?.at.all", undefined],
    ["$json?.nowhere?.at ?? 'default'", "default"],
    ["$json.empty || 'filled'", "filled"],
    ["$json.n > 20 && $json.n <= 21", true],
    ["!($json.n === 21)", false],
    ["$json.n === 21 ? 'yes' : 'no'", "yes"],
    ["[1, $json.n, [],]", [1, 21, []]],
    ["{ a: 1, 'b c': $json.text, }", { a: 1, "b c": "hello" }],
    ["$json.list.length", 3],
    ["$json.list[1]", 2],
    ["$json.list.includes(3)", true],
    ["$json.list.join('-')", "1-2-3"],
    ["$json.text.toUpperCase()", "HELLO"],
    ["$('Webhook').item.json.from", "Webhook"],
    [`"it's \\"quoted\\"\\n"`, `it's "quoted"\n`]
  ]
  for (const [source, value] of values) {
    it(`${source} is ${JSON.stringify(value)}`, () => assert.deepStrictEqual(valueOf(source), Result.succeed(value)))
  }

  it("cannot reach the program that runs them", () => {
    for (const source of [
      "$json.constructor",
      "$json.list.constructor",
      "$json.text.constructor",
      "$json.__proto__",
      "''['constructor']"
    ]) {
      assert.deepStrictEqual(valueOf(source), Result.succeed(undefined), source)
    }
    assert.isTrue(Result.isFailure(valueOf("process.exit()")))
    assert.isTrue(Result.isFailure(valueOf("$json.constructor('return 1')()")))
  })

  it("are refused with the place of the error when malformed", () => {
    assert.deepStrictEqual(valueOf("1 +"), Result.fail("unexpected end"))
    assert.deepStrictEqual(valueOf("1 2"), Result.fail('unexpected "2"'))
    assert.deepStrictEqual(valueOf("$json.n = 1"), Result.fail('unexpected "= 1"'))
    assert.deepStrictEqual(valueOf("nobody"), Result.fail("nobody is not known here"))
  })

  it("that call what is not there have no value, as on engines", async () => {
    const message = "Cannot read properties of undefined (reading 'toUpperCase')"
    assert.deepStrictEqual(valueOf("$json.nowhere.toUpperCase()"), Result.fail(message))
    assert.isUndefined(await Effect.runPromise(resolve("={{ $json.nowhere.toUpperCase() }}", scope)))
  })

  it("that read what nothing has fail in code, and have no value elsewhere", async () => {
    const message = "Cannot read properties of undefined (reading 'at')"
    assert.deepStrictEqual(valueOf("$json.nowhere.at"), Result.fail(message))
    assert.isUndefined(await Effect.runPromise(resolve("={{ $json.nowhere.at || 'filled' }}", scope)))
  })

  it("read every JSON text as its value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: true }), (value) => {
        const source = JSON.stringify(value)
        fc.pre(!/e[+-]?\d|\\u|\\b|\\f|__proto__|-0/i.test(source))
        assert.deepStrictEqual(valueOf(source), Result.succeed(JSON.parse(source)))
      })
    )
  })

  it("evaluate products before sums, and differences from the left", () => {
    const numbers = fc.array(fc.integer({ min: 0, max: 99 }), { minLength: 1, maxLength: 4 })
    const product = (factors: ReadonlyArray<number>) => factors.reduce((sum, factor) => sum * factor)
    fc.assert(
      fc.property(numbers, fc.array(numbers, { minLength: 1, maxLength: 4 }), (terms, products) => {
        const source = products.map((factors) => factors.join(" * ")).join(" + ")
        const sum = products.map(product).reduce((before, value) => before + value)
        assert.deepStrictEqual(valueOf(source), Result.succeed(sum))
        const difference = terms.reduce((before, value) => before - value)
        assert.deepStrictEqual(valueOf(terms.join(" - ")), Result.succeed(difference))
      })
    )
  })

  it("never throw on any text", () => {
    fc.assert(
      fc.property(fc.string(), (source) => {
        assert.isTrue(Result.isResult(valueOf(source)))
      })
    )
  })
})

describe("templates", () => {
  it.effect("are texts that begin with =, at any depth", () =>
    Effect.gen(function* () {
      const given = {
        plain: "{{ $json.n }}",
        alone: "={{ $json.list }}",
        among: "=n is {{ $json.n }}, {{ $json.inner }}!",
        list: ["=x"]
      }
      assert.deepStrictEqual(yield* resolve(given, scope), {
        plain: "{{ $json.n }}",
        alone: [1, 2, 3],
        among: "n is 21, [object Object]!",
        list: ["x"]
      })
    })
  )

  it.effect("quote an expression that cannot be run", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(resolve("={{ fetch('/') }}", scope))
      assert.strictEqual(message, `The embedded engine cannot run "fetch('/')": fetch is not known here`)
    })
  )
})
