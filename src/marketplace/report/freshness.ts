import { Option } from "effect"

import { parseJson } from "../../internal/json/values.ts"
import type { StoredValue } from "../../internal/KeptValues.ts"
import type { Pair } from "../client/ids.ts"
import { caps } from "../client/operations.ts"
import { beginOf, dayAfter, type Period } from "./period.ts"

/* The keys under which statistics are kept, and for how long they hold. */

const minute = 60_000
const hour = 60 * minute

/** Whether something that changes seldom was read within the last hour. */
export const isRecent = ({ at }: { readonly at: number }, now: number): boolean => at <= now && now - at < hour

/** Hours after midnight in which the numbers of yesterday may still come in. */
const settlingHours = 3

export const endOf = (day: string): number => beginOf(dayAfter(day)) ?? 0

/** Whether what was read of days up to one that ends then still holds. */
export const isFresh = (end: number, kept: StoredValue | undefined, now: number): boolean => {
  if (kept === undefined || kept.at > now) return false
  const { at } = kept
  if (at >= end + settlingHours * hour) return true
  return now - at < (at < end ? 10 * minute : hour)
}

export const dayKey = (advert_id: number, day: string) => `c:${advert_id}:${day}`
export const nameKey = (nm_id: number) => `n:${nm_id}`
export const clusterKey = ({ advert_id, nm_id }: Pair, { from, to }: Period) => `q:${advert_id}:${nm_id}:${from}:${to}`
export const clusterDayKey = ({ advert_id, nm_id }: Pair, day: string) => `d:${advert_id}:${nm_id}:${day}`
export const campaignsKey = "campaigns"
export const seenKey = "seen"
export const seenArticleKey = ({ advert_id, nm_id }: Pair) => `s:${advert_id}:${nm_id}`
export const configKey = "config"

/** A value that was kept; undefined for one that is none, as after a crash. */
export const valueIn = (kept: StoredValue | undefined): unknown =>
  kept === undefined ? undefined : Option.getOrUndefined(parseJson(kept.json))

/** Successive days of a list as periods of at most 31 days. */
export const spansOf = (days: ReadonlyArray<string>): ReadonlyArray<Period> => {
  const periods: Array<{ from: string; to: string; length: number }> = []
  for (const day of days) {
    const last = periods.at(-1)
    if (last !== undefined && dayAfter(last.to) === day && last.length < caps.fullstatsDays) {
      last.to = day
      last.length++
    } else periods.push({ from: day, to: day, length: 1 })
  }
  return periods
}
