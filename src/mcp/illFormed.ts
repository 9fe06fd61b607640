import { Predicate } from "effect"

interface Place {
  readonly value: unknown
  readonly key: string
  readonly above?: Place
}

/**
 * Path of the first lone surrogate in a value, as in `nodes.0.name`; undefined if all its strings are valid Unicode. On its way
 * to an upstream, a lone surrogate would silently become another character.
 */
export const illFormed = (whole: unknown): string | undefined => {
  const open: Array<Place> = [{ value: whole, key: "" }]
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { key, value } = place
    if (isBroken(value) || isBroken(key)) return pathOf(place)
    if (!Predicate.isObject(value) && !Array.isArray(value)) continue
    const parts = Object.entries(value)
    for (let at = parts.length - 1; at >= 0; at--) {
      const [name, part] = parts[at] ?? []
      if (name !== undefined) open.push({ value: part, key: name, above: place })
    }
  }
  return undefined
}

const isBroken = (value: unknown) => Predicate.isString(value) && !value.isWellFormed()

const pathOf = (place: Place): string => {
  const keys: Array<string> = []
  for (let at: Place | undefined = place; at?.above !== undefined; at = at.above) keys.unshift(at.key)
  return keys.join(".").toWellFormed()
}
