import { Effect, Predicate, Result } from "effect"

import { PlanFields, PromotionFields, unknownPlanFields } from "../../engine/changes/settings.ts"
import { unknownInstanceFields } from "../../engine/config/instance.ts"
import { fromFile, fromVariables } from "../../engine/config/instances.ts"
import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { decode, type UnknownField, unknownFields } from "../../internal/config/fields.ts"
import { inDotEnv, inEnvironment, orElse } from "../../internal/config/variables.ts"
import { parsePlainJson } from "./plainJson.ts"
import {
  AuditFields,
  canDoWithoutInstances,
  FileFields,
  HttpFields,
  OAuthFields,
  type Settings,
  SharedFields,
  type ToolsetName
} from "./settings.ts"

/** The contract's words for a start without any configuration. */
export const nothingConfigured = "Configuration file not found"

/** A file that was found, under the name by which messages call it. */
export interface SourceFile {
  readonly name: string
  readonly text: string
  /**
   * Whether it was asked for by name. One that only lies in the working folder may not decide where a key of the
   * environment goes.
   */
  readonly isTrusted?: boolean
}

/** What there is to read beside the process environment. `.env` counts only where there is no configuration file. */
export interface Sources {
  readonly configuration?: SourceFile
  readonly dotenv?: SourceFile
  /** Whether an engine is at hand, so that only what is in the file counts, and no instance need be there. */
  readonly isEmbedded?: boolean
  /** The sets of tools that are asked for before the file is read; they go before those of the file. */
  readonly toolsets?: ReadonlyArray<ToolsetName> | undefined
}

/**
 * All settings, from the given files and from the environment variables of the ambient `ConfigProvider`, which go
 * before them. The failure names the file, the field and what is expected, and never shows what was found.
 */
export const readSettings = Effect.fnUntraced(function* ({
  configuration,
  dotenv,
  isEmbedded = false,
  toolsets
}: Sources) {
  const needsInstances = (written: ReadonlyArray<ToolsetName>) =>
    !isEmbedded && !canDoWithoutInstances(toolsets ?? written)
  if (configuration !== undefined) return yield* readFile(configuration, needsInstances)
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

const readFile = Effect.fnUntraced(function* (
  file: SourceFile,
  needsInstances: (written: ReadonlyArray<ToolsetName>) => boolean
) {
  const at = (path: string) => (path === "" ? file.name : `${file.name}: ${path}`)
  const json = yield* parse(file)
  const unknown = allUnknownFields(json).map(({ meant, name }) => ({
    problem: `${at(name)} is not a known setting`,
    meant
  }))
  const [stray] = unknownPlanFields(fieldOf(json, "plans"), fieldOf(json, "promotion"))
  if (stray !== undefined) {
    const meant = stray.meant === undefined ? "" : `: did you mean ${stray.meant}?`
    return yield* new ConfigurationError({ message: `${at(stray.name)} is not a known setting${meant}` })
  }
  const mistyped = unknown.find(({ meant }) => meant !== undefined)
  if (mistyped !== undefined) {
    return yield* new ConfigurationError({ message: `${mistyped.problem}: did you mean ${mistyped.meant}?` })
  }
  const { audit, environments, defaultEnv, marketplace, plans, promotion, ...server } = yield* Effect.fromResult(
    decode(FileFields, json, at)
  )
  const recorded = audit === undefined ? undefined : yield* Effect.fromResult(readAudit(audit, at))
  const written = new Map(Object.entries(environments ?? {}))
  if (written.size === 0 && needsInstances(server.toolsets)) {
    return yield* new ConfigurationError({ message: `${at("environments")}: expected at least one instance` })
  }
  const settings: Settings = {
    engine:
      written.size === 0
        ? undefined
        : yield* fromFile(written, defaultEnv, yield* inEnvironment, at, {
            name: file.name,
            isTrusted: file.isTrusted ?? false
          }),
    server: recorded === undefined ? server : { ...server, audit: recorded },
    marketplace,
    ...(plans === undefined ? {} : { plans: yield* Effect.fromResult(decode(PlanFields, plans, within(at, "plans"))) }),
    ...(promotion === undefined
      ? {}
      : { promotion: yield* Effect.fromResult(decode(PromotionFields, promotion, within(at, "promotion"))) }),
    warnings: unknown.map(({ problem }) => `${problem} and has no effect`)
  }
  return settings
})

/** The settings of the audit log; a name alone is that of its file. */
const readAudit = (audit: unknown, at: (path: string) => string) =>
  decode(AuditFields, Predicate.isString(audit) ? { file: audit } : audit, within(at, "audit"))

/** Places inside of a field. */
const within = (at: (path: string) => string, field: string) => (path: string) =>
  at([field, path].filter((part) => part !== "").join("."))

/** Comments and commas behind the last field are welcome. What is wrong is named by its line and column. */
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

/** Fields that no setting has, under their paths. A misspelt one would leave open what it was meant to close. */
const allUnknownFields = (json: unknown): ReadonlyArray<UnknownField> => [
  ...unknownFields(FileFields, json),
  ...below("http", unknownFields(HttpFields, fieldOf(json, "http"))),
  ...below("http.oauth", unknownFields(OAuthFields, fieldOf(fieldOf(json, "http"), "oauth"))),
  ...below("shared", unknownFields(SharedFields, fieldOf(json, "shared"))),
  ...below("audit", unknownFields(AuditFields, fieldOf(json, "audit"))),
  ...Object.entries(Object(fieldOf(json, "environments"))).flatMap(([instance, fields]) =>
    below(`environments.${instance}`, unknownInstanceFields(fields))
  )
]

const fieldOf = (json: unknown, name: string): unknown => (Predicate.hasProperty(json, name) ? json[name] : undefined)

const below = (path: string, fields: ReadonlyArray<UnknownField>): ReadonlyArray<UnknownField> =>
  fields.map((field) => ({ ...field, name: `${path}.${field.name}` }))
