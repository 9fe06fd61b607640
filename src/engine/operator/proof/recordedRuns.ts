import { Duration, Effect, Result } from "effect"

import { digest, isSameJson } from "../../../internal/json/digest.ts"
import { isJsonObject, type JsonObject } from "../../../internal/schema/JsonObject.ts"
import { remaining } from "../../client/Deadline.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { EngineError } from "../../client/EngineError.ts"
import type { WorkflowId } from "../../workflow/models.ts"
import { jsonOf } from "../explain/runData.ts"
import { readWhole } from "../tests/runTest.ts"
import { type RecordedRun, recordedRunOf } from "../tests/testFromExecution.ts"

/** Runs that are wanted of a workflow. */
interface WantedRuns {
  readonly most: number
  readonly isWanted: (run: RecordedRun) => boolean
  /** Whether each is to have another path or other items than the others. */
  readonly isDistinct: boolean
}

/** Recorded successes, and the number and reasons of those that are left out. */
export interface RecordedRuns {
  readonly runs: ReadonlyArray<RecordedRun>
  readonly unwanted: number
  readonly unfit: ReadonlyArray<string>
}

/** Successes that are looked through for each that is wanted, and the time that is left for what comes after. */
const readForEach = 4
const least = Duration.seconds(12)

/** The newest successes of a workflow that are wanted. */
export const recordedRuns = Effect.fnUntraced(function* (
  workflowId: WorkflowId,
  { isDistinct, isWanted, most }: WantedRuns
): Effect.fn.Return<RecordedRuns, EngineError, EngineClient> {
  if (most === 0) return { runs: [], unwanted: 0, unfit: [] }
  const engine = yield* EngineClient
  const { data: listed } = yield* engine.listExecutions({ workflowId, status: "success", limit: most * readForEach })
  const runs = new Map<string, RecordedRun>()
  const unfit: Array<string> = []
  let unwanted = 0
  for (const { id } of listed) {
    if (runs.size >= most || Duration.isLessThan(yield* remaining(least), least)) break
    const read = yield* Effect.result(readWhole(id))
    const run = Result.isSuccess(read) ? recordedRunOf(read.success) : Result.fail(read.failure.message)
    const key = Result.isSuccess(run) && isDistinct ? likenessOf(run.success) : String(id)
    if (Result.isFailure(run)) unfit.push(run.failure)
    else if (!isWanted(run.success)) unwanted += 1
    else if (!runs.has(key)) runs.set(key, run.success)
  }
  return { runs: [...runs.values()], unwanted, unfit }
})

/** The path of a run and the items that it began with. */
const likenessOf = ({ data, start }: RecordedRun): string =>
  digest([
    data.runs.map(({ node, outputs }) => [node, outputs.map((items) => items.length)]),
    data.runs.filter(({ node }) => node === start).map(({ outputs }) => outputs.map((items) => items.map(jsonOf)))
  ])

/** Whether a node was recorded as it is now. */
export const wasRecorded = (now: JsonObject, recorded: JsonObject): boolean =>
  ["type", "typeVersion"].every((field) => isSameJson(recorded[field], now[field])) &&
  isWithin(now.parameters, recorded.parameters)

/**
 * Whether a value is another one without some of its fields: engines record nodes with the defaults of what they leave out, and
 * without options that are not set.
 */
const isWithin = (part: unknown, whole: unknown = {}): boolean => {
  if (isJsonObject(part) && isJsonObject(whole)) {
    return Object.entries(part).every(([name, value]) => isWithin(value, whole[name]))
  }
  if (Array.isArray(part) && Array.isArray(whole)) {
    return part.length === whole.length && part.every((value: unknown, place) => isWithin(value, whole[place]))
  }
  return isSameJson(part, whole)
}
