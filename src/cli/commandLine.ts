import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Match, Option, Ref } from "effect"
import { Argument, CliConfig, type CliError, CliOutput, Command, Completions, Flag, GlobalFlag } from "effect/cli"

import { nearest } from "../internal/texts.ts"
import { version } from "../version.ts"
import { flag, type FlagName, flagNames, type FlagTexts, spelling, UsageError } from "./configuration/flags.ts"
import type { BackupRequest } from "./tasks/backup.ts"
import type { CallRequest } from "./tasks/call/call.ts"
import { type SplitCommandLine, splitCommandLine } from "./tasks/call/callArguments.ts"
import type { CheckRequest } from "./tasks/check.ts"
import { clientNames } from "./tasks/init/clients.ts"
import type { InitRequest } from "./tasks/init/init.ts"
import type { PromoteRequest } from "./tasks/promote.ts"
import type { NodesRequest } from "./tasks/runNodes.ts"
import { ads, promote, test, upgrade, watch } from "./tasks/subcommands.ts"
import { tableCommand, type TableTask } from "./tasks/table/subcommand.ts"
import type { TestRequest } from "./tasks/test.ts"
import type { UpgradeTaskRequest } from "./tasks/upgrade/request.ts"
import type { WatchRequest } from "./tasks/watch.ts"
import type { AdsWatchRequest } from "./tasks/watchAds.ts"

/** The result of parsing a command line. */
export type Invocation =
  | { readonly task: "serve"; readonly texts: FlagTexts }
  | { readonly task: "check"; readonly texts: FlagTexts; readonly request: CheckRequest }
  | { readonly task: "backup"; readonly texts: FlagTexts; readonly request: BackupRequest }
  | { readonly task: "nodes"; readonly texts: FlagTexts; readonly request: NodesRequest }
  | { readonly task: "init"; readonly texts: FlagTexts; readonly request: InitRequest }
  | { readonly task: "call"; readonly texts: FlagTexts; readonly request: CallRequest }
  | { readonly task: "promote"; readonly texts: FlagTexts; readonly request: PromoteRequest }
  | { readonly task: "upgrade"; readonly texts: FlagTexts; readonly request: UpgradeTaskRequest }
  | { readonly task: "watch"; readonly texts: FlagTexts; readonly request: WatchRequest }
  | { readonly task: "watchAds"; readonly texts: FlagTexts; readonly request: AdsWatchRequest }
  | { readonly task: "test"; readonly texts: FlagTexts; readonly request: TestRequest }
  | (TableTask & { readonly texts: FlagTexts })

/**
 * Parses the arguments of the command. Undefined if they asked for a text (help, version, completions), which is printed then.
 * Values are left as strings, so that they never show in an error: variables are parsed by the same rules.
 */
export const read = Effect.fnUntraced(
  function* (words: ReadonlyArray<string>) {
    const invocation = yield* Ref.make<Invocation | undefined>(undefined)
    const split = splitCommandLine(words)
    const keep = (given: Invocation) => Ref.set(invocation, given)
    yield* Command.runWith(command(keep, split), { version })(split.commandWords).pipe(
      Effect.mapError((error) => new UsageError({ message: describe(error) }))
    )
    return yield* Ref.get(invocation)
  },
  Effect.provide([
    CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, completions()] }),
    presenting(),
    NodeServices.layer
  ])
)

const command = (
  invoke: (invocation: Invocation) => Effect.Effect<void>,
  { toolHelp, toolWords }: SplitCommandLine
) => {
  const root = Command.make("workflow-tool-server").pipe(
    Command.withSharedFlags(Object.fromEntries(flagNames.map((name) => [name, textOf(name)])))
  )
  const check = Command.make("check", checkInput, (request) =>
    Effect.flatMap(root, (texts) => invoke({ task: "check", texts, request }))
  ).pipe(Command.withDescription("Read the configuration, call every instance and say what is wrong"))
  const call = Command.make("call", callInput, (input) =>
    Effect.flatMap(root, (texts) => invoke({ task: "call", texts, request: { ...input, toolHelp, toolWords } }))
  ).pipe(Command.withDescription(callDescription), Command.withShortDescription("Call one tool and print its answer"))
  const fetch = Command.make("fetch", fetchInput, (request) =>
    Effect.flatMap(root, (texts) => invoke({ task: "nodes", texts, request }))
  ).pipe(Command.withDescription(fetchDescription), Command.withShortDescription("Fetch and store the node types"))
  const nodes = Command.make("nodes").pipe(
    Command.withSubcommands([fetch]),
    Command.withDescription("Node types of the configured engines")
  )
  const init = Command.make("init", initInput, (request) =>
    Effect.flatMap(root, (texts) => invoke({ task: "init", texts, request }))
  ).pipe(
    Command.withDescription(initDescription),
    Command.withShortDescription("Try an engine's address and key, save them, and add the server to a client")
  )
  const backup = Command.make("backup", backupInput, (request) =>
    Effect.flatMap(root, (texts) => invoke({ task: "backup", texts, request }))
  ).pipe(
    Command.withDescription(
      "Record all workflows, tags, data tables, names of variables and folders in the repository of --history, and print what has changed"
    ),
    Command.withShortDescription("Record all workflows in the history, and print what has changed")
  )
  return root.pipe(
    Command.withHandler((texts) => invoke({ task: "serve", texts })),
    Command.withSubcommands([
      init,
      check,
      call,
      backup,
      nodes,
      watch(root, (request, texts) => invoke({ task: "watch", texts, request })),
      promote(root, (request, texts) => invoke({ task: "promote", texts, request })),
      upgrade(root, (request, texts) => invoke({ task: "upgrade", texts, request })),
      ads(root, (request, texts) => invoke({ task: "watchAds", texts, request })),
      test(root, (task, texts) => invoke({ ...task, texts })),
      tableCommand(root, (task, texts) => invoke({ ...task, texts }))
    ]),
    Command.withDescription(description)
  )
}

