import { Effect, type Redacted, Schema } from "effect"

import type { PlanSettings, PromotionSettings } from "../engine/changes/settings.ts"
import type { EngineConfig } from "../engine/config/EngineConfig.ts"
import { secret, text, texts, whole, yesOrNo } from "../internal/config/fields.ts"

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
    /** Names in `Host` that are served beside the loopback ones. */
    readonly allowedHosts: ReadonlyArray<string>
    /** Values of `Origin` that are served beside the loopback ones. */
    readonly allowedOrigins: ReadonlyArray<string>
  }
  readonly readOnly: boolean
  readonly toolsets: ReadonlyArray<ToolsetName>
  /** Largest answer of a tool in bytes. */
  readonly answerLimit?: number
  readonly audit?: AuditSettings
  /** Folder of the repository that keeps what workflows were. */
  readonly history?: string
  /** Where node types come from that an engine does not tell; nowhere by itself where it is left out. */
  readonly nodeTypes?: "off" | "fetch" | { readonly folder: string }
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

/** How the server itself listens over HTTP. */
export const HttpFields = Schema.Struct({
  port: Schema.optionalKey(whole(0, 65535, "a port number from 0 to 65535")),
  host: Schema.optionalKey(text("the address to listen on as text")),
  authToken: Schema.optionalKey(secret("the token that callers must send")),
  authTokenFile: Schema.optionalKey(text("the name of a file with that token")),
  allowedHosts: texts("a list of host names").pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  allowedOrigins: texts("a list of origins").pipe(Schema.withDecodingDefaultKey(Effect.succeed([])))
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
  nodeTypes: Schema.optionalKey(NodeTypesField),
  marketplace: Schema.optionalKey(Schema.Unknown),
  plans: Schema.optionalKey(Schema.Unknown),
  promotion: Schema.optionalKey(Schema.Unknown)
}).annotate({ message: "an object with environments and defaultEnv" })
