import { Socket } from "node:net"

import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"

import { warmUp } from "../../../src/cli/engine/warmUp.ts"
import { History } from "../../../src/engine/client/History.ts"
import { Coordination } from "../../../src/internal/http/Coordination.ts"
import { UpstreamObserver } from "../../../src/internal/http/UpstreamObserver.ts"

it.live("a first call is warmed up as a whole, connects to nobody, and is told to nobody", () =>
  Effect.gen(function* () {
    const connect = vi.spyOn(Socket.prototype, "connect")
    const { structured } = yield* warmUp.pipe(
      Effect.provideService(UpstreamObserver, ({ upstream }) => Effect.die(`told of ${upstream}`)),
      Effect.provideService(Coordination, {
        pacer: (upstream) => assert.fail(`paced with other servers: ${upstream}`),
        withLock: (_, self) => self
      }),
      Effect.provideService(History, { of: (instance) => assert.fail(`asked for the history of ${instance}`) })
    )
    assert.deepInclude(structured, { id: "1", name: "Warm-up" })
    assert.match(String(structured?.["version"]), /-off$/)
    assert.strictEqual(connect.mock.calls.length, 0)
    connect.mockRestore()
  })
)
