import { assert, describe, it } from "vitest"

import { ChangesToolset } from "../../src/changes/toolset.ts"
import { ApiToolset } from "../../src/engine/api/toolset.ts"
import { OperatorToolset } from "../../src/engine/operator/toolset.ts"
import { withCallPlans, withPlans } from "../../src/engine/plans/toolset.ts"
import { EngineToolset } from "../../src/engine/toolset/toolset.ts"
import { MarketplaceToolset } from "../../src/marketplace/toolset.ts"
import { adsTried, engineTried, type Fault, type Tried } from "../simulation/oneFault.ts"
import { adsTrials, engineTrials } from "../simulation/trials.ts"
import { faultNames, mayArrive } from "../simulation/Upstream.ts"

const none: Fault = { name: "", after: Infinity, arrives: false }

/** The requests of a call that meet a fault: all that may change something, and a read in its turn. */
const requestsFor = (methods: ReadonlyArray<string>, turn: number) => {
  const all = [...methods.keys()]
  const reads = all.filter((at) => methods[at] === "GET")
  return [...all.filter((at) => methods[at] !== "GET"), ...reads.slice(turn % Math.max(1, reads.length)).slice(0, 1)]
}

/** The first untruth of a call for which every fault was met; one that may have had its effect is met with and without it. */
const untruthOf = async (play: (fault: Fault) => Promise<Tried>): Promise<string | undefined> => {
  const { methods, problems, trace } = await play(none)
  if (problems.length > 0) return [...problems, ...trace].join("\n")
  for (const [turn, name] of faultNames.entries()) {
    for (const after of requestsFor(methods, turn)) {
      for (const arrives of methods[after] !== "GET" && mayArrive(name) ? [false, true] : [false]) {
        const tried = await play({ name, after, arrives })
        const where = `${name} at request ${after + 1} of ${methods.length}${arrives ? ", which arrives" : ""}`
        if (tried.problems.length > 0) return [where, ...tried.problems, ...tried.trace].join("\n")
      }
    }
  }
  return undefined
}

/** The calls of a list, the second and third of one tool with a number. */
const numbered = <T extends { readonly tool: string }>(trials: ReadonlyArray<T>) =>
  trials.map((trial, index) => {
    const before = trials.slice(0, index).filter(({ tool }) => tool === trial.tool).length
    return [before === 0 ? trial.tool : `${trial.tool} (${before + 1})`, trial] as const
  })

const namesOf = (...toolsets: ReadonlyArray<{ readonly tools: ReadonlyArray<{ readonly name: string }> }>) =>
  toolsets.flatMap(({ tools }) => tools.map(({ name }) => name))

describe("a call that meets a fault at one of its requests", { timeout: 300_000 }, () => {
  it("is there for every tool", () => {
    const expected = namesOf(
      EngineToolset,
      withPlans(OperatorToolset),
      withCallPlans(ApiToolset),
      ChangesToolset,
      MarketplaceToolset
    )
    assert.sameMembers([...new Set([...engineTrials, ...adsTrials].map(({ tool }) => tool))], expected)
  })

  describe.each(["1.82.3", "2.41.1"] as const)("of an engine of version %s", (version) => {
    it.each(numbered(engineTrials))("says of %s what is so", async (_, trial) => {
      assert.isUndefined(await untruthOf((fault) => engineTried(version, trial, fault)))
    })
  })

  it.each(numbered(adsTrials))("says of %s of the marketplace what is so", async (_, trial) => {
    assert.isUndefined(await untruthOf((fault) => adsTried(trial, fault)))
  })
})
