import { Clock, Effect, Result } from "effect"

import { isSameJson } from "../../../internal/json/digest.ts"
import { isJsonObject, type JsonObject } from "../../../internal/schema/JsonObject.ts"
import { maskSecrets } from "../../../internal/secrets/maskSecrets.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { parser } from "../../nodes/check/checkWorkflow.ts"
import { inputOf, jsonOf, nodeNamed, type RunData } from "../../operator/explain/runData.ts"
import { compareOutputs } from "../../operator/proof/compare.ts"
import { type RecordedRun, recordedRuns, wasRecorded } from "../../operator/proof/recordedRuns.ts"
import { NotReplayed, type Replay, replay, runsOfNode } from "../../operator/proof/replay.ts"
import { nodesToMock } from "../../operator/run/sideEffects.ts"
import { parsePattern } from "../../operator/tests/PathPattern.ts"
import { volatilePaths } from "../../operator/tests/volatileFields.ts"
import type { RewrittenPart } from "../../upgrade/rewrites/rewrites.ts"
import { flowOf } from "../../workflow/flow.ts"
import { frozenNodes } from "../../workflow/frozenTypes.ts"
import { nameOf, type Workflow } from "../../workflow/models.ts"
import { kindOf } from "../../workflow/triggers.ts"
import type { Path } from "../../workflow/valuePaths.ts"
import { comparedTimes } from "./times.ts"
import type { NodeDifference, Verdict } from "./Verdict.ts"

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
    recordedRuns(before.id, mostRuns, (data) => parts.some((part) => isOfPresent(part, data, before)))
  )
  if (Result.isFailure(read)) return unproven(parts, open, [read.failure.message])
  const covered = new Set<RewrittenPart>()
  const problems = new Set<string>()
  const notes = new Set<string>(clocked)
  const on = new Set<string>()
  let [runs, items] = [0, 0]
  for (const run of read.success) {
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
    const there = yield* Effect.result(
      Effect.provideService(repeated({ ...given, mayBeMade, clean: masking }, run, reached), EngineClient, target)
    )
    if (Result.isFailure(there)) notes.add(`not on ${target.instance}: ${there.failure.message}`)
    else if (there.success.differences[0] !== undefined) {
      return { _tag: "different", on: target.instance, difference: there.success.differences[0] }
    } else on.add(target.instance)
  }
  const unseen = open.filter((part) => !covered.has(part))
  if (unseen.length > 0) return unproven(parts, unseen, [...problems])
  if (covered.size === 0 && clocked.length === 0) return unproven(parts, open, [...problems])
  return { _tag: "proved", runs, items, on: [...on], notes: [...notes] }
})

