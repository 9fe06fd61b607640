import { Effect, Result } from "effect"

import { fromVariables } from "../../engine/client/config/instances.ts"
import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { inDotEnv, inEnvironment, type Lookup, orElse } from "../../internal/config/variables.ts"
import type { Settings } from "./fileFields.ts"
import { parseJson } from "./json.ts"
import { readFile } from "./readFile.ts"
import type { SourceFile } from "./SourceFile.ts"
import { type ToolsetName, toolsetVariables, usefulAlone } from "./toolsetFacts.ts"

/** The contract's message for a start without any configuration. */
export const nothingConfigured = "Configuration file not found"

/** The sources besides the process environment. `.env` counts only if there is no configuration file. */
export interface Sources {
  readonly configuration?: SourceFile
  readonly dotenv?: SourceFile
  /** Whether there is an embedded engine, so that only the file counts, and no instance is required. */
  readonly isEmbedded?: boolean
  /** The toolsets requested before the file is read; they take precedence over those in the file. */
  readonly toolsets?: ReadonlyArray<ToolsetName> | undefined
}

/**
 * All settings, from the given files and from the environment variables of the ambient `ConfigProvider`, which take precedence.
 * The error names the file, the field and what is expected, and never shows the value.
 */
export const readSettings = Effect.fnUntraced(function* ({
  configuration,
  dotenv,
  isEmbedded = false,
  toolsets
}: Sources) {
  const needsInstances = (written: ReadonlyArray<ToolsetName>) =>
    !isEmbedded && !(toolsets ?? written).some((name) => usefulAlone.has(name))
  if (configuration !== undefined) {
    const json = yield* parseFile(configuration)
    return yield* readFile(configuration, json, needsInstances)
  }
  if (isEmbedded) return withoutFile(undefined)

  const environment = yield* inEnvironment
  if (dotenv !== undefined) yield* refuseOthers(dotenv, environment)
  const lookup = dotenv === undefined ? environment : orElse(environment, inDotEnv(dotenv))
  const engine = yield* fromVariables(lookup, (field) => (dotenv === undefined ? field : `${dotenv.name}: ${field}`))
  if (engine === undefined && needsInstances([])) return yield* new ConfigurationError({ message: nothingConfigured })
  return withoutFile(engine)
})

/**
 * Refuses variables of ours that do not count in a `.env` and are not set in the environment either: it only defines the one
 * instance. Those of other programs are theirs.
 */
const refuseOthers = Effect.fnUntraced(function* ({ name, text }: SourceFile, environment: Lookup) {
  const names = new Set(
    [...text.matchAll(variableIn)]
      .map(([, variable = ""]) => variable)
      .filter((variable) => ours.test(variable) || toolsetVariables.includes(variable))
  )
  const unset = yield* Effect.filter([...names], (variable) =>
    Effect.map(environment([variable]), (setting) => setting === undefined)
  )
  return unset.length === 0
    ? undefined
    : yield* new ConfigurationError({
        message: `${name} only defines one instance, and may not set ${unset.join(", ")}: set that in the environment`
      })
})

/** A variable in a line of `.env`. */
const variableIn = /^[ \t]*(?:export[ \t]+)?(\w{1,120})[ \t]*[=:]/gm

/** Those that count in the environment alone. */
const ours = /^(?:(?:WORKFLOW_TOOL_SERVER|ENGINE_HOST|ENGINE_API_KEY)_\w{1,100}|MCP_AUTH_TOKEN(?:_FILE)?)$/

/** The settings of an empty file, without the schema of files, which takes most starts longer than all of the rest. */
const withoutFile = (engine: Settings["engine"]): Settings => ({
  engine,
  http: { allowedHosts: [], allowedOrigins: [] },
  readOnly: false,
  toolsets: [],
  warnings: []
})

/** Comments and trailing commas are allowed. Errors name the line and column. */
export const parseFile = Effect.fnUntraced(function* ({ name, text }: SourceFile) {
  return yield* Effect.fromResult(
    Result.mapError(parseJson(text), (problem) => new ConfigurationError({ message: `${name}: ${problem}` }))
  )
})
