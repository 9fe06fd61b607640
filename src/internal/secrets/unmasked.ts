import { Predicate, Result } from "effect"

import { isJsonObject, type JsonObject } from "../schema/JsonObject.ts"
import { masksIn, maskSecrets, maskText, meaningOf } from "./maskSecrets.ts"

/**
 * A value in which each mask is what it stands for: what the same place of the value that it was read from hides. Fails where
 * that place hides nothing, hides it in another text, or is called otherwise by now. `name` is the field that both stand in.
 */
export const unmasked = (given: unknown, stored: unknown, name = ""): Result.Result<unknown, undefined> => {
  if (masksIn(given) === 0) return Result.succeed(given)
  if (Predicate.isString(given)) {
    // A text that holds the very word shows it as it is.
    if (given === stored || given === maskSecrets(stored, name)) return Result.succeed(stored)
    return misplaced
  }
  if (Array.isArray(given) && Array.isArray(stored)) {
    return Result.all(given.map((item: unknown, place) => unmasked(item, stored[place], name)))
  }
  if (!isJsonObject(given) || !isJsonObject(stored) || labelOf(given) !== maskText(labelOf(stored))) return misplaced
  return Result.map(
    Result.all(
      Object.entries(given).map(([key, item]) =>
        masksIn(key) > 0
          ? misplaced
          : Result.map(
              unmasked(item, Object.hasOwn(stored, key) ? stored[key] : undefined, meaningOf(stored, key)),
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
