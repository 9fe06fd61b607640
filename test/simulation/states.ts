import { isDeepStrictEqual } from "node:util"

import { readTemporaryName } from "../../src/engine/workflow/naming.ts"
import type { Instance, State, Write } from "./Instance.ts"
import type { Call } from "./Stage.ts"

const isEmpty = (value: unknown) =>
  value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0)

/** The parts of a workflow by their names, as one would say what has changed; an empty part is none. */
const partsOf = (state: State): ReadonlyMap<string, unknown> => {
  const { nodes, tags = [], ...rest } = state
  const parts: ReadonlyArray<readonly [string, unknown]> = [
    ...Object.entries(rest),
    ["tags", tags.map(({ name }) => name).toSorted()],
    ...nodes.map((node) => [`node ${String(node["name"])}`, node] as const)
  ]
  return new Map(parts.filter(([, value]) => value !== false && !isEmpty(value)))
}

/** The parts that differ between two states of a workflow. */
export const differing = (before: State, after: State): ReadonlyArray<string> => {
  const [one, other] = [partsOf(before), partsOf(after)]
  return [...new Set([...one.keys(), ...other.keys()])].filter(
    (part) => !isDeepStrictEqual(one.get(part), other.get(part))
  )
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** Whether a merged value still has everything by which another one differs from the base of both. */
const holdsChanges = (base: unknown, other: unknown, merged: unknown): boolean =>
  isDeepStrictEqual(base, other) ||
  isDeepStrictEqual(other, merged) ||
  (isObject(base) &&
    isObject(other) &&
    isObject(merged) &&
    [...new Set([...Object.keys(base), ...Object.keys(other)])].every((key) =>
      holdsChanges(base[key], other[key], merged[key])
    ))

/** Whether a state still has everything by which another one differs from the base of both, in these parts. */
export const keepsChanges = (base: State, other: State, merged: State, isOne: (part: string) => boolean): boolean => {
  const valuesOf = (state: State) => {
    const tags = Object.fromEntries((state.tags ?? []).map(({ name }) => [name, true]))
    return Object.fromEntries([...partsOf(state), ["tags", tags] as const].filter(([part]) => isOne(part)))
  }
  return holdsChanges(valuesOf(base), valuesOf(other), valuesOf(merged))
}

/** Whether a write has changed something. */
export const changes = ({ after, before, id, method, path, status }: Write): boolean =>
  id === undefined ? method !== "GET" && status < 300 && !path.endsWith("/test") : !isDeepStrictEqual(before, after)

export const isCreation = ({ method, path, status }: Write): boolean =>
  method === "POST" && path === "/workflows" && status < 300

/** Whether a write is about a workflow that lives for one run. */
export const isOfCopy = ({ after, before }: Pick<Write, "after" | "before">): boolean =>
  readTemporaryName((after ?? before)?.name) !== undefined

/** A workflow as it was at a moment; undefined if there was none. */
export const stateAt = ({ writes }: Instance, id: string, moment: number): State | undefined =>
  writes.findLast((write) => write.id === id && write.at <= moment)?.after

/** Everything that a workflow was during a call, as far as anybody could see it. */
export const statesDuring = (
  instance: Instance,
  id: string,
  { from, to }: Pick<Call, "from" | "to">
): ReadonlyArray<State | undefined> => {
  const during = instance.writes.filter((write) => write.id === id && write.at >= from && write.at <= to)
  return [stateAt(instance, id, from - 1e-6), ...during.map(({ after }) => after)]
}

/** The ids of all workflows that ever were. */
export const idsOf = ({ writes }: Instance): ReadonlyArray<string> => [...new Set(writes.flatMap(({ id }) => id ?? []))]
