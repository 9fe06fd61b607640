import { Result } from "effect"

import { grouped } from "../../../internal/collections.ts"
import type { UpstreamRequest } from "../../../internal/http/Upstream.ts"
import { each, only, type Selection } from "../../../internal/json/Selection.ts"
import { objectOf } from "../../../internal/schema/JsonObject.ts"
import type { Parse } from "../../nodes/check/javaScript.ts"
import { statusOf } from "../../operator/explain/describeExecution.ts"
import type { FailureClass } from "../../operator/explain/failureClass.ts"
import { isHidden, jsonOf, type RunData } from "../../operator/explain/runData.ts"
import { sideEffectsOf } from "../../operator/run/sideEffects.ts"
import { requestFor } from "../../tools/workflows/webhookRequest.ts"
import { addressesOf } from "../../workflow/addresses.ts"
import { type Execution, nameOf, type Workflow } from "../../workflow/models.ts"
import { isTrigger } from "../../workflow/triggers.ts"
import { parsePath, type Path, valueAt } from "../../workflow/valuePaths.ts"

/** Parses `$json.order.id`: a plain path, so that nothing is ever evaluated. */
export const parseKey = (text: string): Result.Result<Path, string> => {
  const expression = text.trim().replace(/^=/, "").trim()
  const bare = expression.startsWith("{{") && expression.endsWith("}}") ? expression.slice(2, -2).trim() : expression
  const steps = bare.startsWith("$json") ? bare.slice("$json".length) : ""
  const isPlain = (path: Path) =>
    path.every(
      (step) =>
        typeof step === "number" ||
        /^[A-Za-z_$][\w$]*$/.test(step) ||
        steps.includes(`[${JSON.stringify(step)}]`) ||
        steps.includes(`['${step}']`)
    )
  return parsePath(steps.replace(/^\./, "")).pipe(
    Result.filterOrFail(isPlain, () => ""),
    Result.mapError(() => "must be a plain path over the input, as in $json.order.id: no code is run")
  )
}

/** A failed run, as far as a retry depends on it. */
export interface FailedExecution {
  readonly execution: Execution
  readonly class: FailureClass
  /** The values of the key in the items that the run began with. */
  readonly key: string | undefined
  /** Names of the nodes that acted outside before the one that failed. */
  readonly acted: ReadonlyArray<string>
}

/** The values of a key in the items that a run began with, as one text. */
export const keyOf = (data: RunData | undefined, path: Path | undefined): string | undefined => {
  const items = data?.runs[0]?.outputs.flat() ?? []
  const values = path === undefined ? [] : items.map((item) => valueAt(jsonOf(item), path))
  return values.length === 0 || values.some((value) => value === undefined || value === null)
    ? undefined
    : JSON.stringify(values)
}

/** One field of the items that a run began with: of the first run of each node, as only the data tells which began it. */
export const firstFields = (path: Path): Selection => {
  const value = path.reduceRight<Selection>(
    (inner, step) => (name) => (String(name) === String(step) ? inner : "nothing"),
    "whole"
  )
  const items = each(only({ json: value }))
  const run = only({ startTime: "whole", executionIndex: "whole", data: each(each(items)) })
  const firstRun: Selection = (place) => (Number(place) === 0 ? run : "nothing")
  return only({ id: "whole", status: "whole", data: only({ resultData: only({ runData: each(firstRun) }) }) })
}

/** Whether a run succeeded with what it was given, and not with what a person gave it in the editor. */
export const isSuccess = (execution: Execution): boolean =>
  statusOf(execution) === "success" && execution.mode !== "manual" && execution.mode !== "evaluation"

/** The newest success of each key. */
export type KeySuccesses = ReadonlyMap<string, number>

/** Whether a later run of the same key has succeeded. */
export const isMadeUpFor = ({ execution, key }: Pick<FailedExecution, "execution" | "key">, successes: KeySuccesses) =>
  key !== undefined && (successes.get(key) ?? 0) > execution.id

