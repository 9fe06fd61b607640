import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { type Happening, idsIn } from "./Happening.ts"
import { type Commit, linesIn, momentIn } from "./message.ts"
import { keyAt, keyOf } from "./paths.ts"
import { isNewer } from "./record.ts"

type Recorded = ReadonlyMap<string, { readonly record: JsonObject }>

/** What a process that has ended has left, without what it has recorded in its last moment all the same. */
export const notRecorded = (
  left: ReadonlyArray<Happening>,
  commits: ReadonlyArray<Commit>
): ReadonlyArray<Happening> => {
  const told = new Set(
    commits.flatMap(({ message }) =>
      linesIn(message).map(({ folder, id }) => `${keyAt(folder, id)} ${momentIn(message)}`)
    )
  )
  const isTold = ({ at, instance }: Happening, id: unknown) =>
    told.has(`${keyOf(instance, String(id))} ${new Date(at).toISOString()}`)
  return left.flatMap((happening): ReadonlyArray<Happening> => {
    const { _tag } = happening
    if (_tag === "Wrote") return isTold(happening, happening.id) ? [] : [happening]
    if (_tag === "Listed") return happening.all === undefined ? [happening] : []
    if (_tag === "BackedUp") return []
    const workflows = happening.workflows.filter(({ id }) => !isTold(happening, id))
    return workflows.length === 0 ? [] : [{ ...happening, workflows, gone: [] }]
  })
}

/** The workflows that are recorded as newer than something that comes only now, as another process was faster. */
export const overtaken = (happenings: ReadonlyArray<Happening>, recorded: Recorded): ReadonlyArray<string> => [
  ...new Set(
    happenings.flatMap((happening) =>
      idsIn(happening)
        .map((id) => [keyOf(happening.instance, id), stateIn(happening, id)] as const)
        .flatMap(([key, state]) => (isNewer(recorded.get(key)?.record, state) ? [key] : []))
    )
  )
]

/** What is recorded as newer than all that comes only now, and has to be recorded again behind it. */
export const recordedAgain = (
  happenings: ReadonlyArray<Happening>,
  { recordedAt, workflows }: { readonly workflows: Recorded; readonly recordedAt: ReadonlyMap<string, number> },
  at: number
): ReadonlyArray<Happening> => {
  const last = new Map(
    happenings.flatMap((happening) => idsIn(happening).map((id) => [keyOf(happening.instance, id), { happening, id }]))
  )
  return [...last].flatMap(([key, { happening, id }]): ReadonlyArray<Happening> => {
    const known = workflows.get(key)?.record
    const isOlder = happening.at <= (recordedAt.get(key) ?? -Infinity)
    return known !== undefined && isOlder && isNewer(known, stateIn(happening, id))
      ? [{ _tag: "Seen", instance: happening.instance, at, workflows: [{ ...known, id }], gone: [] }]
      : []
  })
}

const stateIn = (happening: Happening, id: string): JsonObject => {
  if (happening._tag === "Seen") return happening.workflows.find((one) => String(one.id) === id) ?? {}
  if (happening._tag !== "Wrote") return {}
  const { after, at } = happening
  return after._tag === "Present" ? after.seen : { updatedAt: new Date(at).toISOString() }
}
