import { Console, Effect, Layer } from "effect"

import { check } from "../command/check.ts"
import type { Options } from "../command/Invocation.ts"
import { Instances } from "../engine/Instances.ts"
import { readLaunch } from "./launch.ts"
import { upstreams } from "./upstreams.ts"

/** Prints what is right and wrong with every instance; the exit code is 1 if anything is wrong. */
export const runCheck = Effect.fnUntraced(function* (options: Options) {
  const launch = yield* readLaunch(options)
  const findings = yield* Effect.provide(check, Layer.provide(Instances.layer, upstreams(launch)))
  yield* Effect.forEach(findings, ({ words }) => Console.log(words))
  return findings.every(({ fine }) => fine) ? 0 : 1
})
