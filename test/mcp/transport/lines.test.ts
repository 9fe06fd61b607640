import { assert, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as fc from "fast-check"

import { lines } from "../../../src/mcp/transport/readMessage.ts"

/** The bytes in pieces, cut at arbitrary places. */
const pieces = (bytes: Uint8Array, cuts: ReadonlyArray<number>) => {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b)
  return places.slice(1).map((end, at) => bytes.subarray(places[at], end))
}

const read = (bytes: Uint8Array, cuts: ReadonlyArray<number>, limit: number) =>
  Effect.runSync(Stream.runCollect(lines(Stream.fromIterable(pieces(bytes, cuts)), limit)))

const encode = (text: string) => new TextEncoder().encode(text)

it("lines are the same in whatever pieces their bytes come", () => {
  const text = fc.array(fc.constantFrom("a", "é", "🙂", "\n", "\r\n", "{}", " "), { maxLength: 60 })
  fc.assert(
    fc.property(text, fc.array(fc.nat()), fc.integer({ min: 1, max: 20 }), (parts, cuts, limit) => {
      const bytes = encode(parts.join(""))
      assert.deepEqual(read(bytes, cuts, limit), read(bytes, [], limit))
    })
  )
})

it("lines are what lies between the newlines, without the carriage return and without empty ones", () => {
  const lines = read(encode("a\r\n\nb\n\r\n c \nlast"), [], 100)
  assert.deepEqual(
    lines.map((line) => (line._tag === "Line" ? new TextDecoder().decode(line.bytes) : line)),
    ["a", "b", " c ", "last"]
  )
})

it("a line over the limit is passed over, told by its length and its edges, and the next one is read", () => {
  fc.assert(
    fc.property(fc.integer({ min: 11, max: 5000 }), fc.array(fc.nat()), (length, cuts) => {
      const long = encode(Array.from({ length }, (_, at) => String.fromCharCode(97 + (at % 26))).join(""))
      const lines = read(encode(`${new TextDecoder().decode(long)}\nnext\n`), cuts, 10)
      assert.deepEqual(lines, [
        { _tag: "TooLong", bytes: length, head: long.slice(0, 256), tail: long.slice(-256) },
        { _tag: "Line", bytes: encode("next") }
      ])
    })
  )
})

it("a line that comes byte by byte takes no more memory than twice its length", () => {
  const bytes = encode(`${"x".repeat(200_000)}\n`)
  const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
  const [line] = Effect.runSync(Stream.runCollect(lines(Stream.fromIterable(single), 1_000_000)))
  assert.isTrue(line?._tag === "Line" && line.bytes.buffer.byteLength <= 400_000)
})
