import { Data, Option, Redacted, Result, Struct } from "effect"

import { profileNames, toolName } from "./profiles.ts"
import { type ToolsetName, toolsets } from "./toolsetFacts.ts"

/** The command was called with arguments or variables that it cannot use. One line, exit code 2. */
export class UsageError extends Data.TaggedError("UsageError")<{ readonly message: string }> {}

/** One flag of the command, with the equivalent environment variable. */
export interface Flag<A = unknown> {
  /** The name of its value in the help; none for a boolean flag. */
  readonly value?: string
  /** Whether the value is optional; it can then only be given after an equals sign. */
  readonly optional?: boolean
  /** The only values that it takes, if they are few. */
  readonly choices?: ReadonlyArray<string>
  readonly variable: string
  readonly help: string
  /** Whether it is about how requests come in, which means nothing to a single call. */
  readonly isOfServing?: boolean
  /** Completes the sentence "expected …" if `parse` refuses the text. */
  readonly expected: string
  /** The value that the text stands for; none refuses it. */
  readonly parse: (text: string) => Option.Option<A>
  /** The value if neither the flag nor its variable is given; undefined leaves it to the configuration. */
  readonly otherwise?: A
}

const oneOf =
  <A>(values: Readonly<Record<string, A>>) =>
  (text: string) =>
    Option.fromUndefinedOr(new Map(Object.entries(values)).get(text))

const yesOrNo = oneOf({ true: true, 1: true, false: false, 0: false })

const switchedBy = (variable: string, help: string) => ({ variable, help, expected: "true or false", parse: yesOrNo })

const matching = (pattern: RegExp) => Option.liftPredicate((text: string) => pattern.test(text))

const notEmpty = Option.liftPredicate((text: string) => text !== "")

const file = { value: "FILE", expected: "the name of a file", parse: notEmpty }
const folder = { value: "DIR", expected: "the name of a folder", parse: notEmpty }

const logLevels = { debug: "Debug", info: "Info", warn: "Warn", error: "Error", none: "None" } as const

/** The engine inside this process. */
interface Embedded {
  /** The file that keeps it; in memory without one. */
  readonly file: string | undefined
  /** The folder of a demonstration, which has two engines. */
  readonly folder?: string
}

/** The embedded engine, in memory unless a file is given; undefined where it is refused. */
const embedded = (text: string): Option.Option<Embedded | undefined> =>
  Option.some(
    Option.match(text === "" ? Option.some(true) : yesOrNo(text), {
      onNone: () => ({ file: text }),
      onSome: (isWanted) => (isWanted ? { file: undefined } : undefined)
    })
  )

const toolsetNames = (text: string): Option.Option<ReadonlyArray<ToolsetName>> => {
  const names = text.split(",").map((name) => name.trim())
  const chosen = toolsets.filter((name) => names.includes(name))
  return names.every((name) => chosen.some((toolset) => toolset === name)) ? Option.some(chosen) : Option.none()
}

const toolNames = (text: string): Option.Option<ReadonlyArray<string>> => {
  const names = text.split(",").map((name) => name.trim())
  return names.every((name) => toolName.test(name)) ? Option.some(names) : Option.none()
}

/**
 * All flags by name, in the order of the help. Help, completions, the table of the pages, `Options` and its reader are derived
 * from them: a new flag is an entry here.
 */
