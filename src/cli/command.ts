import { Console, Effect, Layer, Logger, References, Runtime } from "effect"

import { version } from "../version.ts"
import { help } from "./help.ts"
import { type Options, read } from "./Invocation.ts"
import { runCheck } from "./runCheck.ts"
import { serve } from "./serve.ts"
import { nothingConfigured } from "./settings/read.ts"

/** Does what the command line says, and succeeds with the exit code. */
const command = Effect.gen(function* () {
  const invocation = yield* Effect.fromResult(read(process.argv.slice(2), process.env))
  if (invocation._tag === "Help") return yield* print(help)
  if (invocation._tag === "Version") return yield* print(version)
  const { _tag: task, options } = invocation
  return yield* Effect.provide(task === "Check" ? runCheck(options) : Effect.as(serve(options), 0), logging(options))
})

const print = (text: string) => Effect.as(Console.log(text.trimEnd()), 0)

/** Everything that is not protocol goes to stderr. */
const logging = ({ logLevel }: Options) =>
  Layer.mergeAll(
    Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]),
    Layer.succeed(References.MinimumLogLevel, logLevel)
  )

const complain =
  (code: number) =>
  ({ message }: { readonly message: string }) =>
    Effect.as(Console.error(message === nothingConfigured ? `${message}\n${hint}` : message), code)

const hint = "To try the server without an engine of your own, start it with --embedded."

const exit = (code: number) =>
  Effect.sync(() => {
    process.stdout.write("", () => process.exit(code))
  })

const runMain = Runtime.makeRunMain(() => {})

runMain(
  command.pipe(
    Effect.catchTags({ ConfigurationError: complain(1), UsageError: complain(2) }),
    Effect.catchCause((cause) => Effect.as(Effect.logFatal(cause), 70)),
    Effect.flatMap(exit)
  )
)
