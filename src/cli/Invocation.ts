import { Redacted, Result } from "effect"

import { flag, type FlagName } from "./flags.ts"
import { type ToolsetName, toolsets } from "./settings/Settings.ts"
import { UsageError } from "./UsageError.ts"
import { type Given, sort } from "./words.ts"

const logLevels = { debug: "Debug", info: "Info", warn: "Warn", error: "Error", none: "None" } as const

/** What the flags and their variables ask for; what they leave out is for the configuration to say. */
export interface Options {
  readonly http: boolean
  readonly port: number | undefined
  readonly host: string | undefined
  readonly authToken: Redacted.Redacted | undefined
  /** A file that holds the token, and the token once it has been read. */
  readonly authTokenFile: string | undefined
  readonly authTokenOfFile?: Redacted.Redacted
  readonly config: string | undefined
  /** Present where the engine inside this process is wanted; without a file it lives in memory. */
  readonly embedded: { readonly file: string | undefined } | undefined
  readonly readOnly: boolean
  readonly toolsets: ReadonlyArray<ToolsetName> | undefined
  readonly audit: string | undefined
  readonly logLevel: (typeof logLevels)[keyof typeof logLevels]
}

/** What the command is to do. */
export type Invocation =
  | { readonly _tag: "Help" }
  | { readonly _tag: "Version" }
  | { readonly _tag: "Serve" | "Check"; readonly options: Options }

/** Reads the words behind the command's name; a flag goes before its environment variable. */
export const read = (
  words: ReadonlyArray<string>,
  environment: Readonly<Record<string, string | undefined>>
): Result.Result<Invocation, UsageError> => {
  if (words.some((word) => word === "--help" || word === "-h")) return Result.succeed({ _tag: "Help" })
  if (words.some((word) => word === "--version" || word === "-v")) return Result.succeed({ _tag: "Version" })
  return Result.gen(function* () {
    const { commands, flags } = yield* sort(words)
    const [command, ...others] = commands
    const unknown = commands.find((word) => word !== "check") ?? others[0]
    if (unknown !== undefined) {
      return yield* Result.fail(new UsageError({ message: `Unknown command ${unknown}. The only command is check` }))
    }
    const options = yield* readOptions((name) => flags.get(name) ?? fromVariable(name, environment))
    return { _tag: command === undefined ? "Serve" : "Check", options } as const
  })
}

const fromVariable = (name: FlagName, environment: Readonly<Record<string, string | undefined>>): Given | undefined => {
  const { variable } = flag(name)
  const text = environment[variable]?.trim()
  return text ? { text, place: variable } : undefined
}

const readOptions = (look: (name: FlagName) => Given | undefined): Result.Result<Options, UsageError> => {
  const option = <A>(name: FlagName, expected: string, parse: (text: string) => A | undefined) => {
    const given = look(name)
    const value = given === undefined ? undefined : parse(given.text)
    return given !== undefined && value === undefined
      ? Result.fail(new UsageError({ message: `${given.place}: expected ${expected}` }))
      : Result.succeed(value)
  }
  return Result.gen(function* () {
    return {
      http: (yield* option("http", "true or false", yesOrNo)) ?? false,
      port: yield* option("port", "a port number from 0 to 65535", port),
      host: yield* option("host", "an address", text),
      authToken: yield* option("auth-token", "a token of printable ASCII characters", secret),
      authTokenFile: yield* option("auth-token-file", "the name of a file", text),
      config: yield* option("config", "the name of a file", text),
      embedded: (yield* option("embedded", "nothing, or the name of a file", embedded))?.wanted,
      readOnly: (yield* option("read-only", "true or false", yesOrNo)) ?? false,
      toolsets: yield* option("toolsets", `names from ${toolsets.join(", ")}, with commas between`, names),
      audit: yield* option("audit", "the name of a file", text),
      logLevel: (yield* option("log-level", `one of ${Object.keys(logLevels).join(", ")}`, logLevel)) ?? "Warn"
    }
  })
}

const yesOrNo = (value: string): boolean | undefined =>
  new Map([
    ["true", true],
    ["1", true],
    ["false", false],
    ["0", false]
  ]).get(value)

const port = (value: string) => (/^\d{1,5}$/.test(value) && Number(value) <= 65_535 ? Number(value) : undefined)
const text = (value: string) => (value === "" ? undefined : value)
const secret = (value: string) => (/^[\x21-\x7e]+$/.test(value) ? Redacted.make(value) : undefined)

const embedded = (value: string): { readonly wanted: Options["embedded"] } => {
  const said = value === "" ? true : yesOrNo(value)
  if (said === undefined) return { wanted: { file: value } }
  return { wanted: said ? { file: undefined } : undefined }
}

const names = (value: string): ReadonlyArray<ToolsetName> | undefined => {
  const asked = value.split(",").map((name) => name.trim())
  const known = toolsets.filter((name) => asked.includes(name))
  return asked.every((name) => known.some((toolset) => toolset === name)) ? known : undefined
}

const logLevel = (value: string) => Object.entries(logLevels).find(([name]) => name === value.toLowerCase())?.[1]
