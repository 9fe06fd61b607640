import { Effect, Layer } from "effect"

import { Instances } from "../engine/client/Instances.ts"
import { EngineConfig } from "../engine/config/EngineConfig.ts"
import { EngineToolset } from "../engine/toolset.ts"
import * as Toolset from "../mcp/Toolset.ts"
import type { Launch } from "./Launch.ts"
import * as NodeHttpClients from "./NodeHttpClients.ts"

/** The toolset `engine` over the configured instances, or the embedded one. */
export const load = (launch: Launch) =>
  Effect.map(Layer.build(Layer.provide(Instances.layer, upstreams(launch))), (context) => ({
    toolset: Toolset.provide(EngineToolset, context)
  }))

/** The instances to serve and the way to them: the configured ones over the network, else the embedded one. */
const upstreams = ({ embedded, engine, readOnly }: Launch) =>
  engine === undefined
    ? Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("./embeddedEngine.ts")),
          ({ embeddedEngine }) => embeddedEngine({ file: embedded?.file, readOnly })
        )
      )
    : Layer.merge(Layer.succeed(EngineConfig, engine), NodeHttpClients.layer)
