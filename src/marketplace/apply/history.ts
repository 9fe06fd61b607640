import type { Kopecks } from "../money.ts"
import { changeKey } from "../plan/Change.ts"
import { bidBefore, type DayAgo } from "../plan/guards.ts"
import type { Plan, Step } from "../plan/Plan.ts"
import type { Kept } from "./PlanStore.ts"

/** A low cluster bid that went out to see how the marketplace reads it, and may still stand there (D2). */
export interface Trial {
  readonly step: string
  readonly bid: Kopecks
  readonly at: number
  /** Whether the marketplace is known to have taken it. */
  readonly isTaken: boolean
  /** Whether the wanted bid has been let follow. */
  readonly isOver: boolean
}

/** The cluster bid that came out a hundred times too high, and what is known of taking it back. */
export interface Misread {
  readonly step: string
  readonly problem: string
}

/** Where a plan stands, by its journal. */
export interface History {
  readonly plan: Plan
  /** Steps that are done, in the order they were, with the moment. */
  readonly done: ReadonlyMap<string, number>
  /** Those of them that were sent, and not just found as wanted. */
  readonly sent: ReadonlySet<string>
  /** Steps that were sent, or about to be, and whose outcome is not written down; with the moment. */
  readonly inDoubt: ReadonlyMap<string, number>
  /** The campaigns that its steps created, by step. */
  readonly created: ReadonlyMap<string, number>
  readonly unconfirmed: ReadonlySet<string>
  /** Steps that were not done, and why: refused by the marketplace, or overtaken by someone else. */
  readonly refused: ReadonlyMap<string, string>
  readonly begun: boolean
  /** Whether every step is done. */
  readonly finished: boolean
  /** Whether every step has had its turn, and some were refused: the next apply tries those again. */
  readonly partly: boolean
  /** Whether a person was asked to look at the first cluster bid. */
  readonly asked: boolean
  readonly trial: Trial | undefined
  /** Whether a trial has shown that the marketplace reads kopecks. */
  readonly readsKopecks: boolean
  readonly misread: Misread | undefined
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
  const sent = new Set<string>()
  const inDoubt = new Map<string, number>()
  const created = new Map<string, number>()
  const unconfirmed = new Set<string>()
  const refused = new Map<string, string>()
  const reversing = new Map<string, Plan>()
  const others = new Set<string>()
  const unreadable: Array<string> = []
  let begun = false
  let finished = false
  let partly = false
  let asked = false
  let trial: Trial | undefined
  let readsKopecks = false
  let misread: Misread | undefined
  let goingBack = false
  let takenBack = false
  const anotherTurn = () => {
    begun = true
    if (partly) refused.clear()
    partly = false
  }
  /** What is known not to be done is in doubt no longer, unless the low bid of its trial stands in its place. */
  const notDone = (step: string) => {
    if (trial?.step === step) inDoubt.set(step, trial.at)
    else inDoubt.delete(step)
  }
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
        for (const step of entry.steps) {
          inDoubt.set(step, entry.at)
          const { at, trial: bid } = entry
          if (bid !== undefined) trial = { step, bid, at, isTaken: false, isOver: false }
          else if (trial?.step === step) trial = { ...trial, isOver: true }
        }
        break
      case "tried":
        if (trial !== undefined) trial = { ...trial, at: entry.at, isTaken: true }
        break
      case "done":
        anotherTurn()
        for (const step of entry.steps) {
          done.set(step, entry.at)
          if (!entry.found) sent.add(step)
          inDoubt.delete(step)
          refused.delete(step)
          if (trial?.step === step) trial = undefined
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
          if (trial?.step === step && !trial.isOver) trial = undefined
          notDone(step)
        }
        break
      case "undone":
        for (const step of entry.steps) {
          if (entry.low !== true) misread = { step, problem: entry.problem }
          if (trial?.step === step) trial = undefined
          done.delete(step)
          sent.delete(step)
          inDoubt.delete(step)
        }
        break
      case "misread":
        for (const step of entry.steps) misread = { step, problem: entry.problem }
        break
      case "unconfirmed":
        for (const step of entry.steps) unconfirmed.add(step)
        break
      case "confirmed":
        for (const step of entry.steps) {
          unconfirmed.delete(step)
          if (trial?.step !== step || trial.isOver) continue
          trial = { ...trial, isOver: true }
          readsKopecks = true
        }
        break
      case "finished":
        finished = entry.refused === undefined
        partly = !finished
        break
      case "asked":
        asked = true
        break
      case "stopped":
        break
    }
  }
  return plan === undefined
    ? undefined
    : {
        plan,
        done,
        sent,
        inDoubt,
        created,
        unconfirmed,
        refused,
        begun,
        finished,
        partly,
        asked,
        trial,
        readsKopecks,
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
