import { Console, Effect, Fiber, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"

import * as McpHttp from "../mcp/transport/http.ts"
import { sameAs } from "./bearerToken.ts"
import { httpListener } from "./httpListener.ts"
import type { HttpLaunch } from "./Launch.ts"
import { stopRequested } from "./signals.ts"

/** Time for what is being answered when the process is told to stop; less than the listener waits. */
const patience = "4 seconds"

/** Serves HTTP until the process is told to stop; what is being answered then has some seconds to finish. */
export const overHttp = Effect.fnUntraced(function* ({
  allowedHosts,
  allowedOrigins,
  authToken,
  host,
  port
}: HttpLaunch) {
  const told = yield* Effect.forkScoped(stopRequested)
  const timeIsUp = yield* Effect.forkScoped(Effect.andThen(Fiber.join(told), Effect.sleep(patience)))
  const options = {
    allowedHosts,
    allowedOrigins,
    until: Fiber.join(timeIsUp),
    ...(authToken === undefined ? {} : { verify: sameAs(authToken) })
  }
  const routes = Layer.mergeAll(McpHttp.layer(options), McpHttp.fallback(options), announced)
  return yield* HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provide(httpListener({ host, port })),
    Layer.launch,
    Effect.raceFirst(Fiber.join(told))
  )
})

/** Tells where to reach the server, for whoever started it by hand. */
const announced = Layer.effectDiscard(
  HttpServer.addressFormattedWith((address) => Console.error(`Serving ${address}/mcp`))
)
