import { Effect, Schema } from "effect"

import type { EngineConfig } from "../../engine/client/config/EngineConfig.ts"
import type { PlanSettings, PromotionSettings } from "../../engine/plans/settings.ts"
import { isLoopback } from "../../internal/config/baseUrl.ts"
import { matching, secret, text, texts, whole, yesOrNo } from "../../internal/config/fields.ts"
import type { TelemetrySettings } from "./telemetry.ts"
import { sections, toolsets } from "./toolsetFacts.ts"

const scope = (otherwise: string) =>
  matching(/^[\x21\x23-\x5b\x5d-\x7e]+$/, "one scope as issuers write it").pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(otherwise))
  )

/** An address that is only used over a connection that nobody can tamper with. */
const safeUrl = (what: string) =>
  text(what).check(
    Schema.makeFilter((written) => {
      if (!URL.canParse(written)) return what
      const { hash, hostname, password, protocol, search, username } = new URL(written)
      const isPlain = [hash, password, search, username].every((part) => part === "")
      return isPlain && (protocol === "https:" || (protocol === "http:" && isLoopback(hostname))) ? undefined : what
    })
  )

const issuerUrl = "the URL of the issuer of tokens, which begins with https://"
const resourceUrl = "the URL of /mcp as clients write it, which begins with https://"

/** The issuer whose tokens are accepted. */
export const OAuthFields = Schema.Struct({
  issuer: safeUrl(issuerUrl).pipe(Schema.annotateKey({ messageMissingKey: `${issuerUrl}, and there is none` })),
  resource: safeUrl(resourceUrl).pipe(Schema.annotateKey({ messageMissingKey: `${resourceUrl}, and there is none` })),
  audience: Schema.optionalKey(text("what tokens name as their audience")),
  jwksUri: Schema.optionalKey(safeUrl("the URL of the issuer's keys, which begins with https://")),
  readScope: scope("workflows:read"),
  writeScope: scope("workflows:write")
}).annotate({ message: "an object with issuer and resource" })
export type OAuthSettings = typeof OAuthFields.Type

/** The HTTP server itself. */
export const HttpFields = Schema.Struct({
  port: Schema.optionalKey(whole(0, 65535, "a port number from 0 to 65535")),
  host: Schema.optionalKey(text("the address to listen on as text")),
  authToken: Schema.optionalKey(secret("the token that callers must send")),
  authTokenFile: Schema.optionalKey(text("the name of a file with that token")),
  oauth: Schema.optionalKey(OAuthFields),
  allowedHosts: texts("a list of host names").pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  allowedOrigins: texts("a list of origins").pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  page: Schema.optionalKey(Schema.Boolean.annotate({ message: "true or false" })),
  metrics: Schema.optionalKey(Schema.Boolean.annotate({ message: "true or false" }))
}).annotate({ message: "an object" })

/** Where, and for how long, calls that may change something are recorded. */
export const AuditFields = Schema.Struct({
  file: text("the name of the audit log's file").pipe(
    Schema.annotateKey({ messageMissingKey: "the name of the audit log's file, and there is none" })
  ),
  maxBytes: whole(1000, 10_000_000_000, "a whole number of bytes from 1000").pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(10_000_000))
  ),
  keep: whole(0, 1000, "a whole number from 0 to 1000").pipe(Schema.withDecodingDefaultKey(Effect.succeed(5)))
}).annotate({ message: "the name of a file, or an object with file, maxBytes and keep" })
export type AuditSettings = typeof AuditFields.Type

const whereFrom = '"off", "fetch" or {"folder": the name of a folder with the packages of an engine}'

/** Where to get node types that an engine does not provide. */
const NodeTypesField = Schema.Union([
  Schema.Literals(["off", "fetch"]).annotate({ message: whereFrom }),
  Schema.Struct({
    folder: text(whereFrom).pipe(Schema.annotateKey({ messageMissingKey: whereFrom }))
  }).annotate({ message: whereFrom })
]).annotate({ message: whereFrom })

export const defaultPrefix = "workflow-tool-server"

const redisUrl = "the URL of a Redis, which begins with redis:// or rediss://"

/** What several servers share. */
export const SharedFields = Schema.Struct({
  redis: Schema.RedactedFromValue(matching(/^rediss?:\/\/\S+$/, redisUrl)).pipe(
    Schema.annotateKey({ messageMissingKey: `${redisUrl}, and there is none` })
  ),
  prefix: matching(/^[\w:.-]{1,100}$/, "letters, digits and : . - _").pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(defaultPrefix))
  )
}).annotate({ message: "an object with redis" })
export type SharedSettings = typeof SharedFields.Type

/** The configuration file without its instances, which are read one by one. */
export const FileFields = Schema.Struct({
  environments: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Unknown).annotate({
      message: "an object from instance names to their settings"
    })
  ),
  defaultEnv: Schema.optionalKey(text("the name of an instance as text")),
  http: HttpFields.pipe(Schema.withDecodingDefaultKey(Effect.succeed({}))),
  readOnly: yesOrNo,
  toolsets: Schema.Array(Schema.Literals(toolsets).annotate({ message: `one of ${toolsets.join(", ")}` }))
    .annotate({ message: "a list of toolset names" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  answerLimit: Schema.optionalKey(whole(1000, 1_000_000_000, "a whole number of bytes from 1000")),
  audit: Schema.optionalKey(Schema.Unknown),
  history: Schema.optionalKey(text("the name of a folder")),
  shared: Schema.optionalKey(SharedFields),
  telemetry: Schema.optionalKey(Schema.Unknown),
  tests: Schema.optionalKey(text("the name of a folder")),
  nodeTypes: Schema.optionalKey(NodeTypesField),
  ...sections,
  plans: Schema.optionalKey(Schema.Unknown),
  promotion: Schema.optionalKey(Schema.Unknown)
}).annotate({ message: "an object with environments and defaultEnv" })

/** What other schemas read of the file, by the fields that hold it. */
interface ReadApart {
  readonly audit?: AuditSettings
  readonly telemetry?: TelemetrySettings
  readonly plans?: PlanSettings
  readonly promotion?: PromotionSettings
}

/** The validated content of the configuration files and variables. */
export interface Settings
  extends Omit<typeof FileFields.Type, keyof ReadApart | "defaultEnv" | "environments">, ReadApart {
  /** Undefined if no instance is configured and none was required. */
  readonly engine: EngineConfig["Service"] | undefined
  /** Probable mistakes that do no harm, in words for a person. */
  readonly warnings: ReadonlyArray<string>
}
