import { Struct } from "effect"

import { type JsonObject, isJsonObject } from "../../../internal/schema/JsonObject.ts"
import type { Execution } from "../../client/models.ts"
import { changeLines, differences } from "../../workflow/difference.ts"
import { cutFields, cutText, type Room } from "./cut.ts"
import { childOf, defined, type Failure, wordsOf } from "./failure.ts"
import { fieldNotes, firstLacking, mentionsOf, shapeNotes, type Side } from "./fields.ts"
import type { Mention } from "./mentions.ts"
import type { Past } from "./past.ts"
import { inputOf, jsonOf, nodeNamed, objectIn, type RunData, runDataOf, textIn } from "./runData.ts"
import { headOf } from "./states.ts"
import { wayOf } from "./way.ts"

/** Everything that was read about a failure. */
export interface Findings {
  readonly execution: Execution
  readonly data: RunData
  readonly failure: Failure
  readonly past: Past
  readonly compared: { readonly compared: number; readonly alike: ReadonlyArray<Execution> }
  /** The last success before it, with its data. */
  readonly success: Execution | undefined
}

/** Rooms to try until the whole is short: text of the error, and how much of the item. */
const rooms: ReadonlyArray<Room & { readonly words: number }> = [
  { words: 500, text: 160, fields: 12, depth: 3 },
  { words: 350, text: 80, fields: 8, depth: 2 },
  { words: 250, text: 40, fields: 5, depth: 1 },
  { words: 150, text: 30, fields: 3, depth: 1 }
]

/** Bytes that an account may have: about 700 tokens. */
const most = 2300

/** What is told of a failure: facts of the engine's record, short whatever its size. */
export const account = (findings: Findings): JsonObject => {
  const all = rooms.map((room) => () => accountIn(findings, room))
  const first = all.map((make) => make()).find((made) => bytes(made) <= most)
  return first ?? accountIn(findings, { words: 120, text: 20, fields: 2, depth: 1 })
}

const encoder = new TextEncoder()
const bytes = (value: unknown) => encoder.encode(JSON.stringify(value)).length

const accountIn = (findings: Findings, room: Room & { readonly words: number }): JsonObject => {
  const { data, execution, failure, success } = findings
  const now: Side = { data, input: failure.input }
  const node = failure.at?.node
  const before = sideOf(success, node)
  const mentions = mentionsOf(now, node)
  const notes = fieldNotes(now, before, mentions)
  return {
    execution: headOf(execution),
    ...startedBy(data),
    failed: failedAt(findings, room.words),
    ...defined("subWorkflow", childOf(failure)),
    ...itemShown(failure, now, mentions, room),
    ...filled("fields", notes),
    ...(before === undefined ? {} : filled("itemsNow", shapeNotes(now, before))),
    way: cutText(wayOf(data), room.words * 2),
    lastSuccess: successOf(findings, before),
    ...changesOf(findings, room),
    alike: alikeOf(findings)
  }
}

const filled = (name: string, value: JsonObject): JsonObject =>
  Object.keys(value).length === 0 ? {} : { [name]: value }

const failedAt = ({ data, failure }: Findings, words: number): JsonObject => {
  const { at, error, part } = failure
  const node = nodeNamed(data, at?.node)
  return {
    ...(at === undefined
      ? { node: textIn(objectIn(error.node).name) ?? null, note: "no node had run" }
      : { node: at.node, ...defined("type", node?.type), ...(at.run > 0 ? { run: at.run } : {}) }),
    ...wordsOf(error, words),
    ...(part === undefined || part.error === undefined
      ? {}
      : { part: { node: part.node, ...wordsOf(part.error, words / 2) } })
  }
}

/** The item that failed, or the first that lacks what its node asks for; what the node mentions stands first. */
const itemShown = (failure: Failure, now: Side, mentions: ReadonlyArray<Mention>, room: Room): JsonObject => {
  const of = now.input.length
  if (of === 0) return {}
  const lacking = failure.item === undefined ? firstLacking(now, mentions) : undefined
  const index = failure.item ?? lacking ?? (of === 1 ? 0 : undefined)
  const json = jsonOf(now.input[index ?? 0])
  const mentioned = mentions.flatMap(({ node, path: [name = ""] }) => (node === undefined ? [name] : []))
  const names = [...new Set([...mentioned, ...Object.keys(json)])].filter((name) => Object.hasOwn(json, name))
  return {
    item: {
      ...(index === undefined ? { note: "the engine does not say which; this is the first" } : { index }),
      of,
      ...(lacking === undefined
        ? {}
        : { note: "the engine does not say which; this is the first that lacks a mentioned field" }),
      json: cutFields(json, names, room)
    }
  }
}

const sideOf = (success: Execution | undefined, node: string | undefined): Side | undefined => {
  const data = success === undefined ? undefined : runDataOf(success)
  const run = data?.runs.findLast((run) => run.node === node)
  return data === undefined || run === undefined ? undefined : { data, input: inputOf(data, run) }
}

const successOf = ({ past: { lastSuccess }, success }: Findings, before: Side | undefined): unknown => {
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

/** What of the workflow is other in the run that failed than in the last success; both keep the workflow that ran. */
const changesOf = ({ execution, success }: Findings, { fields, text }: Room): JsonObject => {
  const [before, after] = [success?.workflowData, execution.workflowData]
  if (!isJsonObject(before) || !isJsonObject(after)) return {}
  const changes = differences(Struct.omit(before, ["active", "updatedAt"]), Struct.omit(after, ["active", "updatedAt"]))
  if (changes.length === 0) return { changedBetween: "nothing in the workflow" }
  return { changedBetween: changeLines(changes, Math.ceil(fields / 2)).map((line) => cutText(line, text * 2)) }
}

const alikeOf = ({ compared: { alike, compared }, execution, past }: Findings): JsonObject => {
  const all = [...alike, execution].sort((a, b) => a.id - b.id)
  const failures = past.failures.length
  return {
    failures: past.isMore ? `${failures} or more` : Math.max(failures, 1),
    ...(past.lastSuccess === undefined ? {} : { since: "last success" }),
    ...(failures <= 1
      ? {}
      : {
          alike: `${alike.length + 1} of ${compared + 1} compared`,
          first: all[0]?.startedAt,
          last: all.at(-1)?.startedAt
        })
  }
}

/** The run that this one was started for, where it is one of an error workflow. */
const startedBy = (data: RunData): JsonObject => {
  const [first] = data.runs
  const { execution, workflow } = jsonOf(first?.outputs[0]?.[0])
  const isOfError = textIn(nodeNamed(data, first?.node)?.type)?.endsWith(".errorTrigger") === true
  return isOfError
    ? {
        startedByFailureOf: {
          ...defined("execution", objectIn(execution).id),
          ...defined("workflow", objectIn(workflow).name)
        }
      }
    : {}
}
