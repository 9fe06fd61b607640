import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import { Effect, Layer, Logger } from "effect"
import { serveStdio } from "workflow-tool-server/mcp"

import { Embedded, NotesServer } from "./server.ts"

serveStdio().pipe(
  Effect.provide(Layer.merge(Layer.provide(NotesServer, Embedded), NodeStdio.layer)),
  Effect.provideService(Logger.LogToStderr, true),
  NodeRuntime.runMain
)
