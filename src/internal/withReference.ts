import { type Context, Effect } from "effect"

/** What follows from the value of a reference, in one step where reading it first would be three. */
export const withReference = <X, A, E, R>(
  reference: Context.Reference<X>,
  then: (value: X) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => Effect.withFiber((fiber) => then(fiber.getRef(reference)))
