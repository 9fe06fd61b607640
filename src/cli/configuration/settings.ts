import type { Redacted } from "effect"

import type { EngineConfig } from "../../engine/client/config/EngineConfig.ts"
import type { PlanSettings, PromotionSettings } from "../../engine/plans/settings.ts"
import type { TelemetrySettings } from "./telemetry.ts"

/** Toolsets that can be offered; `engine` always is, if there is an instance. */
export const toolsets = ["engine", "operator", "marketplace"] as const
export type ToolsetName = (typeof toolsets)[number]

/** Whether these toolsets are useful without a configured instance. */
export const canDoWithoutInstances = (asked: ReadonlyArray<ToolsetName>): boolean => asked.includes("marketplace")

/** Settings of the server itself in the configuration file; the command line takes precedence. */
export interface ServerSettings {
  readonly http: {
    readonly port?: number
    readonly host?: string
    readonly authToken?: Redacted.Redacted
    /** File with the token, if it is not in the configuration itself. */
    readonly authTokenFile?: string
    /** The issuer whose tokens are accepted, besides that token. */
    readonly oauth?: OAuthSettings
    /** Allowed values of `Host` besides the loopback names. */
    readonly allowedHosts: ReadonlyArray<string>
    /** Allowed values of `Origin` besides the loopback ones. */
    readonly allowedOrigins: ReadonlyArray<string>
    /** Whether the page for people is served at `/`. Default true. */
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
  /** Folder of the repository with the history of workflows. */
  readonly history?: string
  /** Where telemetry is sent; OpenTelemetry's variables take precedence. */
  readonly telemetry?: TelemetrySettings
  /** Folder of recorded tests. */
  readonly tests?: string
  /** Where to get node types that an engine does not provide; by default they are not fetched. */
  readonly nodeTypes?: "off" | "fetch" | { readonly folder: string }
}

/** How several servers of the same instances share plans, locks and limits. */
export interface SharedSettings {
  /** URL of the Redis, which may contain a password. */
  readonly redis: Redacted.Redacted
  /** Prefix of all keys there. */
  readonly prefix: string
}

/** The authorization server that issues the callers' tokens, and what these must contain. */
export interface OAuthSettings {
  /** The value of `iss` in its tokens. */
  readonly issuer: string
  /** The URL of `/mcp` as clients write it, which tokens have as `aud`. */
  readonly resource: string
  /** The required `aud` instead, for issuers with names of their own. */
  readonly audience?: string
  /** Where the issuer's keys are; by default according to its metadata. */
  readonly jwksUri?: string
  readonly readScope: string
  readonly writeScope: string
}

/** Where calls that may change something are recorded, and how much is kept. */
export interface AuditSettings {
  readonly file: string
  /** Size at which a new file is begun. */
  readonly maxBytes: number
  /** How many former files are kept. */
  readonly keep: number
}

/** The validated content of the configuration files and variables. */
export interface Settings {
  /** Undefined if no instance is configured and none was required. */
  readonly engine: EngineConfig["Service"] | undefined
  readonly server: ServerSettings
  /** The part that the marketplace reads by itself. */
  readonly marketplace: unknown
  readonly plans?: PlanSettings
  readonly promotion?: PromotionSettings
  /** Probable mistakes that do no harm, in words for a person. */
  readonly warnings: ReadonlyArray<string>
}

export const defaultPrefix = "workflow-tool-server"
