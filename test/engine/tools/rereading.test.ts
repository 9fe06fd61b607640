import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as fc from "fast-check"

import * as Message from "../../../src/mcp/protocol/Message.ts"
import { serialize } from "../../../src/mcp/protocol/Message.ts"
import {
  capabilitiesKey,
  type ProtocolVersion,
  protocolVersions,
  versionKey
} from "../../../src/mcp/protocol/ProtocolVersion.ts"
import { Sessions } from "../../../src/mcp/protocol/Session.ts"
import { ask, refused } from "../../support/harness.ts"
import { engineThat, json, serving } from "./standIn.ts"

/** A workflow as it was at some time. */
const at = (time: number, id = "w1") => ({
  id,
  name: `Orders ${time}`,
  active: time % 2 === 1,
  nodes: [
    { name: "Fetch", type: "engine-nodes-base.httpRequest", typeVersion: 4, position: [0, 0], parameters: { time } },
    { name: 'Say "hello" ☃', type: "engine-nodes-base.noOp", typeVersion: 1, position: [220, 0], parameters: {} }
  ],
  connections: {},
  settings: { executionOrder: "v1" },
  updatedAt: "2026-11-21T00:00:00.000Z",
  unknownField: { kept: [null, 1.5, ""] }
})

/** An engine that has the workflow as it is now. */
const engineAt = () => {
  let now = 0
  const { requests, client } = engineThat(({ path }) => json(at(now, path.split("/").at(-1))))
  return { requests, client, moveTo: (time: number) => Effect.sync(() => (now = time)) }
}

/** The line with which a call of the revision is answered. */
const line = Effect.fnUntraced(function* (args: object, version: ProtocolVersion) {
  const _meta = version.era === "modern" ? { [versionKey]: version.date, [capabilitiesKey]: {} } : undefined
  const params = { name: "get_workflow", arguments: args, ...(_meta === undefined ? {} : { _meta }) }
  const { receive } = (yield* Sessions).open(version, () => Effect.void)
  const outcome = yield* receive(Message.read({ jsonrpc: "2.0", id: 1, method: "tools/call", params }))
  const { response } = Option.getOrThrow(outcome)
  return { text: serialize(response), response }
})

const reading = fc.record({
  time: fc.integer({ min: 0, max: 2 }),
  id: fc.constantFrom("w1", "w2"),
  nodes: fc.constantFrom(undefined, ["Fetch"]),
  version: fc.constantFrom(...protocolVersions)
})
type Reading = typeof reading extends fc.Arbitrary<infer A> ? A : never
const readings = fc.array(reading, { minLength: 4, maxLength: 12 })

/** Reads as given with one server, and each time with a new one. */
const bothWays = Effect.fnUntraced(function* (given: ReadonlyArray<Reading>) {
  const { client, moveTo } = engineAt()
  const one = Effect.fnUntraced(function* ({ id, nodes, time, version }: (typeof given)[number]) {
    yield* moveTo(time)
    return yield* line({ id, ...(nodes === undefined ? {} : { nodes }) }, version)
  })
  return {
    again: yield* Effect.forEach(given, one).pipe(Effect.provide(serving(client))),
    fresh: yield* Effect.forEach(given, (reading) => one(reading).pipe(Effect.provide(serving(client))))
  }
})

describe("a workflow that is read again", () => {
  it("is answered as by a server that reads it for the first time", () =>
    fc.assert(
      fc.asyncProperty(readings, async (given) => {
        const { again, fresh } = await Effect.runPromise(bothWays(given))
        assert.deepStrictEqual(
          again.map(({ text }) => text),
          fresh.map(({ text }) => text)
        )
        for (const { response, text } of again) assert.deepStrictEqual(JSON.parse(text), response)
      }),
      { numRuns: 30 }
    ))

  it.effect("is known by its version, however often it was read, and whatever was read between", () => {
    const { requests, client, moveTo } = engineAt()
    return Effect.gen(function* () {
      const seen: Array<unknown> = []
      for (const time of [0, 0, 0, 1, 1, 1, 0]) {
        yield* moveTo(time)
        seen.push((yield* ask("get_workflow", { id: "w1" })).version)
      }
      assert.deepStrictEqual(
        seen.map((version) => seen.indexOf(version)),
        [0, 0, 0, 3, 3, 3, 0]
      )
      assert.lengthOf(requests, seen.length)
      yield* moveTo(2)
      const { message } = yield* refused("update_workflow", { id: "w1", name: "Mine", ifVersion: seen[0] })
      assert.include(message, "Fetch changed")
    }).pipe(Effect.provide(serving(client)))
  })
})
