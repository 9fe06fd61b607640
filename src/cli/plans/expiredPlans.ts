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

/** The lines of one plan in short. */
interface PlanLines {
  readonly length: number
  readonly isBegun: boolean
  /** The moment from which it can be begun no more. */
  readonly expiresAt: number
}

/** The lines of a journal in short: a large one is looked through line by line. */
export interface Outline {
  readonly length: number
  readonly plans: Map<string, PlanLines>
}

export const emptyOutline = (): Outline => ({ length: 0, plans: new Map() })

export const withLine = ({ length, plans }: Outline, line: string): Outline => {
  const head = headOf(line)
  if (head !== undefined && head.type !== "expired") {
    const before = plans.get(head.plan) ?? { length: 0, isBegun: false, expiresAt: Infinity }
    plans.set(head.plan, {
      length: before.length + line.length,
      isBegun: before.isBegun || !harmless.includes(head.type),
      expiresAt: head.type === "planned" ? expiryOf(line) : before.expiresAt
    })
  }
  return { length: length + line.length, plans }
}

/** The plans of a journal that were never begun and have expired; undefined where leaving them out saves little. */
export const expiredIn = ({ length, plans }: Outline, now: number): ReadonlySet<string> | undefined => {
  const expired = [...plans].filter(([, { expiresAt, isBegun }]) => !isBegun && expiresAt < now)
  const saved = expired.reduce((sum, [, plan]) => sum + plan.length, 0)
  return saved < least || saved * 4 < length ? undefined : new Set(expired.map(([id]) => id))
}

/** The lines of a journal without the steps of expired plans, each of which leaves a short line. */
export const withoutPlans = (lines: ReadonlyArray<string>, expired: ReadonlySet<string>): ReadonlyArray<string> =>
  lines.flatMap((line) => {
    const head = headOf(line)
    if (head === undefined || head.type === "expired" || !expired.has(head.plan)) return [line]
    const short = head.type === "planned" ? shortened(line) : undefined
    return short === undefined ? [] : [JSON.stringify(short)]
  })

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
