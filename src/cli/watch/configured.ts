import { Clock, Effect, Result, Schema } from "effect"

import { Instances } from "../../engine/client/Instances.ts"
import type { Message } from "../../engine/operator/watch/messages.ts"
import { makeWatch, type Receiver, type Round } from "../../engine/operator/watch/watch.ts"
import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { oneLine } from "../../internal/foreignText.ts"
import { isoOf } from "../../internal/time.ts"
import type { Tool } from "../../mcp/Tool.ts"
import type { Launch } from "../configuration/Launch.ts"
import { WatchFields } from "../configuration/watchSettings.ts"
import * as NodeHttpClients from "../upstream/NodeHttpClients.ts"
import { receiversOf } from "./receivers.ts"
import { storeOf } from "./store.ts"

/** The settings of the watch, with the usual ones where the configuration has no section for it. */
export const settingsOf = ({ watch }: Launch) =>
  watch === undefined ? Effect.orDie(Schema.decodeUnknownEffect(WatchFields)({})) : Effect.succeed(watch)

/** The watch as it is configured, with `more` receivers beside those of the configuration. */
export const configuredWatch = Effect.fnUntraced(function* (
  launch: Launch,
  tools: ReadonlyArray<Tool>,
  more: ReadonlyArray<Receiver>
) {
  const settings = yield* settingsOf(launch)
  const { names } = yield* Instances
  const watchedNames = settings.instances ?? names
  const stranger = watchedNames.find((name) => !names.includes(name))
  if (stranger !== undefined) {
    return yield* new ConfigurationError({ message: `watch.instances: there is no instance ${oneLine(stranger)}` })
  }
  const receivers = [...(yield* configuredReceivers(launch, tools)), ...more]
  const { everyMinutes, ignore, messagesPerHour, page, quietHours, state, workflows } = settings
  const store = yield* storeOf(launch, state)
  const watch = makeWatch(
    { instances: watchedNames, everyMinutes, expectations: workflows, ignore, messagesPerHour, page, quietHours },
    store,
    receivers
  )
  return { ...watch, everyMinutes, instances: watchedNames, receivers }
})

const configuredReceivers = Effect.fnUntraced(function* (launch: Launch, tools: ReadonlyArray<Tool>) {
  const { receivers } = yield* settingsOf(launch)
  return yield* receiversOf(receivers, tools).pipe(
    Effect.mapError(({ message }) => new ConfigurationError({ message })),
    Effect.provide(NodeHttpClients.layer)
  )
})

/** A message that says that nothing has happened. */
const tryMessage = Effect.map(Clock.currentTimeMillis, (now): Message => ({
  id: `try-${now}`,
  at: isoOf(now),
  severity: "info",
  title: "A try of the watch of workflow-tool-server",
  text: "A try of the watch of workflow-tool-server: nothing has happened.",
  events: []
}))

/** Sends each receiver of the configuration a message, and says which took it. */
export const tryReceivers = Effect.fnUntraced(function* (launch: Launch, tools: ReadonlyArray<Tool>) {
  const receivers = yield* configuredReceivers(launch, tools)
  const message = yield* tryMessage
  return yield* Effect.forEach(receivers, ({ name, send }) =>
    Effect.map(Effect.result(send(message)), (result) => ({
      receiver: name,
      took: Result.isSuccess(result),
      ...(Result.isFailure(result) ? { problem: result.failure.message } : {})
    }))
  )
})

/** Tells the problems of a round once, a line each, and again only when they are others. */
export const problemsTold = (tell: (lines: ReadonlyArray<string>) => Effect.Effect<void>) => {
  let last = ""
  return ({ problems }: Pick<Round, "problems">): Effect.Effect<void> => {
    const lines = problems.map(oneLine)
    const isNew = lines.join("\n") !== last
    last = lines.join("\n")
    return isNew && lines.length > 0 ? tell(lines) : Effect.void
  }
}
