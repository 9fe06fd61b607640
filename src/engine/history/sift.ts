import { Option, Predicate } from "effect"

import { quotedName } from "../../internal/foreignText.ts"
import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import type { SetAside } from "../client/History.ts"
import { idPattern } from "../workflow/models.ts"
import { type HistoryEvent, idsIn, shortItem } from "./HistoryEvent.ts"
import { folderProblem, isFileId, keyOf } from "./paths.ts"
import { recordOf, stampOf, withoutSecrets } from "./record.ts"

/** An event without what cannot be recorded, and that. */
interface Sifted {
  readonly event: HistoryEvent
  readonly setAside: ReadonlyArray<SetAside>
}

/** Takes out of an event whatever has no place in a folder of its instance: the rest is recorded without it. */
export const sift = (event: HistoryEvent): Sifted => {
  const setAside: Array<SetAside> = []
  const { instance } = event
  const fits = (item: JsonObject, problem: string | undefined) => {
    if (problem !== undefined) setAside.push({ id: shownId(item.id), problem })
    return problem === undefined
  }
  const ofInstance = folderProblem(instance)
  const isWorkflow = (item: JsonObject) => fits(item, ofInstance ?? workflowProblem(item))
  const isItem = (item: JsonObject) => fits(item, ofInstance ?? itemProblem(item))
  const sifted = (): HistoryEvent => {
    if (event._tag === "Seen") {
      const gone = event.gone.filter((id) => ofInstance === undefined && isFileId(id))
      return { ...event, workflows: event.workflows.filter(isWorkflow), gone }
    }
    if (event._tag === "Listed") {
      const { all, gone, put, ...rest } = event
      if (event.table !== undefined && !isItem(event.table)) return nothing(event)
      return {
        ...rest,
        ...(all === undefined ? {} : { all: all.filter(isItem) }),
        ...(put === undefined || !isItem(put) ? {} : { put }),
        ...(gone === undefined ? {} : { gone })
      }
    }
    if (event._tag === "BackedUp") return ofInstance === undefined ? event : nothing(event)
    const { after, before, id } = event
    const states = [...(after._tag === "Present" ? [after.seen] : []), ...(before === undefined ? [] : [before])]
    const isRecordable = states.every((state) => isWorkflow({ ...state, id })) && isWorkflow({ id })
    return isRecordable ? event : nothing(event)
  }
  return { event: sifted(), setAside }
}

const nothing = ({ at, instance }: HistoryEvent): HistoryEvent => ({
  _tag: "Seen",
  at,
  instance,
  workflows: [],
  gone: []
})

/** The id of an item of an engine's answer; nothing if it is none. Numbers are ids of old engines. */
const idOf = ({ id }: JsonObject): Option.Option<string> =>
  Option.filter(Predicate.isString(id) || Number.isSafeInteger(id) ? Option.some(String(id)) : Option.none(), (text) =>
    idPattern.test(text)
  )

/** The id under which a workflow of an engine's answer is recorded; nothing if it cannot be. */
export const fileIdOf = (workflow: JsonObject): Option.Option<string> => Option.filter(idOf(workflow), isFileId)

const workflowProblem = (workflow: JsonObject): string | undefined => {
  if (Option.isNone(idOf(workflow))) return notAnId
  if (Option.isNone(fileIdOf(workflow))) return "the history has a file of that name"
  return isDeep(workflow) ? `its values are nested in each other more than ${deepest} times` : undefined
}

const itemProblem = (item: JsonObject): string | undefined => (Option.isSome(idOf(item)) ? undefined : notAnId)

const notAnId = "its id is none of an engine: letters, digits, - and _, at most 128"

/** Deepest nesting of a record: beyond it, no stack is sure to suffice. */
const deepest = 500

const isDeep = (value: unknown): boolean => {
  let level: ReadonlyArray<unknown> = [value]
  for (let depth = 0; depth <= deepest; depth++) {
    level = level.flatMap(childrenOf)
    if (level.length === 0) return false
  }
  return true
}

const childrenOf = (value: unknown): ReadonlyArray<unknown> => {
  const parts: ReadonlyArray<unknown> = Predicate.isObject(value)
    ? Object.values(value)
    : Array.isArray(value)
      ? value
      : []
  return parts.filter(Predicate.isObjectOrArray)
}

const shownId = (id: unknown): string => quotedName(Predicate.isString(id) ? id : typeof id)

/** An event as it may be kept: without owners, values of lists and this server's secrets. */
export const cleaned =
  (secrets: ReadonlyArray<string>) =>
  (event: HistoryEvent): HistoryEvent => {
    const clean = (record: JsonObject) => withoutSecrets(recordOf(record), secrets)
    if (event._tag === "Seen") return { ...event, workflows: event.workflows.map(clean) }
    if (event._tag === "Wrote") {
      const { after, before, touchedBefore } = event
      return {
        ...event,
        ...(before === undefined ? {} : { before: clean(before) }),
        ...(touchedBefore === undefined ? {} : { touchedBefore: clean(touchedBefore) }),
        after: after._tag === "Present" ? { ...after, seen: clean(after.seen) } : after
      }
    }
    if (event._tag === "BackedUp") return event
    const { all, list, put } = event
    const short = (item: JsonObject) => withoutSecrets(shortItem(list, item), secrets)
    return {
      ...event,
      ...(all === undefined ? {} : { all: all.map(short) }),
      ...(put === undefined ? {} : { put: short(put) })
    }
  }

/** Drops what was read before unchanged: while nothing can be recorded, lists would fill memory and disk. */
export const makeDeduplicate = () => {
  const seen = new Map<string, string>()
  return (events: ReadonlyArray<HistoryEvent>): ReadonlyArray<HistoryEvent> =>
    events.flatMap((event): ReadonlyArray<HistoryEvent> => {
      if (event._tag !== "Seen") {
        for (const id of idsIn(event)) seen.delete(keyOf(event.instance, id))
        return [event]
      }
      const { gone, instance } = event
      const workflows = event.workflows.filter((workflow) => {
        const key = keyOf(instance, String(workflow.id))
        const stamp = JSON.stringify([stampOf(workflow), Object.keys(workflow).toSorted()])
        const isNew = seen.get(key) !== stamp
        seen.set(key, stamp)
        return isNew
      })
      for (const id of gone) seen.delete(keyOf(instance, id))
      return workflows.length + gone.length === 0 ? [] : [{ ...event, workflows }]
    })
}
