import { DateTime, Option } from "effect"

import { clipped, oneLine } from "../../../internal/foreignText.ts"
import { isoOf, minuteOf } from "../../../internal/time.ts"
import type { Severity } from "../health/Finding.ts"
import { type Change, rankOf } from "./incidents.ts"

/** A change that receivers have not been told yet. */
export interface Pending extends Change {
  readonly id: string
  /** Names of the receivers that still have to be told. */
  readonly receivers: ReadonlyArray<string>
}

/** A message as one receiver gets it. */
export interface Message {
  readonly id: string
  readonly at: string
  readonly severity: Severity
  readonly title: string
  /** All of it in lines, for people. */
  readonly text: string
  readonly events: ReadonlyArray<MessageEvent>
}

interface MessageEvent {
  /** `passed` is one that began and was over before it could be told. */
  readonly type: Change["type"] | "passed"
  readonly instance: string
  readonly kind: string
  readonly severity: Severity
  readonly title: string
  readonly text?: string
  readonly since: string
  readonly until?: string
  readonly workflows?: ReadonlyArray<string>
  readonly link?: string
}

/** The rules by which messages are held back. */
export interface Delivery {
  readonly messagesPerHour: number
  readonly quietHours: QuietHours | undefined
  /** The address of the page, for links. */
  readonly page: string | undefined
}

export interface QuietHours {
  /** Times of the day as `22:00`. */
  readonly from: string
  readonly to: string
  readonly timezone: string
  /** The severity from which messages are sent all the same. */
  readonly except?: Severity | undefined
}

const hour = 3_600_000

/** The message that a receiver gets now of what is pending for it, and the ids that it covers. */
export const dueFor = (
  receiver: string,
  pending: ReadonlyArray<Pending>,
  sentAt: ReadonlyArray<number>,
  now: number,
  delivery: Delivery
): ReadonlyArray<{ readonly message: Message; readonly ids: ReadonlyArray<string> }> => {
  const mine = pending.filter(({ receivers }) => receivers.includes(receiver))
  const isQuiet = delivery.quietHours !== undefined && isWithin(delivery.quietHours, now)
  const from = isQuiet ? delivery.quietHours?.except : "info"
  const due = mine.filter(({ incident }) => from !== undefined && rankOf(incident.severity) >= rankOf(from))
  const room = delivery.messagesPerHour - sentAt.filter((at) => at > now - hour).length
  if (due.length === 0 || room <= 0) return []
  const events = paired(due)
  const isSingle = events.length <= Math.min(room, mostSingle)
  const groups = isSingle ? events.map((one) => [one]) : [events]
  return groups.map((group) => ({
    message: messageOf(group, now, delivery),
    ids: group.flatMap(({ ids }) => ids)
  }))
}

/** Messages at once beyond which one tells all. */
const mostSingle = 5

interface Paired {
  readonly ids: ReadonlyArray<string>
  readonly type: MessageEvent["type"]
  readonly begun: Pending
  readonly until?: number
}

/** Changes in their order, in which what began and is over already is one. */
const paired = (due: ReadonlyArray<Pending>): ReadonlyArray<Paired> => {
  const events: Array<Paired> = []
  for (const one of due) {
    const place = events.findIndex(({ begun, type }) => type === "begin" && begun.incident.key === one.incident.key)
    const former = events[place]
    if (one.type === "over" && former !== undefined) {
      events[place] = { ids: [...former.ids, one.id], type: "passed", begun: former.begun, until: one.at }
    } else {
      events.push({ ids: [one.id], type: one.type, begun: one, ...(one.type === "over" ? { until: one.at } : {}) })
    }
  }
  return events
}

/** Names in a message, and characters of a line. */
const mostNames = 20
const longestLine = 400
const mostLines = 40

const messageOf = (group: ReadonlyArray<Paired>, now: number, { page }: Delivery): Message => {
  const events = group.map(({ begun, type, until }) => eventOf(begun, type, until, page))
  const [first] = events
  const severity = events.reduce<Severity>((a, b) => (rankOf(b.severity) > rankOf(a) ? b.severity : a), "info")
  const title =
    events.length === 1 && first !== undefined ? headline(first) : `${events.length} messages: ${countsOf(events)}`
  const lines = events
    .slice(0, mostLines)
    .flatMap((event) => [
      ...(events.length === 1 ? [] : [headline(event)]),
      ...(event.text === undefined ? [] : [event.text]),
      ...(event.link === undefined ? [] : [event.link])
    ])
  const more = events.length > mostLines ? [`… and ${events.length - mostLines} more`] : []
  const text = [title, ...lines, ...more].map((line) => clipped(oneLine(line), longestLine)).join("\n")
  // The same changes have the same id, so that a receiver can tell a message that comes twice.
  const id = group.flatMap(({ ids }) => ids).join("+")
  return { id: clipped(id, 200), at: isoOf(now), severity, title: clipped(oneLine(title), longestLine), text, events }
}

const countsOf = (events: ReadonlyArray<MessageEvent>): string => {
  const count = (type: MessageEvent["type"], words: string) => {
    const number = events.filter((event) => event.type === type).length
    return number === 0 ? [] : [`${number} ${words}`]
  }
  return [
    ...count("begin", "began"),
    ...count("over", "ended"),
    ...count("passed", "began and ended"),
    ...count("event", "happened")
  ].join(", ")
}

const marks = { begin: "Began", over: "Over", passed: "Passed", event: "Note" } as const

const headline = ({ instance, since, title, type, until }: MessageEvent): string => {
  const span =
    type === "over" || type === "passed"
      ? ` (${minuteOf(Date.parse(since))} to ${minuteOf(Date.parse(until ?? since))})`
      : ""
  return `[${instance}] ${marks[type]}: ${title}${span}`
}

const eventOf = (
  { incident }: Pending,
  type: MessageEvent["type"],
  until: number | undefined,
  page: string | undefined
): MessageEvent => {
  const { instance, kind, members, severity, since, text, title } = incident
  const workflows = members.flatMap(({ name, workflowId }) => (workflowId === undefined ? [] : [name]))
  return {
    type,
    instance,
    kind,
    severity,
    title,
    ...(text === "" ? {} : { text }),
    since: isoOf(since),
    ...(until === undefined ? {} : { until: isoOf(until) }),
    ...(workflows.length === 0 ? {} : { workflows: [...new Set(workflows)].slice(0, mostNames) }),
    ...linkTo(page, instance, members)
  }
}

const linkTo = (
  page: string | undefined,
  instance: string,
  [only, ...others]: Change["incident"]["members"]
): { readonly link?: string } => {
  if (page === undefined) return {}
  const id = others.length === 0 ? only?.workflowId : undefined
  const words = id === undefined ? [] : ["workflow", instance, id]
  return { link: `${page.replace(/\/$/, "")}/#/${words.map(encodeURIComponent).join("/")}` }
}

/** Whether a moment is in the quiet hours, which may go over midnight. */
const isWithin = ({ from, timezone, to }: QuietHours, now: number): boolean => {
  const zoned = DateTime.makeZoned(now, { timeZone: timezone })
  if (Option.isNone(zoned)) return false
  const { hour, minute } = DateTime.toParts(zoned.value)
  const time = hour * 60 + minute
  const [begin, end] = [minutesOf(from), minutesOf(to)]
  return begin <= end ? time >= begin && time < end : time >= begin || time < end
}

const minutesOf = (time: string): number => {
  const [hours = 0, minutes = 0] = time.split(":").map(Number)
  return hours * 60 + minutes
}
