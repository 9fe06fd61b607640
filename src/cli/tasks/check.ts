import { Console, Effect } from "effect"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"

import type { Finding } from "../../mcp/Toolset.ts"
import { type Options, UsageError } from "../configuration/flags.ts"
import { readLaunch } from "../configuration/readLaunch.ts"
import { report, type ReportOptions } from "../terminal.ts"
import { loaders } from "../toolsets/toolsets.ts"

/** The arguments of `check`. */
export interface CheckRequest extends Pick<ReportOptions, "json"> {
  /** Whether the configuration file of the working folder is to be trusted as it is. */
  readonly trust: boolean
}

/** Prints what is right and wrong with whatever the toolsets work on; the exit code is 1 if anything is wrong. */
export const runCheck = Effect.fnUntraced(function* (options: Options, { json, trust }: CheckRequest) {
  if (trust && json)
    return yield* new UsageError({ message: "--trust shows settings to a person: use it without --json" })
  if (trust) yield* trusting(options)
  const launch = yield* readLaunch(options)
  const findings = yield* Effect.forEach((yield* loaders(launch)).loads, (load) =>
    load.pipe(
      Effect.flatMap(({ toolset: { check = Effect.succeed([]) } }) => check),
      Effect.catchTag("ConfigurationError", ({ message }) =>
        Effect.succeed<ReadonlyArray<Finding>>([{ fine: false, words: message }])
      )
    )
  )
  const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
  yield* Console.log(report(findings.flat(), { json, canColor }))
  return findings.flat().every(({ fine }) => fine) ? 0 : 1
}, Effect.scoped)

const trusting = (options: Options) =>
  Effect.flatMap(
    Effect.promise(() => import("./trust.ts")),
    ({ trust }) => trust(options)
  )
