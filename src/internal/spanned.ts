import { Effect, References } from "effect"

import { withReference } from "./withReference.ts"

/**
 * The effect as a span of its own, where traces are made at all: a span that nobody looks at would still cost more than
 * many a request.
 */
export const spanned =
  (name: string) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    withReference(References.TracerEnabled, (isOn) =>
      isOn ? Effect.withSpan(self, name, { captureStackTrace: false }) : self
    )
