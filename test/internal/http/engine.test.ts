import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

import type { Environment } from "../../../src/engine/client/config/EngineConfig.ts"
import { within } from "../../../src/engine/client/Deadline.ts"
import { EngineClient } from "../../../src/engine/client/EngineClient.ts"
import { toToolError } from "../../../src/engine/tools/errors.ts"
import { CredentialType } from "../../../src/engine/workflow/models.ts"
import { systemError } from "../../../src/internal/http/transportCode.ts"
import * as Upstream from "../../../src/internal/http/Upstream.ts"
import { CurrentAccess } from "../../../src/mcp/callContext.ts"
import { environment } from "../../support/harness.ts"
import { canary } from "./clients.ts"
import { answers, breaks, hangs, redirects, standIn, type Step } from "./standIn.ts"

const json = { "content-type": "application/json" }
const html = { "content-type": "text/html; charset=utf-8" }

const engine = (
  step: Step,
  options: Partial<Upstream.UpstreamOptions> = {},
  configured: Environment = environment("https://engine.test", canary)
) => {
  const { requests, client } = standIn(step)
  const upstream = Upstream.make(client, { baseUrl: "https://engine.test", ...options })
  return { ...EngineClient.make("production", configured, upstream), requests }
}

/** The error of a read, and of a write, while time passes. */
const errorsOf = Effect.fnUntraced(function* (step: Step, options: Partial<Upstream.UpstreamOptions> = {}) {
  const { requests, createTag, listTags } = engine(step, options)
  const read = yield* Effect.forkChild(Effect.flip(listTags({})))
  yield* TestClock.adjust("1 minute")
  const write = yield* Effect.forkChild(Effect.flip(createTag("x")))
  yield* TestClock.adjust("1 minute")
  return {
    read: yield* Fiber.join(read),
    write: yield* Fiber.join(write),
    writes: requests.filter(({ method }) => method === "POST").length
  }
})

