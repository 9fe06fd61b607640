import { fileURLToPath } from "node:url"

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import * as NodeHttpClients from "../../../src/cli/upstream/NodeHttpClients.ts"
import { HttpClients } from "../../../src/internal/http/HttpClients.ts"
import * as Upstream from "../../../src/internal/http/Upstream.ts"
import { certificateFile, identity } from "../../support/certificates.ts"
import { listen, replies } from "../../support/loopback.ts"
import { canary, clientNames, upstreamAt, withKey } from "./clients.ts"

const trusting = (caFile: string, baseUrl: string) =>
  HttpClients.use(({ make }) => make({ caFile })).pipe(
    Effect.map((client) => Upstream.make(client, { baseUrl, retries: 0 })),
    Effect.provide(NodeHttpClients.layer)
  )

describe.each(clientNames)("over %s", (client) => {
  it.effect("a certificate that nobody vouches for ends the call before the key is sent", () =>
    Effect.gen(function* () {
      const server = yield* listen(replies(200, "{}"), identity("loopback"))
      const upstream = yield* upstreamAt(client, server.url)
      const failure = yield* Effect.flip(upstream.send(withKey("POST")))
      assert.containSubset(failure, {
        _tag: "Unreachable",
        code: "DEPTH_ZERO_SELF_SIGNED_CERT",
        problem: "its TLS certificate or protocol is not accepted (DEPTH_ZERO_SELF_SIGNED_CERT)",
        phase: "connecting"
      })
      assert.lengthOf(server.received, 0)
    })
  )

  it.effect("a protocol that is too old ends the call before the key is sent", () =>
    Effect.gen(function* () {
      const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const
      const server = yield* listen(replies(200, "{}"), { ...identity("loopback"), ...old })
      const upstream = yield* upstreamAt(client, server.url)
      const failure = yield* Effect.flip(upstream.send(withKey("POST")))
      assert.containSubset(failure, { _tag: "Unreachable", phase: "connecting" })
      assert.include(failure._tag === "Unreachable" ? failure.problem : "", "its TLS certificate or protocol")
      assert.lengthOf(server.received, 0)
    })
  )
})

describe("with the certificate file of an instance", () => {
  it.effect("a server with that certificate is reached, and no other", () =>
    Effect.gen(function* () {
      const server = yield* listen(replies(200, "{}"), identity("loopback"))
      const upstream = yield* trusting(certificateFile("loopback"), server.url)
      assert.strictEqual((yield* upstream.send(withKey("GET"))).status, 200)
      assert.include(server.received[0]?.head, canary)

      const stranger = yield* trusting(certificateFile("elsewhere"), server.url)
      const failure = yield* Effect.flip(stranger.send(withKey("GET")))
      assert.containSubset(failure, { code: "DEPTH_ZERO_SELF_SIGNED_CERT", phase: "connecting" })
      assert.lengthOf(server.received, 1)
    })
  )

  it.effect.each([
    ["of another host", "elsewhere", "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["that has expired", "expired", "CERT_HAS_EXPIRED"]
  ] as const)("a certificate %s is not accepted", ([, name, code]) =>
    Effect.gen(function* () {
      const server = yield* listen(replies(200, "{}"), identity(name))
      const upstream = yield* trusting(certificateFile(name), server.url)
      const failure = yield* Effect.flip(upstream.send(withKey("POST")))
      assert.containSubset(failure, { _tag: "Unreachable", code, phase: "connecting" })
      assert.lengthOf(server.received, 0)
    })
  )

  it.effect("a file that is not there, or holds no certificate, is said to be unusable at once", () =>
    Effect.gen(function* () {
      const missing = yield* Effect.flip(trusting("/no/such/file.pem", "https://127.0.0.1"))
      assert.strictEqual(missing.message, "caFile: /no/such/file.pem cannot be read")
      const file = fileURLToPath(import.meta.url)
      const wrong = yield* Effect.flip(trusting(file, "https://127.0.0.1"))
      assert.strictEqual(wrong.message, `caFile: ${file} holds no certificate`)
    })
  )
})
