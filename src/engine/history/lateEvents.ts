import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import type { Ledger } from "./commits.ts"
import { type HistoryEvent, idsIn } from "./HistoryEvent.ts"
import { type Commit, linesIn, momentIn } from "./message.ts"
import { keyAt, keyOf } from "./paths.ts"
import { isNewer } from "./record.ts"

type Recorded = ReadonlyMap<string, { readonly record: JsonObject }>

/** The events left by a process that has ended, without those that it recorded after all. */
export const notRecorded = (
  left: ReadonlyArray<HistoryEvent>,
  commits: ReadonlyArray<Commit>
): ReadonlyArray<HistoryEvent> => {
  const recordedKeys = new Set(
    commits.flatMap(({ message }) =>
      linesIn(message).map(({ folder, id }) => `${keyAt(folder, id)} ${momentIn(message)}`)
    )
  )
  const isRecorded = ({ at, instance }: HistoryEvent, id: unknown) =>
    recordedKeys.has(`${keyOf(instance, String(id))} ${new Date(at).toISOString()}`)
  return left.flatMap((event): ReadonlyArray<HistoryEvent> => {
    const { _tag } = event
    if (_tag === "Wrote") return isRecorded(event, event.id) ? [] : [event]
    if (_tag === "Listed") return event.all === undefined ? [event] : []
    if (_tag === "BackedUp") return []
    const workflows = event.workflows.filter(({ id }) => !isRecorded(event, id))
    return workflows.length === 0 ? [] : [{ ...event, workflows, gone: [] }]
  })
}

/** Workflows recorded in a newer state than an event that arrives only now, as another process was faster. */
export const overtaken = (events: ReadonlyArray<HistoryEvent>, recorded: Recorded): ReadonlyArray<string> => [
  ...new Set(
    events.flatMap((event) =>
      idsIn(event)
        .map((id) => [keyOf(event.instance, id), stateIn(event, id)] as const)
        .flatMap(([key, state]) => (isNewer(recorded.get(key)?.record, state) ? [key] : []))
    )
  )
]

/** Workflows recorded in a newer state than all late events, to be recorded again after them. */
export const recordedAgain = (
  events: ReadonlyArray<HistoryEvent>,
  { isRecordedSince, workflows }: Pick<Ledger, "isRecordedSince"> & { readonly workflows: Recorded },
  at: number
): ReadonlyArray<HistoryEvent> => {
  const last = new Map(events.flatMap((event) => idsIn(event).map((id) => [keyOf(event.instance, id), { event, id }])))
  return [...last].flatMap(([key, { event, id }]): ReadonlyArray<HistoryEvent> => {
    const record = workflows.get(key)?.record
    return record !== undefined && isNewer(record, stateIn(event, id)) && isRecordedSince(event, key)
      ? [{ _tag: "Seen", instance: event.instance, at, workflows: [{ ...record, id }], gone: [] }]
      : []
  })
}

const stateIn = (event: HistoryEvent, id: string): JsonObject => {
  if (event._tag === "Seen") return event.workflows.find((one) => String(one.id) === id) ?? {}
  if (event._tag !== "Wrote") return {}
  const { after, at } = event
  return after._tag === "Present" ? after.seen : { updatedAt: new Date(at).toISOString() }
}
