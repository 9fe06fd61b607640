import { Effect } from "effect"

import type { Json } from "../support/harness.ts"
import type { Instance, State } from "./Instance.ts"
import { differing } from "./invariants.ts"
import type { Stage } from "./Stage.ts"

/** A plan of all workflows of an instance, and what each of them is afterwards. */
interface Wanted {
  readonly tool: string
  readonly asked: Json
  readonly holds: (state: State) => boolean
}

const where = { name: "Flow*" }
const bulk = (asked: Json, holds: Wanted["holds"]): Wanted => ({ tool: "plan_bulk", asked: { ...asked, where }, holds })

const wanted: ReadonlyArray<(world: Stage, instance: Instance) => Wanted> = [
  (world) => {
    const value = `tag ${world.fresh()}`
    return bulk({ action: "tag", value }, ({ tags = [] }) => tags.some(({ name }) => name === value))
  },
  () => bulk({ action: "activate" }, ({ active }) => active),
  () => bulk({ action: "deactivate" }, ({ active }) => !active),
  (world) => {
    const value = `path-${world.fresh()}-`
    return bulk({ action: "replace_text", find: "flow-", value }, ({ nodes }) => JSON.stringify(nodes).includes(value))
  },
  () => bulk({ action: "delete" }, () => false),
  ({ instances }, { name: to }) => ({
    tool: "plan_promotion",
    asked: { from: instances.find(({ name }) => name !== to)?.name ?? to, to, name: "Flow*" },
    holds: () => true
  })
]

/** Attempts after which the network and the disk are well, and those after which a plan has to be at its end. */
const attempts = { faulty: 12, all: 30 }

const applied = Effect.fnUntraced(function* (world: Stage, plan_id: unknown, instance: string) {
  for (let attempt = 0; attempt < attempts.all; attempt++) {
    if (attempt === attempts.faulty) world.calm()
    const seconds = world.schedule.random.below(3) === 0 ? { max_seconds: 1 } : {}
    const outcome = yield* world.call("apply_plan", { plan_id, confirm: true, ...seconds }, instance)
    if (outcome._tag === "Answered" && outcome.answer["state"] === "applied") return true
    if (outcome._tag === "Refused" && outcome.data["code"] === "PLAN_EXPIRED") return false
    if (outcome._tag === "Refused" && outcome.data["code"] === "PLAN_SPENT") return true
    yield* Effect.sleep(1000)
  }
  world.found.push(`plan ${String(plan_id)} does not come to its end`)
  return false
})

/** Asks until there is an answer, or the same refusal on a quiet network. */
const answered = Effect.fnUntraced(function* (world: Stage, tool: string, args: Json, instance: string) {
  for (let attempt = 0; attempt < attempts.all; attempt++) {
    if (attempt === attempts.faulty) world.calm()
    const outcome = yield* world.call(tool, args, instance)
    if (outcome._tag === "Answered") return outcome.answer
    yield* Effect.sleep(1000)
  }
  return undefined
})

const flows = (instance: Instance) =>
  Effect.map(instance.all, (all) => all.filter(({ name }) => name.startsWith("Flow")))

/** A workflow without its id, which a deleted one does not get again. */
const withoutId = (state: State): State => ({ ...state, id: "" })

/**
 * Applies a plan while nobody else changes anything, however often it is broken off: it is done then, the same plan would be
 * empty, and the rollback brings back what was there.
 */
export const planned = Effect.fnUntraced(function* (world: Stage, instance: Instance) {
  const { random } = world.schedule
  // A promotion needs two instances.
  const make = wanted[random.below(wanted.length - (world.instances.length > 1 ? 0 : 1))]
  if (make === undefined) return
  const { asked, holds, tool } = make(world, instance)
  const before = yield* flows(instance)
  const plan = yield* answered(world, tool, asked, instance.name)
  if (plan === undefined || plan["steps"] === 0 || plan["blocked_count"] !== 0) return
  if (!(yield* applied(world, plan["plan_id"], instance.name))) return
  const what = `${JSON.stringify(asked["action"] ?? tool)} on ${instance.name}`
  for (const state of yield* flows(instance)) {
    if (!holds(state)) world.found.push(`${what} is applied, and ${state.name} is not like that`)
  }
  const again = yield* answered(world, tool, asked, instance.name)
  if (again !== undefined && again["steps"] !== 0)
    world.found.push(`${what} is applied, and planned again all the same`)

  const back = yield* answered(world, "plan_rollback", { plan_id: plan["plan_id"] }, instance.name)
  if (back === undefined || back["steps"] === 0) world.found.push(`${what} cannot be rolled back`)
  if (back === undefined) return
  if (!(yield* applied(world, back["plan_id"], instance.name))) return
  const after = yield* flows(instance)
  if (after.length !== before.length)
    world.found.push(`${what} is rolled back, with ${after.length} of ${before.length}`)
  for (const state of before) {
    const now = after.find(({ id, name }) => id === state.id || name === state.name)
    const others = now === undefined ? ["all"] : differing(withoutId(state), withoutId(now))
    if (others.length > 0) world.found.push(`${what} is rolled back, and ${state.name} differs in ${others.join(", ")}`)
  }
})
