import { Predicate, Schema } from "effect"

import { isSameJson } from "../../../internal/json/digest.ts"
import { isJsonObject, type JsonObject, listOf } from "../../../internal/schema/JsonObject.ts"

const Query = Schema.Record(Schema.String, Schema.String)
const Read = Schema.Struct({ as: Schema.Literals(["item", "list"]), query: Query })

/** A call of the engine's API, as it describes itself, that no other kind of change makes. */
export const CallChange = Schema.Struct({
  kind: Schema.Literal("call"),
  instance: Schema.String,
  /** Method and path as the engine describes them: `PUT /variables/{id}`. */
  call: Schema.String,
  /** The path below the API's root, encoded, without what is changed where that has an id. */
  path: Schema.String,
  thing: Schema.optionalKey(Schema.Union([Schema.String, Schema.Struct({ created_by: Schema.String })])),
  query: Query,
  body: Schema.optionalKey(Schema.Unknown),
  /** The way to read what is changed, by itself or in its list. Without one, nobody can tell whether the call was carried out. */
  read: Schema.optionalKey(Read),
  /** The fields that are there before and after; `null` where there is nothing. */
  before: Schema.Unknown,
  after: Schema.Unknown,
  /** The ids of things that looked like the new one before it was made. */
  namesakes: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The call that undoes it, if the API has one; of a deletion, with the way to recognise what it makes anew. */
  back: Schema.optionalKey(
    Schema.Struct({ call: Schema.String, body: Schema.optionalKey(Schema.Unknown), read: Schema.optionalKey(Read) })
  ),
  /** The name of what it creates for workflows of the same plan, which come after it; several calls may create such things. */
  made: Schema.optionalKey(Schema.String),
  /** The step that makes the folder in which the new one lies. */
  parent: Schema.optionalKey(Schema.Struct({ created_by: Schema.String })),
  /** Fields with values that no model gave: no answer shows them. */
  hidden: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Of a call about a workflow: its name and its tags, for the guards. */
  name: Schema.optionalKey(Schema.String),
  labels: Schema.optionalKey(Schema.Array(Schema.String))
})
export type CallChange = typeof CallChange.Type

const methods = ["DELETE", "PATCH", "POST", "PUT"] as const

export const methodOf = ({ call }: Pick<CallChange, "call">) =>
  methods.find((method) => call.startsWith(`${method} `)) ?? "POST"

/** The path of a call; that of the list where what it is about is yet to be created. */
export const pathOf = ({ path, thing }: Pick<CallChange, "path" | "thing">): string =>
  typeof thing === "string" ? `${path}/${encodeURIComponent(thing)}` : path

/** The id of the step for a call. */
export const callId = (change: CallChange): string => {
  const target = typeof change.thing === "object" ? `${change.path}/<${change.thing.created_by}>` : pathOf(change)
  const made = typeof change.thing === "object" || change.made === undefined ? "" : ` (${change.made})`
  return `${methodOf(change)} ${change.instance}${target}${made}`
}

/** A call with the path that it goes to, for people. */
export const callText = (change: CallChange): string => `${methodOf(change)} ${pathOf(change)}`

/** A call before and after, as plans show it: the fields that it changes; of what is deleted or created, all that is known. */
export const describeCall = (change: CallChange) => {
  const hidden = (value: unknown) => withoutHidden(value, change)
  const [after, before, body] = [change.after, change.before, change.body].map(hidden)
  const call = callText(change)
  if (change.read === undefined) return { before: null, after: { call, ...(body === undefined ? {} : { body }) } }
  if (!isJsonObject(before) || !isJsonObject(after)) return { before, after }
  const isReplaced = replaces(change)
  const names = Object.keys(after).filter((name) => !contains(shownField(before, name), after[name], isReplaced))
  const only = (thing: JsonObject) => Object.fromEntries(names.map((name) => [name, shownField(thing, name) ?? null]))
  return { before: only(before), after: only(after) }
}

