import { Option, Schema } from "effect"

import { recordAt } from "../../src/engine/history/layout.ts"
import { deleted, linesIn } from "../../src/engine/history/message.ts"
import { folderOf } from "../../src/engine/history/paths.ts"
import { type Instance, State, type Write } from "./Instance.ts"
import type { Machine } from "./Machine.ts"
import type { Played } from "./Stage.ts"
import { changes, differing, isOfCopy } from "./states.ts"

const readRecord = Schema.decodeUnknownOption(State)

/** The line of a commit about one workflow, with its record then. */
interface Recorded {
  readonly id: string
  readonly change: string
  readonly tool: string | undefined
  readonly author: string
  readonly hash: string
  readonly state: State | undefined
}

/** Everything that the history of a machine says of an instance, in its order. */
const recordedOf = ({ repository }: Machine, { name }: Instance): ReadonlyArray<Recorded> =>
  repository.commits.flatMap(({ author, files, hash, message }) => {
    const tool = /^Tool: (.*)$/m.exec(message)?.[1]
    const lines = linesIn(message)
    return lines.flatMap(({ change, folder, id }): ReadonlyArray<Recorded> => {
      if (folder !== folderOf(name)) return []
      // One commit may tell of several readings: it holds the file of the last one.
      const file = lines.findLast((line) => line.folder === folder && line.id === id)?.name ?? ""
      const record = recordAt(`${folder}/${file}.${id}`, files)
      const state = record === undefined ? undefined : Option.getOrUndefined(readRecord({ ...record, id }))
      return [{ id, change, tool, author, hash: hash.slice(0, 12), state }]
    })
  })

/** The parts that a history has to have right: it keeps static data as it comes by it, and lists leave pinned data out. */
const isKept = (part: string): boolean => part !== "staticData" && part !== "pinData"
const differs = (one: State, other: State): ReadonlyArray<string> => differing(one, other).filter(isKept)

/** In the end, what is recorded is what is there. */
const lastOf = (machine: Machine, { instance, states }: Played["final"][number]): ReadonlyArray<string> => {
  const last = new Map(
    recordedOf(machine, instance).map(({ id, state, change }) => [id, change === deleted ? undefined : state])
  )
  const lasting = states.filter((state) => !isOfCopy({ before: state, after: state }))
  const wrong = lasting.flatMap((state) => {
    const recorded = last.get(state.id)
    const parts = recorded === undefined ? ["all"] : differs(state, recorded)
    return parts.length === 0 ? [] : [`has ${state.id} otherwise than it is: ${parts.join(", ")}`]
  })
  const gone = [...last].filter(([id, state]) => state !== undefined && lasting.every((one) => one.id !== id))
  return [...wrong, ...gone.map(([id]) => `has ${id}, which is not there`)]
}

/** Nothing is recorded that never was; some answers show only a part of what their change has left. */
const untrue = (machine: Machine, instance: Instance): ReadonlyArray<string> =>
  recordedOf(machine, instance).flatMap(({ change, hash, id, state }) => {
    const real = instance.writes.filter((write) => write.id === id).map(({ after }) => after)
    if (change === deleted)
      return real.includes(undefined) ? [] : [`${hash} says that ${id} was deleted, which it never was`]
    if (state === undefined) return [`${hash} shows nothing of ${id}`]
    const never =
      real.map((one) => (one === undefined ? undefined : differs(one, state))).reduce(common, undefined) ?? []
    return never.length === 0 ? [] : [`${hash} shows what ${id} never was: ${never.join(", ")}`]
  })

const common = (one: ReadonlyArray<string> | undefined, other: ReadonlyArray<string> | undefined) =>
  one === undefined || other === undefined ? (one ?? other) : one.filter((part) => other.includes(part))

/** Milliseconds after which whatever a server has done is in its history, as long as that can be written. */
const settled = 60_000

/** Whatever a server has done is in its history, unless the server was killed at once, or had no room. */
const lacking = (world: Played, instance: Instance): ReadonlyArray<string> => {
  const known = new Map(world.fleet.machines.map((machine) => [machine, recordedOf(machine, instance)]))
  return instance.writes.flatMap((write) => {
    const call = world.calls.find(({ id }) => id === write.call)
    const machine = world.fleet.machines.find(({ name }) => write.by.startsWith(`server ${name.at(-1)}`))
    const end = world.fleet.ends.find(({ server }) => server === write.by)?.at ?? Infinity
    const isTold = call?.outcome._tag === "Answered" && call.to >= write.at
    if (machine === undefined || !isTold || !changes(write) || isOfCopy(write) || write.id === undefined) return []
    const isFull = machine.fullSpans.some(({ from, to }) => from <= write.at + settled && to >= write.at)
    if (end < write.at + settled || isFull) return []
    const own = known.get(machine)?.filter(({ id }) => id === write.id) ?? []
    return own.some((one) => isOf(one, write)) ? [] : [`lacks ${call.tool} ${call.id}: ${write.method} ${write.path}`]
  })
}

/** Whether what a change has changed was recorded as it became; all else may have been changed by others meanwhile. */
const isOf = ({ change, state }: Recorded, { after, before }: Write): boolean => {
  if (after === undefined) return change === deleted
  const others = state === undefined ? ["all"] : differs(after, state)
  return before === undefined ? others.length === 0 : !differs(before, after).some((part) => others.includes(part))
}

/** The problems of the histories. */
export const historyJudged = (world: Played): ReadonlyArray<string> => [
  ...world.fleet.machines.flatMap((machine) =>
    [
      ...world.final.flatMap((one) => lastOf(machine, one)),
      ...(world.fleet.isHonest ? world.instances.flatMap((instance) => untrue(machine, instance)) : [])
    ].map((problem) => `the history of ${machine.name} ${problem}`)
  ),
  ...world.instances.flatMap((instance) =>
    lacking(world, instance).map((problem) => `the history of ${instance.name} ${problem}`)
  )
]
