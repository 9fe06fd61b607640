import { isDeepStrictEqual } from "node:util"

import { Option, Schema } from "effect"

import type { Json } from "../support/harness.ts"
import { type Instance, State, type Write } from "./Instance.ts"
import type { Call, Played } from "./Stage.ts"
import { changes, differing, idsOf, isCreation, isOfCopy, statesDuring } from "./states.ts"

const readState = Schema.decodeUnknownOption(State)
const readRow = Schema.decodeUnknownOption(
  Schema.Struct({ id: Schema.String, name: Schema.String, active: Schema.Boolean })
)

const operationsIn = ({ operations }: Json): ReadonlyArray<Json> =>
  Array.isArray(operations) ? operations.map((one) => Object(one)) : []

/** The field of its workflow that a call is meant to change; undefined where it may change anything. */
const meant = ({ args, tool }: Call): ReadonlyArray<string> | undefined => {
  switch (tool) {
    case "edit_workflow":
      return operationsIn(args).map(({ node, op }) => (op === "tag" ? "tags" : `node ${String(node)}`))
    case "update_workflow":
      return ["name", "settings", "active"].filter((field) => args[field] !== undefined)
    case "activate_workflow":
    case "deactivate_workflow":
      return ["active"]
    case "archive_workflow":
      return ["active", "isArchived"]
    default:
      return undefined
  }
}

type Claim = (state: State | undefined) => boolean

/** The answer of a call as a condition on what its workflow was during the call. */
const claimOf = ({ args, tool }: Call): Claim | undefined => {
  switch (tool) {
    case "edit_workflow":
      return (state) => operationsIn(args).every((operation) => isDone(operation, state))
    case "update_workflow":
      return (state) =>
        (args["name"] === undefined || state?.name === args["name"]) &&
        (args["active"] === undefined || state?.active === args["active"]) &&
        (args["settings"] === undefined || isIncluded(Object(args["settings"]), state?.settings))
    case "activate_workflow":
      return (state) => state?.active === true
    case "deactivate_workflow":
      return (state) => state?.active === false
    case "archive_workflow":
      return (state) => (state?.isArchived === true) === args["archived"]
    case "delete_workflow":
      return (state) => state === undefined
    default:
      return undefined
  }
}

const isDone = ({ node, op, parameters, path, value }: Json, state: State | undefined): boolean => {
  if (op === "tag") return state?.tags?.some(({ name }) => name === value) === true
  const now = state?.nodes.find(({ name }) => name === node)
  return typeof path === "string" ? now?.[path] === value : isIncluded(Object(parameters), now?.["parameters"])
}

const isIncluded = (part: Json, whole: unknown) => isDeepStrictEqual({ ...Object(whole), ...part }, whole)

/** Errors that leave open what has happened, or tell of a part that was done. */
const leavesOpen = new Set(["OUTCOME_UNKNOWN", "STEP_FAILED"])
const isCertain = (data: Json, message: string): boolean =>
  !leavesOpen.has(String(data["code"])) &&
  data["unsettled"] === undefined &&
  !/outcome is unknown|^Workflow \S+ on instance \S+ was [^,]+, but /.test(message)

/** Tools that make copies or take steps, of which an error does not say that none was taken. */
const withSteps = new Set(["apply_plan", "run_tests", "run_workflow", "try_fix", "plan_rotation", "plan_upgrade"])

export const reading =
  /^(ai_usage|audit_log|backup|check_upgrade|get_|instance_health|list_|plan_(?!rotation)|record_test|search_|show_plan|view_|workflow_history)/

/** Sentences that say of a call that it has left everything as it was. */
const saysUnchanged = /\b(nothing was (changed|sent|run)|it changed nothing|nothing ran)\b/i

