import { Advertising } from "./Advertising.ts"
import { Engines } from "./Engines.ts"
import type { Broken } from "./Machine.ts"
import { loaded, Schedule } from "./schedule.ts"

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
  const schedule = new Schedule(seed)
  const world = schedule.random.below(6) === 0 ? new Advertising(schedule, broken) : new Engines(schedule, broken)
  const failed = await world.run().then(
    () => [],
    (error: unknown) => [`it has no end: ${error instanceof Error ? error.message : JSON.stringify(error)}`]
  )
  const { fingerprint, trace } = schedule
  return { seed, fingerprint, problems: [...failed, ...world.problems()], trace }
}
