import { Redacted, Result } from "effect"

import { isLoopback } from "../config/baseUrl.ts"
import { ConfigurationError } from "../config/ConfigurationError.ts"
import type { EngineConfig } from "../config/EngineConfig.ts"
import type { Settings, Toolset } from "../config/Settings.ts"
import type { Options } from "./Invocation.ts"

/** Where and for whom to listen over HTTP. */
export interface HttpLaunch {
  readonly host: string
  readonly port: number
  readonly authToken: Redacted.Redacted | undefined
  readonly allowedHosts: ReadonlyArray<string>
  readonly allowedOrigins: ReadonlyArray<string>
}

/** What is to be started: the command line, the variables and the configuration in one. */
export interface Launch {
  /** The configured instances, of which there may be none; nothing where the embedded engine is served. */
  readonly engine: EngineConfig["Service"] | undefined
  readonly embedded: Options["embedded"]
  /** Nothing for stdio. */
  readonly http: HttpLaunch | undefined
  readonly readOnly: boolean
  readonly toolsets: ReadonlyArray<Toolset>
  readonly answerLimit: number | undefined
  /** The configuration file that was asked for by name. */
  readonly config: Options["config"]
  readonly marketplace: unknown
}

/** Settles who has the say: the command line before the configuration, except that both can forbid changes. */
export const settle = (options: Options, settings: Settings): Result.Result<Launch, ConfigurationError> => {
  const { server } = settings
  const readOnly = options.readOnly || server.readOnly
  const engine = options.embedded === undefined ? (settings.engine ?? noInstances) : undefined
  const toolsets: ReadonlyArray<Toolset> = ["engine", ...(options.toolsets ?? server.toolsets)]
  return Result.map(options.http ? settleHttp(options, server.http) : Result.succeed(undefined), (http) => ({
    engine: engine !== undefined && readOnly ? withoutChanges(engine) : engine,
    embedded: options.embedded,
    http,
    readOnly,
    toolsets: [...new Set(toolsets)],
    answerLimit: server.answerLimit,
    config: options.config,
    marketplace: settings.marketplace
  }))
}

const settleHttp = (
  options: Options,
  file: Settings["server"]["http"]
): Result.Result<HttpLaunch, ConfigurationError> => {
  const host = (options.host ?? file.host ?? "127.0.0.1").replace(/^\[(.*)\]$/, "$1")
  const authToken = options.authToken ?? options.authTokenOfFile ?? file.authToken
  if (!isLoopback(host) && authToken === undefined) {
    return Result.fail(
      new ConfigurationError({
        message: `--host ${host} opens the server to other machines: set a token for its callers in MCP_AUTH_TOKEN, or listen on 127.0.0.1`
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
    allowedHosts: [...file.allowedHosts, ...(isOneName && !isLoopback(host) ? [asInHostHeader] : [])],
    allowedOrigins: file.allowedOrigins
  })
}

/** Shorter tokens can be guessed by those who reach the port from elsewhere. */
const shortestToken = 16

const noInstances: EngineConfig["Service"] = { defaultEnv: "", environments: new Map() }

const withoutChanges = ({ defaultEnv, environments }: EngineConfig["Service"]): EngineConfig["Service"] => ({
  defaultEnv,
  environments: new Map([...environments].map(([name, environment]) => [name, { ...environment, readOnly: true }]))
})
