import { assert, it, layer } from "@effect/vitest"
import { DateTime, Effect, Exit, Schema } from "effect"

import { Annotations, Tool } from "../../src/mcp/index.ts"
import * as Server from "../../src/mcp/Server.ts"
import { ask } from "../support/harness.ts"

const about = { title: "Rate", description: "A rate", annotations: Annotations.reads, arguments: {} }
const Rate = Schema.Struct({ rate: Schema.Finite })

interface Measured {
  readonly rate: number
  readonly source: string
}

const measured: Effect.Effect<Measured> = Effect.succeed({ rate: 1.1, source: "bank" })

/** Programs that must not compile; a mistake that the compiler overlooks is an error of its own here. */
export const refused = [
  // @ts-expect-error the shape names another field
  Tool.make("misspelt", { ...about, result: Rate, run: () => Effect.succeed({ rat: "x" }) }),
  // @ts-expect-error the field is of another type
  Tool.make("mistyped", { ...about, result: Rate, run: () => Effect.succeed({ rate: "x" }) }),
  // @ts-expect-error an answer is one object
  Tool.make("list", { ...about, run: () => Effect.succeed([1, 2]) }),
  // @ts-expect-error and not a text
  Tool.make("text", { ...about, run: () => Effect.succeed("x") })
]

const RateServer = Server.layer({
  toolsets: [
    {
      name: "rates",
      instructions: "",
      tools: [
        Tool.make("interface", { ...about, result: Rate, run: () => measured }),
        Tool.make("encoded", {
          ...about,
          result: Schema.Struct({ at: Schema.DateTimeUtcFromString }),
          run: () => Effect.succeed({ at: DateTime.makeUnsafe(0) })
        })
      ]
    }
  ]
})

layer(RateServer)("the result of a tool", (it) => {
  it.effect("may be of an interface, with further fields than its shape names", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* ask("interface", {}), { rate: 1.1, source: "bank" })
    })
  )

  it.effect("is encoded as its shape says", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* ask("encoded", {}), { at: "1970-01-01T00:00:00.000Z" })
    })
  )
})

it.effect("is never answered if it is no object", () =>
  Effect.gen(function* () {
    assert.lengthOf(refused, 4)
    const exits = yield* Effect.forEach(refused.slice(2), ({ call }) => Effect.exit(call({})))
    assert.deepStrictEqual(exits.map(Exit.hasDies), [true, true])
  })
)
