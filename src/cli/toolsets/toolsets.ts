import { Context, Effect, Layer, Record, Scope } from "effect"

import { Background } from "../../changes/Background.ts"
import type { PlanSource } from "../../changes/tools/PlanSource.ts"
import type { InstanceNames } from "../../engine/client/config/EngineConfig.ts"
import { ModelPrices } from "../../engine/operator/ai/ModelPrices.ts"
import { WorkflowExpectations } from "../../engine/operator/health/expectations.ts"
import { CredentialSources } from "../../engine/tools/CredentialSources.ts"
import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { Audit } from "../../mcp/callContext.ts"
import { offered } from "../../mcp/Toolset.ts"
import type { Transport } from "../audit/callers.ts"
import type { SharedSettings } from "../configuration/fileFields.ts"
import type { Launch } from "../configuration/Launch.ts"
import type { ToolsetName } from "../configuration/toolsetFacts.ts"
import type { Load, Loaded, Plans, Shared } from "./Load.ts"
import * as Outlined from "./outlinedToolsets.ts"

/** The sets that this version has. Each is known by its line here alone, and loaded only when asked for. */
const sets: { readonly [name in ToolsetName]?: Effect.Effect<{ readonly load: Load }> } = {
  engine: Effect.succeed({ load: Outlined.engine }),
  operator: Effect.succeed({ load: Outlined.operator }),
  api: Effect.succeed({ load: Outlined.api }),
  marketplace: Effect.promise(() => import("../marketplace/marketplace.ts"))
}

/** The sets that are asked for, in the order in which they are offered. */
export const loaders = Effect.fnUntraced(function* (
  launch: Launch,
  { areListsFirst }: Pick<Shared, "areListsFirst"> = { areListsFirst: false }
) {
  const scope = yield* Effect.scope
  let connected: InstanceNames | undefined
  const instances = yield* Effect.promise(() => import("../engine/instances.ts")).pipe(
    Effect.flatMap(({ instances, namesOf }) =>
      Effect.tap(instances(launch), (context) => Effect.sync(() => (connected = namesOf(context))))
    ),
    Effect.map((context) =>
      context.pipe(
        Context.add(WorkflowExpectations, launch.watch?.workflows ?? []),
        Context.add(ModelPrices, launch.prices ?? {}),
        Context.add(CredentialSources, credentialSources(launch))
      )
    ),
    Effect.provideService(Scope.Scope, scope),
    Effect.cached
  )
  const plans = yield* Effect.promise(() => import("./planningToolsets.ts")).pipe(
    Effect.flatMap(({ plansOver }) => Effect.flatMap(instances, (engines) => plansOver(launch, engines))),
    Effect.provideService(Scope.Scope, scope),
    Effect.cached
  )
  const refusing = Effect.suspend(() => connected?.refusing ?? Effect.succeed(() => false))
  const loads = yield* Effect.forEach(launch.toolsets, (name) => {
    const set = sets[name]
    return set === undefined
      ? Effect.as(Effect.logWarning(`The toolset ${name} holds no tools in this version`), [])
      : Effect.map(set, ({ load }) => [load(launch, { instances, plans, refusing, areListsFirst })])
  })
  return { instances, loads: loads.flat() }
})

/** The configured sources of credentials, each of which is read by a program that is loaded for it. */
export const credentialSources = ({ config, credentialSources = {} }: Launch) =>
  Record.map(credentialSources, (source, name) => ({
    use: source.for ?? "credentials",
    values: Effect.flatMap(
      Effect.promise(() => import("../engine/credentialSources.ts")),
      ({ valuesOf }) => valuesOf(name, source, config)
    )
  }))

/** The requested toolsets with everything they need, for as long as the scope lasts. */
export const loadToolsets = Effect.fnUntraced(function* (
  launch: Launch,
  options: Pick<Shared, "areListsFirst"> = { areListsFirst: false }
) {
  yield* checkConnections(launch)
  const { instances, loads } = yield* loaders(launch, options)
  const requested = yield* Effect.forEach(loads, (load) => load)
  const plans = requested.flatMap((one) => one.plans ?? [])
  const loaded = [...requested, ...(yield* planTools(plans, options))]
  const { run } = yield* Background
  return {
    instances,
    toolsets: loaded.map(({ toolset }) => toolset),
    later: [
      ...loaded.flatMap(({ later }) => later ?? []),
      ...(run === undefined ? [] : plans.map(({ source }) => Effect.flatMap(source, goOn(run))))
    ]
  }
})

/** Goes on with the plans that a server before this one has applied in the background. */
const goOn = (run: NonNullable<typeof Background.Service.run>) => (source: PlanSource) =>
  Effect.flatMap(source.goingOn, (left) =>
    Effect.forEach(left, ({ id, isProtectedConfirmed }) => run(id, source.goOn(id, isProtectedConfirmed)), {
      discard: true
    })
  )

/** Every tool that can be called, with the instances that they work on, and what is shared with copies. */
export const toolsAndInstances = Effect.fnUntraced(function* (launch: Launch) {
  const toolsets = [...new Set([...launch.toolsets, "operator" as const])]
  const shared = yield* sharedWithCopies(launch)
  const { instances, toolsets: loaded } = yield* Effect.provideContext(
    loadToolsets({ ...launch, toolsets }, { areListsFirst: true }),
    shared
  )
  const tools = (yield* Effect.forEach(loaded, (toolset) => offered(toolset))).flatMap((one) => one.tools)
  return { tools, instances: Effect.map(instances, (context) => Context.merge(context, shared)) }
})

/** Every tool that can be called, including those of `operator`, which cost tokens only in lists for models. */
export const toolsOf = (launch: Launch) => Effect.map(toolsAndInstances(launch), ({ tools }) => tools)

/** The services that this server shares with its copies, if there are any. */
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
  plans.length === 0 ? Effect.succeed([]) : Effect.map(Outlined.changes(plans, options), (loaded) => [loaded])

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
  const connections = [...(engine?.environments ?? [])].filter(
    ([, { caFile, proxy }]) => caFile !== undefined || proxy !== undefined
  )
  return connections.length === 0
    ? Effect.void
    : Effect.flatMap(
        Effect.promise(() => import("../upstream/NodeHttpClients.ts")),
        ({ checkConnections }) => checkConnections(connections)
      )
}
