import { violations } from "./invariants.ts"
import type { Broken } from "./Machine.ts"
import { World } from "./World.ts"

/** What is loaded when it is needed first is there before any schedule begins, so that each begins alike. */
const loaded = () =>
  Promise.all([import("../../src/engine/nodes/check/acorn.ts"), import("../../src/mcp/agreement.ts")])

/** How a schedule has ended. */
export interface Played {
  readonly seed: number
  /** The same for every run of this seed. */
  readonly fingerprint: string
  readonly problems: ReadonlyArray<string>
  /** Everything that has happened, in its order. */
  readonly trace: ReadonlyArray<string>
}

/** Plays the schedule of a seed, and says what was not as it has to be. */
export const play = async (seed: number, broken: Broken = {}): Promise<Played> => {
  await loaded()
  const world = new World(seed, broken)
  const failed = await world.run().then(
    () => [],
    (error: unknown) => [`it has no end: ${error instanceof Error ? error.message : JSON.stringify(error)}`]
  )
  const { fingerprint, trace } = world.schedule
  return { seed, fingerprint, problems: [...failed, ...violations(world)], trace }
}
