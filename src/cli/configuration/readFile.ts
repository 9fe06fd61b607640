import { Effect, Predicate } from "effect"

import { unknownInstanceFields } from "../../engine/client/config/instance.ts"
import { PlanFields, PromotionFields, unknownPlanFields } from "../../engine/plans/settings.ts"
import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { below, decode, fieldOf, type UnknownField, unknownFields } from "../../internal/config/fields.ts"
import {
  AuditFields,
  CredentialSourceFields,
  FileFields,
  HttpFields,
  OAuthFields,
  type Settings,
  SharedFields
} from "./fileFields.ts"
import { instancesIn, placeIn, type SourceFile } from "./SourceFile.ts"
import { type ToolsetName, usefulAlone } from "./toolsetFacts.ts"

/** All settings of a configuration file. */
export const readFile = Effect.fnUntraced(function* (
  file: SourceFile,
  json: unknown,
  needsInstances: (written: ReadonlyArray<ToolsetName>) => boolean
) {
  const at = placeIn(file)
  const telemetry = yield* readTelemetry(json, at)
  const watch = yield* readWatch(json, at)
  const unknown = [
    ...allUnknownFields(json),
    ...below("telemetry", telemetry?.unknown ?? []),
    ...below("watch", watch?.unknown ?? [])
  ].map(({ meant, name }) => ({
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
  const {
    audit,
    defaultEnv,
    environments = {},
    plans,
    promotion,
    telemetry: _telemetry,
    watch: _watch,
    ...others
  } = yield* Effect.fromResult(decode(FileFields, json, at))
  const recorded = audit === undefined ? undefined : yield* Effect.fromResult(readAudit(audit, at))
  const hasInstances = Object.keys(environments).length > 0
  if (!hasInstances && needsInstances(others.toolsets)) {
    const alone = [...usefulAlone].filter((name) => fieldOf(json, name) !== undefined)
    const ways = alone.map((name) => `, or "toolsets": ["${name}"] for the ${name} alone`)
    const message = `${at("environments")}: expected at least one instance${ways.join("")}`
    return yield* new ConfigurationError({ message })
  }
  const settings: Settings = {
    ...others,
    engine: hasInstances ? yield* instancesIn(file, environments, defaultEnv) : undefined,
    ...(recorded === undefined ? {} : { audit: recorded }),
    ...(telemetry === undefined ? {} : { telemetry: yield* Effect.fromResult(telemetry.settings) }),
    ...(watch === undefined ? {} : { watch: yield* Effect.fromResult(watch.settings) }),
    ...(plans === undefined ? {} : { plans: yield* Effect.fromResult(decode(PlanFields, plans, within(at, "plans"))) }),
    ...(promotion === undefined
      ? {}
      : { promotion: yield* Effect.fromResult(decode(PromotionFields, promotion, within(at, "promotion"))) }),
    warnings: unknown.map(({ problem }) => `${problem} and has no effect`)
  }
  return settings
})

/** The settings of the audit log; a string is the name of its file. */
const readAudit = (audit: unknown, at: (path: string) => string) =>
  decode(AuditFields, Predicate.isString(audit) ? { file: audit } : audit, within(at, "audit"))

/** The telemetry settings in the file; their schema is loaded only if there are any. */
const readTelemetry = (json: unknown, at: (path: string) => string) => {
  const given = fieldOf(json, "telemetry")
  return given === undefined
    ? Effect.undefined
    : Effect.map(
        Effect.promise(() => import("./telemetry.ts")),
        ({ readTelemetry }) => readTelemetry(given, within(at, "telemetry"))
      )
}

/** The settings of the watch, likewise. */
const readWatch = (json: unknown, at: (path: string) => string) => {
  const given = fieldOf(json, "watch")
  return given === undefined
    ? Effect.undefined
    : Effect.map(
        Effect.promise(() => import("./watchSettings.ts")),
        ({ readWatch }) => readWatch(given, within(at, "watch"))
      )
}

/** Paths inside a field. */
const within = (at: (path: string) => string, field: string) => (path: string) =>
  at([field, path].filter((part) => part !== "").join("."))

/** Fields that are not settings, by path. A misspelt one could leave open what it was meant to close. */
const allUnknownFields = (json: unknown): ReadonlyArray<UnknownField> => [
  ...unknownFields(FileFields, json),
  ...below("http", unknownFields(HttpFields, fieldOf(json, "http"))),
  ...below("http.oauth", unknownFields(OAuthFields, fieldOf(fieldOf(json, "http"), "oauth"))),
  ...below("shared", unknownFields(SharedFields, fieldOf(json, "shared"))),
  ...below("audit", unknownFields(AuditFields, fieldOf(json, "audit"))),
  ...Object.entries(Object(fieldOf(json, "credentialSources"))).flatMap(([name, source]) =>
    below(`credentialSources.${name}`, unknownFields(CredentialSourceFields, source))
  ),
  ...Object.entries(Object(fieldOf(json, "environments"))).flatMap(([instance, fields]) =>
    below(`environments.${instance}`, unknownInstanceFields(fields))
  )
]
