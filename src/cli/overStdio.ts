import * as NodeStdio from "@effect/platform-node/NodeStdio"
import { Effect } from "effect"

import { serveStdio } from "../mcp/transport/stdio.ts"
import { stopRequested } from "./signals.ts"

/** Serves the client at standard input and output until it leaves or the process is told to stop. */
export const overStdio = serveStdio(stopRequested).pipe(
  Effect.catchTag("PlatformError", (error) => Effect.logWarning(`Standard input broke: ${error.message}`)),
  Effect.provide(NodeStdio.layer)
)
