import { Effect, Result } from "effect"

import type { EngineClient } from "../../client/EngineClient.ts"
import { parser } from "../../nodes/check/checkWorkflow.ts"
import { firstLacking } from "../../operator/explain/inputFields.ts"
import type { RunData } from "../../operator/explain/runData.ts"
import { type FailedRun, failedRunOf } from "../../operator/explain/subRuns.ts"
import { replayTest } from "../../operator/proof/replay.ts"
import { nodesToMock } from "../../operator/run/sideEffects.ts"
import { recordedOutputOf } from "../../operator/tests/NodeOutput.ts"
import { runForTest } from "../../operator/tests/runTest.ts"
import type { TestFile } from "../../operator/tests/TestFile.ts"
import { type RecordedRun, recordedRunOf } from "../../operator/tests/testFromExecution.ts"
import { type Execution, nameOf, type Workflow } from "../../workflow/models.ts"
import { type FixedRun, givenNow, judgeRun, limitsOf, type Verdict } from "./judgeRun.ts"

/** The nodes of a fixed workflow that do not run when it repeats a run, and the part that does; fails where the trigger is gone. */
export const replayedPart = Effect.fnUntraced(function* ({ start }: RecordedRun, fixed: Workflow) {
  const acting = nodesToMock(fixed, start, yield* parser)
  if (Result.isFailure(acting)) return yield* Effect.fail(acting.failure)
  return acting.success.part.isTrigger ? acting.success : yield* Effect.fail(`${start} is no trigger any more`)
})

/** A failed run as one that is to pass. */
interface FailedReplay {
  readonly test: TestFile
  /** The names of the nodes that answer from the record. */
  readonly mocked: ReadonlySet<string>
  /** Sentences about what the run cannot show. */
  readonly notes: ReadonlyArray<string>
}

/**
 * The test that repeats a failed run with a fixed workflow. Nodes that act outside and were not reached answer as in a success;
 * where there is none, nothing.
 */
export const failedReplay = Effect.fnUntraced(function* (
  execution: Execution,
  fixed: Workflow,
  success: RecordedRun | undefined
): Effect.fn.Return<FailedReplay, string> {
  const run = yield* Effect.fromResult(recordedRunOf(execution))
  const { names } = yield* replayedPart(run, fixed)
  const mocked = new Set(names)
  const ranIn = (data: RunData | undefined, name: string) =>
    data?.runs.some(({ error, node }) => node === name && error === undefined) === true
  const isFromSuccess = (name: string) => !ranIn(run.data, name) && ranIn(success?.data, name)
  const { files, test } = replayTest({
    run,
    workflow: fixed,
    start: run.start,
    isMocked: (node) => mocked.has(nameOf(node)),
    outputOf: (name) => {
      if (ranIn(run.data, name)) return recordedOutputOf(run.data, name)
      return success !== undefined && isFromSuccess(name) ? recordedOutputOf(success.data, name) : []
    }
  })
  return {
    test,
    mocked,
    notes: [
      ...names
        .filter((name) => !ranIn(run.data, name))
        .map((name) =>
          isFromSuccess(name)
            ? `${name} acts outside and was not reached: it answers as in execution ${success?.execution.id ?? 0}`
            : `${name} acts outside, and no answer of it is on record: nothing after it ran`
        ),
      ...(files.length === 0
        ? []
        : [`Files that ${files.join(", ")} gave out are left out: nodes that read them prove nothing`])
    ]
  }
})

/** The failed run that a fix is tried on. */
interface Trial {
  readonly execution: Execution
  readonly workflow: Workflow
  readonly fixed: Workflow
  /** Names of the nodes that the fix changes. */
  readonly changed: ReadonlySet<string>
  readonly successes: ReadonlyArray<RecordedRun>
}

/** The failed run, repeated with the fix. */
export interface Repeated {
  readonly test: TestFile
  readonly after: RunData
  /** Names of the nodes that only the temporary copy had. */
  readonly helpers: ReadonlySet<string>
}

/** The outcome of the failed run with the fix; without a run where it could not be repeated. */
export interface TriedRun {
  readonly verdict: Verdict
  readonly notes: ReadonlyArray<string>
  readonly given?: string | undefined
  readonly repeated?: Repeated | undefined
}

/** Repeats the failed run with the fix, and judges it. */
export const triedRun = Effect.fnUntraced(function* (trial: Trial): Effect.fn.Return<TriedRun, never, EngineClient> {
  const { changed, execution, fixed, successes, workflow } = trial
  const failed = failedRunOf(execution)
  const replayed = yield* Effect.result(failedReplay(execution, fixed, successes[0]))
  if (Result.isFailure(replayed)) return unproven(`${replayed.failure}: only successes can be compared`)
  if (failed === undefined) {
    return unproven(`execution ${execution.id} has no failed node on record (state ${String(execution.status)})`)
  }
  const { mocked, notes, test } = replayed.success
  const ran = yield* runForTest(test, fixed)
  const allNotes = [...notes, ...(ran.notice === undefined ? [] : [ran.notice])]
  if (ran._tag === "NotRun") return unproven(ran.what, allNotes)
  const run: FixedRun = {
    failure: failed.failure,
    before: failed.data,
    fixed,
    changed,
    mocked,
    after: ran.data,
    status: ran.status,
    successes: successes.map(({ data }) => data)
  }
  const item = failedItem(failed)
  return {
    verdict: judgeRun(run),
    notes: [...limitsOf(run, workflow), ...allNotes],
    given: item === undefined ? undefined : givenNow(run, item),
    repeated: { test, after: ran.data, helpers: ran.copy.helpers }
  }
})

const unproven = (why: string, notes: ReadonlyArray<string> = []): TriedRun => ({
  verdict: { outcome: "not proven", why },
  notes
})

/** The index of the item that failed, where the record tells it. */
const failedItem = ({ data, failure: { input, item }, references }: FailedRun): number | undefined =>
  item ?? firstLacking({ data, input }, references) ?? (input.length === 1 ? 0 : undefined)
