import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"

import { baseUrl, isLoopback } from "../../src/internal/config/baseUrl.ts"

const url = (written: string) => Result.getOrUndefined(baseUrl(written, false))

describe("baseUrl", () => {
  it.each([
    ["https://engine.test", "https://engine.test"],
    [" https://engine.test/ \n", "https://engine.test"],
    ["https://engine.test/api/v1/", "https://engine.test"],
    ["https://engine.test:8443/flows//", "https://engine.test:8443/flows"],
    ["https://engine.test/flows/api/v1/", "https://engine.test/flows"],
    ["HTTPS://Engine.Test", "https://engine.test"],
    ["http://localhost:5678", "http://localhost:5678"],
    ["http://127.0.0.1:5678/", "http://127.0.0.1:5678"],
    ["http://[::1]:5678", "http://[::1]:5678"],
    ["http://engine.localhost", "http://engine.localhost"],
    ["https://engine.test/API/V1/", "https://engine.test"],
    ["https://engine.test/api/v1", undefined],
    ["https://engine.test/API/V1", undefined],
    ["https://engine.test/flows/Api/v1", undefined],
    ["https://engine.test/api/v1/api/v1/", undefined],
    ["http://localhost.engine.test", undefined],
    ["http://127.0.0.1.engine.test", undefined],
    ["http://10.0.0.1", undefined],
    ["javascript:alert(1)", undefined],
    ["", undefined]
  ])("%j becomes %j", (written, expected) => {
    assert.strictEqual(url(written), expected)
  })

  it("is a fixed point: what it returns, it takes as it is", () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: false, validSchemes: ["https"] }), (written) => {
        const once = url(written)
        fc.pre(once !== undefined)
        assert.strictEqual(url(once), once)
        assert.isFalse(once.endsWith("/"))
      })
    )
  })

  it("never repeats what was written", () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-zA-Z0-9]{24}$/),
        fc.constantFrom("", "https://", "https://u:", "https://h/?"),
        (key, before) => {
          const result = baseUrl(`${before}${key}@`, false)
          assert.notInclude(Result.isFailure(result) ? result.failure : "", key)
        }
      )
    )
  })
})

describe("isLoopback", () => {
  it("knows this machine from every other", () => {
    for (const name of ["localhost", "a.localhost", "127.0.0.1", "127.9.9.9", "[::1]", "::1"])
      assert.isTrue(isLoopback(name))
    for (const name of ["0.0.0.0", "::", "localhost.", "example.com", "127.0.0.1.nip.io"])
      assert.isFalse(isLoopback(name))
  })
})
