import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

import { filesOf, recordAt } from "../../../src/engine/history/layout.ts"
import { folderOf, idAt } from "../../../src/engine/history/paths.ts"

const name = fc.oneof(
  fc.constantFrom(
    "Fetch",
    "fetch",
    "Fetch!",
    "$file",
    "$$file",
    "jsCode",
    "",
    "con",
    "名前",
    "a/b",
    "..",
    "x".repeat(90)
  ),
  fc.string({ unit: "binary", maxLength: 8 })
)
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom(
    "one\ntwo\n",
    "\r\n",
    "\uFEFFbom\n",
    '{"a":\n1}',
    "lone \ud800\n",
    "\u0000\n",
    "long ".repeat(80),
    "\n"
  )
)
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3 })
  )
})).value
const fields = fc.dictionary(name, json, { maxKeys: 4 })
const node = fc
  .record({ name: fc.oneof(name, json), parameters: fields, notes: text }, { requiredKeys: [] })
  .chain((named) => fields.map((more) => ({ ...more, ...named })))
const record = fc
  .record(
    { name, nodes: fc.oneof(fc.array(node, { maxLength: 4 }), json), settings: json, description: text },
    { requiredKeys: [] }
  )
  .chain((named) => fields.map((more) => ({ ...more, ...named })))

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe("a workflow as files", () => {
  it("reads back as it was, field by field", () => {
    fc.assert(
      fc.property(record, (whole) => {
        const files = new Map([...filesOf("p/w.1", whole)].map(([path, content]) => [path, content]))
        assert.deepStrictEqual(asJson(recordAt("p/w.1", files)), asJson(whole))
      }),
      { numRuns: 500 }
    )
  })

  it("has each text in a file of its own, whose name every system takes", () => {
    fc.assert(
      fc.property(record, (whole) => {
        const paths = [...filesOf("p/w.1", whole).keys()]
        assert.lengthOf(new Set(paths.map((path) => path.toLowerCase())), paths.length)
        for (const path of paths) {
          assert.match(path, /^p\/w\.1(\.json|\/[\p{L}\p{N}_.-]+)$/u)
          assert.strictEqual(idAt(path), "1")
        }
      })
    )
  })

  it("is the same text whatever the order of the fields", () => {
    const code = { jsCode: "const a = 1\nreturn a\n", mode: "all" }
    const one = { id: "1", name: "W", nodes: [{ name: "Code", parameters: code }], settings: { a: 1, b: 2 } }
    const other = {
      settings: { b: 2, a: 1 },
      nodes: [{ parameters: { mode: "all", jsCode: code.jsCode }, name: "Code" }],
      name: "W",
      id: "1"
    }
    assert.deepStrictEqual([...filesOf("p/W.1", one)], [...filesOf("p/W.1", other)])
    assert.strictEqual(filesOf("p/W.1", one).get("p/W.1/Code.jsCode.js"), code.jsCode)
    assert.include(filesOf("p/W.1", one).get("p/W.1.json"), '"jsCode": { "$file": "Code.jsCode.js" }')
  })

  it("changes by as few lines as a person would expect", () => {
    const prompt = "You are a clerk. Name the order number. ".repeat(10)
    const html = "<p>Hello</p><p>Your order is on its way.</p>".repeat(10)
    const node = (more: object) => ({ name: "N", type: "t", position: [0, 0], parameters: { prompt, html }, ...more })
    const lines = (nodes: ReadonlyArray<unknown>, more: object = {}) =>
      [...filesOf("p/W.1", { name: "W", nodes, ...more })].flatMap(([file, text]) =>
        text.split("\n").map((line) => `${file} ${line}`)
      )
    const changed = (before: ReadonlyArray<string>, after: ReadonlyArray<string>) =>
      after.filter((line) => !before.includes(line)).map((line) => line.trim().replace(/^\S+ +/, ""))
    const before = lines([node({})])
    assert.deepStrictEqual(changed(before, lines([node({ position: [640, 120] })])), ['"position": [640, 120],'])
    const other = { prompt: prompt.replace("a clerk", "a nurse"), html: html.replace("Your order", "Your parcel") }
    assert.deepStrictEqual(changed(before, lines([node({ parameters: other })])), [
      "<p>Your parcel is on its way.</p>",
      "You are a nurse."
    ])
    const link = (to: string) => ({ connections: { N: { main: [[{ node: to, type: "main", index: 0 }]] } } })
    assert.deepStrictEqual(changed(lines([], link("A")), lines([], link("B"))), [
      '"N": { "main": [[{ "index": 0, "node": "B", "type": "main" }]] }'
    ])
  })

  it("tells what is missing from what is there", () => {
    const files = new Map(filesOf("p/W.1", { name: "W", nodes: [{ name: "C", parameters: { jsCode: "a\nb" } }] }))
    files.delete("p/W.1/C.jsCode.js")
    assert.isUndefined(recordAt("p/W.1", files))
    assert.isUndefined(recordAt("p/V.1", files))
  })
})

describe("the folder of an instance", () => {
  it("has a name from which the instance's can be read back, and leads nowhere else", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }), (instance) => {
        const folder = folderOf(instance)
        assert.strictEqual(decodeURIComponent(folder), instance)
        assert.notMatch(folder, /[/\\:"\n]|^\./)
      })
    )
  })
})
