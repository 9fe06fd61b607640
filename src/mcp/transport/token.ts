import { type Effect, type Redacted, Schema } from "effect"

import type { Access } from "../Access.ts"

/** A token is invalid, for a reason that its owner may know. */
export class TokenRefused extends Schema.TaggedError<TokenRefused>()("TokenRefused", {
  /** A sentence without the token or any part of it. */
  reason: Schema.String,
  /** The scope that an otherwise valid token lacks. */
  lacks: Schema.optionalKey(Schema.Literal("scope"))
}) {}

/** The token cannot be verified at the moment. */
export class TokenUnverifiable extends Schema.TaggedError<TokenUnverifiable>()("TokenUnverifiable", {
  reason: Schema.String
}) {}

/** What a bearer token allows: everything or nothing, or a specific access. */
export type Verify = (token: Redacted.Redacted) => Effect.Effect<boolean | Access, TokenRefused | TokenUnverifiable>
