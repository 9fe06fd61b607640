import { Effect } from "effect"

import type { FurtherToolset } from "./FurtherToolset.ts"
import type { Launch } from "./Launch.ts"
import type { Toolset } from "./settings/Settings.ts"

/** The sets that this version has beside the engine's. Each is known by its line here alone, and loaded only when asked for. */
const sets: { readonly [name in Toolset]?: () => Promise<{ readonly toolset: FurtherToolset }> } = {
  marketplace: () => import("./marketplace/toolset.ts")
}

/** The sets that are asked for beside the engine's, loaded. */
export const furtherToolsets = Effect.fnUntraced(function* ({ toolsets }: Launch) {
  const asked = yield* Effect.forEach(
    toolsets.filter((name) => name !== "engine"),
    (name) => {
      const load = sets[name]
      return load === undefined
        ? Effect.as(Effect.logWarning(`The toolset ${name} holds no tools in this version`), [])
        : Effect.map(Effect.promise(load), ({ toolset }) => [toolset])
    }
  )
  return asked.flat()
})
