import { Effect, Result } from "effect"

import { type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { parser } from "../../nodes/check/checkWorkflow.ts"
import { jsonOf, type NodeRun, type RunData } from "../../operator/explain/runData.ts"
import { comparedNames, type ComparedRun, compareRun, pairsOf, runsOfNode } from "../../operator/proof/compare.ts"
import { NotReplayed, replay } from "../../operator/proof/replay.ts"
import { nodesToMock } from "../../operator/run/sideEffects.ts"
import { type NodeOutput, recordedOutputOf } from "../../operator/tests/NodeOutput.ts"
import type { RecordedRun } from "../../operator/tests/testFromExecution.ts"
import type { RewrittenPart } from "../../upgrade/rewrites/rewrites.ts"
import { flowOf } from "../../workflow/flow.ts"
import { nameOf, type Workflow } from "../../workflow/models.ts"
import { kindOf } from "../../workflow/triggers.ts"

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

/** A repeated run, compared with its record. */
interface Repeated extends Pick<ComparedRun, "differences" | "notes"> {
  /** The rewritten parts that really ran. */
  readonly tried: ReadonlyArray<RewrittenPart>
  readonly on: string
}

/**
 * Repeats a run: the whole workflow, with what acts outside mocked. Where nodes that the rewrite does not reach differ, or the
 * whole cannot be run, the rewritten nodes alone, with all others mocked.
 */
export const repeated = Effect.fnUntraced(function* (
  given: ToProve,
  run: RecordedRun,
  reached: ReadonlyArray<RewrittenPart>
): Effect.fn.Return<Repeated, NotReplayed, EngineClient> {
  const { after, mayBeMade, parts } = given
  const { instance: on } = yield* EngineClient
  const start = parts.find(({ entry, node }) => node === run.start && entry !== undefined)?.entry ?? run.start
  const changed = new Set(parts.flatMap(endsOf))
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
  if (seen !== undefined) {
    // In engines of 1.x, code may change the items of the nodes before it.
    const rest = yield* replay({ ...base, isMocked: (node) => changed.has(nameOf(node)) || isMocked(node) })
    const inEveryRun = new Set(compareAll(parts, run, rest, meant).differences.map(({ node }) => node))
    const caused = before.filter(({ node }) => !inEveryRun.has(node))
    if (caused.length > 0) return { ...seen, differences: caused, on, tried }
  }
  const isAlone = (node: JsonObject) => !changed.has(nameOf(node)) || isMocked(node)
  const aloneRun = yield* Effect.result(replay({ ...base, isMocked: isAlone }))
  if (Result.isFailure(aloneRun)) {
    const failures = [aloneRun.failure, ...(Result.isFailure(wholeRun) ? [wholeRun.failure] : [])]
    const { error, node } = failures.find((one) => changed.has(one.node ?? "")) ?? {}
    if (node === undefined) return yield* failures.find(({ hasEnded }) => hasEnded) ?? aloneRun.failure
    return { differences: [{ node, path: "error", got: error }], notes: [], on, tried }
  }
  const exits = tried.map(({ exit, node }) => node ?? exit).filter((name) => name !== undefined)
  const compared = compareAll(parts, run, aloneRun.success, exits)
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
export const reachedFrom = (workflow: Workflow, names: ReadonlyArray<string>): ReadonlySet<string> => {
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

/** The last round of a loop over single items: what leaves it by its first output, with the item of which each round was. */
const lastOf = (data: RunData, name: string) =>
  runsOfNode(data, name)
    .slice(-1)
    .map((run) => ({ ...run, outputs: run.outputs.slice(0, 1).map((items) => items.map(withRound)) }))

const withRound = (item: unknown): unknown => {
  const { sourceOverwrite } = objectOf(objectOf(item).pairedItem)
  return sourceOverwrite === undefined
    ? item
    : { ...objectOf(item), pairedItem: { item: objectOf(sourceOverwrite).previousNodeRun ?? 0 } }
}

const emitted = (before: ReadonlyArray<NodeRun>, emits: ReadonlyArray<JsonObject>): ReadonlyArray<NodeRun> =>
  before.map((run) => ({ ...run, outputs: [emits.map((json) => ({ json }))] }))

/** The first and the last of the nodes that stand for a rewritten one. */
export const endsOf = ({ entry, exit }: RewrittenPart): ReadonlyArray<string> =>
  [entry, exit].filter((name) => name !== undefined)
