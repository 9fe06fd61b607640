import { Effect, Result } from "effect"

import { digest, isSameJson } from "../../../internal/json/digest.ts"
import { isJsonObject, type JsonObject } from "../../../internal/schema/JsonObject.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { EngineError } from "../../client/EngineError.ts"
import type { Execution, WorkflowId } from "../../workflow/models.ts"
import { isTrigger } from "../../workflow/triggers.ts"
import { jsonOf, nodeNamed, type RunData, runDataOf } from "../explain/runData.ts"
import { readWhole } from "../tests/runTest.ts"

/** A success that an engine has recorded, begun by a trigger. */
export interface RecordedRun {
  readonly execution: Execution
  readonly data: RunData
  /** The trigger that began it. */
  readonly start: string
}

/** Successes that are looked through for those that differ. */
const mostRead = 20

/** The newest successes of a workflow that `isMeant`, each with another path or other items than the others. */
export const recordedRuns = Effect.fnUntraced(function* (
  workflowId: WorkflowId,
  most: number,
  isMeant: (data: RunData) => boolean
): Effect.fn.Return<ReadonlyArray<RecordedRun>, EngineError, EngineClient> {
  const engine = yield* EngineClient
  const { data: listed } = yield* engine.listExecutions({ workflowId, status: "success", limit: mostRead })
  const runs = new Map<string, RecordedRun>()
  for (const { id } of listed) {
    if (runs.size >= most) break
    // One that is too large, or gone meanwhile, tells nothing.
    const read = yield* Effect.result(readWhole(id))
    const run = Result.isSuccess(read) ? recordedRun(read.success) : undefined
    if (run !== undefined && isMeant(run.data) && !runs.has(likenessOf(run))) runs.set(likenessOf(run), run)
  }
  return [...runs.values()]
})

/** A run as it was recorded; nothing of one without data, or that began in the middle. */
const recordedRun = (execution: Execution): RecordedRun | undefined => {
  const data = runDataOf(execution)
  const start = data?.runs[0]?.node
  const node = data === undefined ? undefined : nodeNamed(data, start)
  return data === undefined || start === undefined || !isJsonObject(node) || !isTrigger(node)
    ? undefined
    : { execution, data, start }
}

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

/** Whether a value is another one without some of its fields: engines record nodes with the defaults of what they leave out. */
const isWithin = (part: unknown, whole: unknown): boolean => {
  if (isJsonObject(part) && isJsonObject(whole)) {
    return Object.entries(part).every(([name, value]) => isWithin(value, whole[name]))
  }
  if (Array.isArray(part) && Array.isArray(whole)) {
    return part.length === whole.length && part.every((value: unknown, place) => isWithin(value, whole[place]))
  }
  return isSameJson(part, whole)
}
