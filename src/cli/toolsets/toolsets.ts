import { Effect, Scope } from "effect"

import type { Launch } from "../configuration/Launch.ts"
import type { ToolsetName } from "../configuration/settings.ts"
import type { Load } from "./Load.ts"

/** The sets that this version has. Each is known by its line here alone, and loaded only when asked for. */
const sets: { readonly [name in ToolsetName]?: () => Promise<{ readonly load: Load }> } = {
  engine: () => import("./engine.ts"),
  operator: () => import("./operator.ts"),
  marketplace: () => import("../marketplace/marketplace.ts")
}

/** The sets that are asked for, in the order in which they are offered. */
export const loaders = Effect.fnUntraced(function* (launch: Launch) {
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
      : Effect.map(Effect.promise(load), (loaded) => [{ name, load: loaded.load(launch, { instances }) }])
  })
  return asked.flat()
})
