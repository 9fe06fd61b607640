import { Predicate } from "effect"

/** Every text in the data of a credential: each may be a secret. */
export const secretsIn = (value: unknown): ReadonlyArray<string> => {
  if (Predicate.isString(value)) return [value]
  return Predicate.isObject(value) || Array.isArray(value) ? Object.values(value).flatMap(secretsIn) : []
}
