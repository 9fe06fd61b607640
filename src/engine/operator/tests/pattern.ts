import { Result } from "effect"

import { isJsonObject } from "../../../internal/schema/JsonObject.ts"
import { parsePath, type Path, pathText } from "../../workflow/paths.ts"

/** Reads a path in which `*` stands for any field or place: `rows[*].id`. */
export const readPattern = (text: string): Result.Result<Path, string> =>
  Result.mapError(parsePath(text.replaceAll("[*]", '["*"]')), (words) =>
    words.replace(/; write it as in .*/s, "; write it as in customer.name or rows[*].id")
  )

/** A path as `readPattern` reads it. */
export const patternText = (path: Path): string => pathText(path).replace(/(?:^|\.)\*(?=[.[]|$)/g, "[*]")

/** Whether a path is one that a pattern means, or lies inside of it. */
export const isMeant = (path: Path, pattern: Path): boolean =>
  path.length >= pattern.length && pattern.every((step, at) => step === "*" || String(step) === String(path[at]))

/** The values at a path, each with its place: several where it has a `*`; nothing where nothing stands there. */
export const valuesAt = (
  value: unknown,
  path: Path,
  done: Path = []
): ReadonlyArray<{ readonly place: Path; readonly value: unknown }> => {
  const [step, ...rest] = path
  if (step === undefined) return [{ place: done, value }]
  const inside: ReadonlyArray<readonly [string | number, unknown]> = Array.isArray(value)
    ? value.map((item: unknown, place) => [place, item] as const)
    : isJsonObject(value)
      ? Object.entries(value)
      : []
  return inside
    .filter(([name]) => step === "*" || String(name) === String(step))
    .flatMap(([name, item]) => valuesAt(item, rest, [...done, name]))
}
