import { Console, Effect, Fiber, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"

import * as McpHttp from "../../mcp/transport/http.ts"
import * as Page from "../../mcp/transport/page.ts"
import { sameAs } from "../configuration/bearerToken.ts"
import type { HttpLaunch } from "../configuration/Launch.ts"
import type { Watching } from "../telemetry/watching.ts"
import { httpListener, nodeBody } from "./httpListener.ts"
import { readPageFile } from "./pageFiles.ts"

/** Time for requests in flight when the process is told to stop; less than the listener waits. */
const drainTimeout = "4 seconds"

/** Serves HTTP until the process is told to stop; requests in flight then have some seconds to finish. */
export const overHttp = Effect.fnUntraced(function* (
  { allowedHosts, allowedOrigins, authToken, host, oauth, port }: HttpLaunch,
  {
    isAlone,
    metrics,
    page
  }: { readonly isAlone: boolean; readonly metrics: Watching["metrics"]; readonly page: boolean },
  stopRequested: Effect.Effect<void>
) {
  const stopping = yield* Effect.forkScoped(stopRequested)
  const drained = yield* Effect.forkScoped(Effect.andThen(Fiber.join(stopping), Effect.sleep(drainTimeout)))
  const { login, ...accepted } = yield* tokens(authToken, oauth)
  const options = {
    allowedHosts,
    allowedOrigins,
    bodies: nodeBody,
    together: nextRound,
    until: Fiber.join(drained),
    metrics,
    // A form that one copy has opened is unknown to the others.
    hasPage: page && isAlone,
    ...accepted
  }
  const pageRoutes = page ? Page.layer(options, readPageFile, login) : Layer.empty
  const routes = Layer.mergeAll(McpHttp.layer(options), pageRoutes, McpHttp.fallback(options), addressPrinted(page))
  return yield* HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provide(httpListener({ host, port })),
    Layer.launch,
    Effect.raceFirst(Fiber.join(stopping))
  )
})

/** After everything that has arrived until now: each write wakes the process at the other end, several in a row wake it once. */
const nextRound = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

/** Whose tokens are accepted; the verifier for an issuer's tokens is loaded only if there is one. */
const tokens = Effect.fnUntraced(function* (authToken: HttpLaunch["authToken"], oauth: HttpLaunch["oauth"]) {
  const shared = authToken === undefined ? undefined : sameAs(authToken)
  if (oauth === undefined) return shared === undefined ? {} : { verify: shared }
  const { either, protectedResource, verifyWith } = yield* Effect.promise(() => import("./oauth.ts"))
  const { loginWith } = yield* Effect.promise(() => import("./login.ts"))
  const issued = yield* verifyWith(oauth)
  return {
    verify: shared === undefined ? issued : either(shared, issued),
    protectedResource: protectedResource(oauth),
    login: loginWith(oauth)
  }
})

/** Prints the server's URL, and that of the page, for people who start it by hand. */
const addressPrinted = (page: boolean) =>
  Layer.effectDiscard(
    HttpServer.addressFormattedWith((address) =>
      Console.error(`${page ? `Page: ${address}/\n` : ""}Serving ${address}/mcp`)
    )
  )
