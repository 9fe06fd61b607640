import { Predicate, Record, Schema, Struct } from "effect"

import { JsonObject, listOf, objectOf } from "../../internal/schema/JsonObject.ts"

const on = { instance: Schema.String, at: Schema.Number }

/**
 * The time at which the engine was asked, and the newest commit then, as far as it was known: it tells without any clock what was recorded
 * since. Events that earlier versions have left do not say.
 */
const markFields = { since: Schema.optionalKey(Schema.Number), tip: Schema.optional(Schema.String) }

const Origin = Schema.Struct({
  tool: Schema.optional(Schema.String),
  client: Schema.optional(Schema.String),
  reason: Schema.optional(Schema.String),
  id: Schema.optional(Schema.String)
})

const After = Schema.Union([
  Schema.TaggedStruct("Present", { seen: JsonObject }),
  Schema.TaggedStruct("Deleted", {}),
  Schema.TaggedStruct("Unknown", {})
])

const Seen = Schema.TaggedStruct("Seen", {
  ...on,
  ...markFields,
  workflows: Schema.Array(JsonObject),
  gone: Schema.Array(Schema.String)
})

const Wrote = Schema.TaggedStruct("Wrote", {
  ...on,
  ...markFields,
  origin: Origin,
  id: Schema.String,
  isNew: Schema.optionalKey(Schema.Boolean),
  before: Schema.optional(JsonObject),
  touched: Schema.optionalKey(Schema.Array(Schema.String)),
  touchedBefore: Schema.optionalKey(JsonObject),
  after: After
})

const Listed = Schema.TaggedStruct("Listed", {
  ...on,
  list: Schema.Literals(["tags", "credentials", "data-tables", "variables", "folders", "rows"]),
  table: Schema.optionalKey(Schema.Struct({ id: Schema.String, name: Schema.String })),
  all: Schema.optionalKey(Schema.Array(JsonObject)),
  put: Schema.optionalKey(JsonObject),
  gone: Schema.optionalKey(Schema.String),
  origin: Schema.optionalKey(Origin)
})

const BackedUp = Schema.TaggedStruct("BackedUp", { ...on, words: Schema.String })

/** An event of workflows of an instance, to be recorded; spooled as text if that is not possible. */
export const HistoryEvent = Schema.Union([Seen, Wrote, Listed, BackedUp])
export type HistoryEvent = typeof HistoryEvent.Type
export type HistoryEventOf<Tag extends HistoryEvent["_tag"]> = Extract<HistoryEvent, { readonly _tag: Tag }>

const isShort = (value: unknown) => Predicate.isString(value) || Predicate.isNumber(value)

/** The part of an item of a list that is kept: never the value of a credential or a variable. Of rows it is the whole. */
export const shortItem = (list: HistoryEventOf<"Listed">["list"], item: JsonObject): JsonObject => {
  if (list === "rows") return item
  const columns = listOf(item.columns).map((column) => Struct.pick({ ...objectOf(column) }, ["name", "type"]))
  return {
    ...Record.filter(Struct.pick({ ...item }, ["id", "name", "type", "projectId"]), isShort),
    ...(list === "data-tables" ? { columns } : {})
  }
}

/** The ids of the workflows in an event. */
export const idsIn = (event: HistoryEvent): ReadonlyArray<string> => {
  if (event._tag === "Wrote") return [event.id]
  if (event._tag !== "Seen") return []
  return [...event.workflows.map(({ id }) => String(id)), ...event.gone]
}

/** Milliseconds that a reading takes at most, where it is not known when it began. */
const longestReading = 30_000

/** The newest commit that was known when the engine was asked. */
export const tipOf = (event: HistoryEvent): string | undefined => ("tip" in event ? event.tip : undefined)

/** The earliest moment of which an event may show the engine: it was not asked before. */
export const sinceOf = (event: HistoryEvent): number =>
  ("since" in event ? event.since : undefined) ?? event.at - longestReading

/** The events with consecutive readings of an instance merged, as long as none shows a workflow again that was gone. */
export const gathered = (events: ReadonlyArray<HistoryEvent>): ReadonlyArray<HistoryEvent> => {
  const all: Array<HistoryEvent> = []
  for (const event of events) {
    const last = all.at(-1)
    if (
      last?._tag !== "Seen" ||
      event._tag !== "Seen" ||
      last.instance !== event.instance ||
      last.tip !== event.tip ||
      event.workflows.some(({ id }) => last.gone.includes(String(id)))
    )
      all.push(event)
    else {
      const { at, gone, workflows } = event
      const since = Math.min(sinceOf(last), sinceOf(event))
      const both = { workflows: [...last.workflows, ...workflows], gone: [...last.gone, ...gone] }
      all[all.length - 1] = { ...last, since, at, ...both }
    }
  }
  return all
}
