import { Struct } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { isJsonObject } from "../../internal/schema/JsonObject.ts"

/**
 * An execution without the `stack` of its errors: they show paths of the engine's server. The engine keeps errors at
 * `data.resultData.error` and in every run of a node; what a workflow itself calls `stack` or `error` is its data.
 */
export const withoutStacks = (whole: JsonObject): JsonObject => {
  const execution: JsonObject = Struct.omit(whole, ["stack"])
  if (!isJsonObject(execution.data) || !isJsonObject(execution.data.resultData)) return execution
  const { data } = execution
  const resultData = withoutError(execution.data.resultData)
  const runData = isJsonObject(resultData.runData) ? { runData: mapValues(resultData.runData, nodeRuns) } : {}
  return { ...execution, data: { ...data, resultData: { ...resultData, ...runData } } }
}

const nodeRuns = (runs: unknown) =>
  Array.isArray(runs) ? runs.map((run: unknown) => (isJsonObject(run) ? withoutError(run) : run)) : runs

const withoutError = (holder: JsonObject): JsonObject =>
  holder.error === undefined ? holder : { ...holder, error: stripped(holder.error) }

const stripped = (error: unknown): unknown => {
  if (Array.isArray(error)) return error.map(stripped)
  if (!isJsonObject(error)) return error
  return mapValues(Struct.omit(error, ["stack"]), stripped)
}

const mapValues = (record: JsonObject, change: (value: unknown) => unknown): JsonObject =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
