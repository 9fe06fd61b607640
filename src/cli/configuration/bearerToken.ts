import { createHash, timingSafeEqual } from "node:crypto"
import { readFileSync, statSync } from "node:fs"

import { Effect, Redacted } from "effect"

import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { transportCode } from "../../internal/http/transportCode.ts"

/** The token in a file, without the line break after it. */
export const readTokenFile = Effect.fnUntraced(function* (file: string) {
  const read = Effect.try({
    try: () => ({ text: readFileSync(file, "utf8").trim(), mode: statSync(file).mode }),
    catch: (error) =>
      new ConfigurationError({
        message: `Token file ${file} cannot be read (${transportCode(error) ?? "unknown reason"})`
      })
  })
  const { mode, text } = yield* read
  if (!/^[\x21-\x7e]+$/.test(text)) {
    return yield* new ConfigurationError({
      message: `Token file ${file}: expected one token of printable ASCII characters and nothing else`
    })
  }
  if ((mode & 0o077) !== 0) yield* Effect.logWarning(`Token file ${file} can be read by others: chmod 600 ${file}`)
  return Redacted.make(text)
})

const digest = (token: Redacted.Redacted) => createHash("sha256").update(Redacted.value(token)).digest()

/** Whether a token is the expected one; takes the same time for every wrong one. */
export const sameAs = (expected: Redacted.Redacted): ((token: Redacted.Redacted) => Effect.Effect<boolean>) => {
  const wanted = digest(expected)
  return (token) => Effect.sync(() => timingSafeEqual(digest(token), wanted))
}
