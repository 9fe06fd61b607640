import { Context, Effect, Layer, Schema } from "effect"
import type { HttpClient } from "effect/http"

import { PlanSources } from "../../src/changes/tools/PlanSource.ts"
import { ChangesToolset } from "../../src/changes/toolset.ts"
import { ApiToolset } from "../../src/engine/api/toolset.ts"
import type { Environment } from "../../src/engine/client/config/EngineConfig.ts"
import { Instances } from "../../src/engine/client/Instances.ts"
import { Protection } from "../../src/engine/client/Protection.ts"
import { OperatorToolset } from "../../src/engine/operator/toolset.ts"
import { PlanConfig, WorkflowJournal, WorkflowPlans } from "../../src/engine/plans/Plans.ts"
import { PlanFields, PromotionFields, protectionOf } from "../../src/engine/plans/settings.ts"
import { withCallPlans, withPlans, workflowPlans } from "../../src/engine/plans/toolset.ts"
import { EngineToolset } from "../../src/engine/toolset/toolset.ts"
import { HttpClients } from "../../src/internal/http/HttpClients.ts"
import { everything, type Selection } from "../../src/mcp/selection.ts"
import * as Server from "../../src/mcp/Server.ts"
import { provide } from "../../src/mcp/Toolset.ts"
import { configured } from "./harness.ts"

/** Settings of plans in a configuration. */
export interface PlanSettings {
  readonly plans?: typeof PlanFields.Encoded
  readonly promotion?: typeof PromotionFields.Encoded
}

/** The server with the operator's tools and those of plans, over whatever answers for its engines. */
export const planServer = (
  environments: Readonly<Record<string, Environment>>,
  client: Layer.Layer<HttpClient.HttpClient>,
  given: PlanSettings = {},
  journal: Layer.Layer<WorkflowJournal> = WorkflowJournal.layerMemory,
  selection: Selection = everything
) => {
  const plans = Schema.decodeUnknownSync(PlanFields)(given.plans ?? {})
  const instances = Instances.layer.pipe(
    Layer.provide(configured(environments)),
    Layer.provide(HttpClients.layerShared),
    Layer.provide(client),
    Layer.provide(Layer.succeed(Protection, protectionOf(plans.guards)))
  )
  const config = Layer.succeed(PlanConfig, {
    plans,
    promotion: Schema.decodeUnknownSync(PromotionFields)(given.promotion ?? {})
  })
  const services = WorkflowPlans.layer.pipe(Layer.provideMerge(Layer.mergeAll(instances, config, journal)))
  return Layer.unwrap(
    Effect.gen(function* () {
      const context = yield* Effect.context<Instances | PlanConfig | WorkflowPlans>()
      const source = yield* workflowPlans
      const toolsets = [
        provide(EngineToolset, context),
        provide(withPlans(OperatorToolset), context),
        provide(withCallPlans(ApiToolset), context),
        provide(ChangesToolset, Context.make(PlanSources, [source]))
      ]
      return Server.layer({ toolsets, selection, version: "0.0.0-test" })
    })
  ).pipe(Layer.provideMerge(services))
}
