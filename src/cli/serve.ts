import * as NodeStdio from "@effect/platform-node/NodeStdio"
import { Effect, Layer } from "effect"

import type { PlanSource } from "../changes/tools/PlanSource.ts"
import { ConfigurationError } from "../internal/config/ConfigurationError.ts"
import { HttpClients } from "../internal/http/HttpClients.ts"
import { AnswerLimit } from "../mcp/Tool.ts"
import { serveStdio } from "../mcp/transport/stdio.ts"
import * as Server from "../Server.ts"
import type { Options } from "./flags.ts"
import type { Launch } from "./Launch.ts"
import * as NodeHttpClients from "./NodeHttpClients.ts"
import { readLaunch } from "./readLaunch.ts"
import { loaders } from "./toolsets.ts"

/** Serves until the client leaves or the process is told to stop. */
export const serve = Effect.fnUntraced(function* (options: Options) {
  const launch = yield* readLaunch(options)
  yield* checkConnections(launch)
  const loaded = yield* Effect.forEach(yield* loaders(launch), ({ load }) => load)
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

/** Refuses a `caFile` or a `proxy` that cannot be used, by this Node or by anyone, before the first call needs it. */
const checkConnections = ({ engine }: Launch) =>
  Effect.forEach(
    engine?.environments ?? [],
    ([name, { caFile, proxy }]) =>
      caFile === undefined && proxy === undefined
        ? Effect.void
        : HttpClients.use(({ make }) =>
            make({ ...(caFile === undefined ? {} : { caFile }), ...(proxy === undefined ? {} : { proxy }) })
          ).pipe(
            Effect.scoped,
            Effect.mapError(({ message }) => new ConfigurationError({ message: `environments.${name}.${message}` }))
          ),
    { discard: true }
  ).pipe(Effect.provide(NodeHttpClients.layer))

/** Over stdio where nothing else is asked for; what HTTP needs is loaded only for it. */
const transport = ({ http }: Launch) =>
  http === undefined
    ? Effect.succeed(overStdio)
    : Effect.map(
        Effect.promise(() => import("./overHttp.ts")),
        ({ overHttp }) => overHttp(http, stopRequested)
      )

const signals = ["SIGINT", "SIGTERM"] as const

/** Waits for the first SIGINT or SIGTERM. From then on, a second one ends the process at once. */
const stopRequested: Effect.Effect<void> = Effect.callback<void>((resume) => {
  let stopping = false
  const onSignal = () => {
    if (stopping) process.exit(130)
    stopping = true
    resume(Effect.void)
  }
  for (const signal of signals) process.on(signal, onSignal)
})

/** Serves the client at standard input and output until it leaves or the process is told to stop. */
const overStdio = serveStdio(stopRequested).pipe(
  Effect.catchTag("PlatformError", (error) => Effect.logWarning(`Standard input broke: ${error.message}`)),
  Effect.provide(NodeStdio.layer)
)
