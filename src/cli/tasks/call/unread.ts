import { Predicate } from "effect"

/** What a tool over several instances says of those that it could not read, wherever it says so. */
export const unread = (answer: Readonly<Record<string, unknown>>): ReadonlyArray<string> =>
  Object.values(answer)
    .flatMap((rows: unknown): ReadonlyArray<unknown> => (Array.isArray(rows) ? rows : []))
    .flatMap((row) =>
      Predicate.hasProperty(row, "instance") &&
      Predicate.isString(row.instance) &&
      Predicate.hasProperty(row, "error") &&
      Predicate.isString(row.error)
        ? [row.error.includes(`nstance ${row.instance}`) ? row.error : `Instance ${row.instance}: ${row.error}`]
        : []
    )
