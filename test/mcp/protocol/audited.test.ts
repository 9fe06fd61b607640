import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"

import { creates, reads } from "../../../src/mcp/annotations.ts"
import { Audit, type AuditEntry, noteInstance } from "../../../src/mcp/callContext.ts"
import { auditCall } from "../../../src/mcp/protocol/observation.ts"
import { assumed } from "../../../src/mcp/protocol/ProtocolVersion.ts"
import type { Tool } from "../../../src/mcp/Tool.ts"

const toolOf = (call: Tool["call"], annotations = creates): Tool => ({
  name: "make_thing",
  title: "Make",
  description: "Makes",
  annotations,
  inputSchema: () => ({}),
  outputSchema: undefined,
  meta: undefined,
  call
})

/** The record of a call that has been under way for a second. */
const recorded = Effect.fnUntraced(function* (tool: Tool, input: unknown, client?: unknown) {
  const entries: Array<AuditEntry> = []
  const audit = {
    introduce: () => Effect.void,
    introduced: Effect.undefined,
    record: (entry: AuditEntry) => Effect.sync(() => entries.push(entry))
  }
  const calling = yield* auditCall(tool, tool.call(input), { input, client, protocolVersion: assumed }).pipe(
    Effect.provideService(Audit, { ...audit, record: (entry) => Effect.asVoid(audit.record(entry)) }),
    Effect.forkChild({ startImmediately: true })
  )
  yield* TestClock.adjust("1 second")
  yield* Fiber.interrupt(calling)
  return { entries, exit: yield* Fiber.await(calling) }
})

describe("the record of a call", () => {
  it.effect("says that the call was interrupted, and on which instance and ids", () =>
    Effect.gen(function* () {
      const tool = toolOf(() =>
        Effect.andThen(
          Effect.flatMap(noteInstance, (note) => note("staging")),
          Effect.never
        )
      )
      const { entries } = yield* recorded(
        tool,
        { id: 7, plan_ids: ["a", "b b"], secret: "x" },
        { name: "me", version: 3 }
      )
      assert.deepStrictEqual(entries, [
        {
          tool: "make_thing",
          instance: "staging",
          outcome: "interrupted",
          error: undefined,
          ids: ["7", "a"],
          startedAt: 0,
          durationMs: 1000,
          client: "me",
          request: undefined
        }
      ])
    })
  )

  it.effect("is kept of a bug as well, which stays one", () =>
    Effect.gen(function* () {
      const { entries, exit } = yield* recorded(
        toolOf(() => Effect.die(new Error("bug"))),
        {}
      )
      assert.deepInclude(entries[0], { outcome: "failed", error: "INTERNAL_ERROR" })
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    })
  )

  it.effect("names the id that the answer brings, and is not made of a tool that only reads", () =>
    Effect.gen(function* () {
      const answer = { content: [], structured: { id: "new", nodes: [{ id: "inside" }] } }
      const outcome = yield* recorded(
        toolOf(() => Effect.succeed(answer)),
        { name: "x" }
      )
      assert.deepInclude(outcome.entries[0], { outcome: "succeeded", ids: ["new"] })
      const read = yield* recorded(
        toolOf(() => Effect.succeed(answer), reads),
        {}
      )
      assert.deepStrictEqual(read.entries, [])
      assert.isTrue(Exit.isSuccess(read.exit))
    })
  )
})
