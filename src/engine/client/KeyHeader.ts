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
  let known = pinned

  type Ask<E> = (header: string, expected: ReadonlyArray<number>) => Effect.Effect<Reply, E>

  const learn = <E>(ask: Ask<E>): Effect.Effect<Reply, E> =>
    Effect.suspend(() => {
      if (known === undefined) return tryBoth(ask)
      return pinned === undefined ? Effect.tap(ask(known, [401]), forget) : ask(known, [])
    })

  /** What is refused now may never have been accepted: something else may have answered then. */
  const forget = ({ status }: Reply) =>
    Effect.sync(() => {
      if (status === 401) known = undefined
    })

  const tryBoth = Effect.fnUntraced(function* <E>(ask: Ask<E>) {
    const [first, second] = keyHeaders
    const answer = yield* ask(first, [401])
    if (answer.status !== 401) {
      if (isAccepted(answer)) known = first
      return answer
    }
    const other = yield* again("other key header", ask(second, []))
    if (other.status === 401) return answer
    if (isAccepted(other)) known = second
    return other
  })

  return { learn }
}

/**
 * Only success proves that the key was checked: engines refuse unknown paths, and requests while starting up, without it. An
 * empty one may be anybody's.
 */
const isAccepted = (answer: Reply) => answer.text !== "" && verdictOf(answer)._tag === "Answered"
