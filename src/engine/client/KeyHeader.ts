import { Effect } from "effect"

import { again } from "../../internal/http/resend.ts"
import type { Reply } from "../../internal/http/Upstream.ts"
import { keyHeaders } from "../workflow/naming.ts"
import { verdictOf } from "./verdict.ts"

/**
 * Learns which key header an instance accepts: the first refused call is repeated once with the other header, and the accepted
 * one is kept. If neither is accepted, the first refusal is the answer.
 */
export const make = (pinned: string | undefined) => {
  let acceptedHeader = pinned

  type Ask<E> = (header: string, expected: ReadonlyArray<number>) => Effect.Effect<Reply, E>

  const learn = <E>(ask: Ask<E>): Effect.Effect<Reply, E> =>
    Effect.suspend(() => (acceptedHeader === undefined ? tryBoth(ask) : ask(acceptedHeader, [])))

  const tryBoth = Effect.fnUntraced(function* <E>(ask: Ask<E>) {
    const [first, second] = keyHeaders
    const answer = yield* ask(first, [401])
    if (answer.status !== 401) {
      if (isAccepted(answer)) acceptedHeader = first
      return answer
    }
    const other = yield* again("other key header", ask(second, []))
    if (other.status === 401) return answer
    if (isAccepted(other)) acceptedHeader = second
    return other
  })

  return { learn }
}

/** Only success proves that the key was checked: engines refuse unknown paths, and requests while starting up, without it. */
const isAccepted = (answer: Reply) => verdictOf(answer)._tag === "Answered"
