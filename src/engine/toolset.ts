import { Effect, Match } from "effect"

import type { ConfigurationError } from "../internal/config/ConfigurationError.ts"
import type { Offer, Toolset, Finding } from "../mcp/Toolset.ts"
import type { EngineClient } from "./client/EngineClient.ts"
import type { EngineError } from "./client/EngineError.ts"
import { Instances } from "./client/Instances.ts"
import { engineName } from "./client/naming.ts"
import * as VersionLookup from "./client/versionLookup.ts"
import { prompts } from "./prompts/catalog.ts"
import { laneOf, resources } from "./resources.ts"
import { engineTools } from "./tools/catalog.ts"
import * as EngineTool from "./tools/EngineTool.ts"
import { instanceNames } from "./tools/EngineTool.ts"

const instructions = (instances: string) =>
  `Manages workflows on ${engineName}. ${instances}The tools about workflows, executions, credentials and tags take one of ` +
  "them as `instance`; left out, the default one is meant. Lists hold metadata only; read one workflow or execution for " +
  "the whole, or only some of its `nodes`. Update only what should change: fields that are left out stay."

const everything: Offer<Instances> = { instructions: instructions(""), tools: engineTools, resources, prompts }
const nothing: Offer<Instances> = { instructions: "", tools: [] }

/** Calls every configured instance, all at the same time, and tells of each in the order of the configuration. */
export const check: Effect.Effect<ReadonlyArray<Finding>, never, Instances> = Effect.gen(function* () {
  const { defaultName, names, resolve } = yield* Instances
  return yield* Effect.forEach(
    names,
    Effect.fnUntraced(function* (name) {
      const title = name === defaultName ? `${name} (default)` : name
      return yield* Effect.flatMap(resolve(name), callOnce).pipe(
        Effect.match({
          onSuccess: (words): Finding => ({ fine: true, words: `${title}: ${words}` }),
          onFailure: (error): Finding => ({ fine: false, words: `${title}: ${error.message}${advice(error)}` })
        })
      )
    }),
    { concurrency: "unbounded" }
  )
})

const callOnce = Effect.fnUntraced(function* (engine: EngineClient["Service"]) {
  yield* engine.listWorkflows({ limit: 1 })
  const version = yield* Effect.orElseSucceed(VersionLookup.versionOf(engine), () => VersionLookup.unknown)
  const runs = version === VersionLookup.unknown ? "" : ` It runs version ${version}.`
  return `${engine.host} answers and takes the key.${runs}`
})

const advice: (error: ConfigurationError | EngineError) => string = Match.type<ConfigurationError | EngineError>().pipe(
  Match.tag(
    "AuthenticationFailed",
    () => " The key may be mistyped, expired or revoked; make a new one in the settings of that engine."
  ),
  Match.tag("PermissionDenied", () => " The key may not even list workflows; give it more rights."),
  Match.tag("ApiError", ({ httpStatus }) =>
    httpStatus === 404 ? " There is no REST API v1 under this address; engine_host may be wrong." : ""
  ),
  Match.orElse(() => "")
)

/** The toolset `engine`: 23 tools, the resources and the prompts for workflows on the configured instances. */
export const EngineToolset: Toolset<Instances> = {
  name: "engine",
  ...everything,
  // Without an instance there is nothing to work on.
  narrow: Effect.map(Instances, (instances) =>
    instances.names.length === 0
      ? nothing
      : {
          ...everything,
          instructions: instructions(`Instances: ${instanceNames(instances, 2000)}. `),
          tools: EngineTool.over(engineTools, instances),
          resources: { ...resources, lane: laneOf(instances) }
        }
  ),
  check,
  health: Effect.map(
    VersionLookup.make,
    Effect.map((engineVersion) => ({ engineVersion }))
  )
}
