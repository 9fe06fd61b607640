import { Clock, Effect, Option, Result } from "effect"

import { isSameJson } from "../../../internal/json/digest.ts"
import { type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { maskSecrets } from "../../../internal/secrets/maskSecrets.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { parser } from "../../nodes/check/checkWorkflow.ts"
import { inputOf, jsonOf, nodeNamed, type NodeRun, type RunData } from "../../operator/explain/runData.ts"
import { comparedNames, type ComparedRun, compareRun, pairsOf, runsOfNode } from "../../operator/proof/compare.ts"
import { recordedRuns, wasRecorded } from "../../operator/proof/recordedRuns.ts"
import { NotReplayed, replay } from "../../operator/proof/replay.ts"
import { nodesToMock } from "../../operator/run/sideEffects.ts"
import { type NodeOutput, recordedOutputOf } from "../../operator/tests/NodeOutput.ts"
import type { RecordedRun } from "../../operator/tests/testFromExecution.ts"
import type { RewrittenPart } from "../../upgrade/rewrites/rewrites.ts"
import { flowOf } from "../../workflow/flow.ts"
import { frozenNodes } from "../../workflow/frozenTypes.ts"
import { nameOf, type Workflow } from "../../workflow/models.ts"
import { kindOf } from "../../workflow/triggers.ts"
import type { Verdict } from "./draftUpgrade.ts"
import { comparedTimes } from "./times.ts"

/** A workflow with its rewrite. */
export interface ToProve {
  readonly before: Workflow
  readonly after: Workflow
  readonly parts: ReadonlyArray<RewrittenPart>
  /** Another instance, of the version that is upgraded to. */
  readonly target: EngineClient["Service"] | undefined
  /** Whether an engine lets a workflow with this node be made. */
  readonly mayBeMade: (node: JsonObject) => boolean
}

/** Recorded runs that are repeated. */
const mostRuns = 5

/** Shows by recorded runs whether a rewritten workflow gives the same. The old nodes are never run again. */
export const prove = Effect.fnUntraced(function* (given: ToProve): Effect.fn.Return<Verdict, never, EngineClient> {
  const { instance, isReadOnly } = yield* EngineClient
  const { after, before, parts, target } = given
  const now = yield* Clock.currentTimeMillis
  const times = parts.map((part) => comparedTimes(before, after, part, now))
  const wrong = times.find((one) => one?.difference !== undefined)
  if (wrong?.difference !== undefined) return { _tag: "different", on: instance, difference: wrong.difference }
  const open = parts.filter((part, index) => part.entry !== undefined && times[index] === undefined)
  const clocked = parts.length - open.length > 0 ? times.flatMap((one) => (one === undefined ? [] : [one.note])) : []
  if (isReadOnly) return unproven(parts, open, [`${instance} is read-only, so that no copy can be run`])
  const read = yield* Effect.result(
    recordedRuns(before.id, {
      most: mostRuns,
      isDistinct: true,
      isWanted: ({ data }) => parts.some((part) => isOfPresent(part, data, before))
    })
  )
  if (Result.isFailure(read)) return unproven(parts, open, [read.failure.message])
  const covered = new Set<RewrittenPart>()
  const problems = new Set<string>()
  const notes = new Set<string>(clocked)
  const on = new Set<string>()
  let [runs, items] = [0, 0]
  for (const run of read.success.runs) {
    const reached = parts.filter((part) => isOfPresent(part, run.data, before) && inputsOf(part, run.data) > 0)
    if (reached.length === 0) continue
    const outcome = yield* Effect.result(repeated(given, run, reached))
    if (Result.isFailure(outcome)) problems.add(`run ${run.execution.id}: ${outcome.failure.message}`)
    else {
      const [difference] = outcome.success.differences
      if (difference !== undefined) return { _tag: "different", on: outcome.success.on, difference }
      const { tried } = outcome.success
      for (const part of tried) covered.add(part)
      for (const note of outcome.success.notes) notes.add(note)
      on.add(instance)
      runs += 1
      items += tried.reduce((sum, part) => sum + inputsOf(part, run.data), 0)
    }
    if (target === undefined || Result.isFailure(outcome)) continue
    const version = yield* target.freezingVersion
    const mayBeMade = (node: JsonObject) => frozenNodes([node], version).length === 0
    const safeRun = masked(run)
    const there = yield* Effect.result(
      Effect.provideService(repeated({ ...given, mayBeMade }, safeRun, reached), EngineClient, target)
    )
    if (Result.isFailure(there)) {
      notes.add(`not on ${target.instance}: ${there.failure.message}`)
      continue
    }
    const { differences } = there.success
    if (differences.length > 0) {
      // What code makes of a mask is not what it made of the secret, on whichever instance.
      const here = isSameJson(safeRun.data, run.data)
        ? undefined
        : yield* Effect.option(repeated(given, safeRun, reached))
      const masks = here === undefined || Option.isNone(here) ? [] : here.value.differences
      if (!isSameJson(masks, differences)) {
        const [difference] = [...differences.filter((one) => !masks.some((other) => isSameJson(one, other))), ...masks]
        if (difference !== undefined) return { _tag: "different", on: target.instance, difference }
      }
      notes.add(`on ${target.instance} with masked secrets, of which the same was made on ${instance}`)
    }
    // Items beyond those that were expected are not compared.
    if (differences.every(({ of }) => of === undefined)) on.add(target.instance)
  }
  const unseen = open.filter((part) => !covered.has(part))
  if (unseen.length > 0) return unproven(parts, unseen, [...problems])
  if (covered.size === 0 && clocked.length === 0) return unproven(parts, open, [...problems])
  return { _tag: "proved", runs, items, on: [...on], notes: [...notes] }
})

/** A recorded run without the secrets in its items. */
const masked = (run: RecordedRun): RecordedRun => {
  const withoutSecrets = (item: unknown) => ({ ...objectOf(item), json: maskSecrets(jsonOf(item)) })
  const runs = run.data.runs.map((one) => ({ ...one, outputs: one.outputs.map((items) => items.map(withoutSecrets)) }))
  return { ...run, data: { ...run.data, runs } }
}

/** The verdict where some parts were not reached by a run. */
const unproven = (
  parts: ReadonlyArray<RewrittenPart>,
  unseen: ReadonlyArray<RewrittenPart>,
  problems: ReadonlyArray<string>
): Verdict => {
  const conditions = parts.flatMap((part) => (part.entry === undefined || unseen.includes(part) ? part.conditions : []))
  const names = unseen.flatMap(({ node }) => (node === undefined ? [] : [node]))
  const noRun =
    names.length === 0 ? "there are no items to compare" : `no recorded run shows ${names.join(", ")} at work`
  const why = [...(problems.length === 0 ? [noRun] : problems.slice(0, 2)), ...new Set(conditions)].join("; ")
  return { _tag: conditions.length === 0 ? "equal by rule" : "unproved", why }
}

/** Whether a run had the old node of a part as it is now. */
const isOfPresent = ({ node }: RewrittenPart, data: RunData, { nodes }: Workflow): boolean => {
  if (node === undefined) return false
  const [then, now] = [nodeNamed(data, node), nodes.find((one) => nameOf(one) === node)]
  return then !== undefined && now !== undefined && wasRecorded(now, then) && runsOfNode(data, node).length > 0
}

/** The items that came to the old node of a part; of a trigger, those that it gave out. */
const inputsOf = ({ emits, node = "" }: RewrittenPart, data: RunData): number =>
  runsOfNode(data, node).reduce(
    (sum, run) => sum + (emits === undefined ? inputOf(data, run).length : run.outputs.flat().length),
    0
  )

interface Repeated extends Pick<ComparedRun, "differences" | "notes"> {
  /** The rewritten parts that really ran. */
  readonly tried: ReadonlyArray<RewrittenPart>
  readonly on: string
}

/**
 * Repeats a run: the whole workflow, with what acts outside mocked. Where nodes that the rewrite does not reach differ, or the
 * whole cannot be run, the rewritten nodes alone, with all others mocked.
 */
const repeated = Effect.fnUntraced(function* (
  given: ToProve,
  run: RecordedRun,
  reached: ReadonlyArray<RewrittenPart>
): Effect.fn.Return<Repeated, NotReplayed, EngineClient> {
  const { after, mayBeMade, parts } = given
  const { instance: on } = yield* EngineClient
  const start = parts.find(({ entry, node }) => node === run.start && entry !== undefined)?.entry ?? run.start
  const changed = new Set(parts.flatMap(({ entry, exit }) => [entry, exit].filter((name) => name !== undefined)))
  const calledForEach = new Set(
    parts.flatMap(({ node, rule }) => (rule === "U3-each" && node !== undefined ? [node] : []))
  )
  const acting = nodesToMock(after, start, yield* parser)
  const names = new Set(Result.isSuccess(acting) ? acting.success.names : [])
  const tried = reached.filter(
    ({ entry = "", exit = "", rule }) => rule === "U3-each" || !(names.has(entry) || names.has(exit))
  )
  if (tried.length === 0) {
    return yield* new NotReplayed({ message: `${reached[0]?.node ?? "what is rewritten"} would act outside` })
  }
  const base = {
    run,
    workflow: after,
    start,
    items: start === run.start ? undefined : [momentOfSchedule],
    outputOf: (name: string) => (calledForEach.has(name) ? forEach(run.data, name) : recordedOutputOf(run.data, name))
  }
  const isMocked = (node: JsonObject) =>
    names.has(nameOf(node)) ||
    !mayBeMade(node) ||
    (calledForEach.has(nameOf(node)) && kindOf(node) === "executeWorkflow")
  const behind = reachedFrom(after, [...changed])
  const wholeRun = yield* Effect.result(replay({ ...base, isMocked }))
  const meant = comparedNames(run, after, names)
  const seen = Result.isSuccess(wholeRun) ? compareAll(parts, run, wholeRun.success, meant) : undefined
  const before = seen?.differences.filter(({ node }) => !behind.has(node)) ?? []
  if (seen !== undefined && before.length === 0) return { ...(yield* readable(seen, parts)), on, tried }
  const isAlone = (node: JsonObject) => !changed.has(nameOf(node)) || isMocked(node)
  const alone = yield* replay({ ...base, isMocked: isAlone })
  const exits = tried.map(({ exit, node }) => node ?? exit).filter((name) => name !== undefined)
  const compared = compareAll(parts, run, alone, exits)
  const why = Result.isFailure(wholeRun)
    ? wholeRun.failure.message
    : `${before[0]?.node} gives something else in every run`
  const notes = [...compared.notes, `only the rewritten nodes were tried: ${why}`]
  return { ...(yield* readable({ ...compared, notes }, parts)), on, tried }
})

/** The items of each input item as a run of its own: the node was called once for all items, and is now called for each. */
const forEach = (data: RunData, name: string): NodeOutput => {
  const items = runsOfNode(data, name).flatMap(({ outputs }) => outputs.flat())
  const sources = items.map((item) => pairsOf(item)[0]?.item ?? 0)
  const count = Math.max(-1, ...sources) + 1
  return {
    runs: Array.from({ length: count }, (_, source) =>
      items.filter((_item, place) => sources[place] === source).map(jsonOf)
    )
  }
}

/** An item as newer schedules give it out, which old triggers did not. */
const momentOfSchedule = { timestamp: "2026-01-01T00:00:00.000+00:00", Hour: "00" }

/** The comparison, where the files of all rewritten nodes could be read. */
const readable = (compared: ComparedRun, parts: ReadonlyArray<RewrittenPart>) => {
  const rewritten = compared.unread.find((name) => parts.some(({ node }) => node === name))
  return rewritten === undefined || compared.differences.length > 0
    ? Effect.succeed(compared)
    : Effect.fail(new NotReplayed({ message: `the files that ${rewritten} gives out are kept beside the run` }))
}

/** Nodes that the main wires lead to from these on, themselves among them. */
const reachedFrom = (workflow: Workflow, names: ReadonlyArray<string>): ReadonlySet<string> => {
  const { leaving } = flowOf(workflow)
  const reached = new Set(names)
  for (const name of reached) for (const { target } of leaving.get(name) ?? []) reached.add(target)
  return reached
}

/** Compares the nodes that are meant, and those that a rewrite changes though they do not run in a copy as they did. */
const compareAll = (
  parts: ReadonlyArray<RewrittenPart>,
  run: RecordedRun,
  after: RunData,
  meant: ReadonlyArray<string>
): ComparedRun => {
  const always = parts.flatMap(({ emits, node, rule }) =>
    emits !== undefined || rule === "U3-each" ? (node ?? []) : []
  )
  const names = [...new Set(run.data.runs.map(({ node }) => node))].filter((name) =>
    [...meant, ...always].includes(name)
  )
  return compareRun(run, after, names, (name, before) => {
    const part = parts.find(({ node }) => node === name)
    if (part === undefined) return {}
    const { conditions, emits, entry, exit, rule } = part
    return {
      isSet: conditions.some((one) => one.includes("as a set")),
      isPaired: emits === undefined,
      ...(rule === "U3-each" ? { after: lastOf(after, exit ?? name) } : {}),
      // A trigger does not run in a copy: what its successor always gives stands for it.
      ...(emits !== undefined && exit === entry ? { after: emitted(before, emits) } : {})
    }
  })
}

/** The last round of a loop: what leaves it by its first output. */
const lastOf = (data: RunData, name: string) =>
  runsOfNode(data, name)
    .slice(-1)
    .map((run) => ({ ...run, outputs: run.outputs.slice(0, 1) }))

const emitted = (before: ReadonlyArray<NodeRun>, emits: ReadonlyArray<JsonObject>): ReadonlyArray<NodeRun> =>
  before.map((run) => ({ ...run, outputs: [emits.map((json) => ({ json }))] }))
