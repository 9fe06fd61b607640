import { Effect } from "effect"

import type { Json } from "../support/harness.ts"
import { type Caller, kinds } from "./Caller.ts"
import type { Stage } from "./Stage.ts"

/** Who plans something, and where it changes something. */
export interface Planning {
  readonly world: Stage
  readonly caller: Caller
  readonly at: string
}

/** A caller who is asked nothing: nothing waits for a person. */
export const operator: Caller = { name: "operator", kind: "bare" }

/** Asks for a plan, and keeps in mind what was told of it. */
export const made = Effect.fnUntraced(function* (
  world: Stage,
  caller: Caller,
  tool: string,
  args: Json,
  instance: string
) {
  const outcome = yield* world.call(caller, tool, args, instance)
  const call = world.calls.findLast((one) => one.outcome === outcome)
  if (outcome._tag !== "Answered" || call === undefined) return undefined
  const { blocked, blocked_count, by_kind, plan_id, reverses, steps } = outcome.answer
  const kinds = Object.fromEntries(Object.entries(Object(by_kind)).map(([kind, count]) => [kind, Number(count)]))
  const named = typeof reverses === "string" ? reverses : undefined
  const { from, to } = call
  const told = { kinds, reverses: named, blocked: JSON.stringify(blocked) }
  world.plans.push({ id: String(plan_id), call: call.id, tool, args, instance, from, to, ...told })
  return { plan_id: String(plan_id), steps, blocked_count }
})

const applying = ({ at, caller, world }: Planning, plan_id: string, more: Json = {}) =>
  world.call(caller, "apply_plan", { plan_id, confirm: true, ...more, ...agreed(caller, world) }, at)

const agreed = ({ kind }: Caller, { schedule }: Stage): Json =>
  kind === "bare" && schedule.random.below(4) > 0 ? { confirm_protected: true } : {}

/** The life of a plan: it is applied, once or more, by one or two, and rolled back or not, perhaps too early. */
export const lifeOf = Effect.fnUntraced(function* (doing: Planning, tool: string, args: Json) {
  const { at, caller, world } = doing
  const { random } = world.schedule
  const plan = yield* made(world, caller, tool, args, at)
  if (plan === undefined) return
  const { plan_id } = plan
  yield* Effect.sleep(random.below(2) * random.below(3000))
  // A caller has one call at a time.
  const other: Caller = { name: `beside ${plan_id}`, kind: random.pick(kinds) }
  const again = random.below(3) === 0 ? applying({ ...doing, caller: other }, plan_id) : Effect.void
  const apply = applying(doing, plan_id, random.below(4) === 0 ? { max_seconds: 1 } : {})
  const [outcome] = yield* Effect.all([apply, again], { concurrency: "unbounded" })
  if (outcome._tag !== "Answered" && random.below(2) === 0) yield* applying(doing, plan_id)
  if (random.below(2) === 0) yield* world.call(caller, "show_plan", { plan_id }, at)
  if (random.below(2) === 0) return
  const back = yield* made(world, caller, "plan_rollback", { plan_id }, at)
  if (back === undefined) return
  const late = random.below(3) === 0 ? applying({ ...doing, caller: other }, plan_id) : Effect.void
  yield* Effect.all([applying(doing, back.plan_id), late], { concurrency: "unbounded" })
})

/** Attempts after which everything else is well, and those after which a plan has to be at its end. */
const attempts = { faulty: 12, all: 30 }

/** Applies a plan until it is at its end; tells which steps did not show, or nothing where it does not come to it. */
export const applied = Effect.fnUntraced(function* (world: Stage, caller: Caller, plan_id: string, instance: string) {
  const { random } = world.schedule
  for (let attempt = 0; attempt < attempts.all; attempt++) {
    if (attempt === attempts.faulty) world.fleet.calm()
    const seconds = random.below(3) === 0 ? { max_seconds: 1 } : {}
    const args = { plan_id, confirm: true, confirm_protected: true, ...seconds }
    const outcome = yield* world.call(caller, "apply_plan", args, instance)
    if (outcome._tag === "Answered" && outcome.answer["state"] === "applied") {
      return Number(outcome.answer["unconfirmed_count"])
    }
    // What an engine refuses each time is told, step by step.
    if (world.fleet.isCalm && outcome._tag === "Answered" && /partly|refused/.test(String(outcome.answer["state"])))
      return undefined
    const code = outcome._tag === "Refused" ? String(outcome.data["code"]) : ""
    if (code.endsWith("PLAN_EXPIRED")) return undefined
    if (code.endsWith("PLAN_SPENT")) return 0
    const wait = outcome._tag === "Refused" ? Number(outcome.data["retryAfterSeconds"] ?? 1) : 1
    yield* Effect.sleep(wait * 1000)
  }
  world.found.push(`plan ${plan_id} does not come to its end`)
  return undefined
})

/** Asks for a plan until there is one. */
export const madeAtLast = Effect.fnUntraced(function* (
  world: Stage,
  caller: Caller,
  tool: string,
  args: Json,
  instance: string
) {
  for (let attempt = 0; attempt < attempts.all; attempt++) {
    if (attempt === attempts.faulty) world.fleet.calm()
    const plan = yield* made(world, caller, tool, args, instance)
    if (plan !== undefined) return plan
    yield* Effect.sleep(1000)
  }
  return undefined
})
