import { Effect, Layer } from "effect"

import { AnswerLimit } from "../mcp/Tool.ts"
import * as Server from "../Server.ts"
import { version } from "../version.ts"
import { checkConnections } from "./checkConnections.ts"
import { furtherToolsets } from "./furtherToolsets.ts"
import type { Options } from "./Invocation.ts"
import type { Launch } from "./Launch.ts"
import { readLaunch } from "./readLaunch.ts"
import { upstreams } from "./upstreams.ts"

/** Serves until the client leaves or the process is told to stop. */
export const serve = Effect.fnUntraced(function* (options: Options) {
  const launch = yield* readLaunch(options)
  yield* checkConnections(launch)
  const toolsets = yield* furtherToolsets(launch)
  const further = yield* Effect.forEach(toolsets, ({ tools }) => tools(launch))
  const server = Server.layer({
    version,
    tools: (tools) => [...tools, ...further.flat()],
    instructions: toolsets.map(({ instructions }) => instructions)
  }).pipe(Layer.provide(upstreams(launch)), Layer.provideMerge(audit(launch)))
  const { answerLimit } = launch
  yield* (yield* transport(launch)).pipe(
    Effect.provide(server),
    answerLimit === undefined ? (self) => self : Effect.provideService(AnswerLimit, answerLimit)
  )
}, Effect.scoped)

/** Loads the audit log where one is asked for. */
const audit = ({ audit, ...launch }: Launch) =>
  audit === undefined
    ? Layer.empty
    : Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("./auditLog.ts")),
          ({ auditLog }) => auditLog(launch, audit)
        )
      )

/** Loads the transport that is asked for, and nothing of the other one. */
const transport = ({ http }: Launch) =>
  http === undefined
    ? Effect.map(
        Effect.promise(() => import("./overStdio.ts")),
        ({ overStdio }) => overStdio
      )
    : Effect.map(
        Effect.promise(() => import("./overHttp.ts")),
        ({ overHttp }) => overHttp(http)
      )