const flags = {
  http: {
    isOfServing: true,
    ...switchedBy("WORKFLOW_TOOL_SERVER_HTTP", "Serve JSON-RPC over HTTP instead of stdio"),
    otherwise: false
  },
  port: {
    isOfServing: true,
    value: "PORT",
    variable: "WORKFLOW_TOOL_SERVER_PORT",
    help: "Port for HTTP (default 3456)",
    expected: "a port number from 0 to 65535",
    parse: (text: string) => Option.filter(Option.map(matching(/^\d{1,5}$/)(text), Number), (port) => port <= 65_535)
  },
  host: {
    isOfServing: true,
    value: "ADDRESS",
    variable: "WORKFLOW_TOOL_SERVER_HOST",
    help: "Address to listen on for HTTP (default 127.0.0.1); any but loopback needs a token",
    expected: "an address",
    parse: notEmpty
  },
  "auth-token": {
    isOfServing: true,
    value: "TOKEN",
    variable: "MCP_AUTH_TOKEN",
    help: "Bearer token that HTTP callers must send; better set as the variable",
    expected: "a token of printable ASCII characters",
    parse: (text: string) => Option.map(matching(/^[\x21-\x7e]+$/)(text), (token) => Redacted.make(token))
  },
  "auth-token-file": {
    isOfServing: true,
    ...file,
    variable: "MCP_AUTH_TOKEN_FILE",
    help: "File that contains this token"
  },
  "oauth-client-secret": {
    isOfServing: true,
    value: "SECRET",
    variable: "WORKFLOW_TOOL_SERVER_OAUTH_CLIENT_SECRET",
    help: "Secret of the page's client at the issuer of tokens; better set as the variable",
    expected: "the secret of a client",
    parse: (text: string) => Option.map(notEmpty(text), (secret) => Redacted.make(secret))
  },
  page: {
    isOfServing: true,
    value: "STATE",
    choices: ["on", "off"],
    variable: "WORKFLOW_TOOL_SERVER_PAGE",
    help: "Page for people at / over HTTP, and over stdio for secrets: on (default) or off",
    expected: "on or off",
    parse: oneOf({ on: true, off: false })
  },
  metrics: {
    isOfServing: true,
    ...switchedBy("WORKFLOW_TOOL_SERVER_METRICS", "Serve GET /metrics for Prometheus, behind the same token")
  },
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
  demo: {
    ...switchedBy(
      "WORKFLOW_TOOL_SERVER_DEMO",
      "Serve the page and the tools over HTTP with two engines inside this process, staging and production, of a small company"
    ),
    otherwise: false
  },
  "read-only": {
    ...switchedBy("WORKFLOW_TOOL_SERVER_READ_ONLY", "Refuse every change on every instance"),
    otherwise: false
  },
  toolsets: {
    value: "NAMES",
    variable: "WORKFLOW_TOOL_SERVER_TOOLSETS",
    help: `Sets of tools to offer, comma-separated: ${toolsets.join(", ").replace("engine", "engine (always)")}`,
    expected: `names from ${toolsets.join(", ")}, with commas between`,
    parse: toolsetNames
  },
  tools: {
    isOfServing: true,
    value: "NAMES",
    variable: "WORKFLOW_TOOL_SERVER_TOOLS",
    help: `Tools to offer of these sets, comma-separated: ${profileNames.join(", ")}, names, patterns (list_*), -name for all but it`,
    expected: `names from ${profileNames.join(", ")}, of toolsets and tools, or patterns of such names, with commas between`,
    parse: toolNames
  },
  audit: {
    ...file,
    variable: "WORKFLOW_TOOL_SERVER_AUDIT",
    help: "Record every call that may change something as a line of JSON in FILE"
  },
  history: {
    ...folder,
    variable: "WORKFLOW_TOOL_SERVER_HISTORY",
    help: "Keep the history of workflows in a git repository in DIR"
  },
  redis: {
    value: "URL",
    variable: "WORKFLOW_TOOL_SERVER_REDIS",
    help: "Redis in which several servers share plans, locks and limits; better set as the variable",
    expected: "the URL of a Redis, which begins with redis:// or rediss://",
    parse: (text: string) => Option.map(matching(/^rediss?:\/\/\S+$/)(text), (url) => Redacted.make(url))
  },
  tests: {
    ...folder,
    variable: "WORKFLOW_TOOL_SERVER_TESTS",
    help: "Keep recorded tests of workflows in DIR"
  },
  "log-level": {
    value: "LEVEL",
    choices: Object.keys(logLevels),
    variable: "WORKFLOW_TOOL_SERVER_LOG_LEVEL",
    help: "Least important messages on stderr: debug, info, warn (default), error, none",
    expected: `one of ${Object.keys(logLevels).join(", ")}`,
    parse: (text: string) => oneOf(logLevels)(text.toLowerCase()),
    otherwise: logLevels.warn
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

/** The value that a flag stands for. */
type ValueOf<F> = F extends { readonly parse: (text: string) => Option.Option<infer A> }
  ? A | (F extends { readonly otherwise: A } ? never : undefined)
  : never

/** The values of flags and variables, by the names of the flags; what they omit is left to the configuration. */
export type Options = { readonly [name in FlagName]: ValueOf<(typeof flags)[name]> }

/** Texts of flags. */
export type FlagTexts = Readonly<Partial<Record<FlagName, string | undefined>>>

interface Reading extends Struct.Lambda {
  (flag: Flag): Result.Result<unknown, UsageError>
  readonly "~lambda.out": Result.Result<ValueOf<this["~lambda.in"]>, UsageError>
}

/** All options from the texts of flags and from environment variables; flags take precedence. */
export const readOptions = (
  texts: FlagTexts,
  environment: Readonly<Record<string, string | undefined>>
): Result.Result<Options, UsageError> => {
  const given = new Map(flagNames.map((name) => [flag(name), { name, text: texts[name] }]))
  const reading = Struct.lambda<Reading>((one) => {
    const { expected, otherwise, parse, variable } = one
    const { name, text: fromFlag } = given.get(one) ?? {}
    const text = fromFlag ?? (environment[variable]?.trim() || undefined)
    if (text === undefined) return Result.succeed(otherwise)
    return Result.fromOption(
      parse(text),
      () => new UsageError({ message: `${fromFlag === undefined ? variable : `--${name}`}: expected ${expected}` })
    )
  })
  return Result.all(Struct.map(flags, reading))
}
