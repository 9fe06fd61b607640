import { Predicate } from "effect"

import { weightOfJson } from "../../internal/json/values.ts"
import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import type { Sliced } from "../../internal/Sliced.ts"
import { nameOf } from "../workflow/nodes.ts"
import { describe } from "./describe.ts"
import { versionKey } from "./externalVersions.ts"
import { type NewCommit, ourselves, somebody } from "./git/fastImport.ts"
import { type HistoryEvent, type HistoryEventOf, sinceOf } from "./HistoryEvent.ts"
import { filesOf } from "./layout.ts"
import { commitOfBackup, commitsOfList } from "./lists.ts"
import { deleted, firstSeen, type Line, messageOf, otherIds, readWhole } from "./message.ts"
import { baseOf, keyOf } from "./paths.ts"
import { isCompletion, isIncomplete, isNewer, isSameButForIds, isSameRecord, merged, recordOf } from "./record.ts"

/** A workflow as the repository contains it. */
export interface RecordedWorkflow {
  readonly base: string
  readonly paths: ReadonlyArray<string>
  readonly record: JsonObject
}

/** The state while commits are made: workflows by `keyOf`, and lists by their file. */
export interface Ledger {
  readonly workflows: Map<string, RecordedWorkflow>
  readonly lists: Map<string, string>
  /** Authors of versions that are not ours, by `versionKey`, as far as engines tell. */
  readonly authors: ReadonlyMap<string, string>
  /** When workflows were recorded for which an older state arrives only now, by `keyOf`, in milliseconds. */
  readonly recordedAt: ReadonlyMap<string, number>
}

/** The commits for events, none if nothing changed; the ledger is updated, as each changes what the next one finds. */
export function* commitsOf(events: ReadonlyArray<HistoryEvent>, ledger: Ledger): Sliced<ReadonlyArray<NewCommit>> {
  const commits: Array<NewCommit> = []
  for (const event of events) commits.push(...(yield* commitsOfOne(event, ledger)))
  return commits
}

function* commitsOfOne(event: HistoryEvent, ledger: Ledger): Sliced<ReadonlyArray<NewCommit>> {
  if (event._tag === "Seen") return yield* commitsOfReading(event, ledger)
  if (event._tag === "Wrote") return yield* commitsOfChange(event, ledger)
  return event._tag === "Listed" ? commitsOfList(event, ledger.lists) : [commitOfBackup(event)]
}

function* commitsOfReading(event: HistoryEventOf<"Seen">, ledger: Ledger): Sliced<ReadonlyArray<NewCommit>> {
  const { at, gone, instance, workflows } = event
  const first: Array<Step> = []
  const whole: Array<Step> = []
  const alike: Array<Step> = []
  const stepsByAuthor = new Map<string, Array<Step>>()
  const change = (author: string, step: Step) => {
    const steps = stepsByAuthor.get(author) ?? []
    stepsByAuthor.set(author, steps)
    steps.push(step)
  }
  for (const seen of workflows) {
    yield 1 + weightOfJson(seen)
    const recorded = recordedOf(ledger, instance, seen)
    if (isOvertaken(ledger, event, seen)) continue
    const isMore = recorded !== undefined && isCompletion(recorded.record, merged(recorded.record, seen))
    const step = put(ledger, instance, seen)
    if (step === undefined) continue
    if (recorded === undefined) first.push({ ...step, line: { ...step.line, change: firstSeen } })
    else if (isMore) (first.some(({ line }) => line.base === step.line.base) ? first : whole).push(step)
    else if (step.line.change === otherIds) alike.push(step)
    else change(authorOf(ledger, instance, seen), step)
  }
  for (const id of gone) {
    const step = drop(ledger, instance, id)
    if (step !== undefined) change(somebody, step)
  }
  return [
    ...commitOf(first, { at, author: ourselves, subject: (what) => `First seen: ${what}`, instance }),
    ...commitOf(whole, { at, author: ourselves, subject: (what) => `Read whole: ${what}`, instance }),
    ...commitOf(alike, { at, author: ourselves, subject: (what) => `Other ids of nodes: ${what}`, instance }),
    ...[...stepsByAuthor].flatMap(([author, steps]) =>
      commitOf(steps, { at, author, subject: (what) => `Changed elsewhere: ${what}`, instance })
    )
  ]
}

/** Whether another process has already recorded something newer than this event shows. */
const isOvertaken = ({ recordedAt, workflows }: Ledger, event: HistoryEvent, seen: JsonObject): boolean => {
  const key = keyOf(event.instance, String(seen.id))
  return sinceOf(event) <= (recordedAt.get(key) ?? -Infinity) && isNewer(workflows.get(key)?.record, seen)
}

const authorOf = ({ authors }: Ledger, instance: string, { id, versionId }: JsonObject): string =>
  authors.get(versionKey(instance, String(id), String(versionId))) ?? somebody

