import { Duration, Effect, Option, Result } from "effect"

import { objectOf } from "../../../internal/schema/JsonObject.ts"
import { Progress } from "../../../mcp/callContext.ts"
import { remaining } from "../../client/Deadline.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { parser } from "../../nodes/check/checkWorkflow.ts"
import { runDataOf } from "../../operator/explain/runData.ts"
import { checkExpectations } from "../../operator/tests/checkExpectations.ts"
import { runForTest } from "../../operator/tests/runTest.ts"
import { problemText } from "../../operator/tests/testReport.ts"
import type { Execution, Workflow } from "../../workflow/models.ts"
import { familyOf, isReached, successTest } from "./proofTests.ts"

/** Seconds that one run may take, the time that it needs at least, and runs at the same time. */
export const runSeconds = 20
const least = Duration.seconds(12)
const atOnce = 3

/** Successes to compare with, and what is to be said of others. */
export interface Successes {
  readonly runs: ReadonlyArray<Execution>
  readonly notes: ReadonlyArray<string>
}

/** Successes that are listed to find those of the version family. */
const mostListed = 40

/** The last successes of the same nodes and connections, with their data. */
export const successesOf = Effect.fnUntraced(function* (failed: Execution, workflow: Workflow, most: number) {
  if (most === 0) return { runs: [], notes: ["No success was compared, as against is 0"] } satisfies Successes
  const engine = yield* EngineClient
  const { data } = yield* engine.listExecutions({ workflowId: workflow.id, status: "success", limit: mostListed })
  const families = new Set([workflow, objectOf(failed.workflowData)].map(familyOf))
  const runs: Array<Execution> = []
  let others = 0
  let unread = 0
  for (const { id } of data) {
    if (runs.length >= most || Duration.isLessThan(yield* remaining(least), least)) break
    const read = yield* Effect.option(engine.getExecution(id, true))
    if (Option.isNone(read) || runDataOf(read.value) === undefined) unread++
    else if (families.has(familyOf(objectOf(read.value.workflowData)))) runs.push(read.value)
    else others++
  }
  const notes = [
    ...(runs.length === 0
      ? ["No success of these nodes and connections is on record: nothing shows what else changes"]
      : []),
    ...(others === 0 ? [] : [`${others} successes ran other nodes or connections, and are not compared`]),
    ...(unread === 0 ? [] : [`${unread} successes have no data that can be read`])
  ]
  return { runs, notes } satisfies Successes
})

interface Comparing {
  readonly instance: string
  readonly fixed: Workflow
  readonly changed: ReadonlySet<string>
  readonly successes: ReadonlyArray<Execution>
}

/** Runs successes again with the fix, and compares what every node gives, item by item. */
export const compare = Effect.fnUntraced(function* ({ changed, fixed, instance, successes }: Comparing) {
  const progress = yield* Progress
  let done = 0
  const rows = yield* Effect.forEach(
    successes,
    (execution) =>
      Effect.gen(function* () {
        if (Duration.isLessThan(yield* remaining(least), least)) return { _tag: "Left" } as const
        const test = successTest({ instance, fixed, execution, parse: yield* parser })
        if (Result.isFailure(test)) return { _tag: "Unfit", why: test.failure } as const
        const ran = yield* runForTest({ ...test.success.test, timeout: runSeconds }, fixed)
        yield* progress({ progress: ++done, total: successes.length, message: `execution ${execution.id}` })
        if (ran._tag === "NotRun") return { _tag: "Unfit", why: ran.what } as const
        const [problem] = checkExpectations(test.success.test, ran)
        const { mocked, notes } = test.success
        const proving = new Set([...changed].filter((name) => !mocked.has(name)))
        return problem === undefined
          ? ({ _tag: "Equal", isReached: isReached(ran.data, proving), notes } as const)
          : ({ _tag: "Differs", text: `execution ${execution.id}: ${problemText(problem)}`, notes } as const)
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
