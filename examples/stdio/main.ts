import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import { Effect, Layer, Logger } from "effect"
import { Server, serveStdio } from "workflow-tool-server/mcp"

import { TimeToolset } from "./toolset.ts"

const TimeServer = Server.layer({ name: "time-server", version: "1.0.0", toolsets: [TimeToolset] })

serveStdio().pipe(
  Effect.provide(Layer.merge(TimeServer, NodeStdio.layer)),
  // Standard output is the protocol's.
  Effect.provideService(Logger.LogToStderr, true),
  NodeRuntime.runMain
)
