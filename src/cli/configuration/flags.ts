import { Data, Redacted, Result } from "effect"

import { type ToolsetName, toolsets } from "./settings.ts"

/** The command was called with arguments or variables that it cannot use. One line, exit code 2. */
export class UsageError extends Data.TaggedError("UsageError")<{ readonly message: string }> {}

/** One flag of the command, with the equivalent environment variable. */
export interface Flag<A = unknown> {
  /** The name of its value in the help; none for a boolean flag. */
  readonly value?: string
  /** Whether the value is optional; it can then only be given after an equals sign. */
  readonly optional?: boolean
  readonly variable: string
  readonly help: string
  /** Completes the sentence "expected …" if `parse` refuses the text. */
  readonly expected: string
  readonly parse: (text: string) => A | undefined
}

const yesOrNo = (text: string): boolean | undefined =>
  new Map([
    ["true", true],
    ["1", true],
    ["false", false],
    ["0", false]
  ]).get(text)

const onOrOff = (text: string): boolean | undefined =>
  new Map([
    ["on", true],
    ["off", false]
  ]).get(text)

const switchedBy = (variable: string, help: string): Flag<boolean> => ({
  variable,
  help,
  expected: "true or false",
  parse: yesOrNo
})

const notEmpty = (text: string) => (text === "" ? undefined : text)

const file = { value: "FILE", expected: "the name of a file", parse: notEmpty }

const logLevels = { debug: "Debug", info: "Info", warn: "Warn", error: "Error", none: "None" } as const

/** The embedded engine, in memory unless a file is given. */
interface EmbeddedOption {
  readonly wanted: { readonly file: string | undefined } | undefined
}

const embedded = (text: string): EmbeddedOption => {
  const said = text === "" ? true : yesOrNo(text)
  if (said === undefined) return { wanted: { file: text } }
  return { wanted: said ? { file: undefined } : undefined }
}

const toolsetNames = (text: string): ReadonlyArray<ToolsetName> | undefined => {
  const asked = text.split(",").map((name) => name.trim())
  const known = toolsets.filter((name) => asked.includes(name))
  return asked.every((name) => known.some((toolset) => toolset === name)) ? known : undefined
}

/** All flags by name, in the order of the help. Help, completions, the README's table and `Options` are derived from them. */
export const flags = {
  http: switchedBy("WORKFLOW_TOOL_SERVER_HTTP", "Serve JSON-RPC over HTTP instead of stdio"),
  port: {
    value: "PORT",
    variable: "WORKFLOW_TOOL_SERVER_PORT",
    help: "Port for HTTP (default 3456)",
    expected: "a port number from 0 to 65535",
    parse: (text: string) => (/^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined)
  },
  host: {
    value: "ADDRESS",
    variable: "WORKFLOW_TOOL_SERVER_HOST",
    help: "Address to listen on for HTTP (default 127.0.0.1); any but loopback needs a token",
    expected: "an address",
    parse: notEmpty
  },
  "auth-token": {
    value: "TOKEN",
    variable: "MCP_AUTH_TOKEN",
    help: "Bearer token that HTTP callers must send; better set as the variable",
    expected: "a token of printable ASCII characters",
    parse: (text: string) => (/^[\x21-\x7e]+$/.test(text) ? Redacted.make(text) : undefined)
  },
  "auth-token-file": {
    ...file,
    variable: "MCP_AUTH_TOKEN_FILE",
    help: "File that contains this token"
  },
  page: {
    value: "STATE",
    variable: "WORKFLOW_TOOL_SERVER_PAGE",
    help: "Page for people at / over HTTP: on (default) or off",
    expected: "on or off",
    parse: onOrOff
  },
  metrics: switchedBy("WORKFLOW_TOOL_SERVER_METRICS", "Serve GET /metrics for Prometheus, behind the same token"),
  config: {
    ...file,
    variable: "WORKFLOW_TOOL_SERVER_CONFIG",
    help: "Configuration file (default .config.json in the working directory)"
  },
  embedded: {
    value: "FILE",
    optional: true,
    variable: "WORKFLOW_TOOL_SERVER_EMBEDDED",
    help: "Use an engine inside this process, kept in memory or in FILE (--embedded=FILE)",
    expected: "nothing, or the name of a file",
    parse: embedded
  },
  "read-only": switchedBy("WORKFLOW_TOOL_SERVER_READ_ONLY", "Refuse every change on every instance"),
  toolsets: {
    value: "NAMES",
    variable: "WORKFLOW_TOOL_SERVER_TOOLSETS",
    help: "Sets of tools to offer, comma-separated: engine (always), operator, marketplace",
    expected: `names from ${toolsets.join(", ")}, with commas between`,
    parse: toolsetNames
  },
  audit: {
    ...file,
    variable: "WORKFLOW_TOOL_SERVER_AUDIT",
    help: "Record every call that may change something as a line of JSON in FILE"
  },
  history: {
    value: "DIR",
    variable: "WORKFLOW_TOOL_SERVER_HISTORY",
    help: "Keep the history of workflows in a git repository in DIR",
    expected: "the name of a folder",
    parse: notEmpty
  },
  redis: {
    value: "URL",
    variable: "WORKFLOW_TOOL_SERVER_REDIS",
    help: "Redis in which several servers share plans, locks and limits; better set as the variable",
    expected: "the URL of a Redis, which begins with redis:// or rediss://",
    parse: (text: string) => (/^rediss?:\/\/\S+$/.test(text) ? Redacted.make(text) : undefined)
  },
  tests: {
    value: "DIR",
    variable: "WORKFLOW_TOOL_SERVER_TESTS",
    help: "Keep recorded tests of workflows in DIR",
    expected: "the name of a folder",
    parse: notEmpty
  },
  "log-level": {
    value: "LEVEL",
    variable: "WORKFLOW_TOOL_SERVER_LOG_LEVEL",
    help: "Least important messages on stderr: debug, info, warn (default), error, none",
    expected: `one of ${Object.keys(logLevels).join(", ")}`,
    parse: (text: string) => Object.entries(logLevels).find(([name]) => name === text.toLowerCase())?.[1]
  }
} as const satisfies Readonly<Record<string, Flag>>

