import { Console, Effect, Layer } from "effect"

import { Instances } from "../engine/client/Instances.ts"
import { check } from "./check.ts"
import { furtherToolsets } from "./furtherToolsets.ts"
import type { Options } from "./Invocation.ts"
import { readLaunch } from "./readLaunch.ts"
import { upstreams } from "./upstreams.ts"

/** Prints what is right and wrong with every instance and every further toolset; the exit code is 1 if anything is wrong. */
export const runCheck = Effect.fnUntraced(function* (options: Options) {
  const launch = yield* readLaunch(options)
  const engines = yield* Effect.provide(check, Layer.provide(Instances.layer, upstreams(launch)))
  const others = yield* Effect.forEach(yield* furtherToolsets(launch), ({ check }) => check(launch))
  const findings = [...engines, ...others.flat()]
  yield* Effect.forEach(findings, ({ words }) => Console.log(words))
  return findings.every(({ fine }) => fine) ? 0 : 1
})
