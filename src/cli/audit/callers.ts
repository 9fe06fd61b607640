import { Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"

import { CurrentAccess } from "../../mcp/callContext.ts"

/** Transports of calls. */
export type Transport = "stdio" | "http" | "command"

/** Remembers clients that have introduced themselves, for requests that do not say. */
export const makeCallers = (transport: Transport) => {
  let introduced: string | undefined
  const caller = Effect.gen(function* () {
    const request = yield* Effect.serviceOption(HttpServerRequest.HttpServerRequest)
    if (Option.isNone(request)) return { client: introduced }
    const { headers, remoteAddress } = request.value
    return {
      client: introduced ?? headers["user-agent"]?.slice(0, 100),
      subject: (yield* CurrentAccess).subject,
      address: Option.getOrUndefined(remoteAddress)
    }
  })
  return {
    // Over HTTP, messages are independent: the client named in one is not known in the next.
    introduce: (client: string) =>
      Effect.sync(() => {
        if (transport === "stdio") introduced = client
      }),
    introduced: Effect.map(
      caller,
      ({ client }) => client ?? (transport === "command" ? "the command line" : undefined)
    ),
    /** The caller's client name, its identity at the issuer of its token, and its address, as far as they are known. */
    caller
  }
}
