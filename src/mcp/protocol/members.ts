import { isMemoizable, memoized } from "../../internal/memoize.ts"

/** Members of results as JSON text, if they need not be serialised anew for each answer. */
const texts = new WeakMap<object, () => string>()

const written = memoized((result: object): string => texts.get(result)?.() ?? bare(result))

/** An object's members as JSON, without the braces. */
export const bare = (object: object): string => JSON.stringify(object).slice(1, -1)

/** The members of a result as JSON text, without the braces; undefined to serialise the result as usual. */
export const membersOf = (result: object): string | undefined =>
  texts.has(result) || isMemoizable(result) ? written(result) : undefined

/** The result, whose members are serialised by `text`. */
export const writtenBy = <A extends object>(result: A, text: () => string): A => {
  texts.set(result, text)
  return result
}
