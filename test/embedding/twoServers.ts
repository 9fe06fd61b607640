import { Layer } from "effect"
import { EngineToolset, Instances, McpHttp, Server } from "workflow-tool-server"
import { EmbeddedEngine, layerInstance } from "workflow-tool-server/embedded"

/** An engine in this process. `Layer.fresh`, as a program otherwise has one `Instances` for all: the first that is built. */
const engines = (name: string, seed: boolean) =>
  Layer.fresh(
    Instances.layer.pipe(Layer.provide(layerInstance({ name })), Layer.provide(EmbeddedEngine.layer({ seed })))
  )

/** A server for each team, at addresses of its own on one router. */
const served = (team: string, seed: boolean) =>
  McpHttp.layer({ path: `/${team}/mcp`, healthPath: `/${team}/health` }).pipe(
    Layer.provide(Server.layer({ name: `workflows-of-${team}`, toolsets: [EngineToolset] })),
    Layer.provide(engines(team, seed))
  )

export const TeamRoutes = Layer.merge(served("sales", true), served("support", false))
