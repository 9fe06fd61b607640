import { assert, layer } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import * as fc from "fast-check"

import type { Sessions } from "../../../src/mcp/protocol/Session.ts"
import { FixtureServer } from "../../support/fixtures/FixtureServer.ts"
import * as Http from "../../support/fixtures/HttpClient.ts"
import { notification, request, toolCall } from "../../support/fixtures/messages.ts"
import { connect } from "../../support/fixtures/StdioClient.ts"

const encode = (text: string) => new TextEncoder().encode(text)

/** Lines that are served, refused or passed over, with the number of answers that each deserves. */
const line = fc.oneof(
  fc.integer().map((id) => ({ bytes: encode(JSON.stringify(request("ping", undefined, id))), answers: 1 })),
  fc.string().map((text) => ({ bytes: encode(JSON.stringify(toolCall("echo", { text }, text))), answers: 1 })),
  fc.string().map((method) => ({ bytes: encode(JSON.stringify(notification(`x${method}`))), answers: 0 })),
  fc.constant({ bytes: encode("\uFEFF" + JSON.stringify(request("ping"))), answers: 1 }),
  fc.constant({ bytes: encode(`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`), answers: 1 }),
  fc.constant({ bytes: encode(`{"jsonrpc":"2.0","id":1e400,"method":"ping"}`), answers: 1 }),
  fc.constant({ bytes: encode(`{"jsonrpc":"2.0","id":"\\ud800\\u0000","method":"ping"}`), answers: 1 }),
  fc.constant({ bytes: encode("[".repeat(5000)), answers: 1 }),
  fc.constant({ bytes: encode(`${`{"a":`.repeat(5000)}1${"}".repeat(5000)}`), answers: 1 }),
  fc.constant({ bytes: encode(`{"jsonrpc":"2.0","id":7,"method":"${"x".repeat(100_000)}"}`), answers: 1 }),
  fc.constant({ bytes: encode(""), answers: 0 }),
  fc.constant({ bytes: encode(" "), answers: 1 }),
  fc
    .uint8Array({ minLength: 1 })
    .filter((bytes) => !bytes.includes(10))
    .map((bytes) => ({ bytes: Uint8Array.of(0xff, ...bytes), answers: 1 }))
)

layer(FixtureServer)("hostile and clumsy lines", (it) => {
  it.effect("get an answer each if they deserve one, whatever their ends and pieces are", () =>
    Effect.gen(function* () {
      const run = Effect.runPromiseWith(yield* Effect.context<Sessions | Scope.Scope>())
      const lines = fc.array(fc.tuple(line, fc.constantFrom("\n", "\r\n")), { maxLength: 12 })
      const property = fc.asyncProperty(lines, fc.integer({ min: 1, max: 4096 }), (parts, size) => {
        const bytes = Buffer.concat(parts.flatMap(([{ bytes }, end]) => [bytes, encode(end)]))
        const answers = parts.reduce((sum, [{ answers }]) => sum + answers, 0)
        return run(
          Effect.gen(function* () {
            const client = yield* connect
            for (let at = 0; at < bytes.length; at += size) yield* client.write(bytes.subarray(at, at + size))
            yield* client.close
            assert.strictEqual(yield* client.pending, answers)
          }).pipe(Effect.scoped)
        )
      })
      yield* Effect.promise(() => fc.assert(property, { numRuns: 200 }))
    })
  )

  it.effect("over the limit are refused and passed over, and the next one is served", () =>
    Effect.gen(function* () {
      const client = yield* connect
      const megabyte = encode("x".repeat(1024 * 1024))
      for (let n = 0; n < 17; n++) yield* client.write(megabyte)
      yield* client.write("\n")
      assert.nestedPropertyVal(yield* client.receive, "error.code", -32600)
      yield* client.send(request("ping", undefined, "next"))
      assert.nestedPropertyVal(yield* client.receive, "id", "next")
    })
  )

  it.effect("that name __proto__ change nothing for anybody", () =>
    Effect.gen(function* () {
      const client = yield* connect
      const polluted = `{"__proto__":{"x":1},"text":"a","limit":1}`
      const params = `{"name":"echo","arguments":${polluted}}`
      yield* client.sendLine(encode(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`))
      assert.nestedPropertyVal(yield* client.receive, "id", 1)
      assert.notProperty({}, "x")
      yield* client.send(toolCall("__proto__"))
      assert.nestedPropertyVal(yield* client.receive, "error.code", -32602)
      yield* client.send(request("constructor"))
      assert.nestedPropertyVal(yield* client.receive, "error.code", -32601)
    })
  )

  it.effect("and bodies just under the limit are served", () =>
    Effect.gen(function* () {
      const client = yield* Http.connect()
      const text = "x".repeat(5 * 1024 * 1024)
      const { messages, status } = yield* client.send(toolCall("echo", { text: `${text}${text}` }))
      assert.strictEqual(status, 200)
      assert.nestedPropertyVal(messages[0], "error.data.code", "ANSWER_TOO_LARGE")
    })
  )
})
