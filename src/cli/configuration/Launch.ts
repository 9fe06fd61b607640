import path from "node:path"

import { Redacted, Result } from "effect"

import type { EngineConfig } from "../../engine/client/config/EngineConfig.ts"
import { isLoopback } from "../../internal/config/baseUrl.ts"
import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import type { Selection } from "../../mcp/selection.ts"
import { type AuditSettings, defaultPrefix, type Settings } from "./fileFields.ts"
import type { Options } from "./flags.ts"
import { selectionOf, toolsetsOf } from "./profiles.ts"
import type { ToolsetName } from "./toolsetFacts.ts"

/** Address and access control of the HTTP server. */
export interface HttpLaunch extends Required<Omit<Settings["http"], "authToken" | "authTokenFile" | "oauth" | "page">> {
  readonly authToken: Redacted.Redacted | undefined
  /** The issuer whose tokens are accepted besides that one. */
  readonly oauth: Settings["http"]["oauth"]
}

/** A folder; its path is relative to the configuration, or to the working folder. */
interface Folder {
  readonly directory: string
  readonly besideConfiguration: boolean
}

/** The server to start: the configuration, with what the command line and the variables say about it. */
export interface Launch
  extends
    Omit<Settings, "audit" | "engine" | "history" | "http" | "tests" | "tools" | "warnings">,
    Pick<Options, "config" | "embedded"> {
  /** The configured instances, perhaps none; undefined for the embedded engine. */
  readonly engine: EngineConfig["Service"] | undefined
  /** Undefined for stdio. */
  readonly http: HttpLaunch | undefined
  /** Whether the page is served: over HTTP all of it, over stdio the forms for secrets while one is open. */
  readonly page: boolean
  /** Undefined if calls are not recorded. The path is relative as those of folders are. */
  readonly audit?: (AuditSettings & Pick<Folder, "besideConfiguration">) | undefined
  /** Undefined if no history of workflows is kept. */
  readonly history?: Folder | undefined
  /** Undefined if no tests are kept. */
  readonly tests?: Folder | undefined
  /** Undefined if all tools are offered. */
  readonly selection?: Selection | undefined
}

/** The command line takes precedence over the configuration, except that both can forbid changes. */
export const resolve = (
  options: Options,
  settings: Settings,
  /** The token in the file that `--auth-token-file` or `http.authTokenFile` names. */
  tokenOfFile?: Redacted.Redacted
): Result.Result<Launch, ConfigurationError> => {
  const { config, embedded, redis } = options
  const {
    audit,
    engine: configured = noInstances,
    history,
    http: inFile,
    tests,
    tools: written,
    warnings: _,
    ...others
  } = settings
  const { nodeTypes, shared } = others
  const readOnly = options["read-only"] || others.readOnly
  const engine = embedded === undefined ? configured : undefined
  const tools = options.tools ?? written
  const ofProfiles = toolsetsOf([...(tools ?? []), ...Object.values(inFile.oauth?.tools ?? {}).flat()])
  const toolsets: ReadonlyArray<ToolsetName> = ["engine", ...(options.toolsets ?? others.toolsets), ...ofProfiles]
  const http = options.http ? resolveHttp(options, inFile, tokenOfFile) : Result.succeed(undefined)
  return Result.map(http, (http) => ({
    ...others,
    config,
    embedded,
    engine: engine !== undefined && readOnly ? withoutChanges(engine) : engine,
    http,
    page: options.page ?? inFile.page ?? true,
    readOnly,
    toolsets: [...new Set(toolsets)],
    audit: resolveAudit(options.audit, audit),
    history: resolveFolder(options.history, history),
    tests: resolveFolder(options.tests, tests),
    selection: tools === undefined ? undefined : selectionOf(tools),
    ...(redis === undefined ? {} : { shared: { prefix: defaultPrefix, ...shared, redis } }),
    ...(nodeTypes === undefined ? {} : { nodeTypes: besideConfiguration(nodeTypes, config) })
  }))
}

const resolveAudit = (file: string | undefined, written: AuditSettings | undefined): Launch["audit"] => {
  if (file === undefined) return written === undefined ? undefined : { ...written, besideConfiguration: true }
  return { maxBytes: 10_000_000, keep: 5, ...written, file, besideConfiguration: false }
}

/** Resolves a folder relative to the configuration. */
const besideConfiguration = (given: NonNullable<Launch["nodeTypes"]>, config = ""): NonNullable<Launch["nodeTypes"]> =>
  typeof given === "string" ? given : { folder: path.resolve(path.dirname(config), given.folder) }

const resolveFolder = (directory: string | undefined, written: string | undefined): Folder | undefined => {
  if (directory !== undefined) return { directory, besideConfiguration: false }
  return written === undefined ? undefined : { directory: written, besideConfiguration: true }
}

const resolveHttp = (
  options: Options,
  file: Settings["http"],
  tokenOfFile: Redacted.Redacted | undefined
): Result.Result<HttpLaunch, ConfigurationError> => {
  const host = (options.host ?? file.host ?? "127.0.0.1").replace(/^\[(.*)\]$/, "$1")
  const authToken = options["auth-token"] ?? tokenOfFile ?? file.authToken
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
  const clientSecret = options["oauth-client-secret"]
  const isOneName = !["0.0.0.0", "::"].includes(host)
  const asInHostHeader = host.includes(":") ? `[${host}]` : host
  return Result.succeed({
    host,
    port: options.port ?? file.port ?? 3456,
    authToken,
    oauth: file.oauth && { ...file.oauth, ...(clientSecret === undefined ? {} : { clientSecret }) },
    allowedHosts: [
      ...file.allowedHosts,
      ...(isOneName && !isLoopback(host) ? [asInHostHeader] : []),
      ...(file.oauth === undefined ? [] : [new URL(file.oauth.resource).hostname])
    ],
    allowedOrigins: file.allowedOrigins,
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
