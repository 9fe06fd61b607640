import { Predicate } from "effect"

/** A span of time; both ends belong to it. Times are ISO 8601. */
export interface Period {
  readonly startedAfter?: string | undefined
  readonly startedBefore?: string | undefined
}

const date = /^\d{4}-\d{2}-\d{2}$/
const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/i

/** Whether a text is a moment that means the same everywhere: a date, which begins at midnight UTC, or a time with its zone. */
export const isMoment = (text: string): boolean =>
  (date.test(text) || time.test(text)) && !Number.isNaN(Date.parse(text)) && isInCalendar(text)

/** `2026-02-30` would be read as a day in March. */
const isInCalendar = (text: string) =>
  new Date(`${text.slice(0, 10)}T00:00:00Z`).toISOString().startsWith(text.slice(0, 10))

/** The span in the one spelling that every engine takes. */
export const spelled = ({ startedAfter, startedBefore }: Period) => ({
  ...(startedAfter === undefined ? {} : { startedAfter: new Date(startedAfter).toISOString() }),
  ...(startedBefore === undefined ? {} : { startedBefore: new Date(startedBefore).toISOString() })
})

/** Whether a moment lies in the span; what has not begun lies in none. */
export const isWithin = (startedAt: unknown, { startedAfter, startedBefore }: Period): boolean => {
  if (startedAfter === undefined && startedBefore === undefined) return true
  const at = Predicate.isString(startedAt) ? Date.parse(startedAt) : Number.NaN
  return (
    (startedAfter === undefined || at >= Date.parse(startedAfter)) &&
    (startedBefore === undefined || at <= Date.parse(startedBefore))
  )
}
