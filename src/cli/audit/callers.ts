import { Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"

import { CurrentAccess } from "../../mcp/Access.ts"

/** Ways on which calls come. */
export type Transport = "stdio" | "http" | "command"

/** Keeps in mind who has introduced itself, for requests that do not say it themselves. */
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
    // Over HTTP every message stands alone: who introduced itself in one is not known in the next.
    introduce: (client: string) =>
      Effect.sync(() => {
        if (transport === "stdio") introduced = client
      }),
    introduced: Effect.map(
      caller,
      ({ client }) => client ?? (transport === "command" ? "the command line" : undefined)
    ),
    /** The name that stands for the caller, who it is for its issuer, and where it calls from, as far as that is known. */
    caller
  }
}
