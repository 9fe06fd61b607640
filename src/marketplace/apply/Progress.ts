import type { Plan } from "../plan/Plan.ts"
import type { History, Misread, Trial } from "./history.ts"

/** Where an apply stands while it runs. */
export interface Progress {
  readonly plan: Plan
  readonly isWayBack: boolean
  /** With the moment, in milliseconds since 1970. */
  readonly done: Map<string, number>
  /** Those that were sent, and not just found as wanted: only such a cluster bid shows in which unit it is taken. */
  readonly sent: Set<string>
  /** What was not done in this turn through the steps, and why. */
  readonly refused: Map<string, string>
  /** Steps of a way back that show as wanted, which need not be true yet. */
  readonly shown: Set<string>
  readonly inDoubt: ReadonlyMap<string, number>
  readonly created: Map<string, number>
  readonly unconfirmed: Set<string>
  found: number
  /** How many steps were refused since the last one that was taken. */
  refusedInARow: number
  /** Whether the marketplace is known to keep cluster bids in the unit that goes out, or a person has been asked. */
  isUnitClear: boolean
  /** The low cluster bid that is out on trial, or still stands where the wanted one has not come to. */
  trial: Trial | undefined
  /** That of the plan that a way back leads from. */
  readonly trialBefore: Trial | undefined
  readonly misread: Misread | undefined
  /** Why no further cluster bid goes out in this apply. */
  halt?: Halt
}

/** A person has to look at something, or it only takes time. */
export interface Halt {
  readonly state: "in progress" | "to be checked"
  readonly notice: string
}

/** How far an apply has come. */
export interface Report {
  readonly plan_id: string
  /**
   * `partly applied` and `refused`: every step has had its turn, and some or all were refused; `to be checked`: a
   * person must look before it goes on, `notice` says at what.
   */
  readonly state: "applied" | "in progress" | "partly applied" | "refused" | "to be checked"
  readonly done: number
  readonly total: number
  /** Steps that were as wanted without being sent; in this call alone, while `done` is over all calls. */
  readonly found: number
  /** Steps that the marketplace refused, or that someone else has overtaken; applying the plan again tries them again. */
  readonly refused: ReadonlyArray<{ readonly step: string; readonly problem: string }>
  /** Steps that do not show yet when read back; the marketplace's read model may take minutes. */
  readonly unconfirmed: ReadonlyArray<string>
  /** The campaigns that were created, by the step that did. */
  readonly created: Readonly<Record<string, number>>
  /** What a person should know before going on. */
  readonly notice?: string
}

/** A new apply goes on where the history ends; once every step has had its turn, the refused ones have another. */
export const begin = (
  { asked, created, done, inDoubt, misread, partly, plan, readsKopecks, refused, sent, trial, unconfirmed }: History,
  original?: History
): Progress => ({
  plan,
  isWayBack: plan.reverses !== undefined,
  done: new Map(done),
  sent: new Set(sent),
  refused: new Map(partly ? [] : refused),
  shown: new Set(),
  inDoubt,
  created: new Map(created),
  unconfirmed: new Set(unconfirmed),
  found: 0,
  refusedInARow: 0,
  isUnitClear: misread === undefined && (asked || readsKopecks),
  trial,
  trialBefore: original?.trial,
  misread
})

/** The steps that are still to have their turn. */
export const left = ({ done, plan, refused }: Progress) =>
  plan.steps.filter(({ id }) => !done.has(id) && !refused.has(id))

export const report = (progress: Progress, state: Report["state"]): Report => ({
  plan_id: progress.plan.id,
  state,
  done: progress.done.size,
  total: progress.plan.steps.length,
  found: progress.found,
  refused: [...progress.refused].map(([step, problem]) => ({ step, problem })),
  unconfirmed: [...progress.unconfirmed],
  created: Object.fromEntries(progress.created),
  ...(progress.halt === undefined ? {} : { notice: progress.halt.notice })
})
