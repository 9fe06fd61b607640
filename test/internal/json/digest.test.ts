import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"

import { digest, isSameJson } from "../../../src/internal/json/digest.ts"

/** The same value with the fields of every object the other way round. */
const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, inner]) => [name, reversed(inner)])
  )
}

/** JSON with the fields of every object in alphabetical order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner
  )

it("two values have the same digest, and count as the same, where they say the same in any order of fields", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      assert.match(digest(a), /^[0-9a-z]{6}$/)
      assert.strictEqual(digest(reversed(a)), digest(a))
      assert.isTrue(isSameJson(reversed(a), a))
      assert.strictEqual(isSameJson(a, b), canonical(a) === canonical(b))
      assert.strictEqual(digest(a) === digest(b), isSameJson(a, b))
    })
  )
})

it("an object has the same digest in whatever order its fields stand, however many they are", () => {
  const names = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(
      names.chain((names) => fc.tuple(fc.constant(names), fc.shuffledSubarray(names, { minLength: names.length }))),
      ([names, shuffled]) => {
        const object = (names: ReadonlyArray<string>) => new Map(names.map((name) => [name, name.length]))
        const [one, other] = [names, shuffled].map((names) => Object.fromEntries(object(names)))
        assert.strictEqual(digest(one), digest(other))
      }
    )
  )
})

it("values that look alike have digests of their own", () => {
  const alike = [
    {},
    [],
    "",
    null,
    "null",
    0,
    "0",
    false,
    [[]],
    [{}],
    { "": "" },
    ["", ""],
    ["a", "b"],
    ["ab"],
    { a: "b" }
  ]
  const others = [{ a: 1, b: 2 }, { a: { b: 2 } }, [1, 2], [12], ["[", "]"], [["a"], "b"], [["a", "b"]], { ab: "" }]
  const digests = [...alike, ...others].map(digest)
  assert.lengthOf(new Set(digests), digests.length)
  for (const one of digests) assert.match(one, /^[0-9a-z]{6}$/)
})
