import type { Blocked } from "../../changes/Plan.ts"
import type * as Core from "../../changes/Plan.ts"
import { type Change, idOf, invert } from "./Change.ts"
import type { Guards } from "./settings.ts"

export type Draft = Core.Draft<Change>
export type Step = Core.Step<Change>

/** A step with its change's own way back. */
export const stepOf = (change: Change, reason: string): Step => ({
  id: idOf(change),
  change,
  reason,
  undo: invert(change)
})

const raisedBy = (guard: string) => `; only a person can change that, by plans.guards.${guard}`

/** Which rule of the configuration forbids a change; nothing if none does. */
const guardProblem = ({ allowedInstances }: Guards, { instance }: Change): string | undefined =>
  allowedInstances === undefined || allowedInstances.includes(instance)
    ? undefined
    : `guard allowedInstances: plans may not change instance ${instance}${raisedBy("allowedInstances")}`

const tooMany = ({ maxItemsPerApply }: Guards, count: number): ReadonlyArray<string> =>
  count > maxItemsPerApply
    ? [`guard maxItemsPerApply: ${count} changes are more than ${maxItemsPerApply}${raisedBy("maxItemsPerApply")}`]
    : []

/** What forbids a whole plan. */
export const planProblems = (guards: Guards, steps: ReadonlyArray<Step>): ReadonlyArray<string> => [
  ...new Set([...steps.flatMap(({ change }) => guardProblem(guards, change) ?? []), ...tooMany(guards, steps.length)])
]

/** Leaves out of a draft what the guards forbid. */
export const holdToGuards = (guards: Guards, draft: Draft, estimate: (steps: ReadonlyArray<Step>) => Core.Estimate) => {
  const judged = draft.steps.map((step) => ({ step, reason: guardProblem(guards, step.change) }))
  const allowed = judged.flatMap(({ reason, step }) => (reason === undefined ? [step] : []))
  const problems = judged.flatMap(({ reason, step }): ReadonlyArray<Blocked> =>
    reason === undefined ? [] : [{ what: step.id, reason }]
  )
  const surplus = tooMany(guards, allowed.length).map((reason): Blocked => ({ what: "the whole plan", reason }))
  const steps = surplus.length === 0 ? allowed : []
  return { ...draft, steps, estimate: estimate(steps), blocked: [...draft.blocked, ...problems, ...surplus] }
}
