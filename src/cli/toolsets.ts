import { Effect, type Scope } from "effect"

import type { PlanSource } from "../changes/tools/PlanSource.ts"
import type { ConfigurationError } from "../internal/config/ConfigurationError.ts"
import type { Toolset } from "../mcp/Toolset.ts"
import type { Launch } from "./Launch.ts"
import type { ToolsetName } from "./settings.ts"

/** A toolset with everything it needs, and the plans that it makes, if it makes any. */
export interface Loaded {
  readonly toolset: Toolset
  readonly plans?: PlanSource
}

/** Loads a toolset for as long as the scope lasts. */
export type Load = (launch: Launch) => Effect.Effect<Loaded, ConfigurationError, Scope.Scope>

/** The sets that this version has. Each is known by its line here alone, and loaded only when asked for. */
const sets: { readonly [name in ToolsetName]?: () => Promise<{ readonly load: Load }> } = {
  engine: () => import("./engine.ts"),
  marketplace: () => import("./marketplace.ts")
}

/** The sets that are asked for, in the order in which they are offered. */
export const loaders = Effect.fnUntraced(function* ({ toolsets }: Launch) {
  const asked = yield* Effect.forEach(toolsets, (name) => {
    const load = sets[name]
    return load === undefined
      ? Effect.as(Effect.logWarning(`The toolset ${name} holds no tools in this version`), [])
      : Effect.map(Effect.promise(load), (loaded) => [{ name, load: loaded.load }])
  })
  return asked.flat()
})
