import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { ask } from "../../support/harness.ts"
import { folder, serverWith } from "./support.ts"

const start = (name: string) => ({
  name,
  type: "n8n-nodes-base.manualTrigger",
  typeVersion: 1,
  position: [0, 0],
  parameters: {}
})

const decode = Schema.decodeUnknownSync(
  Schema.Tuple([
    Schema.Struct({
      changes: Schema.Array(Schema.Struct({ name: Schema.String, change: Schema.String })),
      more: Schema.optionalKey(Schema.Int)
    })
  ])
)

const decodeVersion = Schema.decodeUnknownSync(
  Schema.Tuple([Schema.Struct({ version: Schema.String, changes: Schema.Tuple([]) })])
)

describe("backup", () => {
  it.live(
    "tells the version that an instance stands at where nothing has changed, which it can be brought back to",
    () =>
      Effect.gen(function* () {
        const directory = yield* folder
        yield* Effect.gen(function* () {
          const { id } = yield* ask("create_workflow", { name: "Kept", nodes: [start("Start")], connections: {} })
          yield* ask("backup")
          const [{ version }] = decodeVersion((yield* ask("backup")).data)
          yield* ask("update_workflow", { id, name: "Other" })
          yield* ask("restore_workflow", { id, version })
          assert.include(yield* ask("get_workflow", { id }), { name: "Kept" })
        }).pipe(Effect.provide(serverWith(directory)))
      })
  )

  it.live("shows some of many and long changes, by the names of their workflows, and counts the others", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.gen(function* () {
        yield* ask("backup")
        const made = (name: string) => ask("create_workflow", { name, nodes: [start("Start")], connections: {} })
        yield* Effect.forEach(
          Array.from({ length: 42 }, (_, index) => `A/B "${index}" 🛒`),
          made
        )
        const { id } = yield* made("Long")
        const nodes = ["a", "b", "c"].map((letter) => start(letter.repeat(120)))
        yield* ask("update_workflow", { id, nodes: [start("Start"), ...nodes] })
        const [{ changes, more }] = decode((yield* ask("backup")).data)
        assert.lengthOf(changes, 40)
        assert.strictEqual(more, 4)
        assert.strictEqual(changes[0]?.name, "Long")
        assert.match(changes[0]?.change ?? "", /^added a{120}.{100,}…\(\+\d+\)$/)
        assert.isAtMost(changes[0]?.change.length ?? 0, 260)
        assert.deepInclude(changes[2], { name: 'A/B "41" 🛒', change: "first version" })
      }).pipe(Effect.provide(serverWith(directory)))
    })
  )
})
