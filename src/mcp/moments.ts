import { DateTime, Effect, Option } from "effect"

import { InvalidArgument } from "./ToolError.ts"

/** A time needs its offset, or it would mean another moment on every machine. */
const isoMoment = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/

const [hourMs, dayMs] = [3_600_000, 86_400_000]

/** The days of a week, from the one on which 1970 began. */
const weekdays = ["thursday", "friday", "saturday", "sunday", "monday", "tuesday", "wednesday"]

/** The number of days that have passed since the day that a word means, if it means one. */
const daysSince = (word: string, today: number): number | undefined => {
  if (word === "today") return 0
  if (word === "yesterday") return 1
  const weekday = weekdays.indexOf(word)
  return weekday < 0 ? undefined : (today / dayMs - weekday) % weekdays.length
}

/**
 * The milliseconds that a word means: those of a whole day where days begin so many hours before UTC, or a moment and what
 * follows. A weekday is the last one, today included.
 */
export const spanOf = (argument: string, text: string, now: number, hoursAhead = 0) => {
  const today = Math.floor((now + hoursAhead * hourMs) / dayMs) * dayMs
  const days = daysSince(text.trim().toLowerCase(), today)
  const relative = days === undefined ? undefined : today - days * dayMs
  const read = isoMoment.test(text) ? Option.getOrUndefined(DateTime.make(text)) : undefined
  const isDay = relative !== undefined || !text.includes("T")
  const begin = relative ?? (read === undefined ? undefined : DateTime.toEpochMillis(read))
  if (begin === undefined) return Effect.fail(new InvalidArgument({ argument, problem: notAMoment }))
  const from = isDay ? begin - hoursAhead * hourMs : begin
  return Effect.succeed({ from, to: isDay ? from + dayMs : from })
}

const notAMoment =
  "must be a day or a moment, such as today, yesterday, 2026-11-21, monday, 2026-11-21T09:00:00Z or 2026-11-21T12:00:00+03:00"
