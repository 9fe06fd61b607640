import { type Effect, type Redacted, Schema } from "effect"

import type { Access } from "../Access.ts"

/** A token is not good, for a reason that its owner may know. */
export class TokenRefused extends Schema.TaggedError<TokenRefused>()("TokenRefused", {
  /** A sentence without the token or any part of it. */
  reason: Schema.String,
  /** What a token that is good in itself is missing. */
  lacks: Schema.optionalKey(Schema.Literal("scope"))
}) {}

/** Whether a token is good cannot be found out at the moment. */
export class TokenUnverifiable extends Schema.TaggedError<TokenUnverifiable>()("TokenUnverifiable", {
  reason: Schema.String
}) {}

/** Says what a bearer token allows: everything or nothing, or an access of its own. */
export type Verify = (token: Redacted.Redacted) => Effect.Effect<boolean | Access, TokenRefused | TokenUnverifiable>
