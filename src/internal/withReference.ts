import { type Context, Effect } from "effect"

/** Goes on with the value of a reference in a single step; to read it first would take three. */
export const withReference = <X, A, E, R>(
  reference: Context.Reference<X>,
  then: (value: X) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => Effect.withFiber((fiber) => then(fiber.getRef(reference)))
