import { assert, it } from "@effect/vitest"
import { Context, Effect } from "effect"

import { provideMissing } from "../../src/internal/effects.ts"

const One = Context.Service<"one", string>("test/One")
const Two = Context.Service<"two", string>("test/Two")
const Told = Context.Reference<string | undefined>("test/Told", { defaultValue: () => "by default" })

it.effect("services that are given go before the caller's, others stay, and the caller keeps its own", () =>
  Effect.gen(function* () {
    const all = Effect.all([One, Two, Told])
    const given = provideMissing(Context.make(One, "given").pipe(Context.add(Told, undefined)))
    const inside = given(Effect.provideService(all, Two, "inner"))
    const caller = Context.make(One, "caller's").pipe(Context.add(Two, "caller's"), Context.add(Told, "caller's"))
    assert.deepStrictEqual(yield* Effect.provideContext(inside, caller), ["given", "inner", undefined])
    const both = Effect.andThen(inside, all)
    assert.deepStrictEqual(yield* Effect.provideContext(both, caller), ["caller's", "caller's", "caller's"])
    const nothingNew = provideMissing(Context.make(One, "caller's"))(One)
    assert.strictEqual(yield* Effect.provideContext(nothingNew, caller), "caller's")
  })
)
