import { Effect, Layer } from "effect"

import type { PlanSource } from "../changes/tools/PlanSource.ts"
import { AnswerLimit } from "../mcp/Tool.ts"
import * as Server from "../Server.ts"
import { checkConnections } from "./checkConnections.ts"
import type { Options } from "./Invocation.ts"
import type { Launch } from "./Launch.ts"
import { readLaunch } from "./readLaunch.ts"
import { loaders } from "./toolsets.ts"

/** Serves until the client leaves or the process is told to stop. */
export const serve = Effect.fnUntraced(function* (options: Options) {
  const launch = yield* readLaunch(options)
  yield* checkConnections(launch)
  const loaded = yield* Effect.forEach(yield* loaders(launch), ({ load }) => load(launch))
  const plans = loaded.flatMap(({ plans: source }) => source ?? [])
  const toolsets = [...loaded.map(({ toolset }) => toolset), ...(yield* planTools(plans))]
  const { answerLimit } = launch
  yield* (yield* transport(launch)).pipe(
    Effect.provide(Layer.provideMerge(Server.layer({ toolsets }), audit(launch))),
    answerLimit === undefined ? (self) => self : Effect.provideService(AnswerLimit, answerLimit)
  )
}, Effect.scoped)

/** Loads the tools of plans where a toolset makes plans. */
const planTools = (sources: ReadonlyArray<PlanSource>) =>
  sources.length === 0
    ? Effect.succeed([])
    : Effect.map(
        Effect.promise(() => import("./changes.ts")),
        ({ planTools: tools }) => [tools(sources)]
      )

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
