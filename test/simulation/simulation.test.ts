import { assert, describe, it } from "@effect/vitest"

import type { Broken } from "./Machine.ts"
import { play } from "./play.ts"

const seeds = [1, 2, 3, 4, 5, 6, 7, 8]

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

  const rules: Readonly<Record<string, Broken>> = {
    "a server that forgets its journal": { forgetsJournal: true },
    "a server that forgets its temporary copies": { forgetsCopies: true },
    "servers without locks": { hasNoLocks: true },
    "an engine that only says that it does what it is asked for": { lies: true },
    "a network that repeats what it carries": { repeats: true }
  }
  it.each(Object.entries(rules))("notices %s", async (_, broken) => {
    for (let seed = 1; seed <= 40; seed++) if ((await play(seed, broken)).problems.length > 0) return
    assert.fail("40 schedules, and none has shown it")
  })
})