export type FlagName = keyof typeof flags

export const flagNames = Object.keys(flags).filter((name): name is FlagName => Object.hasOwn(flags, name))

/** The flag itself, for code that treats all alike. */
export const flag = (name: FlagName): Flag => flags[name]

/** A flag as written in the help and the README, such as `--port PORT`. */
export const spelling = (name: FlagName): string => {
  const { optional = false, value } = flag(name)
  if (value === undefined) return `--${name}`
  return optional ? `--${name}[=${value}]` : `--${name} ${value}`
}

/** The values of flags and variables; what they omit is left to the configuration. */
export interface Options {
  readonly http: boolean
  readonly port: number | undefined
  readonly host: string | undefined
  readonly authToken: Redacted.Redacted | undefined
  /** A file with the token, and the token once it has been read. */
  readonly authTokenFile: string | undefined
  readonly authTokenOfFile?: Redacted.Redacted
  readonly page: boolean | undefined
  readonly metrics: boolean | undefined
  readonly config: string | undefined
  /** Present for the embedded engine; without a file it is in memory. */
  readonly embedded: EmbeddedOption["wanted"]
  readonly readOnly: boolean
  readonly toolsets: ReadonlyArray<ToolsetName> | undefined
  readonly audit: string | undefined
  readonly history: string | undefined
  readonly redis: Redacted.Redacted | undefined
  readonly tests: string | undefined
  readonly logLevel: (typeof logLevels)[keyof typeof logLevels]
}

/** Texts of flags. */
export type FlagTexts = Readonly<Partial<Record<FlagName, string | undefined>>>

/** All options from the texts of flags and from environment variables; flags take precedence. */
export const readOptions = (
  texts: FlagTexts,
  environment: Readonly<Record<string, string | undefined>>
): Result.Result<Options, UsageError> => {
  const option = <A>(name: FlagName, { expected, parse, variable }: Flag<A>) => {
    const fromFlag = texts[name]
    const text = fromFlag ?? (environment[variable]?.trim() || undefined)
    const value = text === undefined ? undefined : parse(text)
    return text !== undefined && value === undefined
      ? Result.fail(
          new UsageError({ message: `${fromFlag === undefined ? variable : `--${name}`}: expected ${expected}` })
        )
      : Result.succeed(value)
  }
  return Result.gen(function* () {
    return {
      http: (yield* option("http", flags.http)) ?? false,
      port: yield* option("port", flags.port),
      host: yield* option("host", flags.host),
      authToken: yield* option("auth-token", flags["auth-token"]),
      authTokenFile: yield* option("auth-token-file", flags["auth-token-file"]),
      page: yield* option("page", flags.page),
      metrics: yield* option("metrics", flags.metrics),
      config: yield* option("config", flags.config),
      embedded: (yield* option("embedded", flags.embedded))?.wanted,
      readOnly: (yield* option("read-only", flags["read-only"])) ?? false,
      toolsets: yield* option("toolsets", flags.toolsets),
      audit: yield* option("audit", flags.audit),
      history: yield* option("history", flags.history),
      redis: yield* option("redis", flags.redis),
      tests: yield* option("tests", flags.tests),
      logLevel: (yield* option("log-level", flags["log-level"])) ?? "Warn"
    }
  })
}
