import { once } from "../../internal/once.ts"

/** Members of results as JSON text, as far as they are written in another way than anew for each answer. */
const texts = new WeakMap<object, () => string>()

/** The members of a result as JSON text, without the braces; nothing where nobody knows a better way than to write them. */
export const membersOf = (result: object): string | undefined => texts.get(result)?.()

/** The result, whose members are written by `text`. */
export const writtenBy = <A extends object>(result: A, text: () => string): A => {
  texts.set(result, text)
  return result
}

/** The result, which is sent again and again: it is written once. */
export const kept = <A extends object>(result: A): A =>
  writtenBy(
    result,
    once(() => JSON.stringify(result).slice(1, -1))
  )
