import { weightOfJson } from "../../internal/json/values.ts"
import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import type { Sliced } from "../../internal/Sliced.ts"
import { nameOf } from "../workflow/nodes.ts"
import { describe } from "./describe.ts"
import { versionKey } from "./externalVersions.ts"
import { type NewCommit, ourselves, somebody, unknownAuthor } from "./git/fastImport.ts"
import { type HistoryEvent, type HistoryEventOf, sinceOf, tipOf } from "./HistoryEvent.ts"
import { filesOf } from "./layout.ts"
import { commitOfBackup, commitsOfList } from "./lists.ts"
import { deleted, firstSeen, type Line, lineOf, messageOf, notHere, otherIds, readWhole } from "./message.ts"
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
  /** Whether another process has recorded a workflow, by `keyOf`, since the engine was asked for what an event shows. */
  readonly isRecordedSince: (event: HistoryEvent, key: string) => boolean
  /** Workflows that people have changed in the history alone, as they were recorded before; undefined if they were not. */
  readonly beforePeople: Map<string, JsonObject | undefined>
  /** Workflows that were recorded last in a history of which this one is a copy: its server may have changed them since. */
  readonly copied: Set<string>
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
  const first = new Set<string>()
  const groups: Array<Group> = []
  const last = new Map<string, Group>()
  const add = (key: string, { author = ourselves, kind, step }: Sorted) => {
    const isSame = (group: Group | undefined) => group?.kind === kind && group.author === author
    const before = last.get(key)
    const round = before === undefined ? 0 : before.round + Number(!isSame(before) || kind === "Changed elsewhere")
    const present = groups.find((group) => group.round === round && isSame(group))
    const group = present ?? { author, kind, round, steps: [] }
    if (present === undefined) groups.push(group)
    group.steps.push(step)
    last.set(key, group)
  }
  for (const seen of workflows) {
    yield 1 + weightOfJson(seen)
    if (isOvertaken(ledger, event, seen)) continue
    const sorted = sortedReading(ledger, event, seen, first)
    if (sorted !== undefined) add(keyOf(instance, String(seen.id)), sorted)
  }
  for (const id of gone) {
    const key = keyOf(instance, id)
    // Somebody may have copied the files of another instance into this one's folder.
    const isNotOurs = ledger.beforePeople.has(key) && ledger.beforePeople.get(key) === undefined
    const author = ledger.copied.has(key) ? unknownAuthor : somebody
    const step = drop(ledger, instance, id)
    if (step === undefined) continue
    if (isNotOurs) add(key, { kind: "Read again", step: { ...step, line: { ...step.line, change: notHere } } })
    else add(key, { kind: "Changed elsewhere", author, step })
  }
  return groups
    .toSorted((one, other) => one.round - other.round || kinds.indexOf(one.kind) - kinds.indexOf(other.kind))
    .flatMap(({ author, kind, steps }) =>
      commitOf(steps, { at, author, subject: (what) => `${kind}: ${what}`, instance })
    )
}

/** The kinds of commits of a reading, in their order. */
const kinds = ["First seen", "Read whole", "Other ids of nodes", "Read again", "Changed elsewhere"] as const

/** Workflows of a reading that make one commit; a later round is for others of their versions, each of which is to be read alone. */
interface Group {
  readonly author: string
  readonly kind: (typeof kinds)[number]
  readonly round: number
  readonly steps: Array<Step>
}

interface Sorted extends Pick<Group, "kind"> {
  readonly author?: string
  readonly step: Step
}

/** A workflow as it was read: what its difference from the record stands for; none if it does not differ. */
const sortedReading = (
  ledger: Ledger,
  { instance }: HistoryEventOf<"Seen">,
  seen: JsonObject,
  first: Set<string>
): Sorted | undefined => {
  const key = keyOf(instance, String(seen.id))
  const before = ledger.workflows.get(key)?.record
  const isMore = before !== undefined && isCompletion(before, merged(before, seen))
  const isByPeople = before !== undefined && ledger.beforePeople.has(key)
  const ours = isByPeople ? ledger.beforePeople.get(key) : before
  const author = authorOf(ledger, instance, seen)
  const step = put(ledger, instance, seen)
  if (step === undefined) return undefined
  const saying = (change: string): Step => ({ ...step, line: { ...step.line, change } })
  if (ours === undefined) {
    first.add(key)
    return { kind: "First seen", step: saying(firstSeen) }
  }
  if (isByPeople) {
    const words = describe(ours, merged(ours, seen))
    return isSameRecord(merged(ours, seen), ours)
      ? { kind: "Read again", step: saying(`as the engine shows it, unlike the history: ${step.line.change}`) }
      : { kind: "Changed elsewhere", author, step: saying(words) }
  }
  if (isMore) return { kind: first.has(key) ? "First seen" : "Read whole", step }
  return step.line.change === otherIds
    ? { kind: "Other ids of nodes", step }
    : { kind: "Changed elsewhere", author, step }
}

