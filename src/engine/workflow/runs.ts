import { Predicate } from "effect"

import { clipped, oneLine } from "../../internal/foreignText.ts"
import { isJsonObject, type JsonObject, listOf, objectsOf } from "../../internal/schema/JsonObject.ts"
import { maskText } from "../../internal/secrets/maskSecrets.ts"

/** The runs of one node in an execution. */
export interface NodeRun {
  readonly times: number
  readonly milliseconds: number
  /** Items that left each output, over all its runs. */
  readonly items: ReadonlyArray<number>
  /** The first line of its error. */
  readonly error: string | undefined
}

/** The runs of every node that ran, by name; `undefined` for an execution without data. */
export const runsIn = ({ data }: JsonObject): ReadonlyMap<string, NodeRun> | undefined => {
  const result = isJsonObject(data) ? data.resultData : undefined
  if (!isJsonObject(result) || !isJsonObject(result.runData)) return undefined
  return new Map(Object.entries(result.runData).map(([name, runs]) => [name, nodeRun(objectsOf(runs))]))
}

const nodeRun = (runs: ReadonlyArray<JsonObject>): NodeRun => {
  const items: Array<number> = []
  for (const { data } of runs) {
    for (const [output, sent] of outputsOf(data).entries()) {
      items[output] = (items[output] ?? 0) + (Array.isArray(sent) ? sent.length : 0)
    }
  }
  return {
    times: runs.length,
    milliseconds: runs.reduce(
      (sum, { executionTime }) => sum + (Predicate.isNumber(executionTime) ? executionTime : 0),
      0
    ),
    items: Array.from(items, (count) => count ?? 0),
    error: runs.map(errorIn).find(Predicate.isNotUndefined)
  }
}

/** The outputs of a node, whichever the kind of their connections. */
const outputsOf = (data: unknown): ReadonlyArray<unknown> => {
  const outputs = isJsonObject(data) ? (data.main ?? Object.values(data)[0]) : undefined
  return listOf(outputs)
}

const errorIn = ({ error, executionStatus }: JsonObject): string | undefined => {
  if (error === undefined && executionStatus !== "error") return undefined
  const message = isJsonObject(error) ? (error.message ?? error.description) : error
  return firstLineOf(Predicate.isString(message) ? message : "no message")
}

/** The first line of a message, without secrets. */
export const firstLineOf = (message: string): string =>
  oneLine(clipped(maskText(message.trim().split("\n")[0] ?? "").trim(), 160))
