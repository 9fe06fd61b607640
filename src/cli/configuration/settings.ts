import type { Redacted } from "effect"

import type { PlanSettings, PromotionSettings } from "../../engine/changes/settings.ts"
import type { EngineConfig } from "../../engine/config/EngineConfig.ts"
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

export const defaultPrefix = "workflow-tool-server"
