import { assert, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as fc from "fast-check"

import { readJson } from "../../../src/mcp/transport/json.ts"

const read = (text: string) => Effect.runSync(Effect.result(readJson(new TextEncoder().encode(text))))
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth)

it("reads what JSON.stringify writes", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const expected: unknown = JSON.parse(text)
      fc.pre(!/__proto__|\\u005f/i.test(text))
      assert.deepEqual(Result.getOrThrow(read(text)), expected)
    })
  )
})

it("reads 200 levels and refuses 201, however much text stands between or looks like brackets", () => {
  assert.isTrue(Result.isSuccess(read(nested(200))))
  assert.isTrue(Result.isFailure(read(nested(201))))
  assert.isTrue(Result.isSuccess(read(JSON.stringify({ text: `\\"${"[{".repeat(500)}\\` }))))
  assert.isTrue(Result.isFailure(read(`["\\\\",${nested(200)}]`)))
  assert.isTrue(Result.isSuccess(read(`[${Array.from({ length: 500 }, () => "[]").join()}]`)))
})

it("takes time in proportion to the text, also for text made to be slow", () => {
  for (const text of [`"${"\\".repeat(4_000_000)}"`, `["${'\\"'.repeat(2_000_000)}"]`, `"${"[".repeat(4_000_000)}`]) {
    const start = performance.now()
    read(text)
    assert.isBelow(performance.now() - start, 2000)
  }
})

it("drops __proto__ however it is written, and keeps its neighbours", () => {
  for (const name of ["__proto__", "\\u005f_proto__", "_\\u005Fproto\\u005f_"]) {
    const value = Result.getOrThrow(read(`{"a":{"${name}":{"polluted":true},"b":1},"c":[{"${name}":1}]}`))
    assert.deepEqual(value, { a: { b: 1 }, c: [{}] })
    assert.isFalse(Object.hasOwn(Object(Object(value).a), "__proto__"))
  }
})

it("takes the last of duplicate keys, a BOM before the text, and no byte that is not UTF-8", () => {
  assert.deepEqual(Result.getOrThrow(read(`{"a":1,"a":2}`)), { a: 2 })
  assert.deepEqual(Result.getOrThrow(read("\uFEFF{}")), {})
  const broken = Effect.runSync(Effect.result(readJson(Uint8Array.of(34, 0xff, 34))))
  assert.isTrue(Result.isFailure(broken))
})
