import { agreementsJudged } from "./agreementsJudged.ts"
import { callsJudged } from "./callsJudged.ts"
import { historyJudged } from "./historyJudged.ts"
import { plansJudged } from "./plansJudged.ts"
import type { Played } from "./Stage.ts"

/** Everything that was not as it has to be, after a schedule. */
export const violations = (world: Played): ReadonlyArray<string> => [
  ...world.found,
  ...callsJudged(world),
  ...plansJudged(world),
  ...agreementsJudged(world),
  ...historyJudged(world)
]
