import { Effect } from "effect"

import type { CreatedId } from "./Journal.ts"
import { type StepRecord, untouched } from "./PlanState.ts"

/** The state of a change at the upstream: still to do, already as wanted, or changed by someone else. */
export type Judgement = "already" | "drift" | "pending"

/** A step whose change has real ids everywhere, also of things that an earlier step has created. */
export interface Row<C> {
  readonly step: string
  readonly change: C
}

/** The records of a step in the journal, in addition to what the upstream shows. */
export interface StepRecords {
  readonly record: StepRecord
  /** In a rollback: the step that it undoes. */
  readonly original?: StepRecord
}

/** The value that the upstream shows where a change was sent. */
export type Observation =
  | { readonly _tag: "Wanted" }
  | { readonly _tag: "Other" }
  /** A change as the upstream has made it, which counts as done; `word` is the upstream's word for that. */
  | { readonly _tag: "Adjusted"; readonly word: string; readonly detail: unknown }
  /** A value that must not stand: the step is not done, and the apply stops, for this one and `others`. */
  | {
      readonly _tag: "Mistaken"
      readonly word: string
      readonly detail: unknown
      readonly explain: (others: number) => {
        readonly reason: string
        readonly problem: string
        readonly remedy: string
      }
    }

/** The creation of a call whose answer was lost, or the other things that are there instead, and why they are not it. */
export interface LostCreation {
  readonly created?: CreatedId
  readonly others?: string
}

/** The state of an upstream for the changes of one batch, read at once. */
export interface RemoteState<C> {
  readonly judge: (change: C, records: StepRecords) => Judgement
  /** The reason for which a change that is still to do cannot be done, if the state shows that. */
  readonly obstacle?: (change: C) => string | undefined
  /** Whether what a change follows was done, but does not show yet: the change waits for that. By default none does. */
  readonly isTooEarly?: (change: C) => boolean
  /** The observation of a change that was sent. By default the wanted one, where the change is judged as `already`. */
  readonly observe?: (change: C) => Observation
  /** The change that starts from what shows, if that is what the upstream has made of the undone step's own. By default none. */
  readonly fromAdjusted?: (change: C, original: StepRecord) => C | undefined
  /** The change with what has to be known of the present when it is sent later. */
  readonly withPresent?: (change: C) => C
  /** The id of the last thing that was there before what a change creates; recorded when that is sent. By default none. */
  readonly latest?: (change: C) => CreatedId | undefined
  /** The outcome of a creation that was sent and not answered; its record says since when, and after which thing. */
  readonly findLostCreation?: (change: C, record: Pick<StepRecord, "latest" | "outcomeUnknownSince">) => LostCreation
  /** Explains, for people, why changes found something other than what they were planned for; may read more. */
  readonly explainDrift?: Effect.Effect<(change: C) => string>
  /** The reason for which the reading is less certain than usual, for people. */
  readonly caveat?: string
}

/** The observation of a change that was sent. */
export const observationIn = <C>(state: RemoteState<C>, change: C): Observation =>
  state.observe?.(change) ?? { _tag: state.judge(change, { record: untouched }) === "already" ? "Wanted" : "Other" }

/** The reasons for which changes found something other than what they were planned for. */
export const driftIn = <C>({
  explainDrift = Effect.succeed(() => changedSince)
}: RemoteState<C>): Effect.Effect<(change: C) => string> => explainDrift

export const changedSince = "someone else has changed it since, and it stays as it is"
