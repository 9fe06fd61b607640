import type { Effect } from "effect"

import type { Json } from "../support/harness.ts"
import type { Instance, State } from "./Instance.ts"
import type { Outcome } from "./Process.ts"
import type { Schedule } from "./schedule.ts"

/** A call of a tool, and how it has ended for who made it. */
export interface Call {
  readonly id: number
  readonly server: string
  readonly tool: string
  readonly args: Json
  readonly instance: string
  /** Milliseconds from the beginning of the schedule. */
  readonly from: number
  readonly to: number
  readonly outcome: Outcome
}

/** What those who act, and those who judge what has come of it, see of a schedule. */
export interface Stage {
  readonly schedule: Schedule
  readonly instances: ReadonlyArray<Instance>
  readonly calls: ReadonlyArray<Call>
  /** What was not as it has to be, as far as it was seen at once. */
  readonly found: Array<string>
  /** What is there at the end. */
  readonly final: ReadonlyArray<{ readonly instance: Instance; readonly states: ReadonlyArray<State> }>
  /** Calls a tool of one of the servers, and takes down what comes of it. */
  readonly call: (tool: string, args: Json, instance: string) => Effect.Effect<Outcome>
  /** A number that nothing else in this schedule has. */
  readonly fresh: () => number
  /** Ends all faults. */
  readonly calm: () => void
}
