import { Predicate, Struct } from "effect"

import type { Free } from "../client/Workflow.ts"

/**
 * An execution without the `stack` of its errors: they show paths of the engine's server. The engine keeps errors at
 * `data.resultData.error` and in every run of a node; what a workflow itself calls `stack` or `error` is its data.
 */
export const withoutStacks = (whole: Free): Free => {
  const execution: Free = Struct.omit(whole, ["stack"])
  if (!isRecord(execution.data) || !isRecord(execution.data.resultData)) return execution
  const { data } = execution
  const resultData = withoutError(execution.data.resultData)
  const runData = isRecord(resultData.runData) ? { runData: mapValues(resultData.runData, nodeRuns) } : {}
  return { ...execution, data: { ...data, resultData: { ...resultData, ...runData } } }
}

const nodeRuns = (runs: unknown) =>
  Array.isArray(runs) ? runs.map((run: unknown) => (isRecord(run) ? withoutError(run) : run)) : runs

const withoutError = (holder: Free): Free =>
  holder.error === undefined ? holder : { ...holder, error: stripped(holder.error) }

const stripped = (error: unknown): unknown => {
  if (Array.isArray(error)) return error.map(stripped)
  if (!isRecord(error)) return error
  return mapValues(Struct.omit(error, ["stack"]), stripped)
}

const mapValues = (record: Free, change: (value: unknown) => unknown): Free =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))

const isRecord = (value: unknown): value is Free => Predicate.isObject(value)
