import { Effect } from "effect"

import { AnswerTooLarge, InvalidArgument } from "../../mcp/ToolError.ts"

/** Adds to failures that know of no instances which one a call was about. */
export const onInstance = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  instance: string
): Effect.Effect<A, AnswerTooLarge | E | InvalidArgument, R> =>
  Effect.mapError(self, (failure) => {
    if (failure instanceof InvalidArgument && !failure.message.includes(`instance ${instance}`)) {
      const { argument, problem } = failure
      return new InvalidArgument({ argument, problem: `${problem} (instance ${instance})` })
    }
    if (failure instanceof AnswerTooLarge) {
      const { advice, bytes, limit, orMore = false } = failure
      return new AnswerTooLarge({ bytes, limit, orMore, advice: `${advice} (instance ${instance})` })
    }
    return failure
  })
