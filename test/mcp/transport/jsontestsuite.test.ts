import { readFileSync } from "node:fs"

import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { FixtureServer } from "../../support/fixtures/FixtureServer.ts"
import * as Http from "../../support/fixtures/HttpClient.ts"
import { request } from "../../support/fixtures/messages.ts"
import * as Stdio from "../../support/fixtures/StdioClient.ts"

const Suite = Schema.Struct({
  test_parsing: Schema.Record(Schema.String, Schema.Uint8ArrayFromBase64),
  test_transform: Schema.Record(Schema.String, Schema.Uint8ArrayFromBase64)
})

const suite = Schema.decodeUnknownSync(Schema.fromJsonString(Suite))(
  readFileSync(new URL("../../data/jsontestsuite.json", import.meta.url), "utf8")
)
const cases = [
  ...Object.entries(suite.test_parsing),
  ...Object.entries(suite.test_transform).map(([name, bytes]) => [`i_${name}`, bytes] as const)
]

const codesOf = (message: unknown): ReadonlyArray<number> =>
  [message].flat().map((each) => Object(each).error?.code ?? 0)

/** The refusals of JSON: unreadable, or readable but no message; the suite leaves some cases open. */
const expected = (name: string): ReadonlyArray<number> => {
  if (name.startsWith("n_")) return [-32700]
  return name.startsWith("y_") ? [-32600] : [-32600, -32700]
}

layer(FixtureServer)("JSONTestSuite", (it) => {
  it.effect(`over HTTP: all ${cases.length} cases are refused as they must be`, () =>
    Effect.gen(function* () {
      const client = yield* Http.connect()
      for (const [name, bytes] of cases) {
        const { messages, status } = yield* client.post(bytes)
        assert.lengthOf(messages, 1, name)
        for (const code of codesOf(messages[0])) assert.include(expected(name), code, name)
        assert.strictEqual(status, Array.isArray(messages[0]) ? 200 : 400, name)
      }
      const { messages } = yield* client.send(request("ping"))
      assert.deepEqual(messages, [{ jsonrpc: "2.0", id: 1, result: {} }])
    })
  )

  it.effect(`over stdio: all ${cases.length} cases are refused as they must be, and the next request is served`, () =>
    Effect.gen(function* () {
      const client = yield* Stdio.connect
      for (const [name, bytes] of cases) {
        yield* client.sendLine(bytes)
        yield* client.send(request("ping", undefined, name))
        const isOneLine = bytes.length > 0 && !bytes.includes(10)
        let answers = 0
        for (;;) {
          const message = yield* client.receive
          if (Object(message).id === name) break
          answers++
          for (const code of codesOf(message)) {
            assert.include(isOneLine ? expected(name) : [-32600, -32700], code, name)
          }
        }
        if (isOneLine) assert.strictEqual(answers, 1, name)
      }
    })
  )
})
