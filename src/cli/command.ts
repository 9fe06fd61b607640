import { ConfigProvider, Console, Context, Effect, Logger, References, Runtime } from "effect"

import { visible } from "../internal/foreignText.ts"
import type { Invocation } from "./commandLine.ts"
import { type Options, readOptions, type UsageError } from "./configuration/flags.ts"
import { nothingConfigured } from "./configuration/readSettings.ts"
import { serve } from "./serve.ts"
import { runCheck } from "./tasks/check.ts"

/** Runs the command line, and succeeds with the exit code. */
const command = Effect.fnUntraced(function* () {
  const invocation = yield* readWords(process.argv.slice(2))
  if (invocation === undefined) return 0
  const options = yield* Effect.fromResult(readOptions(invocation.texts, process.env))
  const work = invocation.task === "serve" ? Effect.as(serve(options), 0) : runTask(invocation, options)
  return yield* Effect.provideContext(work, ambient(options))
})

const runTask = (invocation: Exclude<Invocation, { readonly task: "serve" }>, options: Options) => {
  if (invocation.task === "check") return runCheck(options, invocation.request)
  if (invocation.task === "nodes") {
    return Effect.flatMap(
      Effect.promise(() => import("./tasks/runNodes.ts")),
      ({ runNodes }) => runNodes(options, invocation.request)
    )
  }
  if (invocation.task === "init") {
    return Effect.flatMap(
      Effect.promise(() => import("./tasks/init/init.ts")),
      ({ runInit }) => runInit(options, invocation.request)
    )
  }
  if (invocation.task === "backup") {
    return Effect.flatMap(
      Effect.promise(() => import("./tasks/backup.ts")),
      ({ runBackup }) => runBackup(options, invocation.request)
    )
  }
  if (invocation.task === "promote") {
    return Effect.flatMap(
      Effect.promise(() => import("./tasks/promote.ts")),
      ({ runPromote }) => runPromote(options, invocation.request)
    )
  }
  if (invocation.task === "upgrade") {
    return Effect.flatMap(
      Effect.promise(() => import("./tasks/upgrade/upgrade.ts")),
      ({ runUpgrade }) => runUpgrade(options, invocation.request)
    )
  }
  if (invocation.task === "watchAds") {
    return Effect.flatMap(
      Effect.promise(() => import("./tasks/watchAds.ts")),
      ({ runWatch }) => runWatch(options, invocation.request)
    )
  }
  if (invocation.task === "watch") {
    return Effect.flatMap(
      Effect.promise(() => import("./tasks/watch.ts")),
      ({ runWatch }) => runWatch(options, invocation.request)
    )
  }
  if (invocation.task === "exportTable") {
    return Effect.flatMap(
      Effect.promise(() => import("./tasks/table/exportTable.ts")),
      ({ runTableExport }) => runTableExport(options, invocation.request)
    )
  }
  if (invocation.task === "importTable") {
    return Effect.flatMap(
      Effect.promise(() => import("./tasks/table/importTable.ts")),
      ({ runTableImport }) => runTableImport(options, invocation.request)
    )
  }
  if (invocation.task === "test") {
    return Effect.flatMap(
      Effect.promise(() => import("./tasks/test.ts")),
      ({ runTestFolder }) => runTestFolder(options, invocation.request)
    )
  }
  return Effect.flatMap(
    Effect.promise(() => import("./tasks/call/call.ts")),
    ({ runCall }) => runCall(options, invocation.request)
  )
}

/** Without words there is nothing to parse; the parser takes longer to load than all that a server then does before its first answer. */
const readWords = (words: ReadonlyArray<string>): Effect.Effect<Invocation | undefined, UsageError> =>
  words.length === 0
    ? Effect.succeed({ task: "serve", texts: {} })
    : Effect.flatMap(
        Effect.promise(() => import("./commandLine.ts")),
        ({ read }) => read(words)
      )

const loggers: ReadonlySet<Logger.Logger<unknown, unknown>> = new Set([
  Logger.withConsoleError(Logger.map(Logger.formatLogFmt, visible))
])
const toStderr = Context.make(Logger.CurrentLoggers, loggers)

/**
 * Everything except the protocol goes to stderr; a command has no traces, as nobody reads them. Variables are looked up
 * directly: nothing here needs the tree that `fromEnv` builds of all of them.
 */
const ambient = ({ "log-level": logLevel }: Options) =>
  toStderr.pipe(
    Context.add(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(process.env)),
    Context.add(References.MinimumLogLevel, logLevel),
    Context.add(References.TracerEnabled, false),
    Context.add(References.DisablePropagation, true)
  )

const reportAs =
  (code: number) =>
  ({ message }: { readonly message: string }) =>
    Effect.as(Console.error(message === nothingConfigured ? `${message}\n${hint}` : visible(message)), code)

/** Commands that exit with 2 if something would change or matches: a usage error must not look like that. */
const usageCode = process.argv.slice(2).some((word) => ["promote", "upgrade", "ads", "watch"].includes(word)) ? 1 : 2

const hint =
  "There is no .config.json in this folder. Make one with init, or set ENGINE_HOST and ENGINE_API_KEY.\n" +
  "To try the server without an engine of your own, start it with --embedded."

const exit = (code: number) =>
  Effect.sync(() => {
    process.stdout.write("", () => process.exit(code))
  })

const runMain = Runtime.makeRunMain(() => {})

/** Runs the command to its end. */
export const main = () =>
  runMain(
    command().pipe(
      Effect.catchTags({ ConfigurationError: reportAs(1), UsageError: reportAs(usageCode) }),
      Effect.catchCause((cause) => Effect.as(Effect.provideContext(Effect.logFatal(cause), toStderr), 70)),
      Effect.flatMap(exit)
    )
  )
