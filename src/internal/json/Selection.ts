import { Option, Predicate } from "effect"

import { isJsonObject, type JsonObject } from "../schema/JsonObject.ts"
import { parseJson } from "./values.ts"

/**
 * The wanted part of a JSON value: the whole, nothing, or a part of each of its fields and elements. All else may come as
 * `null`, so that names, places and counts stay as they are.
 */
export type Part = "whole" | "nothing" | ((key: string | number) => Selection)

/** The wanted part of a value that stays, or of an object that is handed over as soon as it is there, and of which `{}` stays. */
export type Selection = Part | { readonly handed: Part }

/** Selects all fields of an object, the named ones as given. */
export const fields =
  (named: Readonly<Record<string, Selection>>): Part =>
  (key) =>
    (Object.hasOwn(named, key) ? named[key] : undefined) ?? "whole"

/** Selects only the named fields of an object, as given. */
export const only =
  (named: Readonly<Record<string, Selection>>): Part =>
  (key) =>
    (Object.hasOwn(named, key) ? named[key] : undefined) ?? "nothing"

/** Selects the same of every field or element. */
export const each =
  (selection: Selection): Selection =>
  () =>
    selection

/** A value that has begun at a place in what is kept. */
interface Begun {
  readonly from: number
  readonly isHanded: boolean
}

/** An object or array of which parts are wanted, and how far it has come. */
interface Open extends Begun {
  readonly isArray: boolean
  readonly select: (key: string | number) => Selection
  count: number
  expects: "key" | "colon" | "value" | "end"
}

const space = 0x20

const decoder = new TextDecoder()
const nothing = new TextEncoder().encode("null")
const emptyObject = new TextEncoder().encode("{}")

/**
 * Takes what is selected out of a JSON text whose bytes come in pieces, as a shorter JSON text: what is passed over is
 * `null` there, and takes no memory. What is wrong with the text is for its parser to find; values that are passed over
 * are only looked at for their end.
 */
export class Selector {
  private kept = new Uint8Array(64 * 1024)
  private length = 0
  /** Objects and arrays around the current place; the first one stands for the text, with the value as its only element. */
  private readonly open: Array<Open>
  private value: (Begun & { readonly end: ValueEnd; readonly role: "key" | "kept" | "passed" }) | undefined
  private key: string | number = 0
  private objects: Array<JsonObject> = []

  constructor(selection: Selection) {
    this.open = [{ isArray: true, select: () => selection, from: 0, isHanded: false, count: 0, expects: "value" }]
  }

  /** The objects to hand over that have come since the last time. */
  takeHanded(): ReadonlyArray<JsonObject> {
    const { objects } = this
    if (objects.length > 0) this.objects = []
    return objects
  }

  /** Bytes that were kept so far. */
  get bytes(): number {
    return this.length
  }

  /** The selected part as text. */
  get text(): string {
    return decoder.decode(this.kept.subarray(0, this.length))
  }

  push(bytes: Uint8Array): void {
    let at = 0
    while (at < bytes.length) at = this.value === undefined ? this.step(bytes, at) : this.follow(bytes, at)
  }

  /** Goes on to the end of the value under way. */
  private follow(bytes: Uint8Array, at: number): number {
    const { value } = this
    if (value === undefined) return at
    const end = value.end.find(bytes, at)
    const to = end === -1 ? bytes.length : end
    if (value.role !== "passed") this.keep(bytes, at, to)
    if (end === -1) return to
    this.value = undefined
    if (value.role === "key") {
      this.key = Option.getOrElse(Option.filter(this.keptFrom(value.from), Predicate.isString), () => "")
    }
    if (value.isHanded) this.handOver(value.from)
    return to
  }

  /** Takes one byte between values, or begins one. */
  private step(bytes: Uint8Array, at: number): number {
    const byte = bytes[at] ?? 0
    const around = this.open.at(-1)
    if (around?.expects === "value" && byte > space && byte !== closeArray) return this.begin(around, bytes, at)
    if (around?.expects === "key" && byte === quote) {
      around.expects = "colon"
      this.value = { end: new ValueEnd(), role: "key", from: this.length, isHanded: false }
      return at
    }
    this.keep(bytes, at, at + 1)
    if (byte === closeArray || byte === closeObject) {
      const closed = this.open.pop()
      if (closed?.isHanded === true) this.handOver(closed.from)
    } else if (around !== undefined && byte === comma) {
      around.count++
      around.expects = around.isArray ? "value" : "key"
    } else if (around !== undefined && byte === colon) around.expects = "value"
    return at + 1
  }

