import { Effect, Layer } from "effect"

import type { Options } from "../command/Invocation.ts"
import type { Launch } from "../command/Launch.ts"
import * as Server from "../Server.ts"
import { AnswerLimit } from "../tools/Tool.ts"
import { version } from "../version.ts"
import { readLaunch } from "./launch.ts"
import { upstreams } from "./upstreams.ts"

/** Serves until the client leaves or the process is told to stop. */
export const serve = Effect.fnUntraced(function* (options: Options) {
  const launch = yield* readLaunch(options)
  const further = yield* furtherTools(launch)
  const server = Server.layer({ version, tools: (tools) => [...tools, ...further] }).pipe(
    Layer.provide(upstreams(launch))
  )
  const { answerLimit } = launch
  yield* (yield* transport(launch)).pipe(
    Effect.provide(server),
    answerLimit === undefined ? (self) => self : Effect.provideService(AnswerLimit, answerLimit)
  )
}, Effect.scoped)

/** The tools of the toolsets that are off unless asked for, loaded only then. */
const furtherTools = Effect.fnUntraced(function* ({ embedded, marketplace, readOnly, toolsets }: Launch) {
  if (toolsets.includes("operator")) yield* Effect.logWarning("The toolset operator holds no tools in this version")
  if (!toolsets.includes("marketplace")) return []
  const { marketplaceToolset } = yield* Effect.promise(() => import("./marketplaceToolset.ts"))
  return yield* marketplaceToolset({ marketplace, embedded: embedded !== undefined, readOnly })
})

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
