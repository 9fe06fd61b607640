import { Console, Effect } from "effect"

import { ranked } from "../../engine/operator/watch/incidents.ts"
import type { Receiver, Round } from "../../engine/operator/watch/watch.ts"
import { oneLine, visibleJson } from "../../internal/foreignText.ts"
import { minuteOf } from "../../internal/time.ts"
import type { Options } from "../configuration/flags.ts"
import type { Launch } from "../configuration/Launch.ts"
import { readLaunch } from "../configuration/readLaunch.ts"
import { stopRequested } from "../stopRequested.ts"
import { toolsAndInstances, toolsOf } from "../toolsets/toolsets.ts"
import { configuredWatch, problemsTold, settingsOf, tryReceivers } from "../watch/configured.ts"
import { stdout } from "../watch/receivers.ts"
import { watched } from "./watched.ts"

/** The arguments of `watch`. */
export interface WatchRequest {
  /** Goes on with a round every so many minutes. */
  readonly every: number | undefined
  /** Sends a message to each receiver, and watches nothing. */
  readonly isTry: boolean
  readonly json: boolean
}

/** All is well, one instance or receiver could not be reached, something is open, somebody has stopped it. */
const exitCodes = { fine: 0, failed: 1, open: 2, stopped: 130 } as const

/** Looks at all watched instances, once or again and again, and tells receivers and standard output what began and what is over. */
export const runWatch = Effect.fnUntraced(function* (options: Options, request: WatchRequest) {
  const launch = yield* readLaunch({ ...options, http: false })
  const { every } = request
  const settings = yield* settingsOf(launch)
  const timed = { ...launch, watch: every === undefined ? settings : { ...settings, everyMinutes: every } }
  return yield* (request.isTry ? tried(timed, request) : rounds(timed, request)).pipe(
    watched(timed),
    Effect.catch(({ message }) => Effect.as(Console.error(oneLine(message)), exitCodes.failed)),
    Effect.raceFirst(Effect.as(stopRequested, exitCodes.stopped))
  )
}, Effect.scoped)

const tried = Effect.fnUntraced(function* (launch: Launch, { json }: WatchRequest) {
  const outcomes = yield* tryReceivers(launch, yield* toolsOf(launch))
  const words = ({ problem, receiver }: (typeof outcomes)[number]) =>
    problem === undefined ? `${receiver}: took the message` : `${receiver}: did not take the message: ${problem}`
  const lines = outcomes.map(words).map(oneLine).join("\n")
  yield* Console.log(
    json ? visibleJson(JSON.stringify(outcomes)) : lines === "" ? "watch.receivers names nobody" : lines
  )
  return outcomes.every(({ took }) => took) ? exitCodes.fine : exitCodes.failed
})

const jsonLines: Receiver = {
  name: "stdout",
  least: "info",
  send: (message) => Console.log(visibleJson(JSON.stringify(message)))
}

const rounds = Effect.fnUntraced(function* (launch: Launch, { every, json }: WatchRequest) {
  const { instances: connection, tools } = yield* toolsAndInstances(launch)
  const work = Effect.gen(function* () {
    const { everyMinutes, instances, round } = yield* configuredWatch(launch, tools, [json ? jsonLines : stdout])
    const tell = problemsTold((lines) => Console.error(lines.join("\n")))
    if (every === undefined) {
      const done = yield* round
      yield* tell(done)
      if (!json) yield* Console.log(summaryOf(done, instances.length))
      if (done.problems.length > 0) return exitCodes.failed
      return done.state.open.length > 0 ? exitCodes.open : exitCodes.fine
    }
    // A state that cannot be read or kept now may be so in the next round.
    const attempt = Effect.catch(Effect.flatMap(round, tell), ({ message }) => tell({ problems: [message] }))
    return yield* Effect.forever(Effect.andThen(attempt, Effect.sleep(everyMinutes * 60_000)))
  })
  return yield* Effect.provideContext(work, yield* connection)
})

const summaryOf = ({ state: { open } }: Round, instances: number): string => {
  const where = `${instances} ${instances === 1 ? "instance" : "instances"}`
  const lines = ranked(open).map(({ instance, since, title }) =>
    oneLine(`  ${minuteOf(since)}  [${instance}] ${title}`)
  )
  return open.length === 0 ? `Nothing is wrong on ${where}.` : [`Open on ${where}: ${open.length}`, ...lines].join("\n")
}
