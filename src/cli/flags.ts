/** One flag of the command, with the environment variable that says the same. */
export interface Flag {
  /** What its value is called in the help; none for a flag that is only there or not. */
  readonly value?: string
  /** Whether the value may be left out. */
  readonly optional?: boolean
  readonly variable: string
  readonly help: string
}

/** Every flag under its name, in the order of the help. */
export const flags = {
  http: { variable: "WORKFLOW_TOOL_SERVER_HTTP", help: "Serve JSON-RPC over HTTP instead of stdio" },
  port: { value: "PORT", variable: "WORKFLOW_TOOL_SERVER_PORT", help: "Port for HTTP (default 3456)" },
  host: {
    value: "ADDRESS",
    variable: "WORKFLOW_TOOL_SERVER_HOST",
    help: "Address for HTTP (default 127.0.0.1); another than this machine needs a token"
  },
  "auth-token": {
    value: "TOKEN",
    variable: "MCP_AUTH_TOKEN",
    help: "Token that HTTP callers must send as a bearer token; better given as the variable"
  },
  "auth-token-file": {
    value: "FILE",
    variable: "MCP_AUTH_TOKEN_FILE",
    help: "File that holds this token"
  },
  config: {
    value: "FILE",
    variable: "WORKFLOW_TOOL_SERVER_CONFIG",
    help: "Configuration file (default .config.json in the working directory)"
  },
  embedded: {
    value: "FILE",
    optional: true,
    variable: "WORKFLOW_TOOL_SERVER_EMBEDDED",
    help: "Serve an engine inside this process, kept in memory or in FILE (--embedded=FILE)"
  },
  "read-only": { variable: "WORKFLOW_TOOL_SERVER_READ_ONLY", help: "Refuse every change on every instance" },
  toolsets: {
    value: "NAMES",
    variable: "WORKFLOW_TOOL_SERVER_TOOLSETS",
    help: "Sets of tools to offer, comma-separated: engine (always), operator, marketplace"
  },
  audit: {
    value: "FILE",
    variable: "WORKFLOW_TOOL_SERVER_AUDIT",
    help: "Record every call that may change something as a line of JSON in FILE"
  },
  "log-level": {
    value: "LEVEL",
    variable: "WORKFLOW_TOOL_SERVER_LOG_LEVEL",
    help: "Least important messages on stderr: debug, info, warn (default), error, none"
  }
} as const satisfies Readonly<Record<string, Flag>>

export type FlagName = keyof typeof flags

export const flagNames = Object.keys(flags).filter((name): name is FlagName => Object.hasOwn(flags, name))

/** The flag itself, for readers that treat all alike. */
export const flag = (name: FlagName): Flag => flags[name]
