import type { Kopecks } from "../client/money.ts"
import { changeKey } from "../plan/Change.ts"
import { bidBefore, type DayAgo } from "../plan/guards.ts"
import type { Plan, Step } from "../plan/Plan.ts"
import type { Kept } from "./PlanStore.ts"

/** Where a plan stands, by its journal. */
export interface History {
  readonly plan: Plan
  /** Steps that are done, in the order they were, with the moment. */
  readonly done: ReadonlyMap<string, number>
  /** Steps that were sent, or about to be, and whose outcome is not written down; with the moment. */
  readonly inDoubt: ReadonlyMap<string, number>
  /** The campaigns that its steps created, by step. */
  readonly created: ReadonlyMap<string, number>
  readonly unconfirmed: ReadonlySet<string>
  /** Bids that the marketplace has rounded, by step: what shows in their place. */
  readonly rounded: ReadonlyMap<string, Kopecks>
  /** Steps that were not done, and why: refused by the marketplace, or overtaken by someone else. */
  readonly refused: ReadonlyMap<string, string>
  readonly begun: boolean
  /** Whether every step is done. */
  readonly finished: boolean
  /** Whether every step has had its turn, and some were refused: the next apply tries those again. */
  readonly partly: boolean
  /** Low cluster bids that an earlier version has sent to see how they are read, and that may stand (D2). */
  readonly probes: ReadonlyMap<string, Kopecks>
  /** Cluster bids that were read in the other unit and may stand like that, and what is known of them (D2). */
  readonly misread: ReadonlyMap<string, string>
  /** Whether a plan that takes this one back has been begun: from then on this one does not go on. */
  readonly goingBack: boolean
  /** Whether such a plan has come to its end, and left nothing for later; else another may follow it. */
  readonly takenBack: boolean
  /** What the journal cannot tell any more, and may have been about this plan. */
  readonly unreadable: ReadonlyArray<string>
}

/** The history of one plan; nothing if it was never made. */
export const historyOf = (entries: ReadonlyArray<Kept>, id: string): History | undefined => {
  let plan: Plan | undefined
  const done = new Map<string, number>()
  const inDoubt = new Map<string, number>()
  const created = new Map<string, number>()
  const unconfirmed = new Set<string>()
  const rounded = new Map<string, Kopecks>()
  const refused = new Map<string, string>()
  const probes = new Map<string, Kopecks>()
  const misread = new Map<string, string>()
  const reversing = new Map<string, Plan>()
  const others = new Set<string>()
  const unreadable: Array<string> = []
  let begun = false
  let finished = false
  let partly = false
  let goingBack = false
  let takenBack = false
  const anotherTurn = () => {
    begun = true
    if (partly) refused.clear()
    partly = false
  }
  /** What was not sent is in doubt no longer, unless another bid of its step may stand in its place. */
  const notDone = (step: string) => {
    if (!probes.has(step) && !misread.has(step)) inDoubt.delete(step)
  }
  const settled = (step: string) => {
    inDoubt.delete(step)
    probes.delete(step)
    misread.delete(step)
  }
  /** The probe whose own call is under way: where that was not sent, there is none. */
  let probing: string | undefined
  for (const entry of entries) {
    if (entry.type === "action") continue
    if (entry.type === "unreadable") {
      const isOfAnother = entry.plan_id !== undefined && others.has(entry.plan_id)
      if (plan !== undefined && !isOfAnother) unreadable.push(entry.problem)
      continue
    }
    if (entry.type === "planned") {
      if (entry.plan.reverses === id) reversing.set(entry.plan_id, entry.plan)
      else if (entry.plan_id !== id) others.add(entry.plan_id)
    }
    const back = reversing.get(entry.plan_id)
    if (back !== undefined) {
      if (entry.type === "begun" || entry.type === "done") goingBack = true
      const isWhole = !back.blocked.some(({ later = false }) => later)
      if (entry.type === "finished" && entry.refused === undefined && isWhole) takenBack = true
    }
    if (entry.plan_id !== id) continue
    switch (entry.type) {
      case "planned":
        plan = entry.plan
        break
      case "begun":
        anotherTurn()
        probing = entry.trial === undefined ? undefined : entry.steps[0]
        for (const step of entry.steps) {
          inDoubt.set(step, entry.at)
          if (entry.trial !== undefined) probes.set(step, entry.trial)
        }
        break
      case "done":
        anotherTurn()
        for (const step of entry.steps) {
          settled(step)
          done.set(step, entry.at)
          refused.delete(step)
          if (entry.created !== undefined) created.set(step, entry.created)
        }
        break
      case "refused":
        anotherTurn()
        for (const step of entry.steps) {
          refused.set(step, entry.problem)
          notDone(step)
        }
        break
      case "unsent":
        for (const step of entry.steps) {
          if (probing === step) probes.delete(step)
          notDone(step)
        }
        break
      case "misread":
        for (const step of entry.steps) {
          misread.set(step, entry.problem)
          done.delete(step)
          inDoubt.set(step, entry.at)
        }
        break
      case "undone":
        for (const step of entry.steps) {
          settled(step)
          done.delete(step)
        }
        break
      case "rounded":
        for (const [index, step] of entry.steps.entries()) {
          const bid = entry.bids[index]
          if (bid !== undefined) rounded.set(step, bid)
        }
        break
      case "unconfirmed":
        for (const step of entry.steps) unconfirmed.add(step)
        break
      case "confirmed":
        for (const step of entry.steps) unconfirmed.delete(step)
        break
      case "finished":
        finished = entry.refused === undefined
        partly = !finished
        break
      case "asked":
      case "stopped":
      case "tried":
        break
    }
  }
  return plan === undefined
    ? undefined
    : {
        plan,
        done,
        inDoubt,
        created,
        unconfirmed,
        rounded,
        refused,
        begun,
        finished,
        partly,
        probes,
        misread,
        goingBack,
        takenBack,
        unreadable
      }
}

/** Whether a way back leaves out what its plan has done since the way back was planned. */
export const isOutrun = (back: Plan, { done, inDoubt, plan }: History): boolean => {
  const covered = new Set(back.steps.map(({ id }) => id))
  const isLater = (step: string) => (done.get(step) ?? inDoubt.get(step) ?? 0) > back.createdAt
  return plan.steps.some(({ id, undo }) => isLater(id) && undo.some((change) => !covered.has(changeKey(change))))
}

/** Whether a plan leads to what was there before another: a way back does, and a way back of it goes forward again. */
export const leadsBack = (entries: ReadonlyArray<Kept>, { reverses }: Plan): boolean => {
  if (reverses === undefined) return false
  const original = entries.find((entry) => entry.type === "planned" && entry.plan_id === reverses)
  return original?.type !== "planned" || !leadsBack(entries, original.plan)
}

const dayMs = 86_400_000

/** What bids were a day before `now`, as far as a plan has sent a change of them since: by place. */
export const bidsDayAgo = (entries: ReadonlyArray<Kept>, now: number): DayAgo => {
  const plans = new Map<string, ReadonlyMap<string, Step>>()
  const found = new Map<string, Kopecks>()
  for (const entry of entries) {
    if (entry.type === "planned") plans.set(entry.plan_id, new Map(entry.plan.steps.map((step) => [step.id, step])))
    if (entry.type !== "begun" || entry.at <= now - dayMs) continue
    for (const id of entry.steps) {
      const change = plans.get(entry.plan_id)?.get(id)?.change
      const before = change === undefined ? null : bidBefore(change)
      if (before !== null && !found.has(id)) found.set(id, before)
    }
  }
  return found
}
