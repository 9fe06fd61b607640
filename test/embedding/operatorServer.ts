import { Effect, Layer } from "effect"
import { EngineToolset, Instances, McpHttp, Server } from "workflow-tool-server"
import { ChangesToolset, PlanSource } from "workflow-tool-server/changes"
import { EmbeddedEngine, layerInstance } from "workflow-tool-server/embedded"
import {
  OperatorToolset,
  PlanConfig,
  withPlans,
  WorkflowJournal,
  WorkflowPlans,
  workflowPlans
} from "workflow-tool-server/operator"

/** The tools for single workflows, those that plan changes of many, and those that show, apply and roll back plans. */
const OperatorServer = Server.layer({ toolsets: [EngineToolset, withPlans(OperatorToolset), ChangesToolset] })

/** Plans without guards of your own, kept as long as the program runs. */
const Plans = Layer.effect(
  PlanSource.PlanSources,
  Effect.map(workflowPlans, (source) => [source])
).pipe(
  Layer.provideMerge(WorkflowPlans.layer),
  Layer.provideMerge([PlanConfig.layerDefault, WorkflowJournal.layerMemory])
)

const Engines = Instances.layer.pipe(
  Layer.provide(layerInstance({ name: "sandbox" })),
  Layer.provide(EmbeddedEngine.layer({ seed: true }))
)

/** `POST /mcp` and `GET /health` for your `HttpRouter`. */
export const OperatorRoutes = McpHttp.layer().pipe(
  Layer.provide(OperatorServer),
  Layer.provide(Plans),
  Layer.provide(Engines)
)
