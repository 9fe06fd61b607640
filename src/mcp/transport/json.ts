import { Effect } from "effect"

import { parseError } from "../protocol/ProtocolError.ts"

/** Largest message in bytes: one HTTP body, or one line. */
export const largestMessage = 16 * 1024 * 1024

const deepest = 200

/** Reads UTF-8 bytes as JSON that is not nested too deep, without any `__proto__` in it. */
export const readJson = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const text = yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () => parseError("not UTF-8")
  })
  if (isTooDeep(text)) return yield* parseError(`nested deeper than ${deepest} levels`)
  return yield* Effect.try({
    try: (): unknown => (mayNameProto.test(text) ? JSON.parse(text, withoutProto) : JSON.parse(text)),
    catch: () => parseError("not JSON")
  })
})

/** The name as it is, or with underscores escaped. */
const mayNameProto = /__proto__|\\u005f/i

const withoutProto = (key: string, value: unknown) => (key === "__proto__" ? undefined : value)

/** Counts brackets outside of strings, once over the text. */
const isTooDeep = (text: string): boolean => {
  if (text.length <= deepest) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"') at = endOfString(text, at)
    else if (character === "[" || character === "{") depth++
    else if (character === "]" || character === "}") depth--
    if (depth > deepest) return true
  }
  return false
}

const endOfString = (text: string, start: number): number => {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

const isEscaped = (text: string, at: number): boolean => {
  let slashes = 0
  while (text[at - 1 - slashes] === "\\") slashes++
  return slashes % 2 === 1
}
