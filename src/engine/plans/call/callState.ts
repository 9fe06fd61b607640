import { Effect, Option, Struct } from "effect"

import type { StepRecord } from "../../../changes/PlanState.ts"
import { changedSince, type Judgement, type LostCreation } from "../../../changes/RemoteState.ts"
import { isJsonObject, type JsonObject, objectOf, objectsOf } from "../../../internal/schema/JsonObject.ts"
import { secretsIn } from "../../client/credentialCalls.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import { type EngineError, OutcomeUnknown } from "../../client/EngineError.ts"
import { isMissing } from "../../client/isMissing.ts"
import { endless } from "../../client/listAll.ts"
import {
  type CallChange,
  callId,
  isAsExpected,
  isCreation,
  methodOf,
  pathOf,
  replaces,
  shownField,
  thingIdOf
} from "./CallChange.ts"
import type { Present } from "./draftCall.ts"

type Client = EngineClient["Service"]

/** Pages of a list that are read at most. */
const mostPages = 100

/** The lists of an answer: itself, its `data`, or some beside each other, as of roles. Something else than the engine may answer none. */
const listsIn = (answer: unknown): ReadonlyArray<unknown> => {
  const fields = objectOf(answer)
  return Array.isArray(answer)
    ? [answer]
    : ("data" in fields ? [fields["data"]] : Object.values(fields)).filter(Array.isArray)
}

/** The items of a list, however the engine pages it, and whether they are all. */
export const readItems = Effect.fnUntraced(function* (
  client: Client,
  path: string,
  query: Readonly<Record<string, string>>
) {
  const items: Array<JsonObject> = []
  let next: Readonly<Record<string, string>> | undefined = query
  let isCut = false
  for (let pages = 0; next !== undefined && pages < mostPages; pages++) {
    const answer: unknown = yield* client.readCall(path, next)
    const { count, nextCursor } = objectOf(answer)
    const lists = listsIn(answer)
    if (lists.length === 0) return yield* endless(client.instance)
    const read = lists.flatMap(objectsOf)
    items.push(...read)
    const isMore = read.length > 0 && typeof count === "number" && count > items.length
    // A full page that says nothing of others may be the first of several.
    const isFull = read.length >= Number(query["limit"] ?? query["take"] ?? Infinity)
    isCut = isFull && nextCursor === undefined && typeof count !== "number"
    if (typeof nextCursor === "string" && nextCursor !== "") next = { ...query, cursor: nextCursor }
    else next = isMore && query["take"] !== undefined ? { ...query, skip: String(items.length) } : undefined
  }
  return { items, isWhole: next === undefined && !isCut }
})

/**
 * Reads what a call changes: the thing or `null`; for one that creates, the list. `undefined` where it cannot be read, or is in
 * no page of a list that has more than are read.
 */
export const readPresent = (client: Client, change: CallChange): Effect.Effect<Present, EngineError> => {
  const { path, read, thing } = change
  if (read === undefined || typeof thing === "object") return Effect.undefined
  if (read.as === "list") {
    return Effect.map(readItems(client, path, read.query), ({ isWhole, items }) => {
      const absent = isWhole ? null : undefined
      if (thing === undefined) return isWhole ? items : undefined
      return items.find((item) => thingIdOf(item) === thing) ?? absent
    })
  }
  return client.readCall(pathOf(change), read.query).pipe(
    Effect.map((answer) => {
      const { data, ...rest } = objectOf(answer)
      return isJsonObject(data) && Object.keys(rest).length === 0 ? data : isJsonObject(answer) ? answer : undefined
    }),
    Effect.catchIf(isMissing, () => Effect.succeed(null))
  )
}

/** The lists whose items go with a thing that is deleted. */
const contents: Readonly<
  Record<string, (id: string) => ReadonlyArray<readonly [string, Readonly<Record<string, string>>]>>
> = {
  "/projects": (id) => [
    ["/workflows", { projectId: id, limit: "1" }],
    [`/projects/${encodeURIComponent(id)}/folders`, { take: "1" }]
  ]
}

/** The lists of an instance whose items tell the project that they go with. */
const listsOfProjects = ["/credentials", "/data-tables", "/variables"]

const isInProject = (id: string, item: JsonObject): boolean =>
  shownField(item, "projectId") === id ||
  objectsOf(item["shared"]).some((share) => share["id"] === id || share["projectId"] === id)

/** The number of things that lie in something, as it counts them itself. */
const countsIn = (thing: Present): boolean =>
  isJsonObject(thing) &&
  Object.entries(thing).some(
    ([name, value]) => /^total[A-Z]|Count$/.test(name) && typeof value === "number" && value > 0
  )