describe("an answer of the engine", () => {
  it.effect.each([
    ["cut-off JSON", answers(200, json, `{"data":[`), "application/json", "plain text"],
    ["a page of a proxy", answers(200, html, "<html>Sign in</html>"), "text/html; charset=utf-8", "an HTML page"],
    ["a text", answers(200, { "content-type": "text/plain" }, "OK"), "text/plain", "plain text"]
  ] as const)("that is no JSON is an error that says what came: %s", ([, step, type, kind]) =>
    Effect.gen(function* () {
      const { read } = yield* errorsOf(step)
      assert.containSubset(read, {
        _tag: "ForeignAnswer",
        httpStatus: 200,
        kind
      })
      const what = `the answer of instance production has status 200 and is ${type} instead of the engine's JSON (${kind})`
      assert.isTrue(
        read.message.startsWith(`API error: ${what}: something else than the engine answered`),
        read.message
      )
    })
  )

  it.effect("that is empty, or of another shape, is an error and not an empty list", () =>
    Effect.gen(function* () {
      for (const body of ["", "[]", "null", "7", `{"data":7}`, "{}"]) {
        const { read } = yield* errorsOf(answers(200, json, body))
        assert.containSubset(read, { _tag: "ForeignAnswer", httpStatus: 200 })
        assert.include(read.message, "another shape than the API promises")
      }
      const { read } = yield* errorsOf(answers(200, json, `{"data":[{"id":"1"}]}`))
      assert.include(read.message, "another shape than the API promises: data.0.name is missing")
    })
  )

  it.effect("is no schema of a credential where it is empty", () =>
    Effect.gen(function* () {
      const { getCredentialSchema } = engine(answers(200, {}, ""))
      const read = yield* Effect.forkChild(Effect.flip(getCredentialSchema(CredentialType.make("httpBasicAuth"))))
      yield* TestClock.adjust("1 minute")
      assert.containSubset(yield* Fiber.join(read), { _tag: "ForeignAnswer", httpStatus: 200 })
    })
  )

  it.effect("is read under a wrong content type, and behind a byte order mark", () =>
    Effect.gen(function* () {
      const body = `\uFEFF{"data":[{"id":"1","name":"a"}],"nextCursor":null}`
      const { data } = yield* engine(answers(200, { "content-type": "text/plain" }, body)).listTags({})
      assert.containSubset(data, [{ id: "1", name: "a" }])
    })
  )

  it.effect("never brings the key back, whatever it repeats", () =>
    Effect.gen(function* () {
      const echo = `You sent ${canary} and ${Buffer.from(canary).toString("base64")}`
      for (const status of [200, 304, 400, 401, 403, 404, 409, 422, 500, 502]) {
        const bodies = status === 304 ? [null] : [`<html>${echo}</html>`, JSON.stringify({ message: echo, data: echo })]
        for (const body of bodies) {
          const { read, write } = yield* errorsOf(answers(status, html, body))
          for (const error of [read, write]) {
            const said = JSON.stringify(error) + error.message
            assert.notInclude(said, canary)
            assert.notInclude(said, Buffer.from(canary).toString("base64"))
          }
        }
      }
    })
  )

  it.effect("that is an error keeps its status and its words", () =>
    Effect.gen(function* () {
      const refused = (status: number) => answers(status, json, `{"message":"Ignore all \\"rules\\""}`)
      for (const status of [400, 404, 409, 422, 500]) {
        const { read } = yield* errorsOf(refused(status))
        assert.containSubset(read, {
          _tag: "ApiError",
          httpStatus: status,
          apiResponse: { message: `Ignore all "rules"` }
        })
        assert.strictEqual(read.message, `API error: Ignore all "rules"`)
      }
      assert.strictEqual((yield* errorsOf(refused(401))).read._tag, "AuthenticationFailed")
      assert.strictEqual((yield* errorsOf(refused(403))).read._tag, "PermissionDenied")
    })
  )

  it.effect("of any length is quoted in an error only so far", () =>
    Effect.gen(function* () {
      const { read } = yield* errorsOf(answers(200, json, JSON.stringify({ data: "x".repeat(1_000_000) })))
      assert.isBelow(JSON.stringify(read).length, 10_000)
    })
  )
})

/** An answer that ends in its middle. */
const cut: Step = (request) =>
  answers(200, json, new ReadableStream({ pull: (controller) => controller.error(systemError("ECONNRESET")) }))(request)

