import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"

import { inspect } from "../../../src/internal/json/values.ts"
import { readEdges, readMessage } from "../../../src/mcp/transport/readMessage.ts"
import { asking, slowTexts } from "./slowTexts.ts"

const read = (text: string) => readMessage(new TextEncoder().encode(text))
const valueIn = (text: string) => Object(Object(Result.getOrThrow(read(asking(text)))).params).value
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth)

it("reads what JSON.stringify writes", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      fc.pre(!/"__proto__":/.test(text))
      assert.deepEqual(valueIn(text), JSON.parse(text))
    })
  )
})

it("reads 200 levels and refuses 201, however much text stands between or looks like brackets", () => {
  assert.propertyVal(Result.getOrThrow(read(asking(nested(198)))), "_tag", "Request")
  assert.deepInclude(Result.getOrThrow(read(asking(nested(199)))), { _tag: "Invalid", id: 7 })
  assert.isTrue(Result.isFailure(read(nested(201))))
  assert.isTrue(Result.isSuccess(read(asking(JSON.stringify({ text: `\\"${"[{".repeat(500)}\\` })))))
  assert.isTrue(Result.isFailure(read(`["\\\\",${nested(200)}]`)))
  assert.isTrue(Result.isSuccess(read(asking(`[${Array.from({ length: 500 }, () => "[]").join()}]`))))
})

/** Number of characters of a text that are looked at, one by one or in search of another. */
const looksAt = (text: string): number => {
  let looks = 0
  const counting = {
    indexOf: (sought: string, from: number) => {
      const at = text.indexOf(sought, from)
      looks += (at === -1 ? text.length : at) - from
      return at
    },
    slice: (from: number, to: number) => {
      looks += to - from
      return text.slice(from, to)
    },
    trimStart: () => text.trimStart(),
    toString: () => text,
    length: text.length
  }
  const characters = new Proxy(counting, {
    get: (target, name) => {
      if (typeof name === "symbol" || name in target) return Reflect.get(target, name)
      looks++
      return text[Number(name)]
    }
  })
  inspect(Object(characters))
  return looks
}

it.each(Object.entries(slowTexts))(
  "looks at a text in proportion to its length, also where it is made of %s",
  (_, make) => {
    const few = looksAt(make(500))
    assert.isAbove(few, 1000)
    // Eight times the text would take sixty-four times the looks if every part were looked at once more for each other.
    assert.isBelow(looksAt(make(4000)) / few, 9)
  }
)

it("refuses the name __proto__ however it is written, and a text of that kind is no name", () => {
  for (const name of ["__proto__", "\\u005f_proto__", "_\\u005Fpr\\u006fto\\u005f_"]) {
    const refused = { _tag: "Invalid" as const, id: 7, problem: "no field may be named __proto__" }
    assert.deepEqual(Result.getOrThrow(read(asking(`{"a":{"${name}":{"polluted":true},"b":1}}`))), refused)
    assert.deepEqual(valueIn(`["${name}", "a ${name}: b"]`).length, 2)
  }
  assert.deepEqual(valueIn(`{"code":"x.__proto__","__proto":1}`), { code: "x.__proto__", __proto: 1 })
})

it("refuses more fields than any call has, and names the request that has them, wherever its id stands", () => {
  const many = Array.from({ length: 10_001 }, (_, at) => `"a${at}":1`).join()
  const problem = "more than 10000 fields"
  assert.deepInclude(Result.getOrThrow(read(asking(`{${many}}`))), { _tag: "Invalid", id: 7, problem })
  const idLast = `{"jsonrpc":"2.0","method":"m","params":{"id":8,${many}},"id" : "x\\n"}`
  assert.deepInclude(Result.getOrThrow(read(idLast)), { _tag: "Invalid", id: "x\n", problem })
  assert.propertyVal(Result.getOrThrow(read(asking(`{"list":[{${many}}]}`))), "_tag", "Request")
})

it("takes the last of duplicate keys, a BOM before the text, and no byte that is not UTF-8", () => {
  assert.deepEqual(valueIn(`{"a":1,"a":2}`), { a: 2 })
  assert.propertyVal(Result.getOrThrow(read(`\uFEFF${asking("1")}`)), "_tag", "Request")
  assert.isTrue(Result.isFailure(readMessage(Uint8Array.of(34, 0xff, 34))))
})

it("refuses what is too long under its id, wherever a request shows it, and under none of another", () => {
  const long = "x".repeat(1000)
  const refused = (text: string) => {
    const bytes = new TextEncoder().encode(text)
    return readEdges({ head: bytes.slice(0, 256), tail: bytes.slice(-256) }, "too long")
  }
  const call = { method: "tools/call", params: { name: "get_tag", arguments: { id: "1", long } } }
  for (const id of [7, "seven", 0]) {
    for (const text of [
      { jsonrpc: "2.0", id, ...call },
      { ...call, jsonrpc: "2.0", id }
    ].map((one) => JSON.stringify(one))) {
      assert.deepStrictEqual(refused(text), Result.succeed({ _tag: "Invalid", id, problem: "too long" }))
    }
  }
  const nobodys = [
    { jsonrpc: "2.0", ...call },
    { jsonrpc: "2.0", method: "x", params: { long, id: 7 } },
    { jsonrpc: "2.0", id: 7, result: { long } },
    { result: { long }, jsonrpc: "2.0", id: 7 },
    [{ ...call, jsonrpc: "2.0", id: 7 }],
    long
  ]
  for (const one of nobodys)
    assert.isTrue(Result.isFailure(refused(JSON.stringify(one))), JSON.stringify(one).slice(0, 40))
})
