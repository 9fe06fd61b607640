import { Duration, Effect, Result } from "effect"

import { digest } from "../../../internal/json/digest.ts"
import { type JsonObject, objectOf, objectsOf } from "../../../internal/schema/JsonObject.ts"
import { Progress } from "../../../mcp/callContext.ts"
import { remaining } from "../../client/Deadline.ts"
import { jsonOf, type RunData } from "../../operator/explain/runData.ts"
import { comparedNames, compareRun, type NodeDifference, runsOfNode } from "../../operator/proof/compare.ts"
import { recordedRuns } from "../../operator/proof/recordedRuns.ts"
import { NotReplayed, replay } from "../../operator/proof/replay.ts"
import type { NodesToMock } from "../../operator/run/sideEffects.ts"
import type { RecordedRun } from "../../operator/tests/testFromExecution.ts"
import { problemText } from "../../operator/tests/testReport.ts"
import { type Execution, nameOf, type Workflow } from "../../workflow/models.ts"
import { kindOf } from "../../workflow/triggers.ts"
import { edgesOf } from "../../workflow/wires.ts"
import { replayedPart } from "./failedRun.ts"

/** The time that a run needs at least, and runs at the same time. */
const least = Duration.seconds(12)
const atOnce = 3

/** Successes to compare with, and sentences about others. */
export interface Successes {
  readonly runs: ReadonlyArray<RecordedRun>
  readonly notes: ReadonlyArray<string>
}

/** The last successes of the same nodes and connections. */
export const successesOf = Effect.fnUntraced(function* (failed: Execution, workflow: Workflow, most: number) {
  const families = new Set([workflow, objectOf(failed.workflowData)].map(familyOf))
  const { runs, unfit, unwanted } = yield* recordedRuns(workflow.id, {
    most,
    isDistinct: false,
    isWanted: ({ execution }) => families.has(familyOf(objectOf(execution.workflowData)))
  })
  const none =
    most === 0
      ? "No success was compared, as against is 0"
      : "No success of these nodes and connections is on record: nothing shows what else changes"
  const notes = [
    ...(runs.length === 0 ? [none] : []),
    ...(unwanted === 0 ? [] : [`${unwanted} successes ran other nodes or connections, and are not compared`]),
    ...(unfit.length === 0 ? [] : [`${unfit.length} successes cannot be run again: ${unfit[0]}`])
  ]
  return { runs, notes } satisfies Successes
})

/** A digest of the nodes and connections of a workflow, whatever their parameters: its version family. */
const familyOf = ({ connections, nodes }: JsonObject): string => {
  const names = objectsOf(nodes)
    .filter((node) => kindOf(node) !== "stickyNote")
    .map((node) => `${nameOf(node)} ${kindOf(node)}`)
  return digest([
    names.toSorted(),
    edgesOf(objectOf(connections))
      .map((edge) => JSON.stringify(edge))
      .toSorted()
  ])
}

interface Comparing {
  readonly fixed: Workflow
  readonly changed: ReadonlySet<string>
  readonly successes: ReadonlyArray<RecordedRun>
}

/** Runs successes again with the fix, and compares what every node gives, item by item. */
export const compare = Effect.fnUntraced(function* ({ changed, fixed, successes }: Comparing) {
  const progress = yield* Progress
  let done = 0
  const rows = yield* Effect.forEach(
    successes,
    (run) =>
      Effect.gen(function* () {
        if (Duration.isLessThan(yield* remaining(least), least)) return { _tag: "Left" } as const
        const repeated = yield* Effect.result(comparedSuccess(run, fixed, changed))
        yield* progress({ progress: ++done, total: successes.length, message: `execution ${run.execution.id}` })
        const differs = (text: string, notes: ReadonlyArray<string>) =>
          ({ _tag: "Differs", text: `execution ${run.execution.id}: ${text}`, notes }) as const
        if (Result.isFailure(repeated)) {
          const { hasEnded = false, message } = repeated.failure
          return hasEnded ? differs(message, []) : ({ _tag: "Unfit", why: message } as const)
        }
        const { first, isReached, notes } = repeated.success
        return first === undefined ? ({ _tag: "Equal", isReached, notes } as const) : differs(problemText(first), notes)
      }),
    { concurrency: atOnce }
  )
  const equal = rows.filter((row) => row._tag === "Equal")
  const differing = rows.filter((row) => row._tag === "Differs")
  const unfit = rows.filter((row) => row._tag === "Unfit")
  const left = rows.filter(({ _tag }) => _tag === "Left").length
  const untouched = equal.filter((row) => !row.isReached).length
  return {
    text:
      `${equal.length} equal, ${differing.length} differ` +
      (untouched === 0 ? "" : ` (${untouched} of the equal ones did not reach what is changed, and prove nothing)`) +
      (unfit.length === 0 ? "" : `, ${unfit.length} not comparable`) +
      (left === 0 ? "" : `, ${left} not tried for want of time`),
    first: differing[0]?.text,
    notes: [
      ...new Set([
        ...unfit.map(({ why }) => `A success cannot be run again: ${why}`),
        ...rows.flatMap((row) => ("notes" in row ? row.notes : []))
      ])
    ]
  }
})

/** A success that the fixed workflow repeats, compared with its record. */
const comparedSuccess = Effect.fnUntraced(function* (run: RecordedRun, fixed: Workflow, changed: ReadonlySet<string>) {
  const part = yield* Effect.mapError(replayedPart(run, fixed), (message) => new NotReplayed({ message }))
  const mocked = new Set(part.names)
  const after = yield* replay({ run, workflow: fixed, start: run.start, isMocked: (node) => mocked.has(nameOf(node)) })
  const there = new Set(fixed.nodes.map(nameOf))
  const names = comparedNames(run, fixed, mocked)
  const gone = names.filter((name) => !there.has(name))
  const compared = compareRun(
    run,
    after,
    names.filter((name) => there.has(name))
  )
  return {
    first: [...compared.differences, ...ranOtherwise(part, run.data, after)][0],
    isReached: isReached(after, new Set([...changed].filter((name) => !mocked.has(name)))),
    notes: [
      ...compared.notes,
      ...compared.unread.map((name) => `The files that ${name} gives out are kept beside the run, and not compared`),
      ...(gone.length === 0 ? [] : [`${gone.join(", ")} ran then and is gone now`])
    ]
  }
})

/** Nodes that were there before and that ran only in one of the two runs, and whose outputs are not compared. */
const ranOtherwise = ({ names, part }: NodesToMock, before: RunData, after: RunData): ReadonlyArray<NodeDifference> =>
  part.nodes
    .map(nameOf)
    .filter((name) => before.nodes.some((node) => nameOf(node) === name))
    .flatMap((name) => {
      const [expected, got] = [before, after].map((data) => runsOfNode(data, name).length)
      if (expected === undefined || got === undefined || name === part.start) return []
      const isOther = names.includes(name) ? expected > 0 !== got > 0 : expected === 0 && got > 0
      return isOther ? [{ node: name, of: "runs", expected, got }] : []
    })

/** Whether one of these nodes got items in a run: one that nothing reached proves nothing. */
const isReached = (data: RunData, names: ReadonlySet<string>): boolean =>
  data.runs.some(
    ({ node, outputs, whole }) => names.has(node) && (whole.error !== undefined || outputs.flat().some(jsonOf))
  )
