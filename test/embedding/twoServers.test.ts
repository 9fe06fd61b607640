import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { describe } from "vitest"

import { TeamRoutes } from "./twoServers.ts"

const served = Effect.acquireRelease(
  Effect.sync(() => HttpRouter.toWebHandler(TeamRoutes, { disableLogger: true })),
  ({ dispose }) => Effect.promise(dispose)
)

const post = (path: string, method: string, params: unknown) =>
  new Request(`http://127.0.0.1${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", host: "127.0.0.1" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
  })

const Introduced = Schema.Struct({
  result: Schema.Struct({
    serverInfo: Schema.Struct({ name: Schema.String }),
    instructions: Schema.String
  })
})
const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } }

describe("two servers on one router", () => {
  it.effect("are two in everything: name, instances, workflows and health", () =>
    Effect.gen(function* () {
      const { handler } = yield* served
      const ask = (request: Request) => Effect.promise(async () => (await handler(request)).json())
      for (const [team, other, holds] of [
        ["sales", "support", true],
        ["support", "sales", false]
      ] as const) {
        const answer: unknown = yield* ask(post(`/${team}/mcp`, "initialize", hello))
        const { instructions, serverInfo } = Schema.decodeUnknownSync(Introduced)(answer).result
        assert.strictEqual(serverInfo.name, `workflows-of-${team}`)
        assert.include(instructions, `Instances: ${team}.`)
        assert.notInclude(instructions, other)
        const listed = yield* ask(post(`/${team}/mcp`, "tools/call", { name: "list_workflows", arguments: {} }))
        assert.strictEqual(JSON.stringify(listed).includes("updatedAt"), holds)
        const health = yield* ask(new Request(`http://127.0.0.1/${team}/health`, { headers: { host: "127.0.0.1" } }))
        assert.propertyVal(health, "status", "ok")
      }
    })
  )
})
