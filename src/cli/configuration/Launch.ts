import path from "node:path"

import { Redacted, Result } from "effect"

import type { EngineConfig } from "../../engine/client/config/EngineConfig.ts"
import { isLoopback } from "../../internal/config/baseUrl.ts"
import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import type { Options } from "./flags.ts"
import {
  type AuditSettings,
  defaultPrefix,
  type OAuthSettings,
  type Settings,
  type SharedSettings,
  type ToolsetName
} from "./settings.ts"

/** Address and access control of the HTTP server. */
export interface HttpLaunch {
  readonly host: string
  readonly port: number
  readonly authToken: Redacted.Redacted | undefined
  /** The issuer whose tokens are accepted besides that one. */
  readonly oauth: OAuthSettings | undefined
  readonly allowedHosts: ReadonlyArray<string>
  readonly allowedOrigins: ReadonlyArray<string>
  /** Whether the page for people is served, too. */
  readonly page: boolean
  /** Whether `GET /metrics` is served. */
  readonly metrics: boolean
}

/** What to start, from the command line, the variables and the configuration. */
export interface Launch {
  /** The configured instances, perhaps none; undefined for the embedded engine. */
  readonly engine: EngineConfig["Service"] | undefined
  readonly embedded: Options["embedded"]
  /** Undefined for stdio. */
  readonly http: HttpLaunch | undefined
  readonly readOnly: boolean
  readonly toolsets: ReadonlyArray<ToolsetName>
  readonly answerLimit: number | undefined
  /** Undefined if calls are not recorded. The path is relative to the configuration, or to the working folder. */
  readonly audit?: (AuditSettings & { readonly besideConfiguration: boolean }) | undefined
  /** Undefined if this server shares nothing. */
  readonly shared?: SharedSettings | undefined
  /** Telemetry settings of the configuration; undefined if there are none. */
  readonly telemetry?: Settings["server"]["telemetry"]
  /** Undefined if no history of workflows is kept. The path is relative as that of the audit log. */
  readonly history?: { readonly directory: string; readonly besideConfiguration: boolean } | undefined
  /** Undefined if no tests are kept. The path is relative as that of the audit log. */
  readonly tests?: { readonly directory: string; readonly besideConfiguration: boolean } | undefined
  /** Where to get node types that an engine does not provide; a folder is relative to the working folder. */
  readonly nodeTypes?: Settings["server"]["nodeTypes"]
  /** The configuration file, if one was requested explicitly. */
  readonly config: Options["config"]
  readonly marketplace: unknown
  /** Undefined if the configuration does not say. */
  readonly plans?: Settings["plans"]
  readonly promotion?: Settings["promotion"]
}

/** The command line takes precedence over the configuration, except that both can forbid changes. */
export const resolve = (options: Options, settings: Settings): Result.Result<Launch, ConfigurationError> => {
  const { server } = settings
  const readOnly = options.readOnly || server.readOnly
  const engine = options.embedded === undefined ? (settings.engine ?? noInstances) : undefined
  const toolsets: ReadonlyArray<ToolsetName> = ["engine", ...(options.toolsets ?? server.toolsets)]
  return Result.map(options.http ? resolveHttp(options, server.http) : Result.succeed(undefined), (http) => ({
    engine: engine !== undefined && readOnly ? withoutChanges(engine) : engine,
    embedded: options.embedded,
    http,
    readOnly,
    toolsets: [...new Set(toolsets)],
    answerLimit: server.answerLimit,
    audit: resolveAudit(options.audit, server.audit),
    shared:
      options.redis === undefined ? server.shared : { prefix: defaultPrefix, ...server.shared, redis: options.redis },
    ...(server.telemetry === undefined ? {} : { telemetry: server.telemetry }),
    history: resolveFolder(options.history, server.history),
    tests: resolveFolder(options.tests, server.tests),
    ...(server.nodeTypes === undefined ? {} : { nodeTypes: besideConfiguration(server.nodeTypes, options.config) }),
    config: options.config,
    marketplace: settings.marketplace,
    ...(settings.plans === undefined ? {} : { plans: settings.plans }),
    ...(settings.promotion === undefined ? {} : { promotion: settings.promotion })
  }))
}

const resolveAudit = (file: string | undefined, written: AuditSettings | undefined): Launch["audit"] => {
  if (file === undefined) return written === undefined ? undefined : { ...written, besideConfiguration: true }
  return { maxBytes: 10_000_000, keep: 5, ...written, file, besideConfiguration: false }
}

/** Resolves a folder relative to the configuration. */
const besideConfiguration = (given: NonNullable<Launch["nodeTypes"]>, config = ""): NonNullable<Launch["nodeTypes"]> =>
  typeof given === "string" ? given : { folder: path.resolve(path.dirname(config), given.folder) }

const resolveFolder = (directory: string | undefined, written: string | undefined): Launch["history"] => {
  if (directory !== undefined) return { directory, besideConfiguration: false }
  return written === undefined ? undefined : { directory: written, besideConfiguration: true }
}

const resolveHttp = (
  options: Options,
  file: Settings["server"]["http"]
): Result.Result<HttpLaunch, ConfigurationError> => {
  const host = (options.host ?? file.host ?? "127.0.0.1").replace(/^\[(.*)\]$/, "$1")
  const authToken = options.authToken ?? options.authTokenOfFile ?? file.authToken
  if (!isLoopback(host) && authToken === undefined && file.oauth === undefined) {
    return Result.fail(
      new ConfigurationError({
        message: `--host ${host} opens the server to other machines: set a token for its callers in MCP_AUTH_TOKEN, name their issuer in http.oauth, or listen on 127.0.0.1`
      })
    )
  }
  if (!isLoopback(host) && authToken !== undefined && Redacted.value(authToken).length < shortestToken) {
    return Result.fail(
      new ConfigurationError({
        message: `--host ${host} opens the server to other machines: its token must have at least ${shortestToken} characters. Make one with: openssl rand -hex 32`
      })
    )
  }
  const isOneName = !["0.0.0.0", "::"].includes(host)
  const asInHostHeader = host.includes(":") ? `[${host}]` : host
  return Result.succeed({
    host,
    port: options.port ?? file.port ?? 3456,
    authToken,
    oauth: file.oauth,
    allowedHosts: [
      ...file.allowedHosts,
      ...(isOneName && !isLoopback(host) ? [asInHostHeader] : []),
      ...(file.oauth === undefined ? [] : [new URL(file.oauth.resource).hostname])
    ],
    allowedOrigins: file.allowedOrigins,
    page: options.page ?? file.page ?? true,
    metrics: options.metrics ?? file.metrics ?? false
  })
}

/** Shorter tokens could be guessed by anyone who reaches the port from elsewhere. */
const shortestToken = 16

const noInstances: EngineConfig["Service"] = { defaultEnv: "", environments: new Map() }

const withoutChanges = ({ defaultEnv, environments }: EngineConfig["Service"]): EngineConfig["Service"] => ({
  defaultEnv,
  environments: new Map([...environments].map(([name, environment]) => [name, { ...environment, readOnly: true }]))
})
