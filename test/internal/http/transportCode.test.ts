import { assert, describe, it } from "@effect/vitest"

import {
  inWords,
  neverLeft,
  NotConnected,
  systemError,
  transportCode
} from "../../../src/internal/http/transportCode.ts"

describe("the code of a broken connection", () => {
  it("is found in the error or in whatever caused it", () => {
    const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" })
    assert.strictEqual(transportCode(refused), "ECONNREFUSED")
    assert.strictEqual(transportCode(new TypeError("fetch failed", { cause: refused })), "ECONNREFUSED")
    assert.strictEqual(
      transportCode({ reason: { cause: new AggregateError([new Error("first"), refused]) } }),
      "ECONNREFUSED"
    )
  })

  it("is not invented", () => {
    const circle: { cause?: unknown } = {}
    circle.cause = circle
    for (const error of [undefined, null, "ECONNREFUSED", 7, {}, { code: 20 }, new Error("no code"), circle]) {
      assert.isUndefined(transportCode(error))
    }
  })

  it.each([
    "ECONNREFUSED",
    "ENOTFOUND",
    "CERT_HAS_EXPIRED",
    "SELF_SIGNED_CERT_IN_CHAIN",
    "ERR_SSL_WRONG_VERSION_NUMBER"
  ])("tells that nothing arrived: %s", (code) => {
    assert.isTrue(neverLeft(systemError(code)))
    assert.include(inWords(code), code)
  })

  it.each([
    "ECONNRESET",
    "EPIPE",
    "ETIMEDOUT",
    "UND_ERR_SOCKET",
    "ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC",
    "HPE_HEADER_OVERFLOW",
    "HPE_INVALID_CONSTANT",
    "NETWORK_ERROR"
  ])("leaves open whether something arrived: %s", (code) => {
    assert.isFalse(neverLeft(systemError(code)))
    assert.include(inWords(code), code)
  })
})

describe("a client that knows that it made no connection", () => {
  it("has sent nothing, whatever the code, and the code is still found", () => {
    for (const code of ["ETIMEDOUT", "ECONNRESET", "ERR_INVALID_CHAR"]) {
      const cause = Object.assign(new Error(code), { code })
      assert.isFalse(neverLeft(cause))
      const error = { reason: new NotConnected({ cause }) }
      assert.isTrue(neverLeft(error))
      assert.strictEqual(transportCode(error), code)
    }
  })
})
