import { Effect, Layer } from "effect"

import { Instances } from "../../engine/client/Instances.ts"
import { Protection } from "../../engine/client/Protection.ts"
import { EngineConfig } from "../../engine/config/EngineConfig.ts"
import type { Launch } from "../configuration/Launch.ts"
import { nodeTypes } from "../nodes/nodePackages.ts"
import * as NodeHttpClients from "../upstream/NodeHttpClients.ts"

/** The instances to serve and their clients: the configured ones over the network, or the embedded one. */
export const instances = (launch: Launch) =>
  Layer.build(
    Layer.merge(
      Layer.provide(Instances.layer, Layer.mergeAll(upstreams(launch), keeping(launch), protecting(launch))),
      nodeTypes(launch)
    )
  )

/** The workflows for whose single changes a person has to be asked. */
const protecting = ({ plans }: Launch) =>
  plans === undefined
    ? Layer.empty
    : Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("../../engine/changes/settings.ts")),
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
          ({ embeddedEngine }) => embeddedEngine({ file: embedded?.file, readOnly })
        )
      )
    : Layer.merge(Layer.succeed(EngineConfig, engine), NodeHttpClients.layer)
