import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import * as fc from "fast-check"

import { InstanceFields } from "../../../src/engine/config/instanceFields.ts"
import { isPlain, plainFields } from "../../../src/engine/config/plainInstance.ts"
import { decode } from "../../../src/internal/config/fields.ts"

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("https://engine.example.com", "key", "two words", " ", "")
)
const written = fc.record(
  { engine_host: text, engine_api_key: text, readOnly: fc.boolean(), allowInsecureHttp: fc.boolean() },
  { requiredKeys: ["engine_host", "engine_api_key"] }
)
const bySchema = (given: unknown) => decode(InstanceFields, given, String)

const withoutKey = ({ engine_api_key: _key, ...others }: ReturnType<typeof plainFields>) =>
  Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined))

describe("an instance that is read at a glance", () => {
  it("is one that the schema takes, and what the schema makes of it", () => {
    fc.assert(
      fc.property(written, (given) => {
        const read = bySchema(given)
        assert.strictEqual(isPlain(given), Result.isSuccess(read))
        if (Result.isFailure(read)) return
        const { engine_api_key, ...others } = read.success
        const plain = plainFields(given)
        assert.strictEqual(Redacted.value(plain.engine_api_key), Redacted.value(engine_api_key))
        assert.deepStrictEqual(withoutKey(plain), others)
      })
    )
  })

  const whole = { engine_host: "https://engine.example.com", engine_api_key: "key" }
  it.each([
    null,
    "https://engine.example.com",
    [],
    {},
    { engine_host: "https://engine.example.com" },
    { ...whole, readOnly: "yes" },
    { ...whole, concurrency: 5 },
    { ...whole, newer: 1 }
  ])("is none that says more, or something else: %j", (given) => {
    assert.isFalse(isPlain(given))
  })
})
