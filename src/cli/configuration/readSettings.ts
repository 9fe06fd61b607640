import { Effect, Predicate, Result } from "effect"

import { unknownInstanceFields } from "../../engine/config/instance.ts"
import { fromVariables } from "../../engine/config/instances.ts"
import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { inDotEnv, inEnvironment, orElse } from "../../internal/config/variables.ts"
import { parsePlainJson } from "./plainJson.ts"
import { canDoWithoutInstances, type Settings, type ToolsetName, toolsets as known } from "./settings.ts"
import { instancesIn, type SourceFile } from "./SourceFile.ts"

/** The contract's message for a start without any configuration. */
export const nothingConfigured = "Configuration file not found"

/** What to read besides the process environment. `.env` counts only if there is no configuration file. */
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
    !isEmbedded && !canDoWithoutInstances(toolsets ?? written)
  if (configuration !== undefined) {
    const json = yield* parse(configuration)
    const plain = plainSettings(json)
    if (plain !== undefined) {
      const engine = yield* instancesIn(configuration, plain.environments, plain.defaultEnv)
      return { ...withoutFile(engine), server: { ...withoutFile(engine).server, toolsets: plain.toolsets } }
    }
    const { readFile } = yield* Effect.promise(() => import("./readFile.ts"))
    return yield* readFile(configuration, json, needsInstances)
  }
  if (isEmbedded) return withoutFile(undefined)

  const environment = yield* inEnvironment
  const lookup = dotenv === undefined ? environment : orElse(environment, inDotEnv(dotenv))
  const engine = yield* fromVariables(lookup, (field) => (dotenv === undefined ? field : `${dotenv.name}: ${field}`))
  if (engine === undefined && needsInstances([])) return yield* new ConfigurationError({ message: nothingConfigured })
  return withoutFile(engine)
})

const withoutFile = (engine: Settings["engine"]): Settings => ({
  engine,
  server: { http: { allowedHosts: [], allowedOrigins: [] }, readOnly: false, toolsets: [] },
  marketplace: undefined,
  warnings: []
})

interface PlainSettings {
  readonly environments: Readonly<Record<string, unknown>>
  readonly defaultEnv?: string
  readonly toolsets: ReadonlyArray<ToolsetName>
}

/**
 * The content of a file with only instances and toolsets, for which the code for all settings, and for all their errors, need
 * not be loaded. Undefined for any other file.
 */
const plainSettings = (json: unknown): PlainSettings | undefined => {
  if (!Predicate.isObject(json)) return undefined
  const { defaultEnv, environments, toolsets = [], ...others }: Partial<Record<string, unknown>> = { ...json }
  const isPlain =
    Object.keys(others).length === 0 &&
    Predicate.isObject(environments) &&
    Object.keys(environments).length > 0 &&
    Object.values(environments).every((fields) => unknownInstanceFields(fields).length === 0) &&
    Array.isArray(toolsets) &&
    toolsets.every(isToolset)
  if (!isPlain || !(defaultEnv === undefined || (Predicate.isString(defaultEnv) && /\S/.test(defaultEnv))))
    return undefined
  return { environments: { ...environments }, toolsets, ...(defaultEnv === undefined ? {} : { defaultEnv }) }
}

const isToolset = (name: unknown): name is ToolsetName => known.some((one) => one === name)

/** Comments and trailing commas are allowed. Errors name the line and column. */
const parse = Effect.fnUntraced(function* ({ name, text }: SourceFile) {
  const written = text.replace(/^\uFEFF/, "")
  const plain = parsePlainJson(written)
  if (plain !== undefined) return plain
  const { parseJson } = yield* Effect.promise(() => import("./json.ts"))
  return yield* Effect.fromResult(
    Result.mapError(
      parseJson(written),
      ({ column, line, problem }) =>
        new ConfigurationError({ message: `${name}: line ${line}, column ${column}: ${problem}` })
    )
  )
})
