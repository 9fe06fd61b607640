import type { Effect } from "effect"

import type { Json } from "../support/harness.ts"
import type { Asked, Caller, Outcome } from "./Caller.ts"
import type { Fleet } from "./Fleet.ts"
import type { Instance, State } from "./Instance.ts"
import type { Schedule } from "./schedule.ts"

/** A call of a tool, and how it has ended for who made it. */
export interface Call {
  readonly id: number
  /** The call that this one repeats: a person's answer is for one of them alone. */
  readonly repeats?: number
  readonly server: string
  readonly caller: Caller
  readonly tool: string
  readonly args: Json
  readonly instance: string
  /** Milliseconds from the beginning of the schedule. */
  readonly from: number
  readonly to: number
  readonly outcome: Outcome
}

/** A plan that was made, as it was told to whoever asked for it. */
export interface PlanMade {
  readonly id: string
  readonly call: number
  readonly tool: string
  readonly args: Json
  /** Where it changes something. */
  readonly instance: string
  readonly from: number
  readonly to: number
  readonly kinds: Readonly<Record<string, number>>
  readonly reverses: string | undefined
  /** The things that it leaves out, as it was told. */
  readonly blocked: string
}

/** A schedule for those who act in it: its state, and what they can do. */
export interface Stage {
  readonly schedule: Schedule
  readonly callers: ReadonlyArray<Caller>
  readonly calls: ReadonlyArray<Call>
  readonly asked: ReadonlyArray<Asked>
  readonly plans: Array<PlanMade>
  /** The problems that were seen at once. */
  readonly found: Array<string>
  /** Calls a tool of one of the servers for somebody, and takes down what comes of it. */
  readonly call: (caller: Caller, tool: string, args: Json, instance?: string) => Effect.Effect<Outcome>
  /** Sends a question's former answer once more, whoever that is. */
  readonly replay: (caller: Caller) => Effect.Effect<unknown>
  /** A number that nothing else in this schedule has. */
  readonly fresh: () => number
  readonly fleet: Pick<
    Fleet<never>,
    "calm" | "clockSet" | "ends" | "isCalm" | "isHonest" | "machines" | "misled" | "redis" | "weather"
  >
}

/** The calls and changes of engines, which are judged once the schedule has ended. */
export interface Played extends Stage {
  /** Whether workflows with "kept" in their names are changed only after somebody has agreed. */
  readonly isGuarded: boolean
  readonly instances: ReadonlyArray<Instance>
  /** The state at the end. */
  readonly final: ReadonlyArray<{ readonly instance: Instance; readonly states: ReadonlyArray<State> }>
}