const last = (description: string, metavar: string) => (self: Flag.Flag<string>) =>
  self.pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(description),
    Flag.atLeast(0),
    Flag.map((texts) => texts.at(-1))
  )

const json = Flag.Boolean("json").pipe(Flag.withDefault(false), Flag.withDescription("Print JSON, for scripts"))

const checkInput = {
  json,
  trust: Flag.Boolean("trust").pipe(
    Flag.withDefault(false),
    Flag.withDescription("Show what .config.json in this folder sets, and trust it as it is")
  )
}

const backupInput = {
  json,
  rows: Flag.Boolean("rows").pipe(
    Flag.withDefault(false),
    Flag.withDescription("Keep the rows of data tables, too, up to 10,000 of each")
  ),
  instances: Flag.String("instances").pipe(last("Only these, comma-separated; default all", "NAMES"))
}

const callInput = {
  tool: Argument.String("tool").pipe(
    Argument.withDescription("Name of the tool; its own flags follow, call TOOL --help lists them"),
    Argument.optional,
    Argument.map(Option.getOrUndefined)
  ),
  list: Flag.Boolean("list").pipe(Flag.withDefault(false), Flag.withDescription("List all tools")),
  json,
  jsonArgs: Flag.String("json-args").pipe(
    last("All arguments as one JSON object; - reads it from standard input, @FILE from a file", "JSON")
  ),
  print: Flag.String("print").pipe(last("Print only this field of the answer, such as data.0.name", "FIELD"))
}

const fetchInput = {
  engineVersion: Flag.String("engine").pipe(
    last("Of this version of the engine, whether or not an instance has it, such as 2.48.5", "VERSION")
  )
}

const initInput = {
  engineHost: Flag.String("engine-host").pipe(last("Address of the engine (ENGINE_HOST)", "URL")),
  engineKey: Flag.String("engine-key").pipe(last("Its API key; better set as ENGINE_API_KEY", "KEY")),
  instance: Flag.String("instance").pipe(
    last("Name of the instance in the configuration (default default)", "NAME"),
    Flag.map((name) => name ?? "default")
  ),
  clients: Flag.Literals("client", [...clientNames, "none"]).pipe(
    Flag.withDescription("Client to add the server to; may be repeated"),
    Flag.atLeast(0),
    Flag.map((names) => (names.length === 0 ? undefined : clientNames.filter((name) => names.includes(name))))
  ),
  serverName: Flag.String("server-name").pipe(
    last("Name of the server in the client (default workflows)", "NAME"),
    Flag.map((name) => name ?? "workflows")
  ),
  project: Flag.Boolean("project").pipe(
    Flag.withDefault(false),
    Flag.withDescription("Write the client's file of this folder, not the user's (VS Code, Cursor)")
  ),
  npx: Flag.Boolean("npx").pipe(
    Flag.withDefault(false),
    Flag.withDescription("Let the client start the server with npx")
  )
}

const initDescription = `Asks for an engine's address and API key, or takes them from flags and variables, and tries them right away.
  If they work, writes them to .config.json (or --config FILE), which only you can read, and adds the server to the
  files of the chosen clients. Existing files are extended, and a copy of each is kept.

  ENGINE_API_KEY=... workflow-tool-server init --engine-host https://engine.example.com --client claude-desktop`

const fetchDescription = `Fetches the node types of every configured instance, so that find_nodes, describe_node and check_workflow know them.
  Engines before 2 tell them themselves. For others, the packages of exactly their version are read, about 15 MB, from the
  registry that npm is configured for, or from the folder that nodeTypes names in the configuration. The result is stored
  in the user's cache.`

