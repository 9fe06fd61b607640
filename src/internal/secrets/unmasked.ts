import { Predicate, Result } from "effect"

import { isJsonObject, type JsonObject } from "../schema/JsonObject.ts"
import { masked, maskSecrets, maskText, meaningOf } from "./maskSecrets.ts"

/**
 * A value in which each mask is what it stands for: what the same place of the value that it was read from hides. Fails where
 * that place hides nothing, hides it in another text, or is called otherwise by now. `name` is the field that both stand in.
 */
export const unmasked = (given: unknown, stored: unknown, name = ""): Result.Result<unknown, undefined> => {
  if (Predicate.isString(given)) {
    if (!given.includes(masked)) return Result.succeed(given)
    // A text that holds the very word shows it as it is.
    if (given === stored || given === maskSecrets(stored, name)) return Result.succeed(stored)
    return misplaced
  }
  if (Array.isArray(given)) {
    const there: ReadonlyArray<unknown> = Array.isArray(stored) ? stored : []
    return Result.all(given.map((item: unknown, place) => unmasked(item, there[place], name)))
  }
  if (!isJsonObject(given)) return Result.succeed(given)
  const there = isJsonObject(stored) && labelOf(given) === maskText(labelOf(stored)) ? stored : {}
  return Result.map(
    Result.all(
      Object.entries(given).map(([key, item]) =>
        key.includes(masked)
          ? misplaced
          : Result.map(
              unmasked(item, Object.hasOwn(there, key) ? there[key] : undefined, meaningOf(there, key)),
              (one): readonly [string, unknown] => [key, one]
            )
      )
    ),
    (entries) => Object.fromEntries(entries)
  )
}

const misplaced = Result.fail(undefined)

/** The name of a header or a field in a list: another one at its place has a secret of its own. */
const labelOf = ({ key, name }: JsonObject): string => [name, key].find(Predicate.isString) ?? ""
