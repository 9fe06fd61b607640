import { Kopecks, kopecksToRubles } from "../money.ts"
import { workOf } from "../plan/Change.ts"
import type { Wire } from "../wire.ts"
import type { History, Misread, Trial } from "./history.ts"
import { locate, type LocatedOf } from "./Located.ts"

/** A cluster bid that was sent alone, to see how the marketplace reads the number (D2). */
export interface OnTrial {
  readonly change: LocatedOf<"cluster">
  readonly bid: Kopecks
}

/** An amount in both units. */
export const inBoth = (bid: Kopecks): string => `${kopecksToRubles(bid)} rub (${bid} kopecks)`

export const hundredfold = (bid: Kopecks): Kopecks => Kopecks.make(bid * 100)

/** Whether a bid that shows is the low one of a trial, in either reading. */
export const isOfTrial = ({ bid }: Trial, shown: Kopecks | null): boolean => shown === bid || shown === hundredfold(bid)

/** Which bid is out on trial, and what it can be. */
export const trialStory = ({ bid, change }: OnTrial): string => {
  const { after } = change
  const isWhole = bid === after
  const wanted = after === null || isWhole ? "as wanted" : `too low until the wanted ${inBoth(after)} follow`
  return (
    `One cluster bid is out on trial: ${placeOf(change)}, sent as ${bid}. ` +
    `Where the marketplace reads kopecks, it is ${inBoth(bid)}, ${wanted}; where it reads rubles (D2), it is ` +
    `${inBoth(hundredfold(bid))}${isWhole ? ", a hundred times too high" : ""}.`
  )
}

/** Which bid still stands there from a trial that is over. */
const leftoverStory = ({ bid, change }: OnTrial): string =>
  `The trial's bid of ${inBoth(bid)} may still stand: ${placeOf(change)}. The wanted one has not been seen to follow.`

const placeOf = ({ nm_id, norm_query, target }: LocatedOf<"cluster">): string =>
  `campaign ${target}, article ${nm_id}, phrase "${norm_query}"`

/** What may be out on trial of a plan that has not come to its end, and what to do about it. */
export const trialNotice = (past: History, wire: Wire): string | undefined => {
  const { finished, misread, takenBack, trial } = past
  if (finished || takenBack) return undefined
  if (misread !== undefined && wire === "spec") return misreadStory(misread)
  const out = onTrial(past, wire)
  if (out === undefined) return undefined
  const story = trial?.isOver === true ? leftoverStory(out) : trialStory(out)
  return `${story} What to do: ${adviceFor(past)}ads_rollback plans the way back.`
}

const adviceFor = ({ asked, goingBack, plan, trial }: History): string => {
  const again = `call ads_apply_plan with plan_id ${plan.id} again`
  if (goingBack) return ""
  if (trial?.isOver === true) return `${again}; or `
  return asked
    ? `a person must look at it in the cabinet; if it is read in kopecks, ${again}, else set wire to published first; or `
    : `${again}, which looks at it and then goes on, or takes it back; or `
}

/** The low bid of a trial; else, as older versions did and where a low one is refused, a first bid sent whole. */
const onTrial = (past: History, wire: Wire): OnTrial | undefined => {
  const { asked, inDoubt, readsKopecks, sent, trial } = past
  if (trial !== undefined) return lowOnTrial(past)
  if (wire === "published" || asked || readsKopecks) return undefined
  const out = past.plan.steps.filter(
    ({ change, id }) => workOf(change) === "cluster" && (inDoubt.has(id) || sent.has(id))
  )
  // With others out there, the first has been seen.
  return out.length === 1 ? bidOf(past, (step) => step === out[0]?.id) : undefined
}

type Placed = Pick<History, "created" | "plan" | "trial">

export const lowOnTrial = (past: Placed): OnTrial | undefined => {
  const { trial } = past
  const found = trial === undefined ? undefined : bidOf(past, (step) => step === trial.step)
  return trial === undefined || found === undefined ? undefined : { ...found, bid: trial.bid }
}

const bidOf = ({ created, plan }: Placed, isIt: (step: string) => boolean): OnTrial | undefined => {
  for (const { change, id } of plan.steps) {
    const located = workOf(change) === "cluster" && isIt(id) ? locate(change, created) : undefined
    if (located?.kind === "cluster" && located.after !== null) return { change: located, bid: located.after }
  }
  return undefined
}

/** What was found out about the unit, as every further apply of the plan says it. */
export const misreadStory = ({ problem, step }: Misread): string =>
  `The cluster bid ${step} came out a hundred times as high as it was sent: ${inRubles}. ${problem}; no other was sent. ${remedy}.`

export const inRubles =
  "this marketplace counts cluster bids in rubles (D2), and with wire spec they would be a hundred times too high"
const remedy = "Set wire to published in the configuration and restart; then the same plan goes on"