function* commitsOfChange(change: HistoryEventOf<"Wrote">, ledger: Ledger): Sliced<ReadonlyArray<NewCommit>> {
  const { after, at, id, instance, origin, since = sinceOf(change) } = change
  const { client = "an unknown client", tool = "a change" } = origin
  const ours = (step: Step | undefined) =>
    commitOf(step === undefined ? [] : [step], {
      at,
      author: client,
      subject: (what) => `${tool}: ${what}`,
      instance,
      origin
    })
  const recorded = alreadyThere(change, ledger)
  if (recorded !== undefined) return ours(recorded)
  const before = stateBefore(change, ledger.workflows.get(keyOf(instance, id))?.record)
  const earlier =
    before === undefined
      ? []
      : yield* commitsOfReading({ _tag: "Seen", since, at, instance, workflows: [before], gone: [] }, ledger)
  if (after._tag === "Unknown") return earlier
  if (after._tag === "Deleted") return [...earlier, ...ours(drop(ledger, instance, id))]
  const seen = { ...after.seen, id }
  const isLate = isOvertaken(ledger, change, seen)
  const step = put(ledger, instance, seen)
  if (step === undefined || !isLate) return [...earlier, ...ours(step)]
  const words = before === undefined ? firstVersion : describe(recordOf(before), merged(before, seen))
  return [...earlier, ...ours({ ...step, line: { ...step.line, change: `${words} (recorded late)` } })]
}

/** The workflow before a change: as it was read for it, otherwise with the recorded values of the fields that such a change affects. */
const stateBefore = (
  { after, before, touched }: HistoryEventOf<"Wrote">,
  current: JsonObject | undefined
): JsonObject | undefined => {
  if (before !== undefined) return before
  if (after._tag !== "Present" || touched === undefined || current === undefined) return undefined
  return { ...merged(current, after.seen), ...Object.fromEntries(touched.map((field) => [field, current[field]])) }
}

/** A change that another process on the same repository has read and recorded before it was recorded here. */
const alreadyThere = ({ after, before, id, instance }: HistoryEventOf<"Wrote">, ledger: Ledger): Step | undefined => {
  const recorded = ledger.workflows.get(keyOf(instance, id))
  if (recorded === undefined || before === undefined || after._tag !== "Present") return undefined
  const was = merged(recorded.record, before)
  const isRecorded = isSameRecord(merged(recorded.record, after.seen), recorded.record)
  if (!isRecorded || isSameRecord(was, recorded.record)) return undefined
  return {
    ...nothing,
    name: nameOf(recorded.record),
    line: lineOf(recorded.base, describe(was, recorded.record), recorded.record, was)
  }
}

interface Step {
  readonly name: string
  readonly line: Line
  readonly remove: ReadonlyArray<string>
  readonly write: ReadonlyMap<string, string>
}

const firstVersion = "first version"

const nothing = { remove: [], write: new Map<string, string>() }

const recordedOf = (ledger: Ledger, instance: string, { id }: JsonObject) =>
  ledger.workflows.get(keyOf(instance, String(id)))

const put = (ledger: Ledger, instance: string, seen: JsonObject): Step | undefined => {
  const id = String(seen.id)
  const recorded = ledger.workflows.get(keyOf(instance, id))
  const record = merged(recorded?.record, seen)
  const isMore = recorded !== undefined && isIncomplete(recorded.record) && !isIncomplete(record)
  if (recorded !== undefined && !isMore && isSameRecord(recorded.record, record)) return undefined
  const base = baseOf(instance, nameOf(record), id)
  const write = filesOf(base, record)
  const paths = [...write.keys()]
  ledger.workflows.set(keyOf(instance, id), { base, paths, record })
  return {
    name: nameOf(record),
    line: lineOf(
      base,
      recorded === undefined ? firstVersion : wordsFor(recorded.record, record),
      record,
      recorded?.record
    ),
    remove: recorded?.paths.filter((path) => !write.has(path)) ?? [],
    write
  }
}

const wordsFor = (before: JsonObject, record: JsonObject): string => {
  if (isCompletion(before, record)) return readWhole
  return isSameButForIds(before, record) ? otherIds : describe(before, record)
}

const drop = (ledger: Ledger, instance: string, id: string): Step | undefined => {
  const recorded = ledger.workflows.get(keyOf(instance, id))
  if (recorded === undefined) return undefined
  ledger.workflows.delete(keyOf(instance, id))
  return {
    ...nothing,
    name: nameOf(recorded.record),
    line: { base: recorded.base, change: deleted },
    remove: recorded.paths
  }
}

const lineOf = (
  base: string,
  change: string,
  { updatedAt, versionId }: JsonObject,
  before: JsonObject | undefined
): Line => ({
  base,
  change,
  engineVersion: Predicate.isString(versionId) ? versionId : undefined,
  // Engines do not stamp every change, such as one of tags.
  savedAt: Predicate.isString(updatedAt) && updatedAt !== before?.updatedAt ? updatedAt : undefined
})

const commitOf = (
  steps: ReadonlyArray<Step>,
  {
    at,
    author,
    instance,
    origin,
    subject
  }: Pick<NewCommit, "author"> & {
    readonly at: number
    readonly instance: string
    readonly subject: (what: string) => string
    readonly origin?: HistoryEventOf<"Wrote">["origin"]
  }
): ReadonlyArray<NewCommit> => {
  const [only] = steps
  if (only === undefined) return []
  const what = steps.length === 1 ? `${only.name} on ${instance}` : `${steps.length} workflows on ${instance}`
  return [
    {
      author,
      at: Math.floor(at / 1000),
      message: messageOf({ at, subject: subject(what), lines: steps.map(({ line }) => line), origin }),
      remove: steps.flatMap(({ remove }) => remove),
      write: new Map(steps.flatMap(({ write }) => [...write]))
    }
  ]
}
