import { Console, Effect } from "effect"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"

import type { Finding } from "../../mcp/Toolset.ts"
import type { Options } from "../configuration/flags.ts"
import { readLaunch } from "../configuration/readLaunch.ts"
import { report, type ReportOptions } from "../terminal/report.ts"
import { loaders } from "../toolsets/toolsets.ts"

/** Prints what is right and wrong with whatever the toolsets work on; the exit code is 1 if anything is wrong. */
export const runCheck = Effect.fnUntraced(function* (options: Options, { json }: Pick<ReportOptions, "json">) {
  const launch = yield* readLaunch(options)
  const findings = yield* Effect.forEach(yield* loaders(launch), ({ load }) =>
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