/** The reason for which something that a plan has made is not deleted again: others have put things into it. */
const readContents = Effect.fnUntraced(function* (client: Client, { path, thing }: CallChange, present: Present) {
  if (typeof thing !== "string" || present === null) return undefined
  const inside = (contents[path]?.(thing) ?? []).map(([list, query]) =>
    Effect.map(client.readCall(list, query), (answer) => objectsOf(objectOf(answer)["data"]).length > 0)
  )
  const beside = (path === "/projects" ? listsOfProjects : []).map((list) =>
    Effect.map(
      readItems(client, list, { limit: "250" }),
      ({ isWhole, items }) => items.some((item) => isInProject(thing, item)) || (isWhole ? false : "unknown")
    )
  )
  const isFull = yield* Effect.forEach([...inside, ...beside], (read) =>
    // Older engines do not have all of these lists.
    Effect.catchTag(read, "ForeignAnswer", (error) =>
      error.httpStatus === 404 || error.httpStatus === 405 ? Effect.succeed(false) : Effect.fail(error)
    )
  )
  if (countsIn(present) || isFull.includes(true)) return "it is not empty any more, so that it stays"
  return isFull.includes("unknown") ? "nobody can read whether it is empty, so that it stays" : undefined
})

/** The state of the calls of one batch. */
export const readCalls = Effect.fnUntraced(function* (client: Client, changes: ReadonlyArray<CallChange>) {
  const rows = yield* Effect.forEach(changes, (change) =>
    Effect.gen(function* () {
      const present = yield* readPresent(client, change)
      const isUndone = methodOf(change) === "DELETE" && change.back !== undefined
      const obstacle = isUndone ? yield* readContents(client, change, present) : undefined
      return [callId(change), { present, obstacle }] as const
    })
  )
  const states = new Map(rows)
  const presentOf = (change: CallChange) => states.get(callId(change))?.present
  /** Things as the new one that were not there when it was planned. */
  const newOnes = (change: CallChange) => {
    const present = presentOf(change)
    const items: ReadonlyArray<JsonObject> = Array.isArray(present) ? present : []
    return items
      .filter((item) => isAsExpected(change.after, item))
      .flatMap((item) => thingIdOf(item) ?? [])
      .filter((id) => change.namesakes?.includes(id) !== true)
  }
  return {
    obstacle: (change: CallChange) => states.get(callId(change))?.obstacle,
    judge: (change: CallChange, { outcomeUnknownSince }: StepRecord): Judgement => {
      const present = presentOf(change)
      if (present === undefined) return outcomeUnknownSince === undefined ? "pending" : "drift"
      if (isCreation(change)) return newOnes(change).length === 0 ? "pending" : "drift"
      const form = { isReplaced: replaces(change) }
      if (isAsExpected(change.after, present, form)) return "already"
      return isAsExpected(change.before, present, form) ? "pending" : "drift"
    },
    withPresent: (change: CallChange): CallChange =>
      isCreation(change) ? { ...change, namesakes: [...(change.namesakes ?? []), ...newOnes(change)] } : change,
    lost: (change: CallChange): LostCreation => {
      const [id, ...more] = isCreation(change) ? newOnes(change) : []
      if (id === undefined) return {}
      return more.length === 0 ? { created: id } : { others: `there are several like it (${[id, ...more].join(", ")})` }
    },
    explain: (change: CallChange): string => {
      const present = presentOf(change)
      if (present === undefined)
        return "it was sent, and nobody can read whether it was carried out: it is not sent again"
      if (isCreation(change)) return "something like it was made since then: plan again"
      return present === null ? "it is not there any more" : changedSince
    }
  }
})

/** Makes the call, and answers the id of what it has created. */
export const sendCall = Effect.fnUntraced(function* (client: Client, change: CallChange) {
  const method = methodOf(change)
  const { body, hidden = [], query } = change
  const secrets = hidden.flatMap((name) => secretsIn(objectOf(body)[name]))
  const sent = client.changeCall({ method, path: pathOf(change), query, body, secrets })
  const answer = yield* method === "DELETE" && change.read !== undefined
    ? Effect.catchIf(sent, isMissing, ({ problem }) => goneAlready(client, change, problem))
    : sent
  if (!isCreation(change)) return {}
  const { data } = objectOf(answer)
  const answeredId = thingIdOf(objectOf(answer)) ?? thingIdOf(objectOf(data))
  if (answeredId !== undefined) return { created: answeredId }
  // Where the answer says nothing, the list shows what is new.
  const state = yield* Effect.option(readCalls(client, [change]))
  return Option.match(state, { onNone: () => ({}), onSome: ({ lost }) => Struct.pick(lost(change), ["created"]) })
})

/** A thing that was deleted meanwhile is as wanted, once a read shows that. */
const goneAlready = Effect.fnUntraced(function* (client: Client, change: CallChange, problem: string) {
  if ((yield* readPresent(client, change)) === null) return {}
  const { instance } = client
  return yield* new OutcomeUnknown({
    instance,
    operation: "deletion",
    problem: `${problem}; and it is shown all the same`
  })
})