const withoutHidden = (value: unknown, { hidden = [] }: CallChange): unknown =>
  isJsonObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, one]) => [name, hidden.includes(name) ? "(not shown)" : one])
      )
    : value

/** Whether a call makes something new, which shows in a list. */
export const isCreation = (change: CallChange): boolean => change.read !== undefined && methodOf(change) === "POST"

/** Whether nothing undoes a call, or nobody can see what it has done: then a person has to agree to it. */
export const isFinal = ({ back, read }: CallChange): boolean => back === undefined || read === undefined

/** The calls that undo one. */
export const invertCall = (change: CallChange): ReadonlyArray<CallChange> => {
  const { back, body, call, namesakes: _, thing, ...rest } = change
  if (back === undefined) return []
  const isMade = isCreation(change)
  const isGone = methodOf(change) === "DELETE"
  return [
    {
      ...rest,
      call: back.call,
      ...(back.read === undefined ? {} : { read: back.read }),
      ...(isMade ? { thing: { created_by: callId(change) } } : isGone || thing === undefined ? {} : { thing }),
      query: isMade || isGone ? {} : change.query,
      ...(back.body === undefined ? {} : { body: back.body }),
      before: isGone ? null : change.after,
      after: isMade ? null : back.body,
      back: {
        call,
        ...(body === undefined ? {} : { body }),
        ...(back.read === undefined || change.read === undefined ? {} : { read: change.read })
      }
    }
  ]
}

/** The value of a field as a thing shows it; the id of something that is shown whole. */
export const shownField = (current: JsonObject, name: string): unknown => {
  if (Object.hasOwn(current, name)) return current[name]
  const whole = name.endsWith("Id") ? current[name.slice(0, -2)] : undefined
  return isJsonObject(whole) ? whole["id"] : whole
}

/** Fields that change by themselves. */
const passing = new Set(["updatedAt"])

/**
 * Whether what shows is as expected: fields of which nothing was said may be anything, and those that do not show count as right.
 * The value of a field that was read is compared whole, that of one which a call sets without what engines add.
 */
export const isAsExpected = (
  expected: unknown,
  current: unknown,
  { isReplaced = false }: { readonly isReplaced?: boolean } = {}
): boolean => {
  if (!isJsonObject(expected) || !isJsonObject(current)) return isSameJson(expected ?? null, current ?? null)
  const isRead = thingIdOf(expected) !== undefined
  return Object.entries(expected).every(([name, value]) => {
    const present = shownField(current, name)
    if (passing.has(name) || present === undefined) return true
    return isRead ? isSameJson(present, value) : contains(present, value, isReplaced)
  })
}

/** Fields that engines give, whatever a call says. */
const givenFields = new Set(["createdAt", "id", "updatedAt"])

/**
 * Whether a value has everything of another one: engines add fields of their own. Where it replaces the former value, it has nothing
 * else, but for what engines give.
 */
const contains = (value: unknown, part: unknown, isReplaced = false): boolean => {
  if (Array.isArray(part)) {
    const items = listOf(value)
    return items.length === part.length && part.every((one, index) => contains(items[index], one, isReplaced))
  }
  if (!isJsonObject(part) || !isJsonObject(value)) return isSameJson(value ?? null, part ?? null)
  const isMore = Object.entries(value).some(
    ([name, one]) => !Object.hasOwn(part, name) && !givenFields.has(name) && one !== null
  )
  return !(isReplaced && isMore) && Object.entries(part).every(([name, one]) => contains(value[name], one, isReplaced))
}

/** Whether a call replaces what it changes; others change a part of it. */
export const replaces = (change: CallChange): boolean => methodOf(change) === "PUT"

/** The ids by which engines name a thing. */
const ids = ["id", "slug", "packageName"]

export const thingIdOf = (thing: JsonObject): string | undefined => {
  const id = ids.map((name) => thing[name]).find((value) => Predicate.isString(value) || Predicate.isNumber(value))
  return id === undefined ? undefined : `${id}`
}
