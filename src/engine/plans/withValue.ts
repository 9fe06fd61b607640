import { Predicate } from "effect"

import type { Path } from "../workflow/valuePaths.ts"

/** The same JSON with another value at a path; missing fields are added, lists do not grow. */
export const withValue = <A>(json: A, path: Path, value: unknown): A => {
  const replaced: unknown = replace(json, path, value)
  return isLike(json, replaced) ? replaced : json
}

/** The same JSON with other texts at some paths. */
export const withTexts = <A>(json: A, texts: ReadonlyArray<readonly [Path, string]>): A =>
  texts.reduce((changed, [path, text]) => withValue(changed, path, text), json)

const replace = (json: unknown, [step, ...rest]: Path, value: unknown): unknown => {
  if (step === undefined) return value
  if (Array.isArray(json)) {
    const items: ReadonlyArray<unknown> = json
    return items.map((item, index) => (index === step ? replace(item, rest, value) : item))
  }
  if (!Predicate.isObject(json)) return json
  const inner = Predicate.hasProperty(json, step) ? json[step] : undefined
  return { ...json, [step]: replace(inner, rest, value) }
}

/** Replacing below the root keeps the kind of the root. */
const isLike = <A>(json: A, other: unknown): other is A =>
  typeof json === typeof other && Array.isArray(json) === Array.isArray(other)
