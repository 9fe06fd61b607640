import type { Json } from "../support/harness.ts"
import { isUnavoidable } from "./callsJudged.ts"
import type { Instance, State, Write } from "./Instance.ts"
import type { Call, PlanMade, Played } from "./Stage.ts"
import { changes, differing, idsOf, isCreation, keepsChanges, stateAt, statesDuring } from "./states.ts"

/** A plan with everything that was done for it. */
interface Applied {
  readonly plan: PlanMade
  readonly instance: Instance
  readonly applies: ReadonlyArray<Call>
  readonly writes: ReadonlyArray<Write>
  /** The plan that it rolls back, and so on. */
  readonly chain: ReadonlyArray<Applied>
}

const appliedOf = (world: Played): ReadonlyArray<Applied> => {
  const all = new Map<string, Applied>()
  for (const plan of world.plans) {
    const instance = world.instances.find(({ name }) => name === plan.instance)
    if (instance === undefined) continue
    const applies = world.calls.filter(({ args, tool }) => tool === "apply_plan" && args["plan_id"] === plan.id)
    const ids = new Set(applies.map(({ id }) => id))
    const writes = instance.writes.filter(({ call }) => call !== undefined && ids.has(call))
    const original = plan.reverses === undefined ? undefined : all.get(plan.reverses)
    const chain = original === undefined ? [] : [original, ...original.chain]
    all.set(plan.id, { plan, instance, applies, writes, chain })
  }
  return [...all.values()]
}

/** How long an answer that was lost is waited for: what arrives later could not be known of. */
const visibleMs = 10_000

const isApplied = ({ outcome }: Call): boolean => outcome._tag === "Answered" && outcome.answer["state"] === "applied"

/** The parts of a workflow that a write by a plan replaces: a deletion all of its content, an update what it changes. */
const replacedBy = ({ after, before, method, path }: Write): ((part: string) => boolean) | undefined => {
  if (path.endsWith("/tags")) return (part) => part === "tags"
  if (method === "DELETE" && path.startsWith("/workflows/")) return isContent
  if (method !== "PUT" || before === undefined || after === undefined) return undefined
  const changed = differing(before, after)
  return (part) => isContent(part) && changed.includes(part)
}
const isContent = (part: string): boolean => !["active", "isArchived", "pinData", "staticData", "tags"].includes(part)

/** A plan leaves alone what somebody else has changed since it was made. */
const overwritten = (world: Played, { applies, chain, instance, plan, writes }: Applied): ReadonlyArray<string> =>
  writes.flatMap((write) => {
    const { after, at, before, call: id, method, path, status } = write
    const isReplaced = replacedBy(write)
    const call = applies.find((one) => one.id === id)
    if (before === undefined || isReplaced === undefined || call === undefined || status >= 300) return []
    const ofPlan = [...writes, ...chain.flatMap((one) => one.writes)].filter(
      (one) => one.id === before.id && one !== write
    )
    const planned = [plan, ...chain.map((one) => one.plan)].flatMap((one) => statesDuring(instance, before.id, one))
    const expected = [...planned, ...ofPlan.flatMap(({ after }) => after ?? [])]
    const isExpected = expected.some((state) => state !== undefined && !differing(state, before).some(isReplaced))
    if (isExpected || isUnavoidable(world, instance, call, at, before.id)) return []
    // Plans are merged with each other: what other plans have changed since, and nobody after them, is kept.
    const isLeftByPlan = instance.writes.some(
      (one) =>
        one.after?.id === before.id &&
        one.at >= plan.from &&
        one.at < at &&
        !ofPlan.includes(one) &&
        world.calls.some((other) => other.id === one.call && other.tool === "apply_plan") &&
        !differing(one.after, before).some(isReplaced)
    )
    const isMerged =
      isLeftByPlan &&
      after !== undefined &&
      expected.some((base) => base !== undefined && keepsChanges(base, before, after, isReplaced))
    if (isMerged) return []
    return [`has overwritten what others had changed: ${method} ${path}`]
  })

/** Nothing is made more often than planned, as far as what arrived late could be known of. */
const repeated = ({ plan, writes }: Applied): ReadonlyArray<string> => {
  const made = writes.filter((write) => isCreation(write) && write.at - write.sent <= visibleMs)
  const { create = 0 } = plan.kinds
  return made.length > create ? [`has made ${made.length} workflows, where ${create} were planned`] : []
}

