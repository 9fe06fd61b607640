import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"

import { each, fields, type Part, type Selection, Selector } from "../../../src/internal/json/Selection.ts"
import { isJsonObject } from "../../../src/internal/schema/JsonObject.ts"

/** The selected part of a text that comes in pieces of these sizes, again and again. */
const selected = (text: string, selection: Selection, sizes: ReadonlyArray<number> = [7]) => {
  const bytes = new TextEncoder().encode(text)
  const selector = new Selector(selection)
  for (let at = 0, piece = 0; at < bytes.length; piece++) {
    const size = sizes[piece % sizes.length] ?? 1
    selector.push(bytes.subarray(at, at + size))
    at += size
  }
  return selector
}

/** The same, of a value that is there as a whole; `take` gets what is handed over. */
const model = (value: unknown, selection: Selection, take: (one: unknown) => void): unknown => {
  if (selection === "nothing") return null
  if (typeof selection === "object") {
    const chosen = model(value, selection.handed, take)
    if (!isJsonObject(chosen)) return chosen
    take(chosen)
    return {}
  }
  if (selection === "whole" || typeof value !== "object" || value === null) return value
  return Array.isArray(value)
    ? value.map((item, at) => model(item, selection(at), take))
    : Object.fromEntries(Object.entries(value).map(([name, item]) => [name, model(item, selection(name), take)]))
}

/** Some selection of any depth, the same one for the same names. */
const selections = fc.letrec<{ part: Part; selection: Selection }>((tie) => ({
  selection: fc.oneof(
    { weight: 5, arbitrary: tie("part") },
    { weight: 1, arbitrary: tie("part").map((part): Selection => ({ handed: part })) }
  ),
  part: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom<Part>("whole", "nothing") },
    {
      weight: 5,
      arbitrary: fc.array(tie("selection"), { minLength: 1, maxLength: 4 }).map(
        (all): Part =>
          (key) =>
            all[String(key).length % all.length] ?? "whole"
      )
    }
  )
})).selection

it("makes a JSON text of what is selected and hands over the rest, whatever the value and the pieces in which it comes", () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 5 }),
      selections,
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      fc.constantFrom(undefined, 1, "\t"),
      (value, selection, sizes, space) => {
        const text = JSON.stringify(value, null, space)
        const selector = selected(text, selection, sizes)
        const taken: Array<unknown> = []
        const rest = model(JSON.parse(text), selection, (one) => taken.push(one))
        assert.deepStrictEqual([JSON.parse(selector.text), selector.takeHanded()], [rest, taken])
      }
    )
  )
})

it("finds the end of texts that look like JSON, with quotes and backslashes at every cut", () => {
  const names = ['a"', "\\", '\\"', "}", "[", "\u2028", "__proto__", '\\\\"]}', "\ud83d\ude00"]
  const text = JSON.stringify({ skip: Object.fromEntries(names.map((name) => [name, names])), kept: names })
  for (let size = 1; size < 40; size++) {
    const { text: rest } = selected(text, fields({ skip: "nothing" }), [size])
    assert.deepStrictEqual(JSON.parse(rest), { skip: null, kept: names })
  }
})

it("passes over what is not wanted without keeping it", () => {
  const page = { data: Array.from({ length: 100 }, (_, id) => ({ id, nodes: ["x".repeat(10_000)] })), nextCursor: "n" }
  const { bytes, text } = selected(
    JSON.stringify(page),
    fields({ data: each(fields({ nodes: each("nothing") })) }),
    [4096]
  )
  assert.isBelow(bytes, 5000)
  assert.deepStrictEqual(JSON.parse(text).data[99], { id: 99, nodes: [null] })
})

it("keeps nothing of the objects of a list that it has handed over", () => {
  const page = { data: Array.from({ length: 100 }, (_, id) => ({ id, nodes: ["x".repeat(10_000)] })), nextCursor: "n" }
  const selector = selected(JSON.stringify(page), fields({ data: each({ handed: "whole" }) }), [4096])
  assert.isBelow(selector.bytes, 500)
  assert.deepStrictEqual(selector.takeHanded(), page.data)
  assert.deepStrictEqual(selector.takeHanded(), [])
})

it("leaves it to the parser to refuse what is no JSON", () => {
  const broken = ["", "{", '{"a":1', '{"a" 1}', "{,}", "[1 2]", "[1,]", "[1}", "]", '{"a":1}}', '{"a":1}{', "nul", '"a']
  for (const text of broken) {
    assert.throws(() => JSON.parse(selected(text, each("whole")).text), SyntaxError, undefined, text)
  }
})
