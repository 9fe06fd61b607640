import { Context, Effect, Layer, type Scope } from "effect"

import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { Audit } from "../../mcp/Audit.ts"
import type { Transport } from "../audit/callers.ts"
import type { SharedSettings } from "../configuration/fileFields.ts"
import type { Launch } from "../configuration/Launch.ts"
import type { Loaded, Plans, Shared } from "./Load.ts"
import { loaders } from "./toolsets.ts"

/** The requested toolsets with everything they need, for as long as the scope lasts. */
export const loadToolsets = Effect.fnUntraced(function* (
  launch: Launch,
  options: Pick<Shared, "areListsFirst"> = { areListsFirst: false }
) {
  yield* checkConnections(launch)
  const sets = yield* Effect.forEach(yield* loaders(launch, options), ({ load }) => load)
  const loaded = [
    ...sets,
    ...(yield* planTools(
      sets.flatMap(({ plans }) => plans ?? []),
      options
    ))
  ]
  return {
    toolsets: loaded.map(({ toolset }) => toolset),
    later: loaded.flatMap(({ later }) => later ?? [])
  }
})

/** What this server shares with its copies, if there are any. */
export const sharedWithCopies = ({ shared }: Launch) =>
  shared === undefined ? Effect.succeed(Context.empty()) : sharing(shared)

/** The Redis library, which is installed separately. */
const sharing = (settings: SharedSettings) =>
  Effect.tryPromise({
    try: () => import("../shared/shared.ts"),
    catch: () =>
      new ConfigurationError({
        message: "shared.redis needs the package redis: npm install redis, beside workflow-tool-server"
      })
  }).pipe(Effect.flatMap(({ layer }) => Layer.build(layer(settings))))

/** Loads the tools for plans if a toolset makes plans. */
const planTools = (
  plans: ReadonlyArray<Plans>,
  options: Pick<Shared, "areListsFirst">
): Effect.Effect<ReadonlyArray<Loaded>, never, Scope.Scope> =>
  plans.length === 0
    ? Effect.succeed([])
    : Effect.promise(() => import("./changes.ts")).pipe(
        Effect.flatMap(({ load }) => load(plans, options)),
        Effect.map((loaded) => [loaded])
      )

/** Loads the audit log if it is enabled; the history also needs to know who calls. */
export const audit = ({ audit, ...launch }: Launch, transport: Transport) => {
  if (audit === undefined && launch.history === undefined) return Layer.empty
  const loaded =
    audit === undefined
      ? Effect.map(
          Effect.promise(() => import("../audit/callers.ts")),
          ({ makeCallers }) => Layer.succeed(Audit, { ...makeCallers(transport), record: () => Effect.void })
        )
      : Effect.map(
          Effect.promise(() => import("../audit/auditLog.ts")),
          ({ auditLog }) => auditLog({ ...launch, transport }, audit)
        )
  return Layer.unwrap(loaded)
}

/** Refuses a `caFile` or a `proxy` that cannot be used, on this Node or at all, before the first call needs it. */
const checkConnections = ({ engine }: Launch) => {
  const own = [...(engine?.environments ?? [])].filter(
    ([, { caFile, proxy }]) => caFile !== undefined || proxy !== undefined
  )
  return own.length === 0
    ? Effect.void
    : Effect.flatMap(
        Effect.promise(() => import("../upstream/checkConnections.ts")),
        ({ checkConnections }) => checkConnections(own)
      )
}
