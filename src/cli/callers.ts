import { Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"

/** Ways on which calls come. */
export type Transport = "stdio" | "http" | "command"

/** Keeps in mind who has introduced itself, for requests that do not say it themselves. */
export const makeCallers = (transport: Transport) => {
  let introduced: string | undefined
  const caller = Effect.map(Effect.serviceOption(HttpServerRequest.HttpServerRequest), (request) => {
    if (Option.isNone(request)) return { client: introduced }
    const { headers, remoteAddress } = request.value
    return { client: introduced ?? headers["user-agent"]?.slice(0, 100), address: Option.getOrUndefined(remoteAddress) }
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
    /** The name that stands for the caller, and where it calls from, as far as that is known. */
    caller
  }
}
