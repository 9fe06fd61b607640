import type { BidUnit } from "../client/Bids.ts"
import type { Kopecks } from "../client/money.ts"
import type { Plan } from "../plan/Plan.ts"
import type { History } from "./history.ts"
import { outstandingNotice } from "./outstanding.ts"

/** Where an apply stands while it runs. */
export interface Progress {
  readonly plan: Plan
  readonly isWayBack: boolean
  /** With the moment, in milliseconds since 1970. */
  readonly done: Map<string, number>
  /** What was not done in this turn through the steps, and why. */
  readonly refused: Map<string, string>
  /** Steps of a way back that show as wanted, which need not be true yet. */
  readonly shown: Set<string>
  /** Steps that were sent and whose outcome is not known, with the moment. */
  readonly inDoubt: Map<string, number>
  readonly created: Map<string, number>
  readonly unconfirmed: Set<string>
  readonly rounded: Map<string, Kopecks>
  readonly probes: Map<string, Kopecks>
  readonly misread: Map<string, string>
  /** The plan that a way back leads from. */
  readonly original: History | undefined
  found: number
  /** How many steps were refused since the last one that was taken. */
  refusedInARow: number
  /** In which unit cluster bids go out (D2). */
  clusterUnit: BidUnit | undefined
}

/** How far an apply has come. */
export interface Report {
  readonly plan_id: string
  /** `partly applied` and `refused`: every step has had its turn, and some or all were refused. */
  readonly state: "applied" | "in progress" | "partly applied" | "refused"
  readonly done: number
  readonly total: number
  /** Steps that were as wanted without being sent; in this call alone, while `done` is over all calls. */
  readonly found: number
  /** Steps that the marketplace refused, or that someone else has overtaken; applying the plan again tries them again. */
  readonly refused: ReadonlyArray<{ readonly step: string; readonly problem: string }>
  /** Steps that do not show yet when read back; the marketplace's read model may take minutes. */
  readonly unconfirmed: ReadonlyArray<string>
  /** Bids that the marketplace has rounded to its step, with what shows in their place; over all calls. */
  readonly rounded: ReadonlyArray<{ readonly step: string; readonly bid: Kopecks }>
  /** The campaigns that were created, by the step that did. */
  readonly created: Readonly<Record<string, number>>
  /** What a person should know before going on. */
  readonly notice?: string
}

/** A new apply goes on where the history ends; once every step has had its turn, the refused ones have another. */
export const begin = (past: History, original?: History): Progress => ({
  plan: past.plan,
  isWayBack: past.plan.reverses !== undefined,
  done: new Map(past.done),
  refused: new Map(past.partly ? [] : past.refused),
  shown: new Set(),
  inDoubt: new Map(past.inDoubt),
  created: new Map(past.created),
  unconfirmed: new Set(past.unconfirmed),
  rounded: new Map(past.rounded),
  probes: new Map(past.probes),
  misread: new Map(past.misread),
  original,
  found: 0,
  refusedInARow: 0,
  clusterUnit: undefined
})

/** The steps that are still to have their turn. */
export const left = ({ done, plan, refused }: Progress) =>
  plan.steps.filter(({ id }) => !done.has(id) && !refused.has(id))

export const report = (progress: Progress, state: Report["state"]): Report => {
  const notice = outstandingNotice(progress)
  return {
    plan_id: progress.plan.id,
    state,
    done: progress.done.size,
    total: progress.plan.steps.length,
    found: progress.found,
    refused: [...progress.refused].map(([step, problem]) => ({ step, problem })),
    unconfirmed: [...progress.unconfirmed],
    rounded: [...progress.rounded].map(([step, bid]) => ({ step, bid })),
    created: Object.fromEntries(progress.created),
    ...(notice === undefined ? {} : { notice })
  }
}
