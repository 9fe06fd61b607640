import type { History } from "./history.ts"

/** Where an apply stands while it runs. */
export interface Progress {
  readonly id: string
  readonly total: number
  readonly isWayBack: boolean
  readonly done: Set<string>
  readonly inDoubt: ReadonlyMap<string, number>
  readonly created: Map<string, number>
  readonly unconfirmed: Set<string>
  found: number
}

/** How far an apply has come. */
export interface Report {
  readonly plan_id: string
  readonly state: "applied" | "in progress"
  readonly done: number
  readonly total: number
  /** Steps that were as wanted without being sent. */
  readonly found: number
  /** Steps that do not show yet when read back; the marketplace's read model may take minutes. */
  readonly unconfirmed: ReadonlyArray<string>
  /** The campaigns that were created, by the step that did. */
  readonly created: Readonly<Record<string, number>>
}

/** A new apply goes on where the history ends. */
export const begin = ({ created, done, inDoubt, plan, unconfirmed }: History): Progress => ({
  id: plan.id,
  total: plan.steps.length,
  isWayBack: plan.reverses !== undefined,
  done: new Set(done),
  inDoubt,
  created: new Map(created),
  unconfirmed: new Set(unconfirmed),
  found: 0
})

export const report = (progress: Progress, state: Report["state"]): Report => ({
  plan_id: progress.id,
  state,
  done: progress.done.size,
  total: progress.total,
  found: progress.found,
  unconfirmed: [...progress.unconfirmed],
  created: Object.fromEntries(progress.created)
})
