import { Struct } from "effect"

import { clipped } from "../../../internal/foreignText.ts"
import { jsonBytes } from "../../../internal/json/values.ts"
import { isJsonObject, type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { changeLines, differences } from "../../workflow/difference.ts"
import type { Execution } from "../../workflow/models.ts"
import { isSameJson } from "../../workflow/versions.ts"
import { headOf } from "./describeExecution.ts"
import { childOf, defined, messageOf, placeOf, startedBy, wordsOf } from "./failure.ts"
import { classShown } from "./failureClass.ts"
import { failureClassOf } from "./failureRules.ts"
import { fieldNotes, firstLacking, shapeNotes, type Side } from "./inputFields.ts"
import { originOf } from "./origin.ts"
import type { RelatedRuns } from "./relatedRuns.ts"
import { inputOf, jsonOf, nodeNamed, type NodeRun, type RunData, runDataOf, runPathOf, textIn } from "./runData.ts"
import type { FailedRun } from "./subRuns.ts"
import { type Limits, truncateFields, truncateValue } from "./truncate.ts"

/** Everything that was read about a failure. */
interface Findings extends FailedRun {
  /** The failed runs that it started, each by the one before. */
  readonly inner: ReadonlyArray<FailedRun>
  readonly related: RelatedRuns
  readonly compared: { readonly compared: number; readonly alike: ReadonlyArray<Execution> }
  /** The last success before it, with its data. */
  readonly success: Execution | undefined
}

/** Whether the node that failed is as it was in the last success, and was answered there. */
export const wasAnswered = ({ data, failure: { at } }: FailedRun, success: Execution | undefined): boolean => {
  const before = success === undefined ? undefined : runDataOf(success)
  const run = before?.runs.findLast(({ node }) => node === at?.node)
  const [now, then] = [nodeNamed(data, at?.node), before && nodeNamed(before, at?.node)]
  return run !== undefined && run.error === undefined && isSameJson(now?.parameters, then?.parameters)
}

interface FailureLimits extends Limits {
  readonly words: number
}

/** Limits to try until the whole is short enough: for the text of the error, and for the item. */
const limitsToTry: ReadonlyArray<FailureLimits> = [
  { words: 500, text: 160, fields: 12, depth: 3 },
  { words: 350, text: 80, fields: 8, depth: 2 },
  { words: 250, text: 40, fields: 5, depth: 1 },
  { words: 150, text: 30, fields: 3, depth: 1 }
]
const smallest: FailureLimits = { words: 120, text: 20, fields: 2, depth: 1 }

/** Bytes that the explanation may have: about 700 tokens. */
const most = 2300

/** Explains a failure by facts of the engine's record: a short answer, however large the record. */
export const explainFailure = (findings: Findings): JsonObject => {
  const facts = factsOf(findings)
  const limits = limitsToTry.find((limits) => jsonBytes(explanationWithin(findings, facts, limits)) <= most) ?? smallest
  return explanationWithin(findings, facts, limits)
}

/** Explains the failure of an agent's tool, after which the agent went on. */
export const explainTool = (run: Pick<Findings, "inner"> & FailedRun): JsonObject => {
  const [, , limits] = limitsToTry
  const room = limits ?? smallest
  return {
    ...failedAt(run, room.words),
    ...defined("subWorkflow", innermost(run, room) ?? childOf(run.failure)),
    ...itemShown({ ...run, inner: [] }, undefined, room)
  }
}

/** The parts of an explanation that do not depend on the limits. */
const factsOf = (findings: Findings) => {
  const { data, execution, failure, inner, references, success } = findings
  const circumstances = { wasAnswered: inner.length === 0 && wasAnswered(findings, success) }
  const now: Side = { data, input: failure.input }
  const before = sideOf(success, failure.at?.node)
  const lacking = failure.item === undefined ? firstLacking(now, references) : undefined
  return {
    before,
    lacking,
    notes: fieldNotes(now, before, references),
    shape: before === undefined ? {} : shapeNotes(now, before),
    path: runPathOf(data),
    class: classShown(failureClassOf(execution, inner.at(-1) ?? findings, circumstances), execution)
  }
}

type Facts = ReturnType<typeof factsOf>

const explanationWithin = (findings: Findings, facts: Facts, limits: FailureLimits): JsonObject => ({
  execution: headOf(findings.execution),
  ...startedBy(findings.data),
  failed: failedAt(findings, limits.words),
  ...facts.class,
  ...defined("subWorkflow", innermost(findings, limits) ?? childOf(findings.failure)),
  ...itemShown(findings, facts.lacking, limits),
  ...originShown(findings, facts.lacking, limits),
  ...filled("fields", Object.fromEntries(Object.entries(facts.notes).slice(0, limits.fields))),
  ...filled("itemFields", facts.shape),
  path: clipped(facts.path, limits.words * 2),
  lastSuccess: successOf(findings, facts.before),
  ...changesOf(findings, limits),
  alike: alikeOf(findings)
})

const filled = (name: string, value: JsonObject): JsonObject =>
  Object.keys(value).length === 0 ? {} : { [name]: value }

/** The run in which the failure arose, with its node and item, and the workflows on the way to it. */
const innermost = ({ inner }: Pick<Findings, "inner">, limits: FailureLimits): JsonObject | undefined => {
  const run = inner.at(-1)
  if (run === undefined) return undefined
  const { data, execution, failure, references } = run
  const side: Side = { data, input: failure.input }
  const lacking = failure.item === undefined ? firstLacking(side, references) : undefined
  const { id, workflow } = headOf(execution)
  const via = inner.slice(0, -1).map((one) => headOf(one.execution).workflow)
  return {
    execution: id,
    workflow,
    ...(via.length === 0 ? {} : { via }),
    failed: failedAt(run, limits.words),
    ...itemShown({ ...run, inner: [] }, lacking, limits),
    ...filled(
      "fields",
      Object.fromEntries(Object.entries(fieldNotes(side, undefined, references)).slice(0, limits.fields))
    )
  }
}

/** The item with which the run began that the failed one came from, where that is another one. */
const originShown = (
  { data, failure }: FailedRun,
  lacking: number | undefined,
  { fields, text }: FailureLimits
): JsonObject => {
  const index = failure.item ?? lacking ?? (failure.input.length === 1 ? 0 : undefined)
  const origin = failure.at === undefined || index === undefined ? undefined : originOf(data, failure.at, index)
  if (origin === undefined || origin.isDirect || !isJsonObject(objectOf(origin.item).json)) return {}
  const json = jsonOf(origin.item)
  const names = Object.keys(json).filter(isContent)
  return {
    origin: {
      node: origin.node,
      index: origin.index,
      of: origin.of,
      json: truncateFields(json, names, { fields, text, depth: 2 })
    }
  }
}

const failedAt = ({ data, failure }: FailedRun, words: number): JsonObject => {
  const { at, error, part } = failure
  const node = nodeNamed(data, at?.node)
  return {
    ...(at === undefined
      ? { node: textIn(objectOf(error.node).name) ?? null, note: "no node had run" }
      : { node: at.node, ...defined("type", node?.type), ...runOf(data, at) }),
    ...wordsOf(error, words),
    ...placeOf(node, at?.error ?? error),
    ...defined("credential", credentialsOf(node)),
    ...(part?.error === undefined ? {} : { part: partOf(data, part, error, words) })
  }
}

/** The names of the credentials that a node uses. */
const credentialsOf = (node: JsonObject | undefined): string | undefined => {
  const names = Object.values(objectOf(node?.credentials)).flatMap((one) => textIn(objectOf(one).name) ?? [])
  return names.length === 0 ? undefined : clipped(names.join(", "), 120)
}

/** The number of the run that failed, if the node ran several times. */
const runOf = ({ runs }: RunData, { node, run }: NodeRun): JsonObject => {
  const count = runs.filter((other) => other.node === node).length
  return count > 1 ? { run: `${run + 1} of ${count}` } : {}
}

/** The part of an agent that failed, with its error where that differs from the agent's. */
const partOf = (data: RunData, part: NodeRun, whole: JsonObject, words: number): JsonObject => {
  const { error = {}, node } = part
  const input = inputOf(data, part)
  return {
    node,
    ...defined("type", nodeNamed(data, node)?.type),
    ...(messageOf(error) === messageOf(whole) ? {} : wordsOf(error, words / 2)),
    ...(input.length === 0 ? {} : { input: truncateValue(jsonOf(input[0]), { text: words / 2, fields: 5, depth: 2 }) })
  }
}

/**
 * The item that failed, or the first that lacks a field which its node refers to; the fields that the node refers to stand
 * first.
 */
const itemShown = (
  { failure, inner, references }: Pick<Findings, "failure" | "inner" | "references">,
  lacking: number | undefined,
  limits: FailureLimits
): JsonObject => {
  const of = failure.input.length
  // Which of several items led to the failure of another run may not be known: none of them is shown then.
  if (of === 0 || (inner.length > 0 && failure.item === undefined)) return {}
  const index = failure.item ?? lacking ?? (of === 1 ? 0 : undefined)
  const json = jsonOf(failure.input[index ?? 0])
  const mentioned = references.flatMap(({ node, path: [name = ""] }) => (node === undefined ? [name] : []))
  const there = Object.keys(json)
  const names = [...new Set([...mentioned, ...there.filter(isContent), ...there])].filter((name) =>
    Object.hasOwn(json, name)
  )
  // Headers are many and seldom asked for.
  const shallow = mentioned.includes("headers") ? json : { ...json, ...headersOf(json) }
  const which =
    lacking === undefined ? "this is only an example, the first" : "this is the first that lacks a mentioned field"
  const isKnown = failure.item !== undefined || of === 1
  return {
    item: {
      ...(index === undefined ? {} : { index }),
      of,
      ...(isKnown ? {} : { note: `the engine does not say which; ${which}` }),
      json: truncateFields(shallow, names, limits)
    }
  }
}

const isContent = (name: string): boolean =>
  !["headers", "params", "query", "webhookUrl", "executionMode"].includes(name)

const headersOf = ({ headers }: JsonObject): JsonObject =>
  isJsonObject(headers) ? { headers: `{${Object.keys(headers).length} headers}` } : {}

const sideOf = (success: Execution | undefined, node: string | undefined): Side | undefined => {
  const data = success === undefined ? undefined : runDataOf(success)
  const run = data?.runs.findLast((run) => run.node === node)
  return data === undefined || run === undefined ? undefined : { data, input: inputOf(data, run) }
}

const successOf = ({ related: { lastSuccess }, success }: Findings, before: Side | undefined): unknown => {
  if (lastSuccess === undefined) return "none on record before it"
  const { id, startedAt } = lastSuccess
  if (success === undefined || runDataOf(success) === undefined)
    return { id, startedAt, note: "its data cannot be read" }
  return {
    id,
    startedAt,
    ...(before === undefined ? { note: "did not reach this node" } : { items: before.input.length })
  }
}

/** Changes of the workflow between the last success and the run that failed; each execution keeps the workflow it ran. */
const changesOf = ({ execution, success }: Findings, { fields, text }: Limits): JsonObject => {
  const [before, after] = [success?.workflowData, execution.workflowData]
  if (!isJsonObject(before) || !isJsonObject(after)) return {}
  const changes = differences(Struct.omit(before, ["active", "updatedAt"]), Struct.omit(after, ["active", "updatedAt"]))
  if (changes.length === 0) return { changedBetween: "nothing in the workflow" }
  return { changedBetween: changeLines(changes, Math.ceil(fields / 2)).map((line) => clipped(line, text * 2)) }
}

const alikeOf = ({ compared: { alike, compared }, execution, related }: Findings): JsonObject => {
  const all = [...alike, execution].sort((a, b) => a.id - b.id)
  const failures = related.failures.length
  return {
    failures: related.isMore ? `${failures} or more` : Math.max(failures, 1),
    ...(related.lastSuccess === undefined ? {} : { since: "last success" }),
    ...(failures <= 1
      ? {}
      : {
          alike: `${alike.length + 1} of ${compared + 1} compared`,
          first: all[0]?.startedAt,
          last: all.at(-1)?.startedAt
        })
  }
}
