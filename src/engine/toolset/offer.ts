import type { Offer } from "../../mcp/Toolset.ts"
import type { InstanceNames } from "../client/config/EngineConfig.ts"
import { instanceNames, over } from "../tools/overInstances.ts"
import { engineName } from "../workflow/naming.ts"
import { concurrencyGroupOf } from "./address.ts"

/** The instructions for the tools of the engine together. */
export const instructions = (instances: string) =>
  `Manages workflows on ${engineName}. ${instances}The tools about workflows, executions, credentials and tags take one of ` +
  "them as `instance`; left out, the default one is meant. Exact names are taken in place of ids. Lists hold metadata only; read one workflow or execution for " +
  "the whole, or only some of its `nodes`. Update only what should change: fields that are left out stay."

/** The part of the toolset `engine` that is offered over these instances. Without an instance there is nothing to work on. */
export const offerOver = <R>(everything: Offer<R>, instances: InstanceNames): Offer<R> =>
  instances.names.length === 0
    ? { instructions: "", tools: [] }
    : {
        ...everything,
        instructions: instructions(`Instances: ${instanceNames(instances, 2000)}. `),
        tools: over(everything.tools, instances),
        ...(everything.resources && {
          resources: { ...everything.resources, concurrencyGroup: concurrencyGroupOf(instances) }
        })
      }