const callDescription = `Calls one tool, as an assistant would, and prints its answer.

  workflow-tool-server call list_workflows --active --limit 5
  workflow-tool-server call get_workflow --id 12 --nodes Hook --nodes Mail --json
  workflow-tool-server call create_workflow --json-args @workflow.json

  Values are texts, numbers or JSON, as the tool takes them; @FILE reads JSON from a file. Repeat a flag to give a list.
  Exits with 1 if the tool refuses, fails, only says what to do instead (guidance) or did not do everything, or if a run or
  test that it started did not succeed; with 2 if the command line is wrong.`

const description = `Manages workflows on one or more engine instances for MCP clients. Serves stdio unless --http is given.

  Each flag can also be set as the environment variable that is named after it.
  Configuration, in order of precedence: ENGINE_HOST and ENGINE_API_KEY in the environment (ENGINE_HOST_<NAME> and
  ENGINE_API_KEY_<NAME> for one of several instances), .config.json here or in ~/.config/workflow-tool-server, .env.
  One that merely lies here may set instances and what only restricts; check --trust shows what else it sets, and trusts it.`

/** The text of a flag; the last of repeated flags counts. */
const textOf = (name: FlagName): Flag.Flag<string | undefined> => {
  const { help, optional = false, value, variable } = flag(name)
  const text =
    value === undefined
      ? Flag.map(Flag.Boolean(name), String)
      : Flag.String(name).pipe(Flag.withMetavar(value), optional ? Flag.withOptionalValue("") : (self) => self)
  return text.pipe(
    Flag.withDescription(`${help} (${variable})`),
    Flag.atLeast(0),
    Flag.map((texts) => texts.at(-1))
  )
}

/** One line for the first error; `effect/cli` itself would print the whole help, including values. */
const describe = (error: CliError.CliError): string => {
  const [first] = error._tag === "ShowHelp" ? error.errors : [error]
  return first === undefined ? "Nothing to do. --help lists all options" : inWords(first)
}

const inWords: (error: CliError.NonShowHelpErrors) => string = Match.type<CliError.NonShowHelpErrors>().pipe(
  Match.tag("UnrecognizedOption", ({ option, suggestions }) => {
    const global = nearest(option.replace(/^-+/, ""), ["help", "version", "completions"])
    const meant = suggestions.length > 0 ? suggestions.join(" or ") : global && `--${global}`
    return `Unknown option ${option}. ${meant === undefined ? "--help lists all options" : `Did you mean ${meant}?`}`
  }),
  Match.tag("UnknownSubcommand", ({ subcommand }) => unknownCommand(subcommand)),
  Match.tag("UnexpectedArgument", ({ arguments: [word = ""] }) => unknownCommand(word)),
  Match.tag("InvalidValue", ({ option, value }) => {
    const name = flagNames.find((flagName) => flagName === option)
    if (option === "client") return `--client: expected one of ${[...clientNames, "none"].join(", ")}`
    if (name === undefined) return `--${option} does not take this value. --help lists all options`
    return value === "" && flag(name).value !== undefined
      ? `--${name} needs a value: ${spelling(name)}`
      : `--${name}: expected ${flag(name).expected}`
  }),
  Match.orElse(({ message }) => message)
)

const unknownCommand = (word: string) =>
  `Unknown command ${word.split("=")[0]}. Commands: init, check, call, backup, nodes, watch, promote, upgrade, ads, test, table`

/** Help as `effect/cli` writes it; the version alone, so that scripts can read it. Errors are printed by the caller. */
function presenting() {
  const { formatHelpDoc } = CliOutput.defaultFormatter({ colors: false, inheritedFlags: "summary" })
  return CliOutput.layerPresenter({
    present: (event) => {
      if (event._tag === "Version") return Console.log(event.version)
      return event._tag === "Help" ? Console.log(formatHelpDoc(event.helpDoc).trimEnd()) : Effect.void
    }
  })
}

/** The built-in flag, with the tools that it knows nothing of. */
function completions() {
  return GlobalFlag.Action({
    flag: GlobalFlag.Completions.flag,
    run: Effect.fnUntraced(function* (shell, { command }) {
      if (Option.isNone(shell)) return
      const fromCommand = Completions.fromCommand(command)
      const { mended, withTools } = yield* Effect.promise(() => import("./tasks/call/completions.ts"))
      const descriptor = yield* Effect.orElseSucceed(withTools(fromCommand, shell.value), () => fromCommand)
      yield* Console.log(mended(shell.value, Completions.generate(command.name, shell.value, descriptor)))
    })
  })
}
