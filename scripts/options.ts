/** The options of the configuration file as a table: what each expects and is without being said comes from its schema. */
import { Result, Schema } from "effect"

import { AuditFields, FileFields, HttpFields, OAuthFields, SharedFields } from "../src/cli/configuration/fileFields.ts"
import { type FolderRule, folderRules } from "../src/cli/configuration/folderRules.ts"
import { TelemetryFields } from "../src/cli/configuration/telemetry.ts"
import { WatchFields } from "../src/cli/configuration/watchSettings.ts"
import { InstanceFields } from "../src/engine/client/config/instanceFields.ts"
import { instanceRules } from "../src/engine/client/config/instanceRules.ts"
import { GuardFields, KeepFields, MappingFields, PlanFields, PromotionFields } from "../src/engine/plans/settings.ts"
import { firstIssue } from "../src/internal/schema/describeIssue.ts"

type Fields = Readonly<Record<string, Schema.Codec<unknown, unknown>>>
const groups: ReadonlyArray<readonly [path: string, group: { readonly fields: Fields }]> = [
  ["", FileFields],
  ["environments.NAME.", InstanceFields],
  ["http.", HttpFields],
  ["http.oauth.", OAuthFields],
  ["audit.", AuditFields],
  ["shared.", SharedFields],
  ["telemetry.", TelemetryFields],
  ["watch.", WatchFields],
  ["plans.", PlanFields],
  ["plans.guards.", GuardFields],
  ["promotion.", PromotionFields],
  ["promotion.mappings[].", MappingFields],
  ["promotion.keep[].", KeepFields]
]

/** What a field is where nothing is said. */
const otherwise = (decode: (input: unknown) => Result.Result<object, unknown>): string => {
  const decoded = decode({})
  if (Result.isFailure(decoded)) return "required"
  const [value] = Object.values(decoded.success)
  if (typeof value === "object" || value === undefined) return ""
  return `\`${JSON.stringify(value)}\``
}

/** What a field wants, in the words of its own error. */
const expected = (decode: (input: unknown) => Result.Result<object, Schema.SchemaError>): string =>
  Result.match(decode({ field: () => {} }), { onFailure: (error) => firstIssue(error).words, onSuccess: () => "" })

const instanceField = "environments.NAME."
const always: ReadonlySet<string> = new Set(
  Object.entries(instanceRules).flatMap(([name, restricts]) => (restricts(undefined) ? [name] : []))
)

/** Whether an option counts in a file that merely lies in the working folder. */
const inFolder = (place: string): string => {
  if (place.startsWith(instanceField))
    return always.has(place.slice(instanceField.length)) ? "counts" : "beside its own key"
  const rule = place
    .split(".")
    .reduce<FolderRule>(
      (outer, name) => (typeof outer === "object" ? (outer[name] ?? "needs trust") : outer),
      folderRules
    )
  if (typeof rule === "object") return ""
  return typeof rule === "function" ? "up to the default" : rule
}

const rowsOf = ([path, { fields }]: (typeof groups)[number]) =>
  Object.entries(fields).map(([name, field]) => {
    const decode = Schema.decodeUnknownResult(Schema.Struct({ field }))
    const meaning = field.ast.context?.annotations?.description
    if (meaning === undefined) throw new Error(`${path}${name} does not say what it is for: give it its meaning`)
    return [`\`${path}${name}\``, meaning, expected(decode), otherwise(decode), inFolder(path + name)]
  })

/** Every option: its place, what it is for, what it expects, and what it is where nothing is said. */
export const optionRows = groups.flatMap(rowsOf)
