import { Effect, Predicate } from "effect"

/** The SHA-256 digest of a short text in hexadecimal digits, at once: the platform's own is asynchronous, and expressions are not. */
export const sha256 = (text: string): string => {
  const bytes = new TextEncoder().encode(text)
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const blocks = new DataView(padded.buffer)
  blocks.setUint32(padded.length - 4, bytes.length * 8)
  const digest = Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)))
  for (let start = 0; start < padded.length; start += 64) compress(digest, blocks, start)
  return Array.from(digest, (word) => word.toString(16).padStart(8, "0")).join("")
}

const isPrime = (number: number) => {
  for (let divisor = 2; divisor * divisor <= number; divisor++) if (number % divisor === 0) return false
  return true
}
const primes = Array.from({ length: 310 }, (_, index) => index + 2).filter(isPrime)
const fraction = (number: number) => (number - Math.floor(number)) * 2 ** 32
const constants = Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime)))

const rotated = (word: number, ...counts: ReadonlyArray<number>) =>
  counts.reduce((mixed, count) => mixed ^ ((word >>> count) | (word << (32 - count))), 0)

const compress = (digest: Uint32Array, blocks: DataView, start: number) => {
  const words = new Uint32Array(64)
  const at = (index: number) => words[index] ?? 0
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = digest
  for (let i = 0; i < 64; i++) {
    const [early, late] = [at(i - 15), at(i - 2)]
    words[i] =
      i < 16
        ? blocks.getUint32(start + i * 4)
        : at(i - 16) + at(i - 7) + (rotated(early, 7, 18) ^ (early >>> 3)) + (rotated(late, 17, 19) ^ (late >>> 10))
    const first = (h + rotated(e, 6, 11, 25) + ((e & f) ^ (~e & g)) + (constants[i] ?? 0) + at(i)) | 0
    const second = (rotated(a, 2, 13, 22) + ((a & b) ^ (a & c) ^ (b & c))) | 0
    ;[a, b, c, d, e, f, g, h] = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g]
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) digest[index] = (digest[index] ?? 0) + word
}

const sorted = (_: string, value: unknown): unknown =>
  Predicate.isObject(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value

/** A collision-resistant fingerprint of a JSON value (SHA-256), whatever the order of its fields. */
export const fingerprint = (json: unknown) =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(json, sorted) ?? ""))),
    (hash) => Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("")
  )
