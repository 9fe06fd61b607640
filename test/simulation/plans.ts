import { Effect } from "effect"

import type { Json } from "../support/harness.ts"
import type { Doing } from "./acts.ts"
import type { Caller } from "./Caller.ts"
import type { Instance, State } from "./Instance.ts"
import { applied, lifeOf, madeAtLast, operator } from "./planLife.ts"
import type { Played } from "./Stage.ts"
import { differing } from "./states.ts"

const planning = ({ caller, instance, world }: Doing) => ({ world, caller, at: instance.name })

export const bulk =
  (args: (doing: Doing) => Json) =>
  (doing: Doing): Effect.Effect<unknown> =>
    lifeOf(planning(doing), "plan_bulk", args(doing))

const sourceFor = ({ instances }: Played, to: string) => instances.find(({ name }) => name !== to)?.name

/** Brings workflows from the other instance to this one. */
export const promoted = (doing: Doing): Effect.Effect<unknown> => {
  const { instance, world } = doing
  const { random } = world.schedule
  const from = sourceFor(world, instance.name)
  if (from === undefined) return Effect.void
  const on_drift = random.below(3) === 0 ? { on_drift: "overwrite" } : {}
  return lifeOf(planning(doing), "plan_promotion", { from, to: instance.name, name: "Flow*", ...on_drift })
}

const versionOf = Effect.fnUntraced(function* (world: Played, caller: Caller, { name }: Instance) {
  const backup = yield* world.call(caller, "backup", { instances: [name] })
  if (backup._tag !== "Answered") return undefined
  const { data } = backup.answer
  const own = Array.isArray(data) ? data.map(Object).find(({ instance }) => instance === name) : undefined
  return typeof own?.version === "string" ? own.version : undefined
})

/** Brings an instance back to what it was a while before. */
export const restored = Effect.fnUntraced(function* (doing: Doing) {
  const { caller, instance, world } = doing
  const version = yield* versionOf(world, caller, instance)
  if (version === undefined) return
  yield* Effect.sleep(world.schedule.random.below(8000))
  yield* lifeOf(planning(doing), "plan_restore", { version })
})

/** A plan that is tried while nobody else changes anything, and what each workflow is afterwards. */
interface Wanted {
  readonly tool: string
  readonly args: Json
  readonly holds: (state: State) => boolean
}

const where = { name: "Flow*" }
const bulkOf = (asked: Json, holds: Wanted["holds"]): Wanted => ({
  tool: "plan_bulk",
  args: { ...asked, where },
  holds
})

const wanted: ReadonlyArray<(world: Played, instance: Instance) => Wanted> = [
  (world) => {
    const value = `tag ${world.fresh()}`
    return bulkOf({ action: "tag", value }, ({ tags = [] }) => tags.some(({ name }) => name === value))
  },
  () => bulkOf({ action: "activate" }, ({ active, isArchived }) => active || isArchived === true),
  () => bulkOf({ action: "deactivate" }, ({ active }) => !active),
  (world) => {
    const value = `path-${world.fresh()}-`
    const holds: Wanted["holds"] = ({ isArchived, nodes }) =>
      isArchived === true || JSON.stringify(nodes).includes(value)
    return bulkOf({ action: "replace_text", match: "part", find: "flow-", value }, holds)
  },
  (world) => {
    const value = `tag ${world.fresh()}`
    const holds: Wanted["holds"] = ({ active, tags = [] }) => !active && tags.some(({ name }) => name === value)
    return bulkOf({ action: ["tag", "deactivate"], value }, holds)
  },
  () => bulkOf({ action: "delete" }, () => false),
  (world, { name: to }) => {
    const args = { from: sourceFor(world, to) ?? to, to, name: "Flow*" }
    return { tool: "plan_promotion", args, holds: () => true }
  }
]

const flows = (instance: Instance) =>
  Effect.map(instance.all, (all) => all.filter(({ name }) => name.startsWith("Flow")))

/** A workflow without its id, which a deleted one does not get again. */
const withoutId = (state: State): State => ({ ...state, id: "" })

const distance = (one: State, other: State) => differing(withoutId(one), withoutId(other)).length