/** Whether another process has already recorded something newer than this event shows. */
const isOvertaken = ({ isRecordedSince, workflows }: Ledger, event: HistoryEvent, seen: JsonObject): boolean => {
  const key = keyOf(event.instance, String(seen.id))
  return isNewer(workflows.get(key)?.record, seen) && isRecordedSince(event, key)
}

/** The author of a change that was not made here, as far as it is known; in a copied history, it may have been our other one. */
const authorOf = ({ authors, copied }: Ledger, instance: string, { id, versionId }: JsonObject): string => {
  const author = authors.get(versionKey(instance, String(id), String(versionId))) ?? somebody
  return author === somebody && copied.has(keyOf(instance, String(id))) ? unknownAuthor : author
}

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
      : yield* commitsOfReading(
          { _tag: "Seen", since, tip: tipOf(change), at, instance, workflows: [before], gone: [] },
          ledger
        )
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

/** The note on a workflow that was made here, or is recorded for the first time. */
const firstVersion = "first version"

/** A change that another process on the same repository has read, at least in part, and recorded before it was recorded here. */
const alreadyThere = (
  { after, id, instance, isNew, touchedBefore, before = touchedBefore }: HistoryEventOf<"Wrote">,
  ledger: Ledger
): Step | undefined => {
  const recorded = ledger.workflows.get(keyOf(instance, id))
  if (recorded === undefined || after._tag !== "Present" || (before === undefined && isNew !== true)) return undefined
  const record = merged(recorded.record, after.seen)
  const was = before === undefined ? undefined : merged(recorded.record, before)
  if (!isCompletion(recorded.record, record) || (was !== undefined && isCompletion(recorded.record, was)))
    return undefined
  const words = was === undefined ? firstVersion : describe(was, record)
  return {
    ...(put(ledger, instance, { ...after.seen, id }) ?? nothing),
    name: nameOf(record),
    line: lineOf(recorded.base, words, record, was)
  }
}

interface Step extends Pick<NewCommit, "remove" | "write"> {
  readonly name: string
  readonly line: Line
}

const nothing = { remove: [], write: new Map<string, string>() }

const put = (ledger: Ledger, instance: string, seen: JsonObject): Step | undefined => {
  const id = String(seen.id)
  const recorded = ledger.workflows.get(keyOf(instance, id))
  const record = merged(recorded?.record, seen)
  const isMore = recorded !== undefined && isIncomplete(recorded.record) && !isIncomplete(record)
  if (recorded !== undefined && !isMore && isSameRecord(recorded.record, record)) return undefined
  const base = baseOf(instance, nameOf(record), id)
  const write = filesOf(base, record)
  const words = recorded === undefined ? firstVersion : wordsFor(recorded.record, record)
  ledger.workflows.set(keyOf(instance, id), { base, paths: [...write.keys()], record })
  forgetOthers(ledger, keyOf(instance, id))
  return {
    name: nameOf(record),
    line: lineOf(base, words, record, recorded?.record),
    remove: recorded?.paths.filter((path) => !write.has(path)) ?? [],
    write
  }
}

/** Changes of others to the record of a workflow no longer count once it is recorded anew. */
const forgetOthers = ({ beforePeople, copied }: Ledger, key: string) => {
  beforePeople.delete(key)
  copied.delete(key)
}

const wordsFor = (before: JsonObject, record: JsonObject): string => {
  if (isCompletion(before, record)) return readWhole
  return isSameButForIds(before, record) ? otherIds : describe(before, record)
}

const drop = (ledger: Ledger, instance: string, id: string): Step | undefined => {
  const recorded = ledger.workflows.get(keyOf(instance, id))
  if (recorded === undefined) return undefined
  ledger.workflows.delete(keyOf(instance, id))
  forgetOthers(ledger, keyOf(instance, id))
  return {
    ...nothing,
    name: nameOf(recorded.record),
    line: { base: recorded.base, change: deleted },
    remove: recorded.paths
  }
}

const commitOf = (
  steps: ReadonlyArray<Step>,
  {
    at,
    author,
    instance,
    origin,
    subject
  }: Pick<NewCommit, "author"> &
    Pick<HistoryEventOf<"Seen">, "at" | "instance"> & {
      readonly subject: (what: string) => string
      readonly origin?: HistoryEventOf<"Wrote">["origin"]
    }
): ReadonlyArray<NewCommit> => {
  const [only] = steps
  if (only === undefined) return []
  const write = new Map<string, string>()
  // A later step may rename or delete what an earlier one has written.
  for (const step of steps) {
    for (const path of step.remove) write.delete(path)
    for (const [path, text] of step.write) write.set(path, text)
  }
  const what = steps.length === 1 ? `${only.name} on ${instance}` : `${steps.length} workflows on ${instance}`
  return [
    {
      author,
      at: Math.floor(at / 1000),
      message: messageOf({ at, subject: subject(what), lines: steps.map(({ line }) => line), origin }),
      remove: steps.flatMap(({ remove }) => remove),
      write
    }
  ]
}
