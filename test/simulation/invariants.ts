import { isDeepStrictEqual } from "node:util"

import { readTemporaryName } from "../../src/engine/workflow/naming.ts"
import type { Instance, State, Write } from "./Instance.ts"
import type { Call, Stage } from "./Stage.ts"

/** Whether a write has changed something. */
const changes = ({ after, before }: Write): boolean => !isDeepStrictEqual(before, after)

const isCreation = ({ method, path, status }: Write): boolean =>
  method === "POST" && path === "/api/v1/workflows" && status < 300

/** Everything that a workflow was during a call, as far as anybody could see it. */
const statesDuring = (instance: Instance, id: string, { from, to }: Call): ReadonlyArray<State | undefined> => {
  const writes = instance.writes.filter((write) => write.id === id && write.at <= to)
  const before = writes.filter(({ at }) => at < from).at(-1)?.after
  return [before, ...writes.filter(({ at }) => at >= from).map(({ after }) => after)]
}

/** The parts of a workflow by their names, as one would say what has changed. */
const partsOf = (state: State): ReadonlyMap<string, unknown> => {
  const { nodes, tags, ...rest } = state
  return new Map<string, unknown>([
    ...Object.entries(rest),
    ["tags", (tags ?? []).map(({ name }) => name).toSorted()],
    ...nodes.map((node) => [`node ${String(node["name"])}`, node] as const)
  ])
}

/** The parts that differ between two states of a workflow. */
export const differing = (before: State, after: State): ReadonlyArray<string> => {
  const [one, other] = [partsOf(before), partsOf(after)]
  return [...new Set([...one.keys(), ...other.keys()])].filter(
    (part) => !isDeepStrictEqual(one.get(part), other.get(part))
  )
}

/** The parts that a call is meant to change; undefined where it may change anything. */
const meant = ({ args, tool }: Call): ReadonlyArray<string> | undefined => {
  switch (tool) {
    case "edit_workflow":
      return [`node ${nodeIn(args)}`]
    case "update_workflow":
      return ["name"]
    case "activate_workflow":
    case "deactivate_workflow":
      return ["active"]
    default:
      return undefined
  }
}

const nodeIn = ({ operations }: Call["args"]): string => {
  const [first] = Array.isArray(operations) ? operations : []
  return String(Object(first).node)
}

const valueIn = ({ operations }: Call["args"]): unknown => {
  const [first] = Array.isArray(operations) ? operations : []
  return Object(first).value
}

/** The latest answer that had the version which a call was given. */
const readingOf = ({ args, from }: Call, calls: ReadonlyArray<Call>): Call | undefined =>
  calls.findLast(
    ({ outcome, to }) => to <= from && outcome._tag === "Answered" && outcome.answer["version"] === args["ifVersion"]
  )

/** Whether others have changed a workflow between an answer about it and a write that was to come only where they have not. */
const isOverlooked = ({ writes }: Instance, { args, id }: Call, read: Call, at: number): boolean => {
  const own = new Set([id, read.id])
  const others = writes.filter(
    (write) => write.id === args["id"] && write.at > read.to && write.at < at && !own.has(write.call ?? 0)
  )
  const [first] = others
  const last = others.at(-1)?.after
  if (first?.before === undefined || last === undefined) return false
  // Tags are set by a call of their own, and are part of no version.
  return differing(first.before, last).some((part) => part !== "tags")
}

/** Errors that leave open what has happened, or tell of a part that was done. */
const leavesOpen = new Set(["OUTCOME_UNKNOWN", "STEP_FAILED"])
const isCertain = (data: Call["args"]): boolean =>
  !leavesOpen.has(String(data["code"])) && data["unsettled"] === undefined

/** Tools whose calls change nothing, or more than one thing. */
const withOwnRules = new Set(["apply_plan", "run_workflow"])

/** What the answer of a call says, as a condition on what a workflow was during the call. */
const claimOf = ({ args, tool }: Call): ((state: State | undefined) => boolean) | undefined => {
  switch (tool) {
    case "edit_workflow":
      return (state) =>
        state?.nodes.some((node) => node["name"] === nodeIn(args) && node["notes"] === valueIn(args)) === true
    case "update_workflow":
      return (state) => state?.name === args["name"]
    case "activate_workflow":
      return (state) => state?.active === true
    case "deactivate_workflow":
      return (state) => state?.active === false
    case "delete_workflow":
      return (state) => state === undefined
    default:
      return undefined
  }
}

