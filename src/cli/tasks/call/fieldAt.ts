import { Predicate } from "effect"

/** The field of an answer at a path such as `data.0.name`: a string as it is, everything else as JSON. */
export const fieldAt = (answer: unknown, path: string): string | undefined => {
  const value = path
    .split(".")
    .reduce<unknown>(
      (at, name) => (Predicate.isObjectOrArray(at) && Object.hasOwn(at, name) ? Reflect.get(at, name) : undefined),
      answer
    )
  return value === undefined || Predicate.isString(value) ? value : JSON.stringify(value)
}
