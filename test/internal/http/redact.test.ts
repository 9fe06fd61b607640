import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

import { redactor } from "../../../src/internal/http/redact.ts"

const secret = Schema.String.check(Schema.isMinLength(4), Schema.isMaxLength(40), Schema.isPattern(/^[^[\]]*$/))

const redact = (text: string, secrets: ReadonlyArray<string>) => redactor(secrets).text(text)

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

  it("hides an escaped secret that would complete an escape which the text before it begins", () => {
    assert.strictEqual(redact(`%0${JSON.stringify("7n\u000bi&").slice(1, -1)}`, ["7n\u000bi&"]), "%0[redacted]")
    assert.strictEqual(redact(`%0${encodeURIComponent("7n\u000bi&")}`, ["7n\u000bi&"]), "%0[redacted]")
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

  it.prop(
    "leaves no part of a long secret in a text that was cut",
    [
      Schema.String.check(Schema.isPattern(/^[\w-]{40,200}$/)),
      Schema.Int.check(Schema.isBetween({ minimum: 16, maximum: 39 }))
    ],
    ([secret, kept]) => {
      assert.strictEqual(redact(`key ${secret.slice(0, kept)}… is unknown`, [secret]), "key [redacted]… is unknown")
      assert.strictEqual(redact(`key …${secret.slice(-kept)} is unknown`, [secret]), "key …[redacted] is unknown")
      const base64 = Buffer.from(secret).toString("base64")
      assert.strictEqual(redact(`${base64.slice(0, 20)}…`, [secret]), "[redacted]…")
    }
  )
})
