import { Context, Effect, Layer, Scope } from "effect"

import { EngineConfig, type InstanceNames } from "../../engine/client/config/EngineConfig.ts"
import { Instances } from "../../engine/client/Instances.ts"
import { KeyHeaders } from "../../engine/client/KeyHeaders.ts"
import { Protection } from "../../engine/client/Protection.ts"
import { Coordination } from "../../internal/http/Coordination.ts"
import type { Launch } from "../configuration/Launch.ts"
import { cacheFolder } from "../files/homeFolders.ts"
import { knownHeadersIn } from "../files/keyHeaders.ts"
import { nodeTypes } from "../nodes/nodePackages.ts"
import * as NodeHttpClients from "../upstream/NodeHttpClients.ts"

/** The instances to serve and their clients: the configured ones over the network, or the embedded one. */
export const instances = (launch: Launch) =>
  Layer.build(
    Layer.merge(
      Layer.provide(
        Instances.layer,
        Layer.mergeAll(upstreams(launch), keeping(launch), protecting(launch), locking(launch), remembering(launch))
      ),
      nodeTypes(launch)
    )
  )

/** The names of instances, and what they are known to refuse. */
export const namesOf = (context: Context.Context<Instances>): InstanceNames => Context.get(context, Instances)

/** Locks against other servers of this user, which are loaded with the first change; nobody else has the embedded engine. */
const locking = ({ embedded, readOnly, shared }: Launch) =>
  embedded !== undefined || readOnly
    ? Layer.empty
    : Layer.effect(
        Coordination,
        Effect.gen(function* () {
          const coordination = yield* Coordination
          const scope = yield* Effect.scope
          const locks = yield* Effect.promise(() => import("../files/processLocks.ts")).pipe(
            Effect.flatMap(({ workflowLocks }) => workflowLocks({ isShared: shared !== undefined })),
            Effect.provideService(Scope.Scope, scope),
            Effect.cached
          )
          const withLock: (typeof Coordination)["Service"]["withLock"] = (name, self, waiting) =>
            Effect.flatMap(locks, (lock) => lock(name, coordination.withLock(name, self, waiting), waiting))
          return { ...coordination, withLock }
        })
      )

/** The key headers that hosts have accepted before. */
const remembering = ({ engine }: Launch) => {
  const folder = cacheFolder()
  return engine === undefined || folder === undefined ? Layer.empty : Layer.succeed(KeyHeaders, knownHeadersIn(folder))
}

/** The workflows for whose single changes a person has to be asked. */
const protecting = ({ plans }: Launch) =>
  plans === undefined
    ? Layer.empty
    : Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("../../engine/plans/settings.ts")),
          ({ protectionOf }) => Layer.succeed(Protection, protectionOf(plans.guards))
        )
      )

/** Loads the history of workflows, if one is kept. */
const keeping = ({ history, ...launch }: Launch) =>
  history === undefined
    ? Layer.empty
    : Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("./history.ts")),
          ({ history: keep }) => keep(launch, history)
        )
      )

const upstreams = ({ embedded, engine, readOnly }: Launch) =>
  engine === undefined
    ? Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("./embeddedEngine.ts")),
          ({ embeddedEngine }) => embeddedEngine({ file: undefined, ...embedded, readOnly })
        )
      )
    : Layer.merge(Layer.succeed(EngineConfig, engine), NodeHttpClients.layer)
