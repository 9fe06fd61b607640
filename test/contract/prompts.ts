import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { ask, type Json, request } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import { created, unique } from "./fixtures.ts"

const asked: Readonly<Record<string, () => Json>> = {
  "schedule-triggered-workflow": () => ({ cron: "0 9 * * 1-5", timezone: "Europe/Berlin", task: "Greet the team" }),
  "http-webhook-workflow": () => ({ path: unique("orders"), method: "POST" }),
  "data-transformation-workflow": () => ({ path: unique("transform"), fields: "customer=user.name" }),
  "external-service-integration": () => ({ path: unique("forward"), url: "https://api.example.com/orders" }),
  "api-data-polling": () => ({ url: "https://api.example.com/items", minutes: "5" })
}

const decodeMessages = Schema.decodeUnknownSync(
  Schema.Struct({
    messages: Schema.NonEmptyArray(Schema.Struct({ content: Schema.Struct({ text: Schema.String }) }))
  })
)
const decodeNodes = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ type: Schema.String, typeVersion: Schema.Finite }))
)
const decodeDraft = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

/** The arguments of create_workflow that a prompt proposes: its last message. */
const proposed = Effect.fnUntraced(function* (name: string, args: Json) {
  const { error, result } = yield* request("prompts/get", { name, arguments: args })
  assert.isUndefined(error, error?.message)
  return decodeDraft(decodeMessages(result).messages.at(-1)?.content.text)
})

export const prompts = (it: Suite) => {
  for (const [name, args] of Object.entries(asked)) {
    it.effect(`what ${name} proposes can be created and activated`, () =>
      Effect.gen(function* () {
        const draft = yield* proposed(name, args())
        const { active, id } = yield* created({ ...draft, active: true })
        assert.isTrue(active)
        assert.include(yield* ask("get_workflow", { id }), { active: true, name: draft.name })
      })
    )
  }

  for (const [name, args] of Object.entries(asked)) {
    it.effect(
      `what ${name} proposes is in the newest versions of this engine's nodes, and nothing is wrong with it`,
      () =>
        Effect.gen(function* () {
          yield* ask("find_nodes", { query: "http request" })
          const { connections, nodes } = yield* proposed(name, args())
          assert.include(yield* ask("check_workflow", { nodes, connections }), { ok: true, warnings: 0 })
          for (const { type, typeVersion } of decodeNodes(nodes)) {
            const { version } = yield* ask("describe_node", { type })
            assert.strictEqual(typeVersion, version, type)
          }
        })
    )
  }

  it.effect("what http-webhook-workflow proposes answers what it is sent", () =>
    Effect.gen(function* () {
      const draft = yield* proposed("http-webhook-workflow", { path: unique("echo") })
      const { id } = yield* created({ ...draft, active: true })
      const run = yield* ask("execute_workflow", { id, data: { order: 7 } })
      assert.deepInclude(run, {
        status: "success",
        response: { httpStatus: 200, body: { ok: true, received: { order: 7 } } }
      })
    })
  )
}