/** What is wrong with how one call has ended, beside what was really done for it. */
const problemsOf = (instance: Instance, call: Call, calls: ReadonlyArray<Call>): ReadonlyArray<string> => {
  const { args, outcome, tool } = call
  const own = instance.writes.filter((write) => write.call === call.id)
  const created = own.filter(isCreation)
  const problems: Array<string> = []
  const names = new Set(created.map(({ after }) => after?.name))
  if (names.size < created.length) problems.push(`created ${[...names].join(", ")} ${created.length} times`)
  if (outcome._tag === "Refused" && isCertain(outcome.data) && !withOwnRules.has(tool)) {
    const done = own.filter(changes)
    if (done.length > 0) {
      problems.push(`says ${JSON.stringify(outcome.message)}, and has done ${done.map(wordsOf).join(", ")}`)
    }
  }
  const { id } = args
  const states = typeof id === "string" ? statesDuring(instance, id, call) : []
  if (saysMissing(call) && states.every((state) => state !== undefined)) problems.push("says that there is none")
  if (outcome._tag === "Answered") {
    const claim = claimOf(call)
    if (claim !== undefined && !states.some(claim)) problems.push("says that it is done, which was never so")
    if (tool === "create_workflow" && created[0]?.id !== outcome.answer["id"]) problems.push("says that it was created")
  }
  const read = args["ifVersion"] === undefined ? undefined : readingOf(call, calls)
  for (const { at } of read === undefined ? [] : own.filter(({ status }) => status < 300)) {
    if (read !== undefined && isOverlooked(instance, call, read, at) && !isUnavoidable(instance, call, at)) {
      problems.push("has changed another version than the one that was read")
    }
  }
  const parts = meant(call)
  for (const { after, at, before } of parts === undefined ? [] : own) {
    if (before === undefined || after === undefined) continue
    const others = differing(before, after).filter((part) => parts?.includes(part) !== true)
    if (others.length > 0 && !isUnavoidable(instance, call, at)) problems.push(`has also changed ${others.join(", ")}`)
  }
  return problems.map((problem) => `${tool} ${call.id} of ${call.server} ${problem}`)
}

/** Whether a call says that its workflow does not exist. */
const saysMissing = ({ args, outcome, tool }: Call): boolean =>
  args["id"] !== undefined &&
  tool !== "run_workflow" &&
  outcome._tag === "Refused" &&
  outcome.data["httpStatus"] === 404 &&
  outcome.data["foreign"] === undefined

const wordsOf = ({ method, path }: Write) => `${method} ${path}`

/**
 * Whether nobody could notice before: a person has saved between the last reading of a call and its writing, or what was
 * sent has arrived after whoever sent it was gone.
 */
const isUnavoidable = (instance: Instance, { args, id, outcome, to }: Call, at: number): boolean => {
  if (at > to) return true
  const read = instance.reads.filter((one) => one.call === id && one.id === args["id"] && one.at <= at).at(-1)?.at ?? 0
  const isBetween = instance.writes.some(
    (write) => write.by === "person" && write.id === args["id"] && write.at >= read && write.at <= at
  )
  if (!isBetween || instance.version === "1.82.3" || outcome._tag !== "Answered") return isBetween
  return JSON.stringify(outcome.answer).includes("in the same moment")
}

/** Everything that was not as it has to be, after a schedule. */
export const violations = ({ calls, final, found, instances }: Stage): ReadonlyArray<string> => [
  ...found,
  ...calls.flatMap((call) => {
    const instance = instances.find(({ name }) => name === call.instance)
    return instance === undefined ? [] : problemsOf(instance, call, calls)
  }),
  ...final.flatMap(({ instance, states }) =>
    states.flatMap(({ id, name }) =>
      readTemporaryName(name) === undefined || isLate(instance, calls, id)
        ? []
        : [`the temporary copy ${id} is left on ${instance.name}`]
    )
  )
]

/** Whether something was made when its call had ended: who looks for it before that finds nothing. */
const isLate = ({ writes }: Instance, calls: ReadonlyArray<Call>, made: string): boolean => {
  const creation = writes.find((write) => write.id === made)
  return calls.some(({ id, to }) => id === creation?.call && creation.at > to)
}
