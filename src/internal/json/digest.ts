import { type JsonObject, isJsonObject } from "../schema/JsonObject.ts"

/** Codes that occur in no text, since its units have 16 bits. */
const array = 0x10000
const object = 0x10001
const end = 0x10002
const text = 0x10003
const bare = 0x10004
const integer = 0x10005
const float = 0x10006

/** Both halves of the hash that is being made: kept here, they are no objects of their own after each text. */
const halves = new Int32Array(2)

/**
 * Six characters of a 53-bit hash (cyrb53) of a JSON value, whatever the order of its fields: to notice an accident, not
 * to withstand an attack. It is made in one pass and without a text, since workflows can be megabytes.
 */
export const digest = (value: unknown): string => {
  halves[0] = 0xdeadbeef
  halves[1] = 0x41c6ce57
  visit(value)
  let high = halves[0] ?? 0
  let low = halves[1] ?? 0
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  const hash = 2 ** 32 * (2097151 & low) + (high >>> 0)
  return (hash % sixDigits).toString(36).padStart(6, "0")
}

/** The remainder of more than six characters goes before they are made: to write a large number takes twenty times as long. */
const sixDigits = 36 ** 6

const visit = (value: unknown) => {
  if (typeof value === "string") add(text, value)
  else if (Array.isArray(value)) {
    add(array)
    for (const item of value) visit(item)
    add(end)
  } else if (isJsonObject(value)) visitFields(value)
  else if (typeof value === "number") addNumber(value)
  else add(bare, String(value))
}

/** Each field begins where its object does, and all are summed up: so their order does not matter, without being made. */
const visitFields = (value: JsonObject) => {
  const high = halves[0] ?? 0
  const low = halves[1] ?? 0
  let allHigh = 0
  let allLow = 0
  for (const name in value) {
    halves[0] = high
    halves[1] = low
    add(bare, name)
    visit(value[name])
    allHigh = (allHigh + mixed(halves[0] ?? 0)) | 0
    allLow = (allLow + mixed(halves[1] ?? 0)) | 0
  }
  halves[0] = high ^ allHigh
  halves[1] = low ^ allLow
  add(object)
}

/** By its bits: to write a number takes longer than to hash it. */
const addNumber = (value: number) => {
  const bits = value | 0
  if (bits === value) return addBits(integer, bits)
  double[0] = value
  addBits(float, doubleBits[0] ?? 0)
  addBits(float, doubleBits[1] ?? 0)
}

const double = new Float64Array(1)
const doubleBits = new Int32Array(double.buffer)

const addBits = (sign: number, bits: number) => {
  halves[0] = Math.imul(Math.imul((halves[0] ?? 0) ^ sign, 2654435761) ^ bits, 2654435761)
  halves[1] = Math.imul(Math.imul((halves[1] ?? 0) ^ sign, 1597334677) ^ bits, 1597334677)
}

/** In sums, no bit may stand for the same bit of what is summed up alone. */
const mixed = (half: number): number => Math.imul(half ^ (half >>> 15), 2246822507)

/** A sign, and the text behind it. */
const add = (sign: number, words = "") => {
  let high = Math.imul((halves[0] ?? 0) ^ sign, 2654435761)
  let low = Math.imul((halves[1] ?? 0) ^ sign, 1597334677)
  for (let at = 0; at < words.length; at++) {
    const unit = words.charCodeAt(at)
    high = Math.imul(high ^ unit, 2654435761)
    low = Math.imul(low ^ unit, 1597334677)
  }
  halves[0] = high
  halves[1] = low
}

/** Whether two JSON values are equal, whatever the order of their fields. */
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
