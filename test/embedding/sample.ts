import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { EngineToolset, Instances, McpHttp, Server } from "workflow-tool-server"
import { EmbeddedEngine, layerInstance } from "workflow-tool-server/embedded"

// The whole server with only the tools that change nothing, over an engine that lives in this process. For real
// engines: Configuration.layer({ environments, defaultEnv }) and HttpClients.layerShared in place of the last two lines.
const ReadOnlyServer = Server.layer({
  toolsets: [EngineToolset],
  tools: (all) => all.filter((tool) => tool.annotations.readOnlyHint)
}).pipe(
  Layer.provideMerge(Instances.layer),
  Layer.provide(layerInstance({ name: "sandbox" })),
  Layer.provide(EmbeddedEngine.layer({ seed: true }))
)

// A route of your own program, which uses the same clients as the tools.
const ActiveWorkflows = HttpRouter.use(
  Effect.fn(function* (router) {
    const instances = yield* Instances
    const page = Effect.gen(function* () {
      const engine = yield* instances.resolve("sandbox")
      const { data } = yield* engine.listWorkflows({ active: true })
      return HttpServerResponse.jsonUnsafe({ active: data.map(({ name }) => name) })
    })
    yield* router.add("GET", "/active", Effect.orDie(page))
  })
)

/** `POST /mcp`, `GET /health` and `GET /active` on one router. */
export const Routes = Layer.merge(McpHttp.layer(), ActiveWorkflows).pipe(Layer.provide(ReadOnlyServer))
