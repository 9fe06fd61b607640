import { Effect, Scope } from "effect"

import type { Launch } from "../configuration/Launch.ts"
import type { ToolsetName } from "../configuration/toolsetFacts.ts"
import { load as engine } from "./engine.ts"
import type { Load, Shared } from "./Load.ts"

/** The sets that this version has. Each is known by its line here alone, and loaded only when asked for. */
const sets: { readonly [name in ToolsetName]?: Effect.Effect<{ readonly load: Load }> } = {
  engine: Effect.succeed({ load: engine }),
  operator: Effect.promise(() => import("./operator.ts")),
  marketplace: Effect.promise(() => import("../marketplace/marketplace.ts"))
}

/** The sets that are asked for, in the order in which they are offered. */
export const loaders = Effect.fnUntraced(function* (
  launch: Launch,
  { areListsFirst }: Pick<Shared, "areListsFirst"> = { areListsFirst: false }
) {
  const scope = yield* Effect.scope
  const instances = yield* Effect.promise(() => import("../engine/instances.ts")).pipe(
    Effect.flatMap((module) => module.instances(launch)),
    Effect.provideService(Scope.Scope, scope),
    Effect.cached
  )
  const asked = yield* Effect.forEach(launch.toolsets, (name) => {
    const load = sets[name]
    return load === undefined
      ? Effect.as(Effect.logWarning(`The toolset ${name} holds no tools in this version`), [])
      : Effect.map(load, (loaded) => [{ name, load: loaded.load(launch, { instances, areListsFirst }) }])
  })
  return asked.flat()
})
