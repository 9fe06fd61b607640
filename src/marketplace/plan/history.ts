import type { Plan } from "./Plan.ts"
import type { Entry } from "./PlanStore.ts"

/** Where a plan stands, by its journal. */
export interface History {
  readonly plan: Plan
  /** Steps that are done, in the order they were. */
  readonly done: ReadonlySet<string>
  /** Steps that were sent, or about to be, and whose outcome is not written down; with the moment. */
  readonly inDoubt: ReadonlyMap<string, number>
  /** The campaigns that its steps created, by step. */
  readonly created: ReadonlyMap<string, number>
  readonly unconfirmed: ReadonlySet<string>
  readonly begun: boolean
  readonly finished: boolean
  /** Whether a plan that takes this one back has been begun: from then on this one does not go on. */
  readonly goingBack: boolean
  /** Whether such a plan has come to its end; one that has not may be followed by another. */
  readonly takenBack: boolean
}

/** The history of one plan; nothing if it was never made. */
export const historyOf = (entries: ReadonlyArray<Entry>, id: string): History | undefined => {
  let plan: Plan | undefined
  const done = new Set<string>()
  const inDoubt = new Map<string, number>()
  const created = new Map<string, number>()
  const unconfirmed = new Set<string>()
  const reversing = new Set<string>()
  let begun = false
  let finished = false
  let goingBack = false
  let takenBack = false
  for (const entry of entries) {
    if (entry.type === "action") continue
    if (entry.type === "planned" && entry.plan.reverses === id) reversing.add(entry.plan_id)
    if (reversing.has(entry.plan_id)) {
      if (entry.type === "begun" || entry.type === "done") goingBack = true
      if (entry.type === "finished") takenBack = true
    }
    if (entry.plan_id !== id) continue
    switch (entry.type) {
      case "planned":
        plan = entry.plan
        break
      case "begun":
        begun = true
        for (const step of entry.steps) inDoubt.set(step, entry.at)
        break
      case "done":
        begun = true
        for (const step of entry.steps) {
          done.add(step)
          inDoubt.delete(step)
          if (entry.created !== undefined) created.set(step, entry.created)
        }
        break
      case "unconfirmed":
        for (const step of entry.steps) unconfirmed.add(step)
        break
      case "confirmed":
        for (const step of entry.steps) unconfirmed.delete(step)
        break
      case "finished":
        finished = true
        break
      case "stopped":
        break
    }
  }
  return plan === undefined
    ? undefined
    : { plan, done, inDoubt, created, unconfirmed, begun, finished, goingBack, takenBack }
}
