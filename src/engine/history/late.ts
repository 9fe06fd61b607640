import { Predicate } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { type Happening, idsIn } from "./Happening.ts"
import { type Commit, linesIn, momentIn } from "./message.ts"
import { keyAt, keyOf } from "./paths.ts"

type Recorded = ReadonlyMap<string, { readonly record: JsonObject }>

/** What a process that has ended has left, without what is recorded already, and readings of what is recorded as newer. */
export const notYetRecorded = (
  left: ReadonlyArray<Happening>,
  commits: ReadonlyArray<Commit>,
  recorded: Recorded
): ReadonlyArray<Happening> => {
  const told = new Set(
    commits.flatMap(({ message }) =>
      linesIn(message).map(({ folder, id }) => momentOf(keyAt(folder, id), momentIn(message) ?? ""))
    )
  )
  const isTold = (at: number, key: string) => told.has(momentOf(key, new Date(at).toISOString()))
  return left.flatMap((happening): ReadonlyArray<Happening> => {
    const { _tag, at, instance } = happening
    if (_tag === "Wrote") return isTold(at, keyOf(instance, happening.id)) ? [] : [happening]
    if (_tag === "Listed") return happening.all === undefined ? [happening] : []
    if (_tag === "BackedUp") return []
    const workflows = happening.workflows.filter((workflow) => {
      const key = keyOf(instance, String(workflow.id))
      return !isTold(at, key) && !isNewer(recorded.get(key)?.record, workflow)
    })
    return workflows.length === 0 ? [] : [{ ...happening, workflows, gone: [] }]
  })
}

/** What was recorded of workflows after all that was left of them, so that it is what stands in the end. */
export const standing = (
  left: ReadonlyArray<Happening>,
  recorded: Recorded,
  at: number
): ReadonlyArray<Happening> => {
  const last = new Map(left.flatMap((happening) => idsIn(happening).map((id) => [keyOf(happening.instance, id), { happening, id }])))
  return [...last].flatMap(([key, { happening, id }]): ReadonlyArray<Happening> => {
    const known = recorded.get(key)?.record
    const { instance } = happening
    return known !== undefined && isNewer(known, stateIn(happening, id))
      ? [{ _tag: "Seen", instance, at, workflows: [{ ...known, id }], gone: [] }]
      : []
  })
}

const stateIn = (happening: Happening, id: string): JsonObject => {
  if (happening._tag === "Seen") return happening.workflows.find((one) => String(one.id) === id) ?? {}
  if (happening._tag !== "Wrote") return {}
  return happening.after._tag === "Present" ? happening.after.seen : { updatedAt: new Date(happening.at).toISOString() }
}

const isNewer = (known: JsonObject | undefined, seen: JsonObject): boolean =>
  Predicate.isString(known?.updatedAt) && Predicate.isString(seen.updatedAt) && known.updatedAt > seen.updatedAt

const momentOf = (key: string, at: string) => `${key} ${at}`
