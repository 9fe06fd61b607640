import { Console, Effect, Fiber, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"

import * as McpHttp from "../mcp/transport/http.ts"
import { sameAs } from "./bearerToken.ts"
import { httpListener } from "./httpListener.ts"
import type { HttpLaunch } from "./Launch.ts"

/** Time for what is being answered when the process is told to stop; less than the listener waits. */
const drainTimeout = "4 seconds"

/** Serves HTTP until the process is told to stop; what is being answered then has some seconds to finish. */
export const overHttp = Effect.fnUntraced(function* (
  { allowedHosts, allowedOrigins, authToken, host, port }: HttpLaunch,
  stopRequested: Effect.Effect<void>
) {
  const stopping = yield* Effect.forkScoped(stopRequested)
  const drained = yield* Effect.forkScoped(Effect.andThen(Fiber.join(stopping), Effect.sleep(drainTimeout)))
  const options = {
    allowedHosts,
    allowedOrigins,
    until: Fiber.join(drained),
    ...(authToken === undefined ? {} : { verify: sameAs(authToken) })
  }
  const routes = Layer.mergeAll(McpHttp.layer(options), McpHttp.fallback(options), addressPrinted)
  return yield* HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provide(httpListener({ host, port })),
    Layer.launch,
    Effect.raceFirst(Fiber.join(stopping))
  )
})

/** Tells where to reach the server, for whoever started it by hand. */
const addressPrinted = Layer.effectDiscard(
  HttpServer.addressFormattedWith((address) => Console.error(`Serving ${address}/mcp`))
)