const masking = (value: JsonObject): JsonObject => {
  const clean = maskSecrets(value)
  return isJsonObject(clean) ? clean : value
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

interface Repeated {
  /** The rewritten parts that really ran. */
  readonly tried: ReadonlyArray<RewrittenPart>
  readonly differences: ReadonlyArray<NodeDifference>
  readonly notes: ReadonlyArray<string>
  readonly on: string
}

/**
 * Repeats a run: the whole workflow, with what acts outside mocked. Where nodes that the rewrite does not reach differ, or the
 * whole cannot be run, the rewritten nodes alone, with all others mocked.
 */
const repeated = Effect.fnUntraced(function* (
  given: ToProve & Pick<Replay, "clean">,
  run: RecordedRun,
  reached: ReadonlyArray<RewrittenPart>
): Effect.fn.Return<Repeated, NotReplayed, EngineClient> {
  const { after, mayBeMade, parts } = given
  const { instance: on } = yield* EngineClient
  const start = parts.find(({ entry, node }) => node === run.start && entry !== undefined)?.entry ?? run.start
  const changed = new Set(parts.flatMap(({ entry, exit }) => [entry, exit]))
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
  const items = start === run.start ? undefined : [momentOfSchedule]
  const base = {
    workflow: after,
    start,
    calledForEach,
    items,
    ...(given.clean === undefined ? {} : { clean: given.clean })
  }
  const isMocked = (node: JsonObject) =>
    names.has(nameOf(node)) ||
    !mayBeMade(node) ||
    (calledForEach.has(nameOf(node)) && kindOf(node) === "executeWorkflow")
  const behind = reachedFrom(
    after,
    [...changed].filter((name) => name !== undefined)
  )
  const wholeRun = yield* Effect.result(replay(run, { ...base, isMocked }))
  const seen = Result.isSuccess(wholeRun)
    ? compareAll(given, run, wholeRun.success, (name) => name !== run.start && !names.has(name))
    : undefined
  const before = seen?.differences.filter(({ node }) => !behind.has(node)) ?? []
  if (seen !== undefined && before.length === 0) return yield* readable(seen, { on, tried })
  const isAlone = (node: JsonObject) => !changed.has(nameOf(node)) || isMocked(node)
  const alone = yield* replay(run, { ...base, isMocked: isAlone })
  const exits = new Set(tried.map(({ exit, node }) => node ?? exit))
  const compared = compareAll(given, run, alone, (name) => exits.has(name))
  const why = Result.isFailure(wholeRun)
    ? wholeRun.failure.message
    : `${before[0]?.node} gives something else in every run`
  const notes = [...compared.notes, `only the rewritten nodes were tried: ${why}`]
  return yield* readable({ ...compared, notes }, { on, tried })
})

/** An item as newer schedules give it out, which old triggers did not. */
const momentOfSchedule = { timestamp: "2026-01-01T00:00:00.000+00:00", Hour: "00" }

/** The comparison, where all that it is about could be read. */
const readable = ({ unread, ...compared }: ComparedRun, about: Pick<Repeated, "on" | "tried">) =>
  unread === undefined || compared.differences.length > 0
    ? Effect.succeed<Repeated>({ ...compared, ...about })
    : Effect.fail(new NotReplayed({ message: `the files that ${unread} gives out are kept beside the run` }))

/** Nodes that the main wires lead to from these on, themselves among them. */
const reachedFrom = (workflow: Workflow, names: ReadonlyArray<string>): ReadonlySet<string> => {
  const { leaving } = flowOf(workflow)
  const reached = new Set(names)
  for (const name of reached) for (const { target } of leaving.get(name) ?? []) reached.add(target)
  return reached
}

interface ComparedRun extends Omit<Repeated, "on" | "tried"> {
  /** A rewritten node whose files cannot be compared. */
  readonly unread: string | undefined
}

/** Compares all nodes that were recorded and are meant. */
const compareAll = (
  { parts, before }: ToProve,
  { data, execution, start }: RecordedRun,
  after: RunData,
  isMeant: (name: string) => boolean
): ComparedRun => {
  const names = [...new Set(data.runs.map(({ node }) => node))].filter(
    (name) =>
      isMeant(name) ||
      parts.some(({ emits, node, rule }) => node === name && (emits !== undefined || rule === "U3-each"))
  )
  const volatile = volatileOf(execution, data, before, names, start)
  const rows = names.map((name) => {
    const part = parts.find(({ node }) => node === name)
    const old = runsOfNode(data, name)
    if (part?.emits !== undefined && part.exit === part.entry) return { name, ...ofTrigger(old, part.emits) }
    const now = part?.rule === "U3-each" ? lastOf(after, part.exit ?? name) : runsOfNode(after, name)
    return {
      name,
      ...compareOutputs(old, now, {
        volatile: volatile.get(name) ?? [],
        isSet: part?.conditions.some((one) => one.includes("as a set")) === true,
        isPaired: part?.emits === undefined
      })
    }
  })
  const [reordered, changing] = [rows.filter((one) => one.isReordered), rows.filter((one) => one.volatile.length > 0)]
  const unread = rows.find((one) => one.hasUnreadFiles && parts.some(({ node }) => node === one.name))
  return {
    differences: rows.flatMap(({ differences, name }) => differences.map((one) => ({ node: name, ...one }))),
    notes: [
      ...reordered.map(({ name }) => `${name}: fields in another order`),
      ...changing.map((one) => `${one.name}: times or random values differ (${one.volatile.slice(0, 3).join(", ")})`)
    ],
    unread: unread?.name
  }
}

/** The last round of a loop: what leaves it by its first output. */
const lastOf = (data: RunData, name: string) =>
  runsOfNode(data, name)
    .slice(-1)
    .map((run) => ({ ...run, outputs: run.outputs.slice(0, 1) }))

/** Whether a trigger gave out what its successor always gives out. */
const ofTrigger = (old: ReturnType<typeof runsOfNode>, emits: ReadonlyArray<JsonObject>) => {
  const got = old.flatMap(({ outputs }) => outputs.flat().map(jsonOf))
  const isSame = isSameJson(got, emits)
  return {
    differences: isSame ? [] : [{ item: 0, path: "", expected: got[0], got: emits[0] }],
    volatile: [],
    isReordered: false,
    hasUnreadFiles: false
  }
}

/** Fields of each node that hold times, ids or random values of the recorded run. */
const volatileOf = (
  execution: RecordedRun["execution"],
  data: RunData,
  { id, name }: Workflow,
  names: ReadonlyArray<string>,
  start: string
): ReadonlyMap<string, ReadonlyArray<Path>> => {
  const itemsOf = (node: string) => runsOfNode(data, node).flatMap(({ outputs }) => outputs.flat().map(jsonOf))
  const moment = {
    from: Date.parse(String(execution.startedAt)),
    until: Date.parse(String(execution.stoppedAt)),
    identifiers: [String(execution.id), id, name]
  }
  const given = data.runs.filter(({ node }) => node === start || !names.includes(node)).map(({ node }) => itemsOf(node))
  const nodes = names.map((one) => ({ name: one, node: nodeNamed(data, one) ?? {}, items: itemsOf(one) }))
  return new Map(
    [...volatilePaths(nodes, given, moment)].map(([node, patterns]) => [
      node,
      patterns.flatMap((pattern) => {
        const read = parsePattern(pattern)
        return Result.isSuccess(read) ? [read.success] : []
      })
    ])
  )
}
