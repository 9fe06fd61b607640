import { Socket } from "node:net"

import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"

import { rehearse } from "../../../src/cli/engine/rehearsal.ts"

it.live("rehearses a whole call, and connects to nobody", () =>
  Effect.gen(function* () {
    const connect = vi.spyOn(Socket.prototype, "connect")
    const { structured } = yield* rehearse
    assert.deepInclude(structured, { id: "1", name: "Rehearsal" })
    assert.match(String(structured?.["version"]), /-off$/)
    assert.strictEqual(connect.mock.calls.length, 0)
    connect.mockRestore()
  })
)
