import { readFileSync } from "node:fs"

import { Effect, Predicate, Result, Stdio, Stream } from "effect"

import { transportCode } from "../../../internal/http/transportCode.ts"
import { inspect } from "../../../internal/json/values.ts"
import { UsageError } from "../../configuration/flags.ts"
import { parseJson } from "../../configuration/json.ts"
import * as NodeStdio from "../../nodeStdio.ts"

/** The text of a file named by a flag. */
export const readText = (flag: string, file: string): Effect.Effect<string, UsageError> =>
  Effect.try({
    try: () => readFileSync(file, "utf8"),
    catch: (error) =>
      new UsageError({ message: `${flag}: ${file} cannot be read (${transportCode(error) ?? "unknown reason"})` })
  })

const standardInput = Effect.gen(function* () {
  const { stdin } = yield* Stdio.Stdio
  return yield* stdin.pipe(Stream.decodeText(), Stream.mkString)
}).pipe(
  Effect.provide(NodeStdio.layer),
  Effect.mapError(
    ({ message }) => new UsageError({ message: `--json-args: standard input cannot be read: ${message}` })
  )
)

/** The arguments in `--json-args`: JSON itself, `-` for standard input, `@FILE` for a file. */
export const jsonArguments = Effect.fnUntraced(function* (given: string | undefined) {
  if (given === undefined) return {}
  const text =
    given === "-"
      ? yield* standardInput
      : given.startsWith("@")
        ? yield* readText("--json-args", given.slice(1))
        : given
  const { problem } = inspect(text)
  if (problem !== undefined) return yield* new UsageError({ message: `--json-args: ${problem}` })
  const value = yield* Effect.fromResult(
    Result.mapError(parseJson(text), (problem) => new UsageError({ message: `--json-args: ${problem}` }))
  )
  if (!Predicate.isObject(value)) return yield* new UsageError({ message: "--json-args: expected one JSON object" })
  return Object.fromEntries(Object.entries(value))
})