/** Nothing is sent for a plan that was at its end, or whose rollback had begun. */
const afterTheEnd = ({ applies, plan, writes }: Applied, all: ReadonlyArray<Applied>): ReadonlyArray<string> => {
  const end = Math.min(...applies.filter(isApplied).map(({ to }) => to))
  const rollbacks = all.filter((one) => one.plan.reverses === plan.id)
  const begun = Math.min(...rollbacks.flatMap((one) => one.writes.filter(changes).map(({ at }) => at)))
  const isLater = ({ call: id, sent }: Write) => {
    const from = applies.find((one) => one.id === id)?.from ?? 0
    return from > end || (from > begun && sent > begun)
  }
  return writes.some(isLater) ? ["has gone on although it was at its end, or rolled back"] : []
}

/** The effects of the actions of a plan. */
const effectOf = ({ action, value }: Json): ((state: State) => boolean) | undefined => {
  switch (action) {
    case "tag":
      return ({ tags = [] }) => tags.some(({ name }) => name === value)
    case "activate":
      return ({ active, isArchived }) => active || isArchived === true
    case "deactivate":
      return ({ active }) => !active
    case "delete":
      return () => false
    default:
      return undefined
  }
}

/** Whatever is told to be done was so, at some moment at least. */
const untrue = ({ applies, instance, plan }: Applied): ReadonlyArray<string> => {
  const effect = effectOf(plan.args)
  const told = applies.find(
    (call) =>
      isApplied(call) && Number(call.outcome._tag === "Answered" && call.outcome.answer["unconfirmed_count"]) === 0
  )
  if (effect === undefined || told === undefined || plan.blocked !== "[]") return []
  const { ids } = Object(plan.args["where"])
  const isAsked = (state: State | undefined) =>
    Array.isArray(ids) ? ids.includes(state?.id) : state?.name.startsWith("Flow") === true
  const wrong = idsOf(instance).filter((id) => {
    const during = statesDuring(instance, id, plan)
    const until = statesDuring(instance, id, { from: plan.from, to: told.to })
    return during.every(isAsked) && until.every((state) => state !== undefined && !effect(state))
  })
  return wrong.length === 0 ? [] : [`is applied, as it says, and ${wrong.join(", ")} never was like that`]
}

/** A workflow that nobody else has changed is as it was before the plan, once that is rolled back. */
const notBack = ({ applies, chain, instance, plan, writes }: Applied): ReadonlyArray<string> => {
  const [original] = chain
  const end = applies.find(isApplied)
  const isShown = end?.outcome._tag === "Answered" && end.outcome.answer["unconfirmed_count"] === 0
  if (original === undefined || end === undefined || !isShown || plan.blocked !== "[]" || chain.length > 1) return []
  const own = new Set([...applies, ...original.applies].map(({ id }) => id))
  const touched = new Set(
    original.writes.filter(changes).flatMap(({ before, id }) => (before === undefined ? [] : (id ?? [])))
  )
  return [...touched].flatMap((id) => {
    const others = instance.writes.filter(
      (write) => write.id === id && write.at >= original.plan.from && write.at <= end.to && !own.has(write.call ?? 0)
    )
    const before = stateAt(instance, id, original.plan.from)
    if (before === undefined || others.some(changes)) return []
    const anew = writes
      .filter((write) => isCreation(write) && write.after?.name === before.name)
      .map((write) => write.id ?? "")
    const now = [id, ...anew].flatMap((one) => stateAt(instance, one, end.to) ?? [])
    // Somebody may have changed what was made anew.
    const isOthers = instance.writes.some((write) => anew.includes(write.id ?? "") && !own.has(write.call ?? 0))
    if (isOthers || now.some((state) => differing({ ...before, id: "" }, { ...state, id: "" }).length === 0)) return []
    const parts = now[0] === undefined ? ["all"] : differing({ ...before, id: "" }, { ...now[0], id: "" })
    return [`has rolled ${original.plan.id} back, and ${id} differs in ${parts.join(", ")}`]
  })
}

/** The problems of plans, beside what is wrong with single calls. */
export const plansJudged = (world: Played): ReadonlyArray<string> => {
  const all = appliedOf(world)
  return all.flatMap((one) =>
    [...overwritten(world, one), ...repeated(one), ...afterTheEnd(one, all), ...untrue(one), ...notBack(one)].map(
      (problem) => `plan ${one.plan.id} of ${one.plan.tool} ${problem}`
    )
  )
}