/** The problems of how a call has ended, beside what was really done for it. */
export const problemsOf = (world: Played, call: Call): ReadonlyArray<string> => {
  const { outcome, tool } = call
  const instance = world.instances.find(({ name }) => name === call.instance)
  const own = world.instances.flatMap(({ writes }) => writes.filter((write) => write.call === call.id))
  const done = own.filter(changes)
  const created = own.filter(isCreation)
  const problems: Array<string> = []
  const names = new Set(created.map(({ after, id }) => after?.name ?? id))
  if (names.size < created.length && tool !== "apply_plan")
    problems.push(`has created ${[...names].join(", ")} ${created.length} times`)
  if (reading.test(tool) && !withSteps.has(tool) && done.length > 0)
    problems.push(`only reads, and has done ${wordsOf(done)}`)
  const said =
    outcome._tag === "Refused" ? outcome.message : outcome._tag === "Answered" ? noticeIn(outcome.answer) : ""
  if (saysUnchanged.test(said) && done.length > 0)
    problems.push(`says ${JSON.stringify(said)}, and has done ${wordsOf(done)}`)
  if (outcome._tag === "Refused") {
    if (outcome.message.startsWith("Internal error")) problems.push("has failed with a defect")
    if (isCertain(outcome.data, outcome.message) && !withSteps.has(tool) && done.length > 0) {
      problems.push(`says ${JSON.stringify(outcome.message)}, and has done ${wordsOf(done)}`)
    }
  }
  if (tool === "run_workflow" || tool === "execute_workflow") problems.push(...runsOf(call, own))
  if (instance !== undefined) problems.push(...aboutWorkflow(world, instance, call, own))
  return problems.map((problem) => `${tool} ${call.id} of ${call.server} ${problem}`)
}

const noticeIn = ({ guidance, notice }: Json): string =>
  [notice, guidance].filter((one) => typeof one === "string").join(" ")

const wordsOf = (writes: ReadonlyArray<Write>) => writes.map(({ method, path }) => `${method} ${path}`).join(", ")

/** The problems of a call about one workflow. */
const aboutWorkflow = (world: Played, instance: Instance, call: Call, own: ReadonlyArray<Write>) => {
  const { args, outcome, tool } = call
  const { id } = args
  const problems: Array<string> = []
  const states = typeof id === "string" ? statesDuring(instance, id, call) : []
  if (
    saysMissing(call) &&
    !world.fleet.misled.has(call.id) &&
    states.length > 0 &&
    states.every((state) => state !== undefined)
  ) {
    problems.push("says that there is none")
  }
  if (outcome._tag === "Answered") {
    const { answer } = outcome
    // What a copy holds is nothing that its source has to be.
    const claim = "guidance" in answer || args["copy_as"] !== undefined ? undefined : claimOf(call)
    if (claim !== undefined && !states.some(claim)) problems.push("says that it is done, which was never so")
    if (tool === "create_workflow" || args["copy_as"] !== undefined) {
      const made = own.find(isCreation)
      if (made?.id !== answer["id"]) problems.push("says that it was created")
      const isActive = own.some(({ after }) => after?.id === made?.id && after?.active === true)
      if (args["active"] === true && !isActive) problems.push("says that it was created active")
    }
    problems.push(...misread(instance, call, answer))
    if (tool === "restore_workflow") problems.push(...madeAnew(instance, call, own))
  }
  const read = args["ifVersion"] === undefined ? undefined : readingOf(call, world.calls)
  for (const { at } of read === undefined ? [] : own.filter(({ status }) => status < 300)) {
    if (read !== undefined && isOverlooked(instance, call, read, at) && !isUnavoidable(world, instance, call, at)) {
      problems.push("has changed another version than the one that was read")
    }
  }
  const parts = meant(call)
  for (const { after, at, before } of parts === undefined ? [] : own) {
    if (before === undefined || after === undefined) continue
    const others = after.id === id ? differing(before, after).filter((part) => parts?.includes(part) !== true) : []
    if (others.length > 0 && !isUnavoidable(world, instance, call, at)) {
      problems.push(`has also changed ${others.join(", ")}`)
    }
  }
  return problems
}

/** A workflow is made anew only where it was not there. */
const madeAnew = (instance: Instance, call: Call, own: ReadonlyArray<Write>) =>
  own
    .filter(isCreation)
    .flatMap(({ at }) =>
      statesDuring(instance, String(call.args["id"]), { from: call.from, to: at }).every((state) => state !== undefined)
        ? ["has made a workflow anew that was there"]
        : []
    )

