import { Effect } from "effect"
import { HttpRouter } from "effect/http"

import { settingsPath, versionField } from "../../engine/naming.ts"
import { firstEndpoints, secondEndpoints } from "./api/endpoints.ts"
import { production, test } from "./hooks/production.ts"
import type { Runner } from "./run/Runner.ts"
import { Edition } from "./store/Edition.ts"
import type { Store } from "./store/Store.ts"
import { dispatch } from "./wire/dispatch.ts"
import { json, page } from "./wire/replies.ts"

/** Everything that an engine answers, as routes: the API, the addresses of triggers, and what tells its health and version. */
export const routes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { isSecond, version } = yield* Edition
    const context = yield* Effect.context<Edition | Runner | Store>()
    const api = dispatch(isSecond ? secondEndpoints : firstEndpoints)

    yield* router.add("*", "/api/v1/*", (request) => Effect.provideContext(api(request), context))
    for (const path of ["/webhook/*", "/form/*"] as const) {
      yield* router.add("*", path, (request) => Effect.provideContext(production(request), context))
    }
    yield* router.add("*", "/webhook-test/*", (request) => Effect.provideContext(test(request), context))
    yield* router.add("GET", "/healthz", healthy)
    yield* router.add("GET", "/healthz/readiness", healthy)
    yield* router.add(
      "GET",
      settingsPath,
      json(200, { data: isSecond ? { settingsMode: "public" } : { [versionField]: version } })
    )
  })
)

const healthy = json(200, { status: "ok" })

/** What an engine says about every other path. */
export const elsewhere = HttpRouter.add("*", "/*", (request) =>
  Effect.succeed(page(404, `Cannot ${request.method} ${request.url.replaceAll("<", "&lt;")}`))
)
