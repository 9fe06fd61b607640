import { Clock, Effect, Option } from "effect"

import type { Upstream } from "../../internal/http/Upstream.ts"
import type { UpstreamFailure } from "../../internal/http/UpstreamFailure.ts"
import type { Attempted } from "./CallErrors.ts"
import type { Environment } from "./config/EngineConfig.ts"
import { callTimeout, remaining } from "./Deadline.ts"
import type { EngineError } from "./EngineError.ts"
import { publicVersion } from "./publicVersion.ts"
import { json } from "./verdict.ts"

/** Statuses of an engine that does not make public what others do. */
const refusals = [401, 403]

/** Calls for public data, without the key. */
export const publicCalls = (
  upstream: Upstream,
  { headers }: Pick<Environment, "headers">,
  translated: <A>(call: Attempted, sent: Effect.Effect<A, UpstreamFailure>) => Effect.Effect<A, EngineError>
) => {
  const read = <A>(path: string, operation: string, sent: Effect.Effect<A, UpstreamFailure>) =>
    translated({ method: "GET", path, operation }, sent)

  /** The time in an answer is the beginning of its second, somewhere between request and answer. */
  const clockSkew = Effect.gen(function* () {
    const sentAt = yield* Clock.currentTimeMillis
    const timeout = yield* remaining(callTimeout)
    const reply = yield* upstream.send({ method: "GET", path: "/", headers, expected: refusals, timeout })
    const receivedAt = yield* Clock.currentTimeMillis
    const engineTime = Date.parse(reply.headers["date"] ?? "")
    return Number.isNaN(engineTime) ? Option.none() : Option.some(engineTime + 500 - (sentAt + receivedAt) / 2)
  })

  return {
    publicJson: (path: string) =>
      Effect.flatMap(remaining(callTimeout), (timeout) =>
        upstream.send({ method: "GET", path, expected: refusals, timeout })
      ).pipe(
        (sent) => read(path, `read ${path}`, sent),
        Effect.map((answer) => (answer.status === 200 ? json(answer) : Option.none()))
      ),
    publicVersion: read("/", "read the version", publicVersion(upstream, headers)),
    clockSkew: read("/", "read the time", clockSkew)
  }
}