/** The claims of an answer about workflows that were never so. */
const misread = (instance: Instance, call: Call, answer: Json): ReadonlyArray<string> => {
  const { tool } = call
  const during = (id: string) => statesDuring(instance, id, call)
  if (tool === "get_workflow") {
    const shown = Option.getOrUndefined(readState(answer))
    if (shown === undefined) return ["shows no workflow"]
    const isSo = during(shown.id).some((state) => state !== undefined && differing(state, shown).length === 0)
    return isSo ? [] : ["shows what the workflow never was"]
  }
  if (tool !== "list_workflows") return []
  const { data, nextCursor } = answer
  const rows = (Array.isArray(data) ? data : []).flatMap((row) => Option.toArray(readRow(row)))
  const wrong = rows.filter(
    ({ active, id, name }) => !during(id).some((state) => state?.name === name && state.active === active)
  )
  const lacking = idsOf(instance).filter(
    (id) => rows.every((row) => row.id !== id) && during(id).every((state) => state !== undefined)
  )
  return [
    ...(wrong.length === 0 ? [] : [`lists what ${wrong.map(({ id }) => id).join(", ")} never was`]),
    ...(lacking.length === 0 || typeof nextCursor === "string" ? [] : [`does not list ${lacking.join(", ")}`])
  ]
}

/** A run is begun once at most, and what is told of it is what came of the caller's own items. */
const runsOf = ({ args, outcome, tool }: Call, own: ReadonlyArray<Write>): ReadonlyArray<string> => {
  const begun = own.filter(({ path, status }) => path.startsWith("/webhook/") && status < 400)
  const problems = begun.length > 1 ? [`has begun ${begun.length} runs`] : []
  if (outcome._tag !== "Answered" || outcome.answer["status"] !== "success") return problems
  const { answer } = outcome
  const text = JSON.stringify(answer)
  const given = JSON.stringify(args["items"] ?? args["data"])
  const stamp = /run \d+/.exec(given)?.[0] ?? ""
  if (begun.length === 0) problems.push("tells of a run that never was")
  // What a gateway answers in the place of the response is told as that.
  const isToShow = tool === "run_workflow"
  if ((isToShow && !text.includes(stamp)) || text.includes("of a stranger"))
    problems.push("tells of somebody else's run")
  return problems
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

/** Whether a call says that its workflow does not exist. */
const saysMissing = ({ args, outcome, tool }: Call): boolean =>
  args["id"] !== undefined &&
  tool.endsWith("_workflow") &&
  tool !== "execute_workflow" &&
  tool !== "run_workflow" &&
  outcome._tag === "Refused" &&
  outcome.data["httpStatus"] === 404 &&
  outcome.data["foreign"] === undefined

/**
 * Whether nobody could notice before: a person has saved between the last reading of a call and its writing, what was sent has
 * arrived after whoever sent it was gone, or a Redis has given a lock to somebody else. Where an engine tells, so must the answer.
 */
export const isUnavoidable = (
  world: Played,
  instance: Instance,
  call: Call,
  at: number,
  id = call.args["id"]
): boolean => {
  if (at > call.to || world.fleet.redis?.overtaken.some((one) => one.at >= call.from && one.at <= at) === true)
    return true
  const reads = instance.reads.filter(
    (one) => one.call === call.id && one.at <= at && (one.id === id || one.id === undefined)
  )
  const read = reads.at(-1)?.at ?? 0
  const isBetween = instance.writes.some(
    (write) => write.by === "person" && write.id === id && write.at >= read && write.at <= at
  )
  if (!isBetween || instance.version === "1.82.3" || call.outcome._tag !== "Answered") return isBetween
  return call.tool === "apply_plan" || JSON.stringify(call.outcome.answer).includes("in the same moment")
}

/** The problems of all calls, and of what they have left. */
export const callsJudged = (world: Played): ReadonlyArray<string> => [
  ...world.calls.flatMap((call) => problemsOf(world, call)),
  ...world.final.flatMap(({ instance, states }) =>
    states.flatMap((state) =>
      isOfCopy({ before: state, after: state }) ? [`the temporary copy ${state.id} is left on ${instance.name}`] : []
    )
  )
]
