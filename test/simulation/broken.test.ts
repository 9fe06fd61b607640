import { assert, describe, it } from "@effect/vitest"

import type { Broken } from "./Machine.ts"
import { play } from "./play.ts"

/** Schedules of which one at least has to show it. */
const most = 100

describe("a simulation in which one rule is broken on purpose", { timeout: 300_000 }, () => {
  const rules: Readonly<Record<string, Broken>> = {
    "a server that forgets its journal": { forgetsJournal: true },
    "a history that forgets commits": { forgetsCommits: true },
    "servers without locks": { hasNoLocks: true },
    "an engine that only says that it does what it is asked for": { lies: true },
    "a network that repeats what it carries": { repeats: true },
    "a journal that lacks what is about to be sent": { notesNoBeginning: true },
    "foreign 404s that count as an engine's": { takesAny404: true },
    "an agreement that is counted again": { countsAgain: true },
    "plans that do not find what they have created": { findsNothingNew: true }
  }
  it.each(Object.entries(rules))("notices %s", async (_, broken) => {
    let seed = 1
    while (seed <= most && (await play(seed, broken)).problems.length === 0) seed++
    assert.isAtMost(seed, most, "no schedule has shown it")
  })
})
