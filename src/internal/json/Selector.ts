import { Option, Schema } from "effect"

import { closeArray, closeObject, colon, comma, openArray, openObject, quote } from "./bytes.ts"
import type { Selection } from "./Selection.ts"
import { ValueEnd } from "./ValueEnd.ts"

/** An object or array of which parts are wanted, and how far it has come. */
interface Open {
  readonly isArray: boolean
  readonly select: (key: string | number) => Selection
  count: number
  expects: "key" | "colon" | "value" | "end"
}

const space = 0x20

const nothing = new TextEncoder().encode("null")
const readKey = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.String))

/**
 * Takes what is selected out of a JSON text whose bytes come in pieces, as a shorter JSON text: what is passed over is
 * `null` there, and takes no memory. What is wrong with the text is for its parser to find; values that are passed over
 * are only looked at for their end.
 */
export class Selector {
  private kept = new Uint8Array(64 * 1024)
  private length = 0
  /** What is around the place that was come to; the first one stands for the text, with the value as its only element. */
  private readonly open: Array<Open>
  private value: { readonly end: ValueEnd; readonly role: "key" | "kept" | "passed"; readonly from: number } | undefined
  private key: string | number = 0

  constructor(selection: Selection) {
    this.open = [{ isArray: true, select: () => selection, count: 0, expects: "value" }]
  }

  /** Bytes that were kept so far. */
  get bytes(): number {
    return this.length
  }

  /** What was selected, as text. */
  get text(): string {
    return new TextDecoder().decode(this.kept.subarray(0, this.length))
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
    if (value.role !== "passed") this.keep(bytes.subarray(at, to))
    if (end === -1) return to
    this.value = undefined
    if (value.role === "key") {
      const text = new TextDecoder().decode(this.kept.subarray(value.from, this.length))
      this.key = Option.getOrElse(readKey(text), () => "")
    }
    return to
  }

  /** Takes one byte between values, or begins one. */
  private step(bytes: Uint8Array, at: number): number {
    const byte = bytes[at] ?? 0
    const around = this.open.at(-1)
    if (around?.expects === "value" && byte > space && byte !== closeArray) return this.begin(around, bytes, at)
    if (around?.expects === "key" && byte === quote) {
      around.expects = "colon"
      this.value = { end: new ValueEnd(), role: "key", from: this.length }
      return at
    }
    this.keep(bytes.subarray(at, at + 1))
    if (byte === closeArray || byte === closeObject) this.open.pop()
    else if (around !== undefined && byte === comma) {
      around.count++
      around.expects = around.isArray ? "value" : "key"
    } else if (around !== undefined && byte === colon) around.expects = "value"
    return at + 1
  }

  private begin(around: Open, bytes: Uint8Array, at: number): number {
    around.expects = "end"
    const byte = bytes[at]
    const selection = around.select(around.isArray ? around.count : this.key)
    if (typeof selection === "function" && (byte === openArray || byte === openObject)) {
      const isArray = byte === openArray
      this.open.push({ isArray, select: selection, count: 0, expects: isArray ? "value" : "key" })
      this.keep(bytes.subarray(at, at + 1))
      return at + 1
    }
    if (selection === "nothing") this.keep(nothing)
    this.value = { end: new ValueEnd(), role: selection === "nothing" ? "passed" : "kept", from: this.length }
    return at
  }

  private keep(bytes: Uint8Array): void {
    const length = this.length + bytes.length
    if (length > this.kept.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.kept.length))
      larger.set(this.kept.subarray(0, this.length))
      this.kept = larger
    }
    this.kept.set(bytes, this.length)
    this.length = length
  }
}
