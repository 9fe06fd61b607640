import { Effect } from "effect"

import type { Version } from "../../src/engine/embedded/EmbeddedEngine.ts"
import type { Json } from "../support/harness.ts"
import { Advertising } from "./Advertising.ts"
import { reading } from "./callsJudged.ts"
import { Engines } from "./Engines.ts"
import { applied, operator } from "./planLife.ts"
import { loaded, Schedule } from "./schedule.ts"
import type { Stage } from "./Stage.ts"
import type { Trial } from "./trials.ts"
import type { OneFault } from "./Upstream.ts"
import type { Script } from "./World.ts"

/** How a call has ended that met one fault. */
export interface Tried {
  readonly problems: ReadonlyArray<string>
  /** The methods of the requests of which it consists. */
  readonly methods: ReadonlyArray<string>
  readonly trace: ReadonlyArray<string>
}

/** Tools that have nothing to do with executions that have succeeded. */
const ofRunning = new Set(["retry_execution", "stop_execution"])

/** The reason for which a plan for an engine of generation 1 has no step: that has nothing of the kind. */
const ofNewer = /they came with generation 2/

const adsReading = /^ads_(?!pause|start)/

export type Fault = Omit<OneFault, "methods">

/** Calls a tool whose request meets a fault, and once more when that is over; a plan is brought to its end. */
const called = Effect.fnUntraced(function* (world: Stage, tool: string, args: Json, one: OneFault) {
  const { fleet, found } = world
  fleet.weather.one = one
  const outcome = yield* world.call(operator, tool, args, "production")
  Reflect.deleteProperty(fleet.weather, "one")
  if (one.after === Infinity && outcome._tag !== "Answered" && !ofRunning.has(tool))
    found.push(`${tool} is refused though all is well`)
  if (
    one.after === Infinity &&
    outcome._tag === "Answered" &&
    outcome.answer["steps"] === 0 &&
    !ofNewer.test(JSON.stringify(outcome.answer))
  )
    found.push(`${tool} has nothing to do, so that no fault meets a step`)
  // What is still on its way arrives.
  yield* Effect.sleep("2 minutes")
  if (tool === "apply_plan") yield* applied(world, operator, String(args["plan_id"]), "production")
  else if (reading.test(tool) || adsReading.test(tool)) {
    const again = yield* world.call(operator, tool, args, "production")
    if (again._tag !== "Answered") found.push(`${tool} is refused though all is well again`)
  }
})

const played = async <W extends Advertising | Engines>(
  make: (schedule: Schedule, play: Script["play"]) => W,
  { args, tool }: Trial<W>,
  fault: Fault
): Promise<Tried> => {
  await loaded()
  const schedule = new Schedule(1)
  const one: OneFault = { ...fault, methods: [] }
  const play: Script["play"] = Effect.suspend(() =>
    Effect.flatMap(args(world), (given) => called(world, tool, given, one))
  )
  const world = make(schedule, play)
  const failed = await world.run().then(
    () => [],
    (error: unknown) => [`it has no end: ${error instanceof Error ? error.message : JSON.stringify(error)}`]
  )
  return { problems: [...failed, ...world.problems()], methods: one.methods, trace: schedule.trace }
}

/** A call to an engine of a version. */
export const engineTried = (version: Version, trial: Trial<Engines>, fault: Fault): Promise<Tried> =>
  played((schedule, play) => new Engines(schedule, {}, { version, play }), trial, fault)

/** A call to the marketplace. */
export const adsTried = (trial: Trial<Advertising>, fault: Fault): Promise<Tried> =>
  played((schedule, play) => new Advertising(schedule, {}, { play }), trial, fault)
