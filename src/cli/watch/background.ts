import { Context, Effect } from "effect"

import type { Instances } from "../../engine/client/Instances.ts"
import { rankOf, type Incident } from "../../engine/operator/watch/incidents.ts"
import type { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { type Gauge, offered, type Toolset } from "../../mcp/Toolset.ts"
import type { Launch } from "../configuration/Launch.ts"
import { configuredWatch, problemsTold } from "./configured.ts"

interface Served {
  readonly instances: Effect.Effect<Context.Context<Instances>, ConfigurationError>
  readonly shared: Context.Context<never>
  readonly toolsets: ReadonlyArray<Toolset>
  /** Hands gauges on to whoever is sent metrics. */
  readonly record: (gauges: ReadonlyArray<Gauge>) => void
}

/** Watches for as long as the scope lasts; a toolset without tools that has the gauges of what is open. */
export const watchInBackground = Effect.fnUntraced(function* (launch: Launch, served: Served) {
  const tools = (yield* Effect.forEach(served.toolsets, (toolset) => offered(toolset))).flatMap((one) => one.tools)
  const context = Context.merge(yield* served.instances, served.shared)
  const watch = yield* Effect.provideContext(configuredWatch(launch, tools, []), context)
  let gauges: ReadonlyArray<Gauge> = []
  const tellProblems = problemsTold((lines) => Effect.logWarning(`Watch: ${lines.join("; ")}`))
  const round = Effect.gen(function* () {
    const done = yield* watch.round
    gauges = gaugesOf(watch.instances, done.state.open)
    served.record(gauges)
    yield* tellProblems(done)
  })
  const rounds = round.pipe(
    Effect.catch(({ message }) => Effect.logWarning(`Watch: ${message}`)),
    Effect.catchCause((cause) => Effect.logError("A round of the watch failed", cause)),
    // Nobody waits for it: it belongs to no trace.
    Effect.withTracerEnabled(false),
    Effect.andThen(Effect.sleep(watch.everyMinutes * 60_000)),
    Effect.forever,
    Effect.provideContext(context)
  )
  yield* Effect.forkScoped(rounds)
  return {
    name: "watch",
    instructions: "",
    tools: [],
    gauges: Effect.succeed(Effect.sync(() => gauges))
  } satisfies Toolset
})

const severities = ["info", "warning", "error"] as const

const gaugesOf = (instances: ReadonlyArray<string>, open: ReadonlyArray<Incident>): ReadonlyArray<Gauge> =>
  instances.flatMap((instance) =>
    severities.map((severity) => ({
      name: "workflow_tool_server.watch.open",
      help: "Incidents that the watch has told, or is about to tell, and that are not over",
      labels: { "workflow_tool_server.instance": instance, severity },
      value: open.filter((one) => one.instance === instance && rankOf(one.severity) === rankOf(severity)).length
    }))
  )
