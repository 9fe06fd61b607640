import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"

import type { FlagTexts } from "../../configuration/flags.ts"
import { textFlag } from "../../terminal/textFlag.ts"
import type { CallRequest } from "../call/call.ts"
import type { TestRequest } from "./test.ts"

/** The arguments of `test`: to run tests, or to record one like the tool `record_test`. */
export type TestTask =
  | { readonly task: "test"; readonly request: TestRequest }
  | { readonly task: "call"; readonly request: CallRequest }

const texts = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.atLeast(0))

const json = Flag.Boolean("json").pipe(Flag.withDefault(false), Flag.withDescription("Print JSON, for scripts"))
const instance = textFlag(
  "instance",
  "NAME",
  "Name of the instance in the configuration; by default the default instance"
)

const input = {
  folder: Argument.String("dir").pipe(
    Argument.withDescription("Folder of tests; by default that of --tests or the configuration"),
    Argument.optional,
    Argument.map(Option.getOrUndefined)
  ),
  instance,
  files: texts("file", "FILE", "Only this test of the folder; may be repeated"),
  workflow: textFlag("workflow", "ID", "Only tests of this workflow"),
  operations: textFlag(
    "operations",
    "FILE",
    "Apply these operations to it without saving: a JSON list, as for edit_workflow"
  ),
  junit: textFlag("junit", "FILE", "Write the results as JUnit XML"),
  concurrency: Flag.Int("concurrency").pipe(
    Flag.withMetavar("N"),
    Flag.withDescription("Tests at the same time, 1 to 10 (default 3)"),
    Flag.atLeast(0),
    Flag.map((numbers) => numbers.at(-1))
  ),
  json
}

const recordInput = {
  workflow: textFlag("workflow", "ID", "Record the last successful run of this workflow"),
  execution: textFlag("execution", "ID", "Record this run"),
  instance,
  name: textFlag("name", "NAME", "Name of the test"),
  ignore: texts("ignore", "PATH", "Field that may differ, such as rows[*].id; may be repeated"),
  file: textFlag("file", "FILE", "File name in the folder of tests"),
  overwrite: Flag.Boolean("overwrite").pipe(Flag.withDefault(false), Flag.withDescription("Replace an existing file")),
  json
}

const description = `Runs recorded tests of workflows through temporary copies, without acting outside, and prints differences.

  workflow-tool-server test tests --instance staging --junit results.xml
  workflow-tool-server test record --workflow AbCdEfGh12345678 --tests tests

  Exits with 0 if all passed, with 1 if one did not, with 2 if the command line is wrong.`

/** The sub-command `test`, with `test record` below it. */
export const test = <E, R>(
  flags: Effect.Effect<FlagTexts, E, R>,
  asked: (task: TestTask, flags: FlagTexts) => Effect.Effect<void>
) => {
  const record = Command.make("record", recordInput, ({ json: isJson, ...given }) =>
    Effect.flatMap(flags, (found) => asked({ task: "call", request: recording(given, isJson) }, found))
  ).pipe(
    Command.withDescription(
      "Make a test from a run, and save it in the folder of tests: --tests DIR, or the configured one"
    )
  )
  return Command.make("test", input, (request) =>
    Effect.flatMap(flags, (found) => asked({ task: "test", request }, found))
  ).pipe(
    Command.withSubcommands([record]),
    Command.withDescription(description),
    Command.withShortDescription("Run recorded tests of workflows")
  )
}

type Given = Readonly<Record<string, boolean | string | ReadonlyArray<string> | undefined>>

/** The same as a call of the tool. */
const recording = (given: Given, isJson: boolean): CallRequest => ({
  tool: "record_test",
  toolWords: Object.entries(given).flatMap(([name, value]) => wordsFor(name, value)),
  toolHelp: false,
  list: false,
  json: isJson,
  jsonArgs: undefined,
  print: undefined
})

const wordsFor = (name: string, value: Given[string]): ReadonlyArray<string> => {
  if (value === undefined || value === false) return []
  if (value === true) return [`--${name}`]
  return typeof value === "string" ? [`--${name}=${value}`] : value.map((one) => `--${name}=${one}`)
}
