import { Predicate } from "effect"

import { clipped } from "../../../internal/foreignText.ts"
import { type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { maskSecrets, maskText } from "../../../internal/secrets/maskSecrets.ts"
import { type Execution, nameOf } from "../../workflow/models.ts"
import { isEnabled, isTrigger } from "../../workflow/triggers.ts"
import { defined, failureOf, startedBy, wordsOf } from "./failure.ts"
import { goneOver, nodeNamed, type RunData, runPathOf, textIn } from "./runData.ts"

/** The head of every answer about an execution: workflow, start, duration and status. */
export const headOf = (execution: Execution): JsonObject => {
  const { mode, retryOf, retrySuccessId, startedAt, workflowId } = execution
  const name = textIn(objectOf(execution.workflowData).name)
  const seconds = secondsOf(execution)
  return {
    id: execution.id,
    workflow: { ...defined("id", workflowId), ...defined("name", name && clipped(name, 80)) },
    status: statusOf(execution),
    mode,
    startedAt,
    ...(seconds === undefined ? {} : { seconds: Math.round(seconds * 10) / 10 }),
    ...(Predicate.isNotNullish(retryOf) ? { retryOf } : {}),
    ...(Predicate.isNotNullish(retrySuccessId) ? { retrySucceededAs: retrySuccessId } : {})
  }
}

/** Seconds that an execution took; undefined if it has not ended. */
export const secondsOf = ({ startedAt, stoppedAt }: Execution): number | undefined => {
  const seconds = (Date.parse(String(stoppedAt)) - Date.parse(String(startedAt))) / 1000
  return Number.isFinite(seconds) ? seconds : undefined
}

/** The status of an execution; older engines do not give it, but it follows from other fields. */
export const statusOf = ({ finished, status, stoppedAt, waitTill }: Execution): string => {
  if (status !== undefined) return status
  if (finished === true) return "success"
  if (Predicate.isNotNullish(waitTill)) return "waiting"
  return Predicate.isNotNullish(stoppedAt) ? "error" : "running"
}

/** Describes an execution that did not fail, or whose data is missing. */
export const describeUnfailed = (execution: Execution, data: RunData | undefined): JsonObject => {
  const status = statusOf(execution)
  const failure = data && failureOf(data)
  return {
    execution: headOf(execution),
    ...(data === undefined ? {} : startedBy(data)),
    message: messages[status]?.(execution, data) ?? `This run is in state ${status}.`,
    ...(failure === undefined ? {} : { error: wordsOf(failure.error, 400) }),
    ...(data === undefined || data.runs.length === 0 ? {} : { path: runPathOf(data) }),
    ...(data === undefined ? {} : wentOn(data)),
    ...(data === undefined || status !== "success" ? {} : neverRun(data))
  }
}

const wentOn = (data: RunData): JsonObject => {
  const errors = goneOver(data)
    .slice(0, 5)
    .map(({ count, error, node }) => ({
      node,
      items: count,
      error: Predicate.isString(error)
        ? clipped(maskText(error), 200)
        : clipped(maskText(textIn(objectOf(error).message) ?? JSON.stringify(maskSecrets(error))), 200)
    }))
  return errors.length === 0 ? {} : { wentOnAfterErrors: errors }
}

/** The nodes that never ran because the last node gave out no items. */
const neverRun = (data: RunData): JsonObject => {
  const last = data.runs.findLast(({ node }) => node === data.lastNode)
  if (last === undefined || last.outputs.some((items) => items.length > 0)) return {}
  const ran = new Set(data.runs.map(({ node }) => node))
  const names = data.nodes
    .filter((node) => isEnabled(node) && !isTrigger(node))
    .map(nameOf)
    .filter((name) => !ran.has(name))
  return names.length === 0
    ? {}
    : { gaveOutNothing: last.node, didNotRun: names.slice(0, 8).map((name) => clipped(name, 40)) }
}

type Say = (execution: Execution, data: RunData | undefined) => string

const noData =
  "The engine returns no data of it: the workflow does not save it (settings saveDataErrorExecution, saveExecutionProgress), or it was pruned or is too large to be shown."

const messages: Readonly<Record<string, Say>> = {
  success: (_, data) =>
    data === undefined || goneOver(data).length === 0
      ? "This run did not fail."
      : "This run did not fail, but nodes that continue on errors had some.",
  waiting: ({ waitTill }, data) => {
    const node = data?.lastNode
    const resume = objectOf(data && nodeNamed(data, node)?.parameters).resume
    const far = Date.parse(String(waitTill)) > Date.parse("2999-01-01")
    const until = far || !Predicate.isString(waitTill) ? "until it is called" : `until ${waitTill}`
    return `This run has not failed: it waits${node === undefined ? "" : ` at ${node}`} ${until}${Predicate.isString(resume) ? ` (${resume})` : ""}.`
  },
  running: ({ startedAt }) => `This run has not ended: it has been running since ${String(startedAt)}.`,
  new: () => "This run has not begun: it is queued.",
  canceled: ({ workflowData }, data) => {
    const { executionTimeout } = objectOf(objectOf(workflowData).settings)
    const limit = Number(executionTimeout) > 0 ? ` Its workflow is given ${Number(executionTimeout)} s.` : ""
    return `This run was canceled${data?.lastNode === undefined ? "" : ` at ${data.lastNode}`}: it was stopped, or ran out of time.${limit}`
  },
  crashed: (_, data) =>
    `The engine stopped while this run was under way${data?.lastNode === undefined ? "" : `, at ${data.lastNode}`}; no error of a node is on record.`,
  error: (_, data) =>
    data === undefined ? `This run failed. ${noData}` : "This run failed, and no error is on record."
}
