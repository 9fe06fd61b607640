import { Predicate } from "effect"

/** Every string and number in the data of a credential: each may be a secret. */
export const secretsIn = (value: unknown): ReadonlyArray<string> => {
  if (Predicate.isString(value)) return [value]
  if (Predicate.isNumber(value)) return [String(value)]
  return Predicate.isObject(value) || Array.isArray(value) ? Object.values(value).flatMap(secretsIn) : []
}
