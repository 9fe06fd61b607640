import { backslash, closeArray, closeObject, comma, openArray, openObject, quote } from "./bytes.ts"

/** Whether a byte is white space of JSON; no other bytes up to 0x20 occur between values. */
const isBlank = (byte: number) => byte <= 0x20

/** Finds the end of a JSON value whose bytes arrive in pieces, without parsing it. */
export class ValueEnd {
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
