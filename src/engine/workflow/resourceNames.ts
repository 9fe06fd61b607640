import { Struct } from "effect"

import { isJsonObject } from "../../internal/schema/JsonObject.ts"

/** Beside the id of what a parameter points at, editors keep its name and address, and show them as they are. */
const kept = ["cachedResultName", "cachedResultUrl"] as const

/** Parameters that were changed, without the names and addresses of what they no longer point at. */
export const withoutFormerNames = (before: unknown, after: unknown): unknown => {
  if (Array.isArray(after)) {
    const others: ReadonlyArray<unknown> = Array.isArray(before) ? before : []
    return after.map((item: unknown, index) => withoutFormerNames(others[index], item))
  }
  if (!isJsonObject(after) || before === after) return after
  const former = isJsonObject(before) ? before : {}
  const inner = Object.fromEntries(
    Object.entries(after).map(([name, value]) => [name, withoutFormerNames(former[name], value)])
  )
  const isOther = after.__rl === true && former.__rl === true && after.value !== former.value
  return isOther
    ? Struct.omit(
        inner,
        kept.filter((name) => former[name] !== undefined && former[name] === after[name])
      )
    : inner
}
