import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"

import { printable } from "../../../src/mcp/protocol/Response.ts"

it("cleaned text has nothing in it that could hide, turn or break what stands around it", () => {
  const hidden = ["\u0000", "\u001B[31m", "\r\n", "\u0085", "\u061C", "\u200B", "\u202E", "\u2028", "\u2066", "\uFEFF"]
  const text = fc
    .array(fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom(...hidden)))
    .map((parts) => parts.join(""))
  fc.assert(
    fc.property(text, (text) => {
      assert.notMatch(printable(text), /[\p{Cc}\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/u)
      assert.strictEqual(printable(printable(text)), printable(text))
    })
  )
})

it("cleaned text keeps its letters in every script", () => {
  for (const text of ["Größe", "имя узла", "节点", "שלום", "a  b", "🙂"]) assert.strictEqual(printable(text), text)
  assert.strictEqual(printable("line\r\n[forged]\tok\n"), "line [forged] ok")
})