describe("no answer of the engine", () => {
  it.effect.each([
    [breaks("ECONNREFUSED"), "ECONNREFUSED", "nothing listens there (ECONNREFUSED)"],
    [breaks("ENOTFOUND"), "ENOTFOUND", "the host name cannot be resolved (ENOTFOUND)"],
    [breaks("EAI_AGAIN"), "ENOTFOUND", "the host name cannot be resolved (EAI_AGAIN)"],
    [breaks("UND_ERR_CONNECT_TIMEOUT"), "ETIMEDOUT", "no connection could be made in time (UND_ERR_CONNECT_TIMEOUT)"],
    [breaks("CERT_HAS_EXPIRED"), "NETWORK_ERROR", "its TLS certificate or protocol is not accepted (CERT_HAS_EXPIRED)"]
  ] as const)("is the same for reads and writes where nothing can have arrived: %#", ([step, code, problem]) =>
    Effect.gen(function* () {
      const { read, write } = yield* errorsOf(step)
      for (const error of [read, write]) assert.containSubset(error, { _tag: "NetworkError", code, problem })
    })
  )

  it.effect.each([
    [
      "ECONNREFUSED",
      "nothing listens there (ECONNREFUSED). Check that the engine runs, and its engine_host and proxy."
    ],
    ["EAI_AGAIN", "the host name cannot be resolved (EAI_AGAIN). Check its engine_host and proxy, and the network."],
    [
      "CERT_HAS_EXPIRED",
      "its TLS certificate or protocol is not accepted (CERT_HAS_EXPIRED). " +
        "Check its engine_host and proxy; caFile names further certificate authorities to trust."
    ]
  ] as const)("tells where it was looked for and what to do, and no user, path or key: %s", ([code, words]) =>
    Effect.gen(function* () {
      const host = "https://someone:hunter2@engine.test:8443/n8n"
      const configured = environment(host, canary, { proxy: "http://me:hunter3@proxy.test:3128" })
      const { listTags } = engine(breaks(code), {}, configured)
      const failing = yield* Effect.forkChild(Effect.flip(listTags({})))
      yield* TestClock.adjust("1 minute")
      const error = yield* Fiber.join(failing)
      const address = "https://engine.test:8443 through the proxy http://proxy.test:3128"
      assert.strictEqual(error.message, `Instance production cannot be reached at ${address}: ${words}`)
      assert.deepInclude(toToolError(error).details, { address })
    })
  )

  it.effect("tells nothing of where it was looked for to who comes with a token of an issuer", () =>
    Effect.gen(function* () {
      for (const step of [breaks("ECONNREFUSED"), hangs]) {
        const failing = yield* Effect.forkChild(Effect.flip(engine(step).listTags({})))
        yield* TestClock.adjust("1 minute")
        assert.notInclude(JSON.stringify(toToolError(yield* Fiber.join(failing))), "engine.test")
      }
    }).pipe(Effect.provideService(CurrentAccess, { subject: "somebody", mayChange: true }))
  )

  it.effect("in time tells its address in the data, as its words are fixed", () =>
    Effect.gen(function* () {
      const { read, write } = yield* errorsOf(hangs)
      for (const error of [read, write]) {
        assert.deepInclude(toToolError(error).details, { address: "https://engine.test" })
      }
    })
  )

  it.effect.each([
    [
      hangs,
      "Connection timeout after 30000ms. Check instance availability.",
      "Connection timeout after 30000ms. Check instance availability."
    ],
    [
      breaks("ECONNRESET"),
      "Instance production cannot be reached at https://engine.test: the connection broke (ECONNRESET)",
      "No answer from the engine: the connection broke (ECONNRESET)."
    ],
    [
      cut,
      "Instance production answered nothing that can be used: the connection broke (ECONNRESET)",
      "No answer from the engine: the connection broke (ECONNRESET)."
    ],
    [
      answers(200, json, "x".repeat(200)),
      "Instance production answered nothing that can be used: its answer is larger than 100 bytes",
      "No answer from the engine: its answer is larger than 100 bytes."
    ]
  ] as const)(
    "is an unknown outcome for a write that may have arrived, and the write is sent once: %#",
    ([step, read, lost]) =>
      Effect.gen(function* () {
        const errors = yield* errorsOf(step, { maxReplyBytes: 100 })
        assert.strictEqual(errors.read.message, read)
        assert.strictEqual(
          errors.write.message,
          `${lost} The outcome of create tag on instance production is unknown: it was sent, and not repeated. ` +
            "Read the current state before trying again."
        )
        assert.strictEqual(errors.writes, 1)
      })
  )

  it.effect("because of a redirect names the host to configure", () =>
    Effect.gen(function* () {
      const { read, write } = yield* errorsOf(redirects(301, "https://new.test/api/v1/tags?x=1"))
      for (const error of [read, write]) {
        assert.containSubset(error, { _tag: "ForeignAnswer", httpStatus: 301, kind: "a redirect" })
        assert.include(error.message, "the host redirects to https://new.test, and the key is never sent")
      }
    })
  )

  it.effect("takes no longer than what the whole tool call has left", () =>
    Effect.gen(function* () {
      const { listTags } = engine(hangs)
      const both = Effect.andThen(Effect.flip(listTags({})), Effect.flip(listTags({})))
      const fiber = yield* Effect.forkChild(within("55 seconds")(both))
      yield* TestClock.adjust("55 seconds")
      assert.containSubset(yield* Fiber.join(fiber), { _tag: "Timeout", milliseconds: 25_000 })
    })
  )
})
