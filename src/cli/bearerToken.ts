import { createHash, timingSafeEqual } from "node:crypto"

import { Effect, Redacted } from "effect"

const digest = (token: Redacted.Redacted) => createHash("sha256").update(Redacted.value(token)).digest()

/** Whether a token is the expected one; takes the same time for every wrong one. */
export const sameAs = (expected: Redacted.Redacted): ((token: Redacted.Redacted) => Effect.Effect<boolean>) => {
  const wanted = digest(expected)
  return (token) => Effect.sync(() => timingSafeEqual(digest(token), wanted))
}
