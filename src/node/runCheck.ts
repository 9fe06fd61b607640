import { Console, Effect, Layer } from "effect"

import { check, type Finding } from "../command/check.ts"
import type { Options } from "../command/Invocation.ts"
import type { Launch } from "../command/Launch.ts"
import { Instances } from "../engine/Instances.ts"
import { readLaunch } from "./launch.ts"
import { upstreams } from "./upstreams.ts"

/** Prints what is right and wrong with every instance and with the marketplace's configuration; the exit code is 1 if anything is wrong. */
export const runCheck = Effect.fnUntraced(function* (options: Options) {
  const launch = yield* readLaunch(options)
  const engines = yield* Effect.provide(check, Layer.provide(Instances.layer, upstreams(launch)))
  const findings = [...engines, ...(yield* checkMarketplace(launch))]
  yield* Effect.forEach(findings, ({ words }) => Console.log(words))
  return findings.every(({ fine }) => fine) ? 0 : 1
})

/** Reads the marketplace's configuration where its toolset is on, and sends nothing. */
const checkMarketplace = Effect.fnUntraced(function* ({ embedded, marketplace, toolsets }: Launch) {
  if (!toolsets.includes("marketplace") || embedded !== undefined) return []
  const { readMarketplace } = yield* Effect.promise(() => import("./marketplaceToolset.ts"))
  const finding = yield* Effect.match(readMarketplace(marketplace), {
    onSuccess: ({ baseUrl }): Finding => ({
      fine: true,
      words: `marketplace: configured for ${baseUrl}; ads_check_key tells whether it takes the key.`
    }),
    onFailure: ({ message }): Finding => ({ fine: false, words: message })
  })
  return [finding]
})
