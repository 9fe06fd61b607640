import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

import { redact } from "../../../src/internal/http/redact.ts"

const secret = Schema.String.check(Schema.isMinLength(4), Schema.isMaxLength(40), Schema.isPattern(/^[^[\]]*$/))

describe("redact", () => {
  it.prop("leaves no form of a secret in a text", [secret, Schema.String, Schema.String], ([secret, before, after]) => {
    const base64 = Buffer.from(secret).toString("base64")
    const forms = [secret, base64, JSON.stringify(secret).slice(1, -1)]
    for (const form of forms) {
      const rest = redact(`${before}${form}${after}`, [secret]).split("[redacted]")
      assert.isAbove(rest.length, 1)
      for (const part of rest) assert.notInclude(part, form)
    }
  })

  it("hides a secret that begins another one, both of them whole", () => {
    assert.strictEqual(redact("key-1234, key-1234-more", ["key-1234", "key-1234-more"]), "[redacted], [redacted]")
  })

  it("copes with a secret that is no whole text", () => {
    assert.strictEqual(redact("half a \uD800pair, whole", ["\uD800pair"]), "half a [redacted], whole")
  })

  it("leaves texts without secrets as they are, and does not take a short word for a secret", () => {
    assert.strictEqual(redact("abc is fine", ["abc", "", "other"]), "abc is fine")
  })
})
