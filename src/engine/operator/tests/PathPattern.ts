import { Result } from "effect"

import { isJsonObject } from "../../../internal/schema/JsonObject.ts"
import { parsePath, type Path, pathText } from "../../workflow/valuePaths.ts"

/** Parses a path in which `*` stands for any field or index: `rows[*].id`. */
export const parsePattern = (text: string): Result.Result<Path, string> =>
  Result.mapError(parsePath(text.replaceAll("[*]", '["*"]')), (words) =>
    words.replace(/; write it as in .*/s, "; write it as in customer.name or rows[*].id")
  )

/** The text that `parsePattern` parses to this path. */
export const printPattern = (path: Path): string => pathText(path).replace(/(?:^|\.)\*(?=[.[]|$)/g, "[*]")

/** Whether a pattern matches a path, or one that it lies in. */
export const matchesPattern = (path: Path, pattern: Path): boolean =>
  path.length >= pattern.length && pattern.every((step, at) => step === "*" || String(step) === String(path[at]))

/** The values that a path leads to, each with its exact path: several if it has a `*`, none if it leads nowhere. */
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
