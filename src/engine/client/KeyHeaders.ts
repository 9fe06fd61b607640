import { Context, Effect } from "effect"

import { again } from "../../internal/http/resend.ts"
import type { Reply } from "../../internal/http/Upstream.ts"
import { keyHeaders } from "../workflow/naming.ts"
import type { Environment } from "./config/EngineConfig.ts"
import { isKeyRefused, verdictOf } from "./verdict.ts"

type KeyHeader = (typeof keyHeaders)[number]

/** The key headers that hosts have accepted, by origin. They outlive the process, so that its first call is not refused. */
export interface AcceptedHeaders {
  readonly read: (origin: string) => Effect.Effect<KeyHeader | undefined>
  readonly keep: (origin: string, header: KeyHeader) => Effect.Effect<void>
}

/** Known headers; by default none is kept. */
export const KeyHeaders = Context.Reference<AcceptedHeaders>("workflow-tool-server/engine/KeyHeaders", {
  defaultValue: () => ({ read: () => Effect.undefined, keep: () => Effect.void })
})

/**
 * Learns which key header an instance accepts: the first refused call is repeated once with the other header, and the accepted
 * one is kept. If neither is accepted, the first refusal is the answer.
 */
export const makeKeyHeader = (
  { apiKeyHeader: pinned, host }: Pick<Environment, "apiKeyHeader" | "host">,
  headers: AcceptedHeaders
) => {
  const { origin } = new URL(host)
  let acceptedHeader = pinned

  type Ask<E> = (header: string, expected: ReadonlyArray<number>) => Effect.Effect<Reply, E>

  const askWithKey = <E>(ask: Ask<E>): Effect.Effect<Reply, E> =>
    Effect.suspend(() => {
      if (acceptedHeader === undefined) return tryBoth(ask)
      return pinned === undefined
        ? Effect.tap(ask(acceptedHeader, [401]), (answer) => (isKeyRefused(answer) ? forget : Effect.void))
        : ask(acceptedHeader, [])
    })

  /** Learns the header anew: what answered was not the engine, or the engine refuses it now. */
  const forget = Effect.sync(() => {
    acceptedHeader = pinned
  })

  const tryBoth = Effect.fnUntraced(function* <E>(ask: Ask<E>) {
    const former = yield* headers.read(origin)
    const [first, second] = former === keyHeaders[1] ? ([keyHeaders[1], keyHeaders[0]] as const) : keyHeaders
    const keepAccepted = (answer: Reply, header: KeyHeader) => {
      if (!isAccepted(answer)) return Effect.void
      acceptedHeader = header
      return header === former ? Effect.void : headers.keep(origin, header)
    }
    const answer = yield* ask(first, [401])
    if (!isKeyRefused(answer)) return yield* Effect.as(keepAccepted(answer, first), answer)
    const other = yield* again("other key header", ask(second, []))
    return isKeyRefused(other) ? answer : yield* Effect.as(keepAccepted(other, second), other)
  })

  return { learn: askWithKey, forget }
}

/**
 * Only success proves that the key was checked: engines refuse unknown paths, and requests while starting up, without it. An
 * empty one may be anybody's.
 */
const isAccepted = (answer: Reply) => answer.text !== "" && verdictOf(answer)._tag === "Answered"
