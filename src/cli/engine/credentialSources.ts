import path from "node:path"

import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, FileSystem, Option, Struct } from "effect"

import { keyVariables } from "../../engine/client/config/aliases.ts"
import { inEnvironment } from "../../internal/config/variables.ts"
import { parseJson } from "../../internal/json/values.ts"
import { runProgram } from "../../internal/runProgram.ts"
import { isJsonObject, type JsonObject } from "../../internal/schema/JsonObject.ts"
import { ToolError } from "../../mcp/ToolError.ts"
import type { CredentialSourceSettings } from "../configuration/fileFields.ts"

/** Bytes of the values of one credential: a certificate with its chain and key has a tenth of it. */
const mostBytes = 64 * 1024

/** A vault in another city answers in two seconds; one that waits for a person to log in would wait for ever. */
const deadline = "15 seconds"

/** The beginnings of variables that hold this server's own keys and tokens, which a program of the user's does not need. */
const secretVariables = [
  ...keyVariables,
  "MARKETPLACE_API_KEY",
  "MCP_AUTH_TOKEN",
  "OTEL_EXPORTER_OTLP_",
  "WORKFLOW_TOOL_SERVER_"
]

const isOurs = (name: string): boolean => secretVariables.some((beginning) => name.startsWith(beginning))

/**
 * The values that a configured source holds now: they are read for each call anew and kept nowhere. Failures show nothing of what
 * was read, nor what a program wrote.
 */
export const valuesOf = (
  source: string,
  { command, env, field, file }: CredentialSourceSettings,
  config: string | undefined
): Effect.Effect<JsonObject, ToolError> => {
  const folder = path.dirname(path.resolve(config ?? ".config.json"))
  const unreadable = (problem: string) =>
    new ToolError({
      blame: "caller",
      code: "SOURCE_UNREADABLE",
      message: `The values of credentialSources.${source} cannot be read: ${problem}. Nothing was changed.`,
      details: { source }
    })

  const ofVariable = (name: string) =>
    Effect.flatMap(inEnvironment, (lookup) => lookup([name])).pipe(
      Effect.mapError(({ message }) => unreadable(message)),
      Effect.filterOrFail(
        (setting) => setting !== undefined,
        () => unreadable(`the variable ${name} is not set where this server runs`)
      ),
      Effect.map(({ value }) => value)
    )

  const ofFile = Effect.fnUntraced(
    function* (name: string) {
      const fileSystem = yield* FileSystem.FileSystem
      const { size, type } = yield* fileSystem.stat(name)
      if (type === "File" && size <= mostBytes) return yield* fileSystem.readFileString(name)
      return yield* unreadable(`${name} is no file of at most ${mostBytes} bytes`)
    },
    Effect.catchTag("PlatformError", ({ reason }) => unreadable(`its file cannot be read (${reason._tag})`))
  )

  const ofCommand = Effect.fnUntraced(
    function* ([name = "", ...args]: ReadonlyArray<string>) {
      const environment = Struct.omit(process.env, Object.keys(process.env).filter(isOurs))
      const { code, stdout } = yield* runProgram({ name, args, cwd: folder, env: environment, deadline, mostBytes })
      if (code === 0) return new TextDecoder().decode(stdout)
      return yield* unreadable(`${name} ended with code ${code}: run it in a terminal to see why`)
    },
    Effect.catchTag("PlatformError", ({ reason }) => unreadable(`its program cannot be started (${reason._tag})`)),
    Effect.catchTag("ProgramStopped", ({ message }) => unreadable(message))
  )

  const text = Effect.gen(function* () {
    if (env !== undefined) return yield* ofVariable(env)
    return yield* file === undefined ? ofCommand(command ?? []) : ofFile(path.resolve(folder, file))
  })
  return text.pipe(
    Effect.provide(NodeServices.layer),
    Effect.flatMap((text) => {
      if (text.trim() === "") return unreadable("it is empty")
      // Programs and editors end a text with one line end; blanks may belong to it.
      if (field !== undefined) return Effect.succeed({ [field]: text.replace(/\r?\n$/, "") })
      const values = Option.getOrUndefined(parseJson(text))
      return isJsonObject(values)
        ? Effect.succeed(values)
        : unreadable('it holds no JSON object; if it is the text of one field, name that in "field"')
    })
  )
}
