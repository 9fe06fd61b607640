import { Stream } from "effect"

/** The bytes of one line without its end, or the news that a line was too long to keep. */
export type Line =
  | { readonly _tag: "Line"; readonly bytes: Uint8Array }
  | { readonly _tag: "TooLong"; readonly bytes: number }

const newline = 10
const carriageReturn = 13

/** Cuts bytes into lines, whatever pieces they come in; of a line longer than `limit` only the length is kept. */
export const lines = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>, limit: number): Stream.Stream<Line, E, R> =>
  bytes.pipe(
    Stream.mapAccumArray(
      () => new Unfinished(limit),
      (unfinished, pieces) => [unfinished, pieces.flatMap((piece) => cut(unfinished, piece))],
      { onHalt: (unfinished) => (unfinished.length === 0 ? [] : [unfinished.finish(new Uint8Array())]) }
    ),
    Stream.filter((line) => line._tag === "TooLong" || line.bytes.length > 0)
  )

const cut = (unfinished: Unfinished, piece: Uint8Array): ReadonlyArray<Line> => {
  const found: Array<Line> = []
  let start = 0
  for (let end = piece.indexOf(newline); end !== -1; end = piece.indexOf(newline, start)) {
    found.push(unfinished.finish(piece.subarray(start, end)))
    start = end + 1
  }
  unfinished.add(piece.subarray(start))
  return found
}

/** The beginning of a line whose end has not come yet; it grows by doubling, so that small pieces cost no more. */
class Unfinished {
  length = 0
  private kept = new Uint8Array()
  private readonly limit: number

  constructor(limit: number) {
    this.limit = limit
  }

  add(piece: Uint8Array) {
    const length = this.length + piece.length
    if (length > this.limit) this.kept = new Uint8Array()
    else {
      if (length > this.kept.length) {
        const larger = new Uint8Array(Math.min(Math.max(length, 2 * this.kept.length), this.limit))
        larger.set(this.kept.subarray(0, this.length))
        this.kept = larger
      }
      this.kept.set(piece, this.length)
    }
    this.length = length
  }

  finish(rest: Uint8Array): Line {
    if (this.length === 0 && rest.length <= this.limit) return line(rest)
    this.add(rest)
    const { kept, length, limit } = this
    this.length = 0
    this.kept = new Uint8Array()
    return length > limit ? { _tag: "TooLong", bytes: length } : line(kept.subarray(0, length))
  }
}

const line = (bytes: Uint8Array): Line => ({
  _tag: "Line",
  bytes: bytes.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes
})
