import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

import {
  clipped,
  nameText,
  oneLine,
  quotedLines,
  quotedName,
  visible,
  visibleJson
} from "../../src/internal/foreignText.ts"

const unseen = /(?![\n\t])[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\uFFF9-\uFFFB]/u

const hidden = ["\u0000", "\u001B[31m", "\r", "\u0085", "\u00AD", "\u061C", "\u200B", "\u200D", "\u202E", "\u2028"]
const hiddenToo = ["\u2066", "\u3164", "\uFE0F", "\uFEFF", "\u{E0041}", "\u{E0101}", "\ud800"]

/** Words of Latin letters, in which nothing that hides text has anything to do. */
const text = fc
  .array(fc.oneof(fc.string({ unit: "grapheme-ascii" }), fc.constantFrom(...hidden, ...hiddenToo)))
  .map((parts) => parts.join("").replaceAll(/[\d#*]/g, "a"))

describe("text from elsewhere", () => {
  it("shows whatever hides or turns text, and nothing else is changed", () => {
    fc.assert(
      fc.property(text, (text) => {
        assert.notMatch(visible(text), unseen)
        assert.isTrue(visible(text).isWellFormed())
        assert.strictEqual(visible(visible(text)), visible(text))
      })
    )
    assert.strictEqual(visible("\u061C\u200D\u061C"), "\\u{61c}\\u{200d}\\u{61c}")
    assert.strictEqual(visible("a\u202Eb \u{E0041}\u001B[2J\r\nc"), "a\\u{202e}b \\u{e0041}\\u{1b}[2J\nc")
  })

  it("stays the same JSON when what hides text is escaped in it", () => {
    fc.assert(
      fc.property(fc.dictionary(text, text), (value) => {
        const json = visibleJson(JSON.stringify(value))
        assert.notMatch(json, unseen)
        assert.deepStrictEqual(JSON.parse(json), JSON.parse(JSON.stringify(value)))
      })
    )
  })

  it.each([
    ["Größe", "имя узла", "节点", "שלום", "مرحبا", "a  b", "ﬁn"],
    ["👨‍👩‍👧", "👩🏽‍💻", "❤️‍🔥", "🏳️‍🌈", "☎︎", "1️⃣", "🇺🇦", "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}"],
    ["می‌خواهم", "क्‍ष", "ශ්‍රී", "葛\u{E0100}", "ᠮᠣᠩᠭᠣᠯ᠋"]
  ])("of people looks as they wrote it: %s", (...ordinary) => {
    for (const name of ordinary) {
      assert.strictEqual(visible(name), name)
      assert.strictEqual(oneLine(name), name)
      assert.strictEqual(quotedName(name), `"${name}"`)
    }
  })

  it.each(["a\u200Db", "👨\u200D", "x\uFE0F", "👨\uFE0F\uFE0F", "1\uFE0F", "\u{1F3F4}\u{E0041}", "ہ\u200D\u200Dہ"])(
    "shows a joiner that joins nothing: %j",
    (name) => assert.match(visible(name), /\\u\{/)
  )

  it("cannot begin a line: what breaks lines is a blank in a sentence, spelt out in a name, and quoted in a text", () => {
    assert.strictEqual(oneLine("line\r\n[forged]\tok\n"), "line [forged] ok")
    assert.strictEqual(nameText("Fetch\nApplied."), "Fetch\\nApplied.")
    assert.strictEqual(quotedName('Fetch"\nApplied.'), '"Fetch\\"\\nApplied."')
    assert.deepStrictEqual(quotedLines("one\r\nApplied.\u2028two\u2029"), ["> one", "> Applied.", "> two", "> "])
    fc.assert(fc.property(text, (text) => assert.notMatch(oneLine(text) + nameText(text) + quotedName(text), /[\n\t]/)))
  })

  it("says by how much it was cut, and never cuts a character in two", () => {
    assert.strictEqual(clipped("abcdef", 6), "abcdef")
    assert.strictEqual(clipped("abcdefgh", 6), "abcdef…(+2)")
    assert.strictEqual(clipped("abc😀def", 4), "abc…(+5)")
    assert.strictEqual(quotedName("x".repeat(200)), `"${"x".repeat(120)}…(+80)"`)
  })
})