/** Whether all of these are there, as they were; what was deleted has another id then. */
const compared = (world: Played, what: string, before: ReadonlyArray<State>, after: ReadonlyArray<State>) => {
  const left = new Set(after)
  for (const state of before) {
    const same = [...left].find(({ id }) => id === state.id)
    // Several may have the same name.
    const likely = [...left]
      .filter(({ name }) => name === state.name)
      .toSorted((a, b) => distance(state, a) - distance(state, b))
    const now = same ?? likely[0]
    if (now !== undefined) left.delete(now)
    const others = now === undefined ? ["all"] : differing(withoutId(state), withoutId(now))
    if (others.length > 0) world.found.push(`${what}, and ${state.name} differs in ${others.join(", ")}`)
  }
}

/**
 * Applies a plan while nobody else changes anything, however often it is broken off: it is done then, the same plan would be
 * empty, and the rollback brings back what was there.
 */
const tried = Effect.fnUntraced(function* (world: Played, instance: Instance, { args, holds, tool }: Wanted) {
  const { name } = instance
  const before = yield* flows(instance)
  const plan = yield* madeAtLast(world, operator, tool, args, name)
  if (plan === undefined || plan.steps === 0 || plan.blocked_count !== 0) return undefined
  const unconfirmed = yield* applied(world, operator, plan.plan_id, name)
  if (unconfirmed === undefined) return undefined
  const what = `${JSON.stringify(args["action"] ?? tool)} on ${name}`
  const now = yield* flows(instance)
  const wrong = now.filter((state) => !holds(state))
  if (wrong.length > unconfirmed) {
    world.found.push(`${what} is applied, and ${wrong.map((one) => one.name).join(", ")} is not like that`)
  }
  // What is said not to show is to be planned again.
  if (unconfirmed > 0) return undefined
  const again = yield* madeAtLast(world, operator, tool, args, name)
  if (again !== undefined && again.steps !== 0) world.found.push(`${what} is applied, and planned again all the same`)
  const back = yield* madeAtLast(world, operator, "plan_rollback", { plan_id: plan.plan_id }, name)
  if (back === undefined || back.steps === 0) world.found.push(`${what} cannot be rolled back`)
  if (back === undefined || (yield* applied(world, operator, back.plan_id, name)) !== 0) return undefined
  const after = yield* flows(instance)
  if (after.length !== before.length) {
    world.found.push(`${what} is rolled back, with ${after.length} of ${before.length}`)
  }
  compared(world, `${what} is rolled back`, before, after)
  return after
})

/** Changes an instance at random, and brings it back to what it was, by its history. */
const restoredToThat = Effect.fnUntraced(function* (world: Played, instance: Instance) {
  const { random } = world.schedule
  world.fleet.calm()
  const [version, before] = [yield* versionOf(world, operator, instance), yield* flows(instance)]
  if (version === undefined) {
    world.found.push(`${instance.name} cannot be backed up`)
    return
  }
  for (const { active, id, isArchived, name } of before) {
    const value = `${name} changed`
    const operations = [
      { op: "set", node: "A", path: "notes", value },
      { op: "tag", value, create: true }
    ]
    const [tool, more] = random.pick<readonly [tool: string, more: Json]>([
      [1, ["delete_workflow", {}]],
      [1, ["edit_workflow", { operations }]],
      [1, [active ? "deactivate_workflow" : "activate_workflow", {}]]
    ])
    if (isArchived === true || random.below(4) === 0) continue
    yield* world.call(operator, tool, { id, confirm_protected: true, ...more }, instance.name)
  }
  const plan = yield* madeAtLast(world, operator, "plan_restore", { version }, instance.name)
  if (plan === undefined) {
    world.found.push(`no way back to ${version}`)
    return
  }
  if (plan.steps === 0) {
    compared(world, `nothing is to be restored to ${version}`, before, yield* flows(instance))
    return
  }
  if ((yield* applied(world, operator, plan.plan_id, instance.name)) === undefined) return
  compared(world, `${version} is restored on ${instance.name}`, before, yield* flows(instance))
})

/** Plans on an instance that nobody else changes. */
export const planned = Effect.fnUntraced(function* (world: Played, instance: Instance) {
  const { random } = world.schedule
  // A promotion needs two instances.
  const make = wanted[random.below(wanted.length - (world.instances.length > 1 ? 0 : 1))]
  if (make !== undefined) yield* tried(world, instance, make(world, instance))
  if (random.below(2) === 0) yield* restoredToThat(world, instance)
})
