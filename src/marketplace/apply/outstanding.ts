import { type Kopecks, kopecksToRubles } from "../client/money.ts"
import type { Plan } from "../plan/Plan.ts"

/** A cluster bid that stands otherwise than it was meant, until its step is done or taken back (D2). */
export interface Outstanding {
  readonly plan: Plan
  /** Low bids that an earlier version has sent to see how they are read, by step. */
  readonly probes: ReadonlyMap<string, Kopecks>
  /** Steps whose bid was read in the other unit, and what is known of it. */
  readonly misread: ReadonlyMap<string, string>
}

/** What may stand and what to do about it; nothing where all is as it was meant. */
export const outstandingNotice = ({ misread, plan, probes }: Outstanding): string | undefined => {
  const said = [...[...misread].map(([, problem]) => problem), ...[...probes].map(probeStory)]
  if (said.length === 0) return undefined
  return `${said.join(" ")} What to do: ads_apply_plan with plan_id ${plan.id} sets what is wanted; ads_rollback plans the way back.`
}

const probeStory = ([step, bid]: readonly [string, Kopecks]): string =>
  `An earlier version has sent ${step} as ${bid}, to see how it is read, and that may stand: ${kopecksToRubles(bid)} rub where ` +
  `the marketplace reads kopecks, ${bid}.00 rub where it reads rubles (D2).`
