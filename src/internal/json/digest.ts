import { type JsonObject, isJsonObject } from "../schema/JsonObject.ts"

/** Signs that no text holds, since its units have 16 bits. */
const array = 0x10000
const object = 0x10001
const end = 0x10002
const text = 0x10003
const bare = 0x10004

/**
 * Six characters of a 53-bit hash (cyrb53) of a JSON value, whatever the order of its fields: to notice an accident, not
 * to withstand an attack. It is made in one pass and without a text, since workflows can be megabytes.
 */
export const digest = (value: unknown): string => {
  let high = 0xdeadbeef
  let low = 0x41c6ce57

  /** A sign, and the text behind it. */
  const add = (sign: number, words = "") => {
    // In variables of its own: those that live longer would be boxed for every unit.
    let up = Math.imul(high ^ sign, 2654435761)
    let down = Math.imul(low ^ sign, 1597334677)
    for (let at = 0; at < words.length; at++) {
      const unit = words.charCodeAt(at)
      up = Math.imul(up ^ unit, 2654435761)
      down = Math.imul(down ^ unit, 1597334677)
    }
    high = up
    low = down
  }
  const visit = (value: unknown) => {
    if (typeof value === "string") add(text, value)
    else if (Array.isArray(value)) {
      add(array)
      for (const item of value) visit(item)
      add(end)
    } else if (isJsonObject(value)) {
      add(object)
      for (const name of Object.keys(value).sort()) {
        add(bare, name)
        visit(value[name])
      }
      add(end)
    } else add(bare, String(value))
  }

  visit(value)
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  const hash = 2 ** 32 * (2097151 & low) + (high >>> 0)
  return hash.toString(36).padStart(6, "0").slice(-6)
}

/** Whether two JSON values say the same; fields may come in another order. */
export const isSameJson = (a: unknown, b: unknown): boolean => {
  if (a === b) return true
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, at) => isSameJson(item, b[at]))
  }
  return isJsonObject(a) && isJsonObject(b) && isSameObject(a, b)
}

const isSameObject = (a: JsonObject, b: JsonObject): boolean => {
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSameJson(a[name], b[name]))
  )
}
