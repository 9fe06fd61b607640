import { DateTime, Option } from "effect"

const dayMs = 86_400_000
/** Days of the marketplace begin at midnight in Moscow, which has no summer time. */
const moscowMs = 3 * 3_600_000

/** The Moscow day of a moment. */
export const dayAt = (ms: number): string => DateTime.formatIsoDateUtc(DateTime.makeUnsafe(ms + moscowMs))

const utcOf = (day: string): number | undefined =>
  Option.getOrUndefined(Option.map(DateTime.make(`${day}T00:00:00Z`), DateTime.toEpochMillis))

/** The moment at which a Moscow day begins, in milliseconds since 1970; undefined for what is no day. */
export const beginOf = (day: string): number | undefined => {
  const utc = utcOf(day)
  return utc === undefined ? undefined : utc - moscowMs
}

/** The day so many days later. */
export const dayAfter = (day: string, days = 1): string =>
  DateTime.formatIsoDateUtc(DateTime.makeUnsafe((utcOf(day) ?? 0) + days * dayMs))

/** The number of days from one to another, both counted; below 1 where they are in the wrong order. */
export const lengthOf = ({ from, to }: Period): number =>
  Math.round(((utcOf(to) ?? 0) - (utcOf(from) ?? 0)) / dayMs) + 1

/** Days from the first to the last, inclusive. */
export interface Period {
  readonly from: string
  readonly to: string
}

export const daysOf = (period: Period): ReadonlyArray<string> =>
  Array.from({ length: Math.max(0, lengthOf(period)) }, (_, index) => dayAfter(period.from, index))

/** So many whole days, the last of them yesterday. */
export const lastDays = (now: number, days: number): Period => {
  const today = dayAt(now)
  return { from: dayAfter(today, -days), to: dayAfter(today, -1) }
}

/** The period of the same length before another. */
export const periodBefore = (period: Period): Period => ({
  from: dayAfter(period.from, -lengthOf(period)),
  to: dayAfter(period.from, -1)
})
