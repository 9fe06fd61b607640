import { createHash } from "node:crypto"

import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"

import { sha256 } from "../../src/internal/sha256.ts"

it("SHA-256 at once is the same as the platform's, for texts of any length", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      assert.strictEqual(sha256(text), createHash("sha256").update(text).digest("hex"))
    })
  )
})