  private begin(around: Open, bytes: Uint8Array, at: number): number {
    around.expects = "end"
    const byte = bytes[at]
    const chosen = around.select(around.isArray ? around.count : this.key)
    const isHanded = typeof chosen === "object"
    const selection = isHanded ? chosen.handed : chosen
    const from = this.length
    if (typeof selection === "function" && (byte === openArray || byte === openObject)) {
      const isArray = byte === openArray
      this.open.push({ isArray, select: selection, from, isHanded, count: 0, expects: isArray ? "value" : "key" })
      this.keep(bytes, at, at + 1)
      return at + 1
    }
    if (selection === "nothing") this.keep(nothing, 0, nothing.length)
    this.value = { end: new ValueEnd(), role: selection === "nothing" ? "passed" : "kept", from, isHanded }
    return at
  }

  private keptFrom(from: number): Option.Option<unknown> {
    return parseJson(decoder.decode(this.kept.subarray(from, this.length)))
  }

  /** Hands over the value that began here, if it is an object; anything else stays for whoever reads the text. */
  private handOver(from: number): void {
    const value = Option.getOrUndefined(this.keptFrom(from))
    if (!isJsonObject(value)) return
    this.objects.push(value)
    this.length = from
    this.keep(emptyObject, 0, emptyObject.length)
  }

  private keep(bytes: Uint8Array, from: number, to: number): void {
    const length = this.length + to - from
    if (length > this.kept.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.kept.length))
      larger.set(this.kept.subarray(0, this.length))
      this.kept = larger
    }
    // A view of each single byte would be most of what a list allocates.
    if (to === from + 1) this.kept[this.length] = bytes[from] ?? 0
    else this.kept.set(bytes.subarray(from, to), this.length)
    this.length = length
  }
}

/** Whether a byte is white space of JSON; no other bytes up to 0x20 occur between values. */
const isBlank = (byte: number) => byte <= 0x20

/** Finds the end of a JSON value whose bytes arrive in pieces, without parsing it. */
class ValueEnd {
  private depth = 0
  private isInString = false
  /** Whether the bytes so far end in a backslash that escapes the next one. */
  private isEscaping = false

  /** The index after the value that begins or continues here; -1 if its end is not among these bytes. */
  find(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      if (this.isInString) {
        const end = this.endOfString(bytes, at)
        if (end === -1) return -1
        this.isInString = false
        if (this.depth === 0) return end + 1
        at = end
        continue
      }
      const byte = bytes[at] ?? 0
      if (byte === quote) this.isInString = true
      else if (byte === openArray || byte === openObject) this.depth++
      else if (byte === closeArray || byte === closeObject) {
        // The bracket of what is around a number, true, false or null ends these.
        if (this.depth === 0) return at
        if (--this.depth === 0) return at + 1
      } else if (this.depth === 0 && (byte === comma || isBlank(byte))) return at
    }
    return -1
  }

  private endOfString(bytes: Uint8Array, from: number): number {
    let start = from
    for (;;) {
      const end = bytes.indexOf(quote, start)
      const isEscaped = this.isEscapedAt(bytes, start, end === -1 ? bytes.length : end)
      this.isEscaping = end === -1 && isEscaped
      if (end === -1 || !isEscaped) return end
      start = end + 1
    }
  }

  /** Whether an odd number of backslashes stands before a place, those of earlier bytes included. */
  private isEscapedAt(bytes: Uint8Array, start: number, place: number): boolean {
    let at = place
    while (at > start && bytes[at - 1] === backslash) at--
    const isOdd = (place - at) % 2 === 1
    return at === start && this.isEscaping ? !isOdd : isOdd
  }
}

/** The bytes that have a meaning of their own in a JSON text. */
const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const colon = 0x3a
const openArray = 0x5b
const closeArray = 0x5d
const openObject = 0x7b
const closeObject = 0x7d
