import { Array as Arrays, Predicate } from "effect"

import { isJsonObject, type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import type { Workflow } from "../../workflow/models.ts"
import { type Path, parsePath } from "../../workflow/valuePaths.ts"
import { edgesOf } from "../../workflow/wires.ts"
import { messageOf } from "../explain/failure.ts"
import { byNode, jsonOf, type NodeRun, type RunData } from "../explain/runData.ts"
import type { Run } from "../run/mocks.ts"
import { type Difference, differencesOf, differingValues } from "../tests/Difference.ts"
import { matchesPattern, parsePattern } from "../tests/PathPattern.ts"
import type { RecordedRun } from "../tests/testFromExecution.ts"
import { volatileIn, withoutStamps } from "../tests/volatileFields.ts"

/** The rules by which outputs of a node are compared. */
export interface Comparison {
  /** Fields that hold times or random values of the recorded run: they may be others of the same type. */
  readonly volatile: ReadonlyArray<Path>
  /** Whether the order of items is left to chance. */
  readonly isSet: boolean
  /** Whether the input items that an item comes from are compared: a trigger has none. */
  readonly isPaired: boolean
}

/** The outcome for one node. */
export interface Compared {
  readonly differences: ReadonlyArray<Difference>
  /** Fields that only differ in times or random values. */
  readonly volatile: ReadonlyArray<string>
  /** Whether fields only stand in another order. */
  readonly isReordered: boolean
  /** Whether files are kept beside the runs, so that their content is not known. */
  readonly hasUnreadFiles: boolean
}

/**
 * Compares what a node gave out, run by run, with what it gives out now: its JSON, its files, what its items come from, and the errors
 * after which it went on.
 */
export const compareOutputs = (
  before: ReadonlyArray<NodeRun>,
  after: ReadonlyArray<NodeRun>,
  { isPaired, isSet, volatile }: Comparison
): Compared => {
  const inOrder = (run: NodeRun) => (isSet ? sortedRun(outputsOf(run)) : outputsOf(run))
  const [old, now] = [before.map(inOrder), after.map(inOrder)]
  const json = differencesOf(old.map(jsonOfRun), now.map(jsonOfRun), [])
  const isVolatile = ({ expected, got, path }: Difference) =>
    typeof expected === typeof got &&
    Predicate.isNotNullish(expected) &&
    Predicate.isNotNullish(got) &&
    (typeof expected !== "string" || typeof got !== "string" || withoutStamps(expected) === withoutStamps(got)) &&
    pathOf(path) !== undefined &&
    volatile.some((pattern) => matchesPattern(pathOf(path) ?? [], pattern))
  const [changing, real] = [json.filter(isVolatile), json.filter((one) => !isVolatile(one))]
  const beside = json.some(({ of }) => of !== undefined)
    ? []
    : [...besideJson(old, now, isPaired && !isSet), ...otherErrors(before, after)]
  const all = [...real, ...beside]
  return {
    differences: all,
    volatile: [...new Set(changing.flatMap(({ path }) => (path === undefined ? [] : [path])))],
    isReordered: all.length === 0 && changing.length === 0 && textOf(old) !== textOf(now),
    hasUnreadFiles: [...old, ...now].flat(2).some(isKeptElsewhere)
  }
}

type Outputs = ReadonlyArray<ReadonlyArray<unknown>>

/** Not all engines list empty outputs at the end. */
const outputsOf = ({ outputs }: NodeRun): Outputs =>
  outputs.slice(0, outputs.findLastIndex((items) => items.length > 0) + 1)

const jsonOfRun = (outputs: Outputs): Run => outputs.map((items) => items.map(jsonOf))

const sortedRun = (outputs: Outputs): Outputs =>
  outputs.map((items) => items.toSorted((a, b) => (JSON.stringify(jsonOf(a)) < JSON.stringify(jsonOf(b)) ? -1 : 1)))

const pathOf = (path: string | undefined): Path | undefined => {
  const read = path === undefined || path === "" ? undefined : parsePath(path)
  return read?._tag === "Success" ? read.success : undefined
}

const textOf = (runs: ReadonlyArray<Outputs>) => JSON.stringify(runs.map(jsonOfRun))

/** The differences beside the JSON, of as many runs and items on both sides. */
const besideJson = (
  before: ReadonlyArray<Outputs>,
  after: ReadonlyArray<Outputs>,
  isPaired: boolean
): ReadonlyArray<Difference> =>
  before.flatMap((outputs, run) =>
    outputs.flatMap((items, output) =>
      items.flatMap((item, index) => {
        const other = after[run]?.[output]?.[index]
        const place = {
          ...(before.length > 1 ? { run } : {}),
          ...(outputs.length > 1 ? { output } : {}),
          item: index
        }
        const [pairs, otherPairs] = [pairsOf(item), pairsOf(other)]
        const isPairedAlike = !isPaired || JSON.stringify(pairs) === JSON.stringify(otherPairs)
        return [
          ...(isPairedAlike ? [] : [{ ...place, path: "pairedItem", expected: pairs, got: otherPairs }]),
          ...differingValues(filesOf(item), filesOf(other), []).map((one) => ({
            ...place,
            ...one,
            path: `binary.${one.path}`
          }))
        ]
      })
    )
  )

/** The runs of a node that went on after an error on one side alone: a node that fails as a whole gives its input out again. */
const otherErrors = (before: ReadonlyArray<NodeRun>, after: ReadonlyArray<NodeRun>): ReadonlyArray<Difference> =>
  before.flatMap(({ error }, run) => {
    const other = after[run]?.error
    if ((error === undefined) === (other === undefined)) return []
    const [expected, got] = [error, other].map((one) => one && messageOf(one))
    return [{ ...(before.length > 1 ? { run } : {}), path: "error", expected, got }]
  })

/** The files of an item, without the ids under which they are kept. */
const filesOf = (item: unknown): JsonObject =>
  Object.fromEntries(
    Object.entries(objectOf(objectOf(item).binary)).map(([name, file]) => {
      const { data, fileExtension, fileName, fileSize, id, mimeType } = objectOf(file)
      return [name, { fileExtension, fileName, fileSize, mimeType, ...(id === undefined ? { data } : {}) }]
    })
  )

const isKeptElsewhere = (item: unknown): boolean =>
  isJsonObject(item) && Object.values(objectOf(item.binary)).some((file) => objectOf(file).id !== undefined)

interface Pair {
  readonly item: number
  readonly input: number
}

/** The input items that an item comes from. */
export const pairsOf = (item: unknown): ReadonlyArray<Pair> => {
  const { pairedItem } = objectOf(item)
  const all: ReadonlyArray<unknown> = Array.isArray(pairedItem)
    ? pairedItem
    : pairedItem === undefined
      ? []
      : [pairedItem]
  return all.map((one) => {
    const { input = 0, item: index = one } = objectOf(one)
    return { item: Number(index), input: Number(input) }
  })
}

/** The runs of a node, in their order. */
export const runsOfNode = ({ runs }: RunData, name: string): ReadonlyArray<NodeRun> =>
  runs.filter(({ node }) => node === name)

/** A difference between what was recorded and what a changed workflow gives. */
export interface NodeDifference extends Difference {
  readonly node: string
}

/** The comparison of a repeated run with its record. */
export interface ComparedRun {
  readonly differences: ReadonlyArray<NodeDifference>
  /** Sentences about what differs in every run. */
  readonly notes: ReadonlyArray<string>
  /** Nodes whose files cannot be compared. */
  readonly unread: ReadonlyArray<string>
}

/** Replacements for the recorded type of a node, or for its runs, in its comparison. */
type Exception = Partial<Omit<Comparison, "volatile"> & { readonly after: ReadonlyArray<NodeRun> }>

/** Compares what nodes gave in a recorded run with what they give in the repeated one, item by item. */
export const compareRun = (
  { data, execution, start }: RecordedRun,
  repeated: RunData,
  names: ReadonlyArray<string>,
  exceptionOf: (name: string, before: ReadonlyArray<NodeRun>) => Exception = () => ({})
): ComparedRun => {
  const given = data.runs.filter(({ node }) => node === start || !names.includes(node)).map(({ outputs }) => outputs)
  const volatile = volatileIn(execution, data, names, given)
  const rows = names.map((name) => {
    const before = runsOfNode(data, name)
    const { after = runsOfNode(repeated, name), isPaired = true, isSet = false } = exceptionOf(name, before)
    const patterns = Arrays.getSuccesses((volatile.get(name) ?? []).map(parsePattern))
    return { name, ...compareOutputs(before, after, { isPaired, isSet, volatile: patterns }) }
  })
  return {
    differences: rows.flatMap(({ differences, name }) => differences.map((one) => ({ node: name, ...one }))),
    notes: rows.flatMap((one) => [
      ...(one.isReordered ? [`${one.name}: fields in another order`] : []),
      ...(one.volatile.length === 0
        ? []
        : [`${one.name}: times or random values differ (${one.volatile.slice(0, 3).join(", ")})`])
    ]),
    unread: rows.flatMap((one) => (one.hasUnreadFiles ? [one.name] : []))
  }
}

/** Nodes that a repeated run is to give the recorded outputs of: those that ran, but for the trigger, mocked ones and parts of agents. */
export const comparedNames = (
  { data, start }: RecordedRun,
  { connections }: Workflow,
  mocked: ReadonlySet<string>
): ReadonlyArray<string> => {
  const parts = new Set(edgesOf(connections).flatMap(({ source, type }) => (type === "main" ? [] : [source])))
  return [...byNode(data).keys()].filter((name) => name !== start && !mocked.has(name) && !parts.has(name))
}
