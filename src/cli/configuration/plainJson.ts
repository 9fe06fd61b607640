import { Predicate, Result } from "effect"

/**
 * The value of a JSON text with nothing unusual in it, for which the parser that supports comments and explains errors need not
 * be loaded. Undefined for any other text, including one with duplicate fields.
 */
export const parsePlainJson = (text: string): unknown =>
  Result.getOrUndefined(
    Result.try(() => {
      const value: unknown = JSON.parse(text)
      return fieldsOf(value) === text.match(fieldName)?.length ? value : undefined
    })
  )

/** In JSON, a string before a colon is the name of a field. */
const fieldName = /"(?:[^"\\]|\\.)*"\s*:/g

const fieldsOf = (value: unknown): number => {
  if (!Predicate.isObjectOrArray(value)) return 0
  const inside = Object.values(value)
  return inside.reduce((sum: number, one) => sum + fieldsOf(one), Array.isArray(value) ? 0 : inside.length)
}
