import { Effect } from "effect"

import type { Wire } from "../client/Bids.ts"
import {
  isOfAccount,
  isOutcomeUnknown as isUncertain,
  type MarketplaceError,
  retryAfter
} from "../client/MarketplaceError.ts"
import { explain } from "./advice.ts"
import { type Ads, visibleMs } from "./look.ts"
import { outstandingNotice } from "./outstanding.ts"
import { ApplyStopped, type PlanStoreFailed } from "./PlanError.ts"
import type { PlanStore } from "./PlanStore.ts"
import type { Progress } from "./Progress.ts"

/** What an apply works with. */
export interface Applying {
  readonly ads: Ads
  readonly store: PlanStore["Service"]
  /** The setting, where one is chosen (D2). */
  readonly wire: Wire | undefined
  readonly progress: Progress
  /** When nothing new is begun any more, in milliseconds since 1970. */
  readonly until: number
}

interface Reason {
  /** The tag of an error, or a word of our own. */
  readonly reason: string
  readonly problem: string
  readonly retryAfterSeconds?: number
}

/** Fails with what stops an apply, told with how far it has come. */
export const stop = (progress: Progress, reason: Reason) => Effect.fail(told(progress, reason))

/** An error of the client as what stops an apply, with the places that the failed call was about. */
export const stopped = (
  progress: Progress,
  error: ApplyStopped | MarketplaceError | PlanStoreFailed,
  at: ReadonlyArray<string> = []
) => {
  if (error._tag === "PlanStoreFailed" || error._tag === "ApplyStopped") return error
  const outstanding = outstandingNotice(progress)
  // What to settle with the key or the account is in the advice.
  const words = isOfAccount(error) ? explain(error) : error.problem
  const problem = `${placesOf(at)}${words}${outstanding === undefined ? "" : ` ${outstanding}`}`
  if (isUncertain(error)) {
    const isCreation = progress.plan.steps.some(({ change, id }) => change.kind === "create" && at.includes(id))
    return told(progress, { reason: outcomeUnknown, ...inDoubt(problem, isCreation) })
  }
  const retryAfterSeconds = retryAfter(error)
  const pause = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
  return told(progress, { reason: error.reason._tag, problem, ...pause })
}

const outcomeUnknown = "AdsOutcomeUnknown"

/** Whether an apply stopped because nobody knows whether a change has happened. */
export const isOutcomeUnknown = (error: { readonly _tag: string }): error is ApplyStopped =>
  error instanceof ApplyStopped && error.reason === outcomeUnknown

const inDoubt = (problem: string, isCreation: boolean) => {
  const words = `${problem} It may have happened all the same`
  return isCreation
    ? { problem: `${words}, and was not sent again. ${searchForLost}`, retryAfterSeconds: visibleMs / 1000 }
    : { problem: `${words}. The next call first reads what is there, and sends only what is not as wanted.` }
}

/** What the next call does about a campaign that may have been created. */
export const searchForLost =
  "The next call looks for a new campaign of that name with the same articles: one that shows is taken for it, and only where none does is it created."

const told = ({ done, plan }: Progress, reason: Reason) =>
  new ApplyStopped({ id: plan.id, done: done.size, total: plan.steps.length, ...reason })

/** The places that one call is about, as far as they help to find the trouble. */
const placesOf = (steps: ReadonlyArray<string>): string => {
  const [first, ...others] = steps
  if (first === undefined) return ""
  return others.length === 0 ? `At ${first}: ` : `At ${first} and ${others.length} more in the same call: `
}
