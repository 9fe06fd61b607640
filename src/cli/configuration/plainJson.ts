import { Predicate, Result } from "effect"

/**
 * The value of a JSON text in which nothing is out of the ordinary; then the parser that knows of comments, and says what is
 * wrong, need not be loaded. Nothing for any other text, one that gives a field twice included.
 */
export const parsePlainJson = (text: string): unknown =>
  Result.getOrUndefined(
    Result.try(() => {
      const value: unknown = JSON.parse(text)
      return fieldsOf(value) === text.match(fieldName)?.length ? value : undefined
    })
  )

/** In JSON, a text before a colon is the name of a field. */
const fieldName = /"(?:[^"\\]|\\.)*"\s*:/g

const fieldsOf = (value: unknown): number => {
  if (!Predicate.isObjectOrArray(value)) return 0
  const inside = Object.values(value)
  return inside.reduce((sum: number, one) => sum + fieldsOf(one), Array.isArray(value) ? 0 : inside.length)
}
