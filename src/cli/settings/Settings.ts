import type { Redacted } from "effect"

import type { EngineConfig } from "../../engine/config/EngineConfig.ts"

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
  /** What is probably a mistake but does no harm, in plain words. */
  readonly warnings: ReadonlyArray<string>
}
