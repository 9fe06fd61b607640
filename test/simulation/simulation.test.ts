import { assert, describe, it } from "@effect/vitest"

import { play } from "./play.ts"

const seeds = [1, 2, 3, 4]

describe("a simulation of servers, engines, people and misfortune", () => {
  it.each(seeds)("breaks no promise with seed %i", async (seed) => {
    const { problems, trace } = await play(seed)
    assert.deepStrictEqual(problems, [], trace.join("\n"))
  })

  it("does the same in the same order for the same seed, and something else for another", async () => {
    const [one, again, other] = [await play(3), await play(3), await play(4)]
    assert.deepStrictEqual(again.trace, one.trace)
    assert.strictEqual(again.fingerprint, one.fingerprint)
    assert.notStrictEqual(other.fingerprint, one.fingerprint)
  })
})
