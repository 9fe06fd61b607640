import { Option } from "effect"

import type { ExpiredEntry } from "../../changes/Journal.ts"
import { parseJson } from "../../internal/json/values.ts"
import { isJsonObject, listOf, objectOf } from "../../internal/schema/JsonObject.ts"

/** The head of a line about a plan, as it is written: what it tells, and of which plan. */
const headOf = (line: string) => {
  const [, type, plan] = /^\{"type":"([a-z]+)","at":\d+,"plan_id":"([^"\\]+)"/.exec(line) ?? []
  return type === undefined || plan === undefined ? undefined : { type, plan }
}

/** Lines that leave a plan as it was made. */
const harmless: ReadonlyArray<string> = ["agreed", "expired", "planned", "steps", "stopped"]

/** Characters at the end of a plan's line in which its fields after the steps stand, unless they are many. */
const tail = 2000

const expiryOf = (line: string): number => Number(/"expiresAt":(\d+)/.exec(line.slice(-tail))?.[1] ?? Infinity)

/** Characters of expired plans that are left to lie: rewriting the file for fewer is not worth it. */
const least = 256 * 1024

/**
 * The lines of a journal without the steps of plans that were never begun and have expired, each of which leaves a short line;
 * undefined where that saves little. A line of another form stays as it is.
 */
export const withoutExpired = (lines: ReadonlyArray<string>, now: number): ReadonlyArray<string> | undefined => {
  const heads = lines.map(headOf)
  const begun = new Set(
    heads.flatMap((head) => (head === undefined || harmless.includes(head.type) ? [] : [head.plan]))
  )
  const expired = new Set(
    lines.flatMap((line, index) => {
      const head = heads[index]
      const isOver = head?.type === "planned" && !begun.has(head.plan) && expiryOf(line) < now
      return isOver ? [head.plan] : []
    })
  )
  const isDropped = (index: number): boolean => {
    const head = heads[index]
    return head !== undefined && head.type !== "expired" && expired.has(head.plan)
  }
  const sizeOf = (some: ReadonlyArray<string>) => some.reduce((sum, { length }) => sum + length, 0)
  const saved = sizeOf(lines.filter((_, index) => isDropped(index)))
  if (saved < least || saved * 4 < sizeOf(lines)) return undefined
  return lines.flatMap((line, index) => {
    if (!isDropped(index)) return [line]
    const short = heads[index]?.type === "planned" ? shortened(line) : undefined
    return short === undefined ? [] : [JSON.stringify(short)]
  })
}

const shortened = (line: string): ExpiredEntry | undefined => {
  const entry = Option.getOrUndefined(Option.filter(parseJson(line), isJsonObject)) ?? {}
  const { at, plan, plan_id, steps_before } = entry
  const { kind, reverses, steps } = objectOf(plan)
  if (typeof at !== "number" || typeof plan_id !== "string") return undefined
  return {
    type: "expired",
    at,
    plan_id,
    kind: String(kind),
    step_count: listOf(steps).length + (typeof steps_before === "number" ? steps_before : 0),
    ...(typeof reverses === "string" ? { reverses } : {})
  }
}
