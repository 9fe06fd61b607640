import { Effect } from "effect"

import { offerFor } from "../../changes/offer.ts"
import { type InstanceNames, namesIn } from "../../engine/client/config/EngineConfig.ts"
import { protectsAnything } from "../../engine/client/Protection.ts"
import { offerOver as operatorOffer, withPlanning } from "../../engine/operator/offer.ts"
import { offerOver as engineOffer } from "../../engine/toolset/offer.ts"
import * as Toolset from "../../mcp/Toolset.ts"
import type { Launch } from "../configuration/Launch.ts"
import { readView } from "../http/pageFiles.ts"
import { type Load, outlined, type Plans, type Shared } from "./Load.ts"
import { outlines } from "./outlines.ts"

// If lists are expected first, they are told from outlines, and the programs are loaded after them; but an embedded engine can
// fail at once, which has to be reported before anything else.

/** The facts about the instances that lists tell, before anything is connected. */
const instancesOf = (
  { engine, plans }: { readonly engine: NonNullable<Launch["engine"]>; readonly plans: Launch["plans"] },
  { refusing }: Pick<Shared, "refusing">
): InstanceNames => ({
  ...namesIn(engine),
  refusing,
  isProtecting: plans !== undefined && protectsAnything(plans.guards.protected)
})

/** The toolset `engine` over the configured instances, or the embedded one. */
export const engine: Load = ({ engine: configured, plans }, { areListsFirst, instances, refusing }) => {
  const programs = Effect.flatMap(
    Effect.promise(() => import("../../engine/toolset/toolset.ts")),
    ({ EngineToolset }) => Effect.map(instances, (context) => ({ toolset: Toolset.provide(EngineToolset, context) }))
  )
  return areListsFirst && configured !== undefined
    ? outlined("engine", Effect.orDie(programs), (toOffer) =>
        engineOffer(toOffer(outlines.engine), instancesOf({ engine: configured, plans }, { refusing }))
      )
    : programs
}

const planningToolsets = Effect.promise(() => import("./planningToolsets.ts"))

/** The toolset `operator`. The journal of its plans is opened by the first of them. */
export const operator: Load = (launch, shared) => {
  const programs = Effect.flatMap(planningToolsets, ({ operator }) => operator(launch, shared))
  if (!shared.areListsFirst || launch.engine === undefined) return programs
  const names = instancesOf({ engine: launch.engine, plans: launch.plans }, shared)
  const { across, planning, single } = outlines.operator
  return Effect.map(
    outlined("operator", Effect.orDie(programs), (toOffer) =>
      withPlanning(
        operatorOffer({ across: toOffer(across).tools, single: toOffer(single).tools }, names, readView),
        toOffer(planning).tools,
        names,
        readView
      )
    ),
    (toolset) => ({
      ...toolset,
      plans: {
        isWritable: Effect.succeed(names.names.some((name) => !names.readOnly.has(name))),
        source: Effect.flatMap(toolset.loaded, ({ plans }) => plans.source)
      }
    })
  )
}

/** The toolset `api`, with plans of the same journal. */
export const api: Load = (launch, shared) => Effect.flatMap(planningToolsets, ({ api }) => api(launch, shared))

/** The tools for plans of all toolsets that make some. */
export const changes = Effect.fnUntraced(function* (
  plans: ReadonlyArray<Plans>,
  { areListsFirst }: Pick<Shared, "areListsFirst">
) {
  const programs = Effect.flatMap(planningToolsets, ({ changes }) => changes(plans))
  if (!areListsFirst) return yield* programs
  const writable = yield* Effect.filter(plans, ({ isWritable }) => isWritable)
  return yield* outlined("changes", programs, (toOffer) => offerFor(toOffer(outlines.changes), writable.length > 0))
})