/** The nodes that acted outside in a run, but for the one that failed. */
export const actedIn = (
  data: RunData | undefined,
  { nodes }: Pick<Workflow, "nodes">,
  parse: Parse
): ReadonlyArray<string> => {
  const ran = new Set(data?.runs.filter(({ error }) => error === undefined).map(({ node }) => node))
  const acting = sideEffectsOf(
    nodes.filter((node) => ran.has(nameOf(node)) && !isTrigger(node)),
    parse
  )
  return acting.map(({ node }) => node)
}

/** Executions by what they are retries of. */
export const retriesOf = (executions: ReadonlyArray<Execution>): ReadonlyMap<string, ReadonlyArray<Execution>> =>
  grouped(
    executions.filter(({ retryOf }) => retryOf !== undefined && retryOf !== null),
    ({ retryOf }) => String(retryOf)
  )

/** The reason why a listed failure is not retried; undefined where it may be. */
export const notRetried = (
  { id, mode, retrySuccessId }: Execution,
  retries: ReadonlyMap<string, ReadonlyArray<Execution>>
): string | undefined => {
  if (retrySuccessId !== undefined && retrySuccessId !== null) return "a retry has succeeded"
  if (retries.has(String(id))) return "it was retried, and that run stands for it"
  switch (mode) {
    case "integrated":
      return "its caller failed with it, and is retried in its place"
    case "error":
      return "it is the run of an error workflow"
    case "manual":
    case "evaluation":
      return "a person ran it in the editor"
    default:
      return undefined
  }
}

/** The newest run of each key, oldest first; runs without a value of the key stand for themselves. */
export const oncePerKey = <Run extends FailedExecution>(
  runs: ReadonlyArray<Run>
): { readonly kept: ReadonlyArray<Run>; readonly others: number } => {
  const byKey = grouped(runs, ({ execution: { id, workflowId }, key }) => `${String(workflowId)} ${key ?? `run ${id}`}`)
  const kept = [...byKey.values()].flatMap((group) =>
    group.toSorted((a, b) => b.execution.id - a.execution.id).slice(0, 1)
  )
  return { kept: kept.toSorted((a, b) => a.execution.id - b.execution.id), others: runs.length - kept.length }
}

/** The trigger of a run, with the item that a webhook wrote of the call that began it. */
export const callOf = (data: RunData | undefined) => {
  const [first] = data?.runs ?? []
  const [item, ...others] = first?.outputs.flat() ?? []
  const isWhole = objectOf(item).binary === undefined && !isHidden(item)
  return first === undefined || item === undefined || others.length > 0 || !isWhole
    ? undefined
    : { node: first.node, json: jsonOf(item) }
}

/** The mark of the run anew of an execution, by which it is found among others. */
export const markOf = (execution: number): string => `anew-${execution}`

/** The call that runs a failed execution anew: the recorded one, to the same webhook; the failure says why there is none. */
export const callAnew = (
  workflow: Workflow,
  data: RunData | undefined,
  execution: number
): Result.Result<UpstreamRequest, string> => {
  const call = callOf(data)
  if (!workflow.active) return Result.fail("its workflow is not active")
  if (call === undefined) return Result.fail("the call that began it is not on record or hidden, or holds files")
  const address = addressesOf(workflow).find(({ kind, node }) => kind === "webhook" && node === call.node)
  if (address === undefined) return Result.fail("it did not begin with a webhook")
  const { authentication = "none" } = objectOf(workflow.nodes.find((node) => nameOf(node) === call.node)?.parameters)
  if (authentication !== "none") return Result.fail("its webhook asks for a login, which no record holds")
  const { body, params, query } = call.json
  const data_ = { ...objectOf(address.method === "GET" ? query : body), ...objectOf(params) }
  return Result.mapError(requestFor(address, data_, markOf(execution)), ({ problem }) => problem)
}
