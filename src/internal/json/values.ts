import { Option, Predicate } from "effect"

/** Number of the first rows that fit into this many bytes of JSON; at least one. */
export const fitting = (rows: ReadonlyArray<unknown>, bytes: number): number => {
  let left = bytes
  const tooMuch = rows.findIndex((row) => {
    left -= jsonBytes(row) + 1
    return left < 0
  })
  return tooMuch === -1 ? rows.length : Math.max(1, tooMuch)
}

/** The first rows that fit into this many bytes of JSON; at least one. */
export const fitted = <A>(rows: ReadonlyArray<A>, bytes: number): ReadonlyArray<A> =>
  rows.slice(0, fitting(rows, bytes))

const encoder = new TextEncoder()

/** Bytes of a value as JSON; 0 for values that JSON cannot express. */
export const jsonBytes = (value: unknown): number => encoder.encode(JSON.stringify(value) ?? "").length

/** Parses a text as JSON; none if it is not JSON. */
export const parseJson = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** Whether a text stands anywhere in a value, names of fields among them. */
export const holdsText = (value: unknown, text: string): boolean => {
  if (Predicate.isString(value)) return value.includes(text)
  if (Array.isArray(value)) return value.some((item: unknown) => holdsText(item, text))
  return (
    Predicate.isObject(value) &&
    Object.entries(value).some(([name, item]) => name.includes(text) || holdsText(item, text))
  )
}

/** The same JSON value, deeply frozen. */
export const frozen = <A>(value: A): A => {
  if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) frozen(inner)
    Object.freeze(value)
  }
  return value
}
