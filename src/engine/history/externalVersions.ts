import { Predicate } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import type { HistoryEvent } from "./HistoryEvent.ts"
import { keyOf } from "./paths.ts"

/** A version of a workflow not made by us, after one that is recorded. */
interface ExternalVersion {
  readonly instance: string
  readonly id: string
  readonly since: string
  readonly version: string
}

/** Identifies a version of a workflow. */
export const versionKey = (instance: string, id: string, version: string): string => `${keyOf(instance, id)} ${version}`

/** The versions in events that somebody else must have made, on engines that have versions. */
export const externalVersionsIn = (
  events: ReadonlyArray<HistoryEvent>,
  recorded: ReadonlyMap<string, { readonly record: JsonObject }>
): ReadonlyArray<ExternalVersion> => {
  const last = new Map([...recorded].map(([key, { record }]) => [key, versionIn(record)] as const))
  const versions: Array<ExternalVersion> = []
  const meet = (instance: string, { id, ...seen }: JsonObject) => {
    const [since, version] = [last.get(keyOf(instance, String(id))), versionIn(seen)]
    if (since !== undefined && version !== undefined && since !== version)
      versions.push({ instance, id: String(id), since, version })
    last.set(keyOf(instance, String(id)), version ?? since)
  }
  for (const event of events) {
    const { _tag, instance } = event
    if (_tag === "Seen") for (const workflow of event.workflows) meet(instance, workflow)
    if (_tag !== "Wrote") continue
    const { after, before, id } = event
    if (before !== undefined) meet(instance, { ...before, id })
    if (after._tag === "Present") last.set(keyOf(instance, id), versionIn(after.seen) ?? last.get(keyOf(instance, id)))
  }
  return versions
}

const versionIn = ({ versionId }: JsonObject): string | undefined =>
  Predicate.isString(versionId) && versionId !== "" ? versionId : undefined
