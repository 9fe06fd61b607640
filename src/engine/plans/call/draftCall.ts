import { Option, Struct } from "effect"

import { isJsonObject, type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { type ApiCall, pathOf, queryOf } from "../../api/ApiCall.ts"
import { checkerOf } from "../../api/shapes.ts"
import { withoutNames } from "../../client/capabilities.ts"
import { type Draft, stepOf } from "../Step.ts"
import { type CallChange, isAsExpected, isCreation, methodOf, replaces, shownField, thingIdOf } from "./CallChange.ts"

/** A call with its arguments, before what it changes was read. */
export interface Wanted {
  readonly instance: string
  readonly call: ApiCall
  readonly args: JsonObject
  readonly body: unknown
  /** The calls that the key may make. */
  readonly calls: ReadonlyArray<ApiCall>
}

const described = (calls: ReadonlyArray<ApiCall>, method: string, path: string): ApiCall | undefined => {
  const name = withoutNames(`${method} ${path}`)
  return calls.find(({ call }) => withoutNames(call) === name)
}

/** The path of a list and the name of the id behind it. */
const placeIn = (path: string) => {
  const [, list, id] = /^(\/.+)\/\{(\w+)\}$/.exec(path) ?? []
  return list === undefined || id === undefined ? undefined : { list, id }
}

/** The arguments with which a list shows as much as it can at once. */
const wholeList = ({ parameters }: ApiCall) => ({
  as: "list" as const,
  query: Object.fromEntries(
    parameters.flatMap(({ name, place }) =>
      place === "query" && (name === "limit" || name === "take") ? [[name, "250"] as const] : []
    )
  )
})

/** The call as a change of which nothing is known yet but where it goes, and how what it changes is read. */
export const undrafted = ({ args, body, call, calls, instance }: Wanted): CallChange => {
  const place = call.method === "POST" ? undefined : placeIn(call.path)
  const list = described(calls, "GET", place?.list ?? call.path)
  const item = call.method === "POST" ? undefined : described(calls, "GET", call.path)
  const isMade = call.method === "POST" && oppositeOf(calls, call) !== undefined
  const asList = list !== undefined && (isMade || place !== undefined) ? wholeList(list) : undefined
  const read = item === undefined ? asList : { as: "item" as const, query: {} }
  return {
    kind: "call",
    instance,
    call: call.call,
    path: place === undefined ? pathOf(call, args) : pathOf({ path: place.list }, args),
    ...(place === undefined ? {} : { thing: String(args[place.id]) }),
    query: queryOf(call, args),
    ...(body === undefined ? {} : { body }),
    ...(read === undefined ? {} : { read }),
    before: null,
    after: null
  }
}

/** The call that deletes what a call creates, or creates what it deletes. */
const oppositeOf = (calls: ReadonlyArray<ApiCall>, { method, path }: ApiCall): ApiCall | undefined => {
  if (method === "DELETE") return described(calls, "POST", placeIn(path)?.list ?? "")
  return calls.find((one) => one.method === "DELETE" && placeIn(one.path)?.list === path)
}

/** The state that was read: a thing or `null`, or the list of those beside which a new one is made. */
export type Present = JsonObject | ReadonlyArray<JsonObject> | null | undefined

/** A plan of one call, or the reason why there is nothing to plan. */
export const draftCall = (wanted: Wanted, undone: CallChange, present: Present): Draft => {
  const { call } = wanted
  const { change, warnings } = completed(wanted, undone, present)
  const isReplaced = replaces(change)
  const isSo =
    change.read !== undefined && !isCreation(change) && isAsExpected(change.after, change.before, { isReplaced })
  return {
    kind: "call",
    steps: isSo ? [] : [stepOf(change, call.summary === "" ? "as asked for" : call.summary)],
    warnings: isSo ? ["It is so already"] : warnings,
    blocked: []
  }
}

interface Completed {
  readonly change: CallChange
  readonly warnings: ReadonlyArray<string>
}

const completed = (wanted: Wanted, undone: CallChange, present: Present): Completed => {
  const { body, call } = wanted
  if (undone.read === undefined || present === undefined) return unread(undone)
  if (isCreation(undone)) {
    // Several things at once are not told apart from those of others.
    const isOne = body === undefined || isJsonObject(body)
    return isOne ? creation(wanted, undone, Array.isArray(present) ? present : []) : unread(undone)
  }
  if (!isJsonObject(present)) return unread(undone)
  if (methodOf(undone) === "DELETE") return deletion(wanted, undone, present)
  const fields = objectOf(body)
  const hidden = Object.keys(fields).filter((name) => shownField(present, name) === undefined)
  if (Object.keys(fields).length === 0 || hidden.length > 0) return unread(undone, hidden)
  const back = bodyBefore(call, fields, present)
  return {
    change: {
      ...undone,
      before: present,
      after: fields,
      ...(back === undefined ? {} : { back: { call: call.call, body: back } })
    },
    warnings: back === undefined ? [noBack] : []
  }
}

const noBack = "Nothing undoes this call: a person has to agree to it when it is applied"

const unread = (undone: CallChange, hidden: ReadonlyArray<string> = []): Completed => ({
  change: Struct.omit(undone, ["read"]),
  warnings: [
    `What this call changes cannot be read back${hidden.length === 0 ? "" : ` (${hidden.join(", ")})`}: the plan shows no before and after, and no rollback; a person has to agree to it when it is applied`
  ]
})

const creation = (wanted: Wanted, undone: CallChange, others: ReadonlyArray<JsonObject>): Completed => {
  const opposite = oppositeOf(wanted.calls, wanted.call)
  const alike = others.filter((one) => isAsExpected(wanted.body, one))
  return {
    change: {
      ...undone,
      after: wanted.body ?? {},
      namesakes: alike.flatMap((one) => thingIdOf(one) ?? []),
      ...(opposite === undefined ? {} : { back: { call: opposite.call } })
    },
    warnings: alike.length === 0 ? [] : [`${alike.length} like it ${alike.length === 1 ? "is" : "are"} there already`]
  }
}

/** Fields that a thing gets when it is made, and those that say what kind it is. */
const given = new Set(["id", "createdAt", "updatedAt", "type"])

/** A deletion can be undone where the API makes the same thing again: all that shows is sent, and nothing lies in it. */
const deletion = ({ call, calls }: Wanted, undone: CallChange, present: JsonObject): Completed => {
  const opposite = oppositeOf(calls, call)
  const isPlace =
    /^\/projects\/\{\w+\}$/.test(call.path) ||
    calls.some(({ method, path }) => method === "GET" && path.startsWith(`${call.path}/`))
  const body = opposite?.body === undefined || isPlace ? undefined : bodyBefore(opposite, {}, present)
  const sent = new Set(Object.keys(body ?? {}))
  const isWhole = Object.entries(present).every(
    ([name, value]) => value === null || given.has(name) || sent.has(name) || sent.has(`${name}Id`)
  )
  const list = described(calls, "GET", placeIn(call.path)?.list ?? "")
  const isBack = opposite !== undefined && body !== undefined && isWhole && list !== undefined
  return {
    change: {
      ...undone,
      before: present,
      ...(isBack ? { back: { call: opposite.call, body, read: wholeList(list) } } : {})
    },
    warnings: [isBack ? "A rollback makes it anew, under a new id" : noBack]
  }
}

/** Values that stand for secrets which engines do not show. */
const isMask = (value: unknown): boolean =>
  typeof value === "string" && (/^[*•]{3,}$/.test(value) || /BLANK_VALUE|redacted/i.test(value))

const holdsMask = (value: unknown): boolean =>
  isMask(value) || (typeof value === "object" && value !== null && Object.values(value).some(holdsMask))

/**
 * The body that brings back what shows: of a replacement all fields that the call takes, of a part of a thing those that it
 * changes. `undefined` where the call does not take it, or the engine hides what belongs to it.
 */
const bodyBefore = (call: ApiCall, fields: JsonObject, present: JsonObject): JsonObject | undefined => {
  const schema = call.body?.schema ?? {}
  const names = call.method === "PATCH" ? Object.keys(fields) : Object.keys(objectOf(schema["properties"]))
  const check = Option.getOrUndefined(checkerOf(schema))
  const values = names.map((name) => [name, shownField(present, name)] as const)
  const shownValues = values.filter(([, value]) => value !== undefined)
  const withoutNothing = shownValues.filter(([name, value]) => value !== null || Object.hasOwn(fields, name))
  return [shownValues, withoutNothing]
    .map((entries): JsonObject => Object.fromEntries(entries))
    .find(
      (body) => Object.keys(body).length > 0 && check?.(body) === undefined && check !== undefined && !holdsMask(body)
    )
}
