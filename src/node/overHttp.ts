import { Console, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"

import type { HttpLaunch } from "../command/Launch.ts"
import * as McpHttp from "../transport/http.ts"
import { sameAs } from "./bearerToken.ts"
import { httpListener } from "./httpListener.ts"
import { stopRequested } from "./signals.ts"

/** Serves HTTP until the process is told to stop; what is being answered then may finish. */
export const overHttp = ({ allowedHosts, allowedOrigins, authToken, host, port }: HttpLaunch) => {
  const options = {
    allowedHosts,
    allowedOrigins,
    ...(authToken === undefined ? {} : { verify: sameAs(authToken) })
  }
  const routes = Layer.mergeAll(McpHttp.layer(options), McpHttp.fallback(options), announced)
  return HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provide(httpListener({ host, port })),
    Layer.launch,
    Effect.raceFirst(stopRequested)
  )
}

/** Tells where to reach the server, for whoever started it by hand. */
const announced = Layer.effectDiscard(
  HttpServer.addressFormattedWith((address) => Console.error(`Serving ${address}/mcp`))
)
