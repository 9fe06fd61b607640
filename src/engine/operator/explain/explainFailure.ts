import { Struct } from "effect"

import { clipped } from "../../../internal/foreignText.ts"
import { jsonBytes } from "../../../internal/json/values.ts"
import { isJsonObject, type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { changeLines, differences } from "../../workflow/difference.ts"
import type { Execution } from "../../workflow/models.ts"
import { headOf } from "./describeExecution.ts"
import { childOf, defined, type Failure, messageOf, placeOf, wordsOf } from "./failure.ts"
import type { FieldReference } from "./fieldReferences.ts"
import { fieldNotes, firstLacking, shapeNotes, type Side } from "./inputFields.ts"
import type { RelatedRuns } from "./relatedRuns.ts"
import { inputOf, jsonOf, nodeNamed, type NodeRun, type RunData, runDataOf, textIn } from "./runData.ts"
import { runPathOf } from "./runPath.ts"
import { truncateFields, type Limits } from "./truncate.ts"

/** Everything that was read about a failure. */
export interface Findings {
  readonly execution: Execution
  readonly data: RunData
  readonly failure: Failure
  readonly references: ReadonlyArray<FieldReference>
  readonly related: RelatedRuns
  readonly compared: { readonly compared: number; readonly alike: ReadonlyArray<Execution> }
  /** The last success before it, with its data. */
  readonly success: Execution | undefined
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
  const limits = limitsToTry.find((limits) => jsonBytes(shown(findings, facts, limits)) <= most) ?? smallest
  return shown(findings, facts, limits)
}

/** What does not depend on the limits. */
const factsOf = ({ data, failure, references, success }: Findings) => {
  const now: Side = { data, input: failure.input }
  const before = sideOf(success, failure.at?.node)
  const lacking = failure.item === undefined ? firstLacking(now, references) : undefined
  return {
    before,
    lacking,
    notes: fieldNotes(now, before, references),
    shape: before === undefined ? {} : shapeNotes(now, before),
    path: runPathOf(data)
  }
}

type Facts = ReturnType<typeof factsOf>

const shown = (findings: Findings, facts: Facts, limits: FailureLimits): JsonObject => ({
  execution: headOf(findings.execution),
  ...startedBy(findings.data),
  failed: failedAt(findings, limits.words),
  ...defined("subWorkflow", childOf(findings.failure)),
  ...itemShown(findings, facts.lacking, limits),
  ...filled("fields", Object.fromEntries(Object.entries(facts.notes).slice(0, limits.fields))),
  ...filled("itemFields", facts.shape),
  path: clipped(facts.path, limits.words * 2),
  lastSuccess: successOf(findings, facts.before),
  ...changesOf(findings, limits),
  alike: alikeOf(findings)
})

const filled = (name: string, value: JsonObject): JsonObject =>
  Object.keys(value).length === 0 ? {} : { [name]: value }

const failedAt = ({ data, failure }: Findings, words: number): JsonObject => {
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

/** Which of its runs failed, where it ran several times. */
const runOf = ({ runs }: RunData, { node, run }: NodeRun): JsonObject => {
  const count = runs.filter((other) => other.node === node).length
  return count > 1 ? { run: `${run + 1} of ${count}` } : {}
}

/** The part of an agent, and what it failed with where that says something else. */
const partOf = (data: RunData, { error = {}, node }: NodeRun, whole: JsonObject, words: number): JsonObject => ({
  node,
  ...defined("type", nodeNamed(data, node)?.type),
  ...(messageOf(error) === messageOf(whole) ? {} : wordsOf(error, words / 2))
})

/** The item that failed, or the first that lacks what its node asks for; what the node mentions stands first. */
const itemShown = (
  { failure, references }: Findings,
  lacking: number | undefined,
  limits: FailureLimits
): JsonObject => {
  const of = failure.input.length
  if (of === 0) return {}
  const index = failure.item ?? lacking ?? (of === 1 ? 0 : undefined)
  const json = jsonOf(failure.input[index ?? 0])
  const mentioned = references.flatMap(({ node, path: [name = ""] }) => (node === undefined ? [name] : []))
  const there = Object.keys(json)
  const names = [...new Set([...mentioned, ...there.filter(isContent), ...there])].filter((name) =>
    Object.hasOwn(json, name)
  )
  // Headers are many and seldom asked for.
  const shallow = mentioned.includes("headers") ? json : { ...json, ...headersOf(json) }
  const which = lacking === undefined ? "this is the first" : "this is the first that lacks a mentioned field"
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

/** How the workflow changed between the last success and the run that failed; each execution keeps the workflow it ran. */
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

/** The failed run that this one was started for, if it is the run of an error workflow. */
const startedBy = (data: RunData): JsonObject => {
  const [first] = data.runs
  const { execution, workflow } = jsonOf(first?.outputs[0]?.[0])
  const isOfError = textIn(nodeNamed(data, first?.node)?.type)?.endsWith(".errorTrigger") === true
  return isOfError
    ? {
        startedByFailureOf: {
          ...defined("execution", objectOf(execution).id),
          ...defined("workflow", objectOf(workflow).name)
        }
      }
    : {}
}
