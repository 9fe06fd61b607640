import { Effect, type Redacted, Schema } from "effect"

import type { PlanSettings, PromotionSettings } from "../../engine/changes/settings.ts"
import type { EngineConfig } from "../../engine/config/EngineConfig.ts"
import { isLoopback } from "../../internal/config/baseUrl.ts"
import { matching, secret, text, texts, whole, yesOrNo } from "../../internal/config/fields.ts"
import type { TelemetrySettings } from "./telemetry.ts"

/** Sets of tools that can be offered; `engine` always is, where there is an instance. */
export const toolsets = ["engine", "operator", "marketplace"] as const
export type ToolsetName = (typeof toolsets)[number]

/** Whether there is work among these sets where no instance is configured. */
export const canDoWithoutInstances = (asked: ReadonlyArray<ToolsetName>): boolean => asked.includes("marketplace")

/** Settings of the server itself, as far as the configuration file holds them; the command line goes before them. */
export interface ServerSettings {
  readonly http: {
    readonly port?: number
    readonly host?: string
    readonly authToken?: Redacted.Redacted
    /** File that holds the token, where it is not written here. */
    readonly authTokenFile?: string
    /** Whose tokens are taken, beside that one. */
    readonly oauth?: OAuthSettings
    /** Names in `Host` that are served beside the loopback ones. */
    readonly allowedHosts: ReadonlyArray<string>
    /** Values of `Origin` that are served beside the loopback ones. */
    readonly allowedOrigins: ReadonlyArray<string>
    /** Whether a page for people is served at `/`; it is unless this says otherwise. */
    readonly page?: boolean
    /** Whether `GET /metrics` is served. */
    readonly metrics?: boolean
  }
  readonly readOnly: boolean
  readonly toolsets: ReadonlyArray<ToolsetName>
  /** Largest answer of a tool in bytes. */
  readonly answerLimit?: number
  readonly audit?: AuditSettings
  /** What several servers share. */
  readonly shared?: SharedSettings
  /** Folder of the repository that keeps what workflows were. */
  readonly history?: string
  /** Where telemetry goes; the variables of OpenTelemetry go before it. */
  readonly telemetry?: TelemetrySettings
  /** Folder of recorded tests. */
  readonly tests?: string
  /** Where node types come from that an engine does not tell; nowhere by itself where it is left out. */
  readonly nodeTypes?: "off" | "fetch" | { readonly folder: string }
}

/** Where several servers of the same instances agree on plans, locks and limits. */
export interface SharedSettings {
  /** URL of the Redis, which may hold a password. */
  readonly redis: Redacted.Redacted
  /** What the names of all keys there begin with. */
  readonly prefix: string
}

/** Which authorization server issues the tokens of callers, and what these must say. */
export interface OAuthSettings {
  /** As tokens name it in `iss`. */
  readonly issuer: string
  /** The URL of `/mcp` as clients write it; tokens name it in `aud`. */
  readonly resource: string
  /** What `aud` has to hold instead, for issuers that have names of their own. */
  readonly audience?: string
  /** Where the keys of the issuer are; by default as its metadata says. */
  readonly jwksUri?: string
  readonly readScope: string
  readonly writeScope: string
}

/** Where calls that may change something are recorded, and how much of that is kept. */
export interface AuditSettings {
  readonly file: string
  /** Size at which a new file is begun. */
  readonly maxBytes: number
  /** How many former files are kept. */
  readonly keep: number
}

/** Everything that the configuration files and variables say, checked. */
export interface Settings {
  /** Nothing where no instance is configured and none was asked for. */
  readonly engine: EngineConfig["Service"] | undefined
  readonly server: ServerSettings
  /** What the marketplace half reads by itself. */
  readonly marketplace: unknown
  readonly plans?: PlanSettings
  readonly promotion?: PromotionSettings
  /** What is probably a mistake but does no harm, in plain words. */
  readonly warnings: ReadonlyArray<string>
}

const scope = (otherwise: string) =>
  matching(/^[\x21\x23-\x5b\x5d-\x7e]+$/, "one scope as issuers write it").pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(otherwise))
  )

/** An address that is only asked over a connection that nobody can change on its way. */
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

/** Whose tokens are taken. */
export const OAuthFields = Schema.Struct({
  issuer: safeUrl(issuerUrl).pipe(Schema.annotateKey({ messageMissingKey: `${issuerUrl}, and there is none` })),
  resource: safeUrl(resourceUrl).pipe(Schema.annotateKey({ messageMissingKey: `${resourceUrl}, and there is none` })),
  audience: Schema.optionalKey(text("what tokens name as their audience")),
  jwksUri: Schema.optionalKey(safeUrl("the URL of the issuer's keys, which begins with https://")),
  readScope: scope("workflows:read"),
  writeScope: scope("workflows:write")
}).annotate({ message: "an object with issuer and resource" })

export const defaultPrefix = "workflow-tool-server"

/** How the server itself listens over HTTP. */
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

/** Where and how long calls that may change something are recorded. */
export const AuditFields = Schema.Struct({
  file: text("the name of the audit log's file").pipe(
    Schema.annotateKey({ messageMissingKey: "the name of the audit log's file, and there is none" })
  ),
  maxBytes: whole(1000, 10_000_000_000, "a whole number of bytes from 1000").pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(10_000_000))
  ),
  keep: whole(0, 1000, "a whole number from 0 to 1000").pipe(Schema.withDecodingDefaultKey(Effect.succeed(5)))
}).annotate({ message: "the name of a file, or an object with file, maxBytes and keep" })

const whereFrom = '"off", "fetch" or {"folder": the name of a folder with the packages of an engine}'

/** Where node types come from that an engine does not tell. */
const NodeTypesField = Schema.Union([
  Schema.Literals(["off", "fetch"]).annotate({ message: whereFrom }),
  Schema.Struct({
    folder: text(whereFrom).pipe(Schema.annotateKey({ messageMissingKey: whereFrom }))
  }).annotate({ message: whereFrom })
]).annotate({ message: whereFrom })

const redisUrl = "the URL of a Redis, which begins with redis:// or rediss://"

/** Where several servers agree. */
export const SharedFields = Schema.Struct({
  redis: Schema.RedactedFromValue(matching(/^rediss?:\/\/\S+$/, redisUrl)).pipe(
    Schema.annotateKey({ messageMissingKey: `${redisUrl}, and there is none` })
  ),
  prefix: matching(/^[\w:.-]{1,100}$/, "letters, digits and : . - _").pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(defaultPrefix))
  )
}).annotate({ message: "an object with redis" })

/** The configuration file around its instances, which are read one by one. */
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
  marketplace: Schema.optionalKey(Schema.Unknown),
  plans: Schema.optionalKey(Schema.Unknown),
  promotion: Schema.optionalKey(Schema.Unknown)
}).annotate({ message: "an object with environments and defaultEnv" })
