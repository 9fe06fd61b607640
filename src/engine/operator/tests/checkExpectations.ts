import { Array as Arrays } from "effect"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { type Path, pathText } from "../../workflow/valuePaths.ts"
import { failureOf, wordsOf } from "../explain/failure.ts"
import { byNode, jsonOf, type NodeRun, type RunData } from "../explain/runData.ts"
import type { Run } from "../run/mocks.ts"
import type { TemporaryCopy } from "../run/temporaryCopy.ts"
import { type Difference, differencesOf, differingValues } from "./Difference.ts"
import { runsOf } from "./NodeOutput.ts"
import { parsePattern, valuesAt } from "./PathPattern.ts"
import { misfits } from "./shape.ts"
import type { Expectation, TestFile } from "./TestFile.ts"

/** Something that is not as the test expects. */
export interface Problem extends Difference {
  /** Undefined if it concerns the run as a whole. */
  readonly node?: string
  /** The event, where no value is compared. */
  readonly what?: string
}

/** The outcome of a run, as far as a test checks it. */
interface RunOutcome {
  readonly data: RunData
  readonly status: string
  readonly copy: Pick<TemporaryCopy, "helpers">
}

/** Everything about a run that is not as expected, in the order of the run. */
export const checkExpectations = (test: TestFile, { data, status, copy }: RunOutcome): ReadonlyArray<Problem> => {
  const runs = new Map([...byNode(data)].filter(([node]) => !copy.helpers.has(node)))
  const order = new Map([...runs.keys()].map((node, index) => [node, index]))
  const failure = failureOf(data)
  const failed = status === "error" ? failure?.at?.node : undefined
  const general = pathsOf(test.ignore)

  const end = failed === undefined ? -1 : (order.get(failed) ?? -1)
  let reached = -1
  const ofNodes = Object.entries(test.expect).flatMap(([node, expectation]) => {
    const place = order.get(node)
    // A node that did not run comes after those that ran before it in the recording, and after the one that failed.
    reached = Math.max(reached, place ?? reached)
    const problems = node === failed ? [] : problemsOf(expectation, runs.get(node), general)
    return problems.map((problem) => ({ problem: { node, ...problem }, at: place ?? Math.max(reached, end) + 0.5 }))
  })
  const ofRun = endOf(test, status, data).map((problem) => ({
    problem,
    at: problem.node === undefined ? Infinity : (order.get(problem.node) ?? Infinity)
  }))
  return [...ofRun, ...ofNodes].toSorted((a, b) => a.at - b.at).map(({ problem }) => problem)
}

/** Problems with the end of the run. */
const endOf = (
  { failsAt, status: wanted, timeout }: TestFile,
  status: string,
  data: RunData
): ReadonlyArray<Problem> => {
  const failure = failureOf(data)
  const at = failure?.at?.node ?? data.lastNode
  if (status === wanted && (status === "success" || failsAt === undefined || failsAt === at)) return []
  const node = at === undefined ? {} : { node: at }
  if (status === "error") {
    const message = failure === undefined ? "no error is on record" : String(wordsOf(failure.error, 300).message)
    return [{ ...node, what: `failed: ${message}${failsAt === undefined ? "" : ` (and was to fail at ${failsAt})`}` }]
  }
  if (status === "canceled") return [{ ...node, what: `had not ended after ${timeout} s` }]
  if (status === "waiting") return [{ ...node, what: "waits: mock it, or what it waits for never comes" }]
  return wanted === "error"
    ? [{ what: "the run was expected to fail, and did not" }]
    : [{ ...node, what: `ended as ${status}` }]
}

const problemsOf = (
  { exact, ignore = [], items, ran, shape, values }: Expectation,
  nodeRuns: ReadonlyArray<NodeRun> | undefined,
  general: ReadonlyArray<Path>
): ReadonlyArray<Omit<Problem, "node">> => {
  if (ran === false) return nodeRuns === undefined ? [] : [{ what: "ran, and was not expected to" }]
  if (nodeRuns === undefined) {
    const isNothing = exact !== undefined && runsOf(exact).length === 0
    return isNothing ? [] : [{ what: "did not run" }]
  }
  const got = nodeRuns.map((run): Run => run.outputs.map((list) => list.map(jsonOf)))
  const all = got.flat(2)
  const ignored = [...general, ...pathsOf(ignore)]
  return [
    ...(exact === undefined ? [] : differencesOf(runsOf(exact).map(trimmed), got.map(trimmed), ignored)),
    ...(items === undefined || items === all.length
      ? []
      : [{ of: "items", expected: items, got: all.length } as const]),
    ...(shape === undefined
      ? []
      : all.flatMap((item, index) => misfits(shape, item, ignored).map((one) => ({ item: index, ...one })))),
    ...Object.entries(values ?? {}).flatMap(([path, value]) => valueProblems(path, value, all))
  ]
}

/** Drops empty outputs at the end, which not all engines list. */
const trimmed = (run: Run): Run => run.slice(0, run.findLastIndex((items) => items.length > 0) + 1)

/** Parses paths; those of a test file were checked when it was read. */
const pathsOf = (texts: ReadonlyArray<string>): ReadonlyArray<Path> => Arrays.getSuccesses(texts.map(parsePattern))

/** A path that does not begin with an item applies to every item. */
const valueProblems = (
  text: string,
  expected: unknown,
  items: ReadonlyArray<JsonObject>
): ReadonlyArray<Difference> => {
  const [path = []] = pathsOf([text])
  const [first] = path
  const values = valuesAt(items, typeof first === "number" || first === "*" ? path : ["*", ...path])
  if (values.length === 0) return [{ path: text, expected }]
  return values.flatMap(({ place: [item, ...rest], value }) =>
    differingValues(expected, value, []).map((one) => ({
      ...one,
      ...(typeof item === "number" ? { item } : {}),
      path: [pathText(rest), one.path].filter((part) => part !== "").join(".")
    }))
  )
}
