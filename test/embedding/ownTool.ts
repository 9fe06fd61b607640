import { Effect } from "effect"
import { EngineClient, EngineTool, EngineToolset, Server } from "workflow-tool-server"
import { Annotations } from "workflow-tool-server/mcp"

const countActive = EngineTool.make("count_active", {
  title: "Count active workflows",
  description: "Count the active workflows of the first page",
  annotations: Annotations.reads,
  arguments: {},
  run: () =>
    EngineClient.use((engine) => engine.listWorkflows({ active: true })).pipe(
      Effect.map(({ data }) => ({ active: data.length }))
    )
})

/** The tools of the engine and one of yours, which takes `instance` as they do. */
export const WithOwnTool = Server.layer({ toolsets: [EngineToolset], tools: (all) => [...all, countActive] })
