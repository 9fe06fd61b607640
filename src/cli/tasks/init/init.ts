import path from "node:path"

import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Layer, Result, Redacted } from "effect"
import { Prompt } from "effect/cli"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"

import { fieldAliases, hostVariables, keyVariables } from "../../../engine/client/config/aliases.ts"
import { EngineConfig } from "../../../engine/client/config/EngineConfig.ts"
import { instance } from "../../../engine/client/config/instance.ts"
import { Instances } from "../../../engine/client/Instances.ts"
import { check } from "../../../engine/toolset/check/check.ts"
import { ConfigurationError } from "../../../internal/config/ConfigurationError.ts"
import { type Options, UsageError } from "../../configuration/flags.ts"
import { requireTrust } from "../../configuration/readLaunch.ts"
import { isTrusted, recordTrust } from "../../configuration/trust.ts"
import { home } from "../../files/homeFolders.ts"
import { ownCommand, report } from "../../terminal.ts"
import * as NodeHttpClients from "../../upstream/NodeHttpClients.ts"
import { type ClientName, clients, type Machine, startOf, clientNames } from "./clients.ts"
import { withInstance, withServer, tidyHost } from "./edits.ts"
import { appendLines, linesToIgnore, readOrEmpty, replaceFile, type Written } from "./files.ts"

/** The arguments of `init`. */
export interface InitRequest {
  readonly engineHost: string | undefined
  readonly engineKey: string | undefined
  readonly instance: string
  /** Undefined if not given, so that a person may be asked. */
  readonly clients: ReadonlyArray<ClientName> | undefined
  readonly serverName: string
  readonly project: boolean
  readonly npx: boolean
}

/** Asks for what is missing, tries it, and only then writes: the configuration, and the server into clients' files. */
export const runInit = (options: Options, request: InitRequest) =>
  Effect.provide(init(options, request), NodeServices.layer)

/** The same at any terminal. */
export const init = Effect.fnUntraced(
  function* (options: Options, request: InitRequest) {
    const config = path.resolve(options.config ?? ".config.json")
    const wasTrusted = yield* trustBefore(config, options)
    const { canPrompt } = yield* TerminalCapabilities.TerminalCapabilities
    const reached = yield* canPrompt ? askedInstance(request, options) : givenInstance(request, options)
    if (reached === undefined) return 1
    const chosen = request.clients ?? (canPrompt ? yield* askClients() : [])
    const isAsked = canPrompt && request.clients === undefined && chosen.length > 0
    const offersApi = options.toolsets === undefined ? isAsked && (yield* askApi) : options.toolsets.includes("api")
    const writes = yield* plan(config, reached, chosen, { ...request, offersApi }, options)
    const written = yield* Effect.forEach(writes, ({ file, isPrivate, text }) => replaceFile(file, text, isPrivate))
    const configuration = writes.find(({ file }) => file === config)
    if (wasTrusted && configuration !== undefined) yield* recordTrust({ name: config, text: configuration.text })
    yield* Console.log(summary(written, chosen, config))
    if (canPrompt) yield* offerToIgnore(config)
    return 0
  },
  Effect.catchTag("QuitError", () => Effect.as(Console.error("Nothing was written."), 130))
)

/**
 * Whether the configuration that is there already is trusted. One that only lies here may hold no settings that need that:
 * clients are told to start with it.
 */
const trustBefore = Effect.fnUntraced(function* (file: string, { config }: Options) {
  const text = yield* readOrEmpty(file)
  if (text.trim() === "") return false
  const present = { name: config ?? ".config.json", text, isTrusted: config !== undefined }
  yield* requireTrust(present)
  return yield* isTrusted(present)
})

interface Reached {
  readonly host: string
  readonly key: string
}

const fromVariables = (names: ReadonlyArray<string>) =>
  names.map((name) => process.env[name]?.trim()).find((value) => value !== undefined && value !== "")

/** The instance of the arguments and variables, tried once. */
const givenInstance = Effect.fnUntraced(function* (request: InitRequest, options: Options) {
  const host = request.engineHost ?? fromVariables(hostVariables)
  const key = request.engineKey ?? fromVariables(keyVariables)
  if (host === undefined)
    return yield* new UsageError({ message: "init needs the engine's address: --engine-host URL" })
  if (key === undefined) {
    return yield* new UsageError({
      message: "init needs the engine's API key: set ENGINE_API_KEY, or give --engine-key"
    })
  }
  return yield* tried({ host: tidyHost(host), key }, request, options)
})

/** The same with a person who can correct what is wrong. */
const askedInstance = Effect.fnUntraced(function* (request: InitRequest, options: Options) {
  let host = request.engineHost ?? fromVariables(hostVariables)
  let key = request.engineKey ?? fromVariables(keyVariables)
  for (;;) {
    host = tidyHost(host === undefined ? yield* askHost(undefined) : host)
    const reached: Reached = { host, key: key ?? (yield* askKey) }
    const working = yield* Effect.catchTag(tried(reached, request, options), "ConfigurationError", ({ message }) =>
      Effect.as(Console.log(message), undefined)
    )
    if (working !== undefined) return working
    if (!(yield* askAgain)) return undefined
    host = yield* askHost(host)
    key = undefined
  }
})

/** Calls the engine with the key, and prints the result; undefined if it does not work. */
const tried = Effect.fnUntraced(function* (
  reached: Reached,
  { instance: name }: InitRequest,
  { "read-only": readOnly }: Options
): Effect.fn.Return<Reached | undefined, ConfigurationError> {
  const written = { engine_host: reached.host, engine_api_key: reached.key, readOnly }
  const environment = yield* Effect.fromResult(
    instance(written, { engine_host: undefined, engine_api_key: undefined }, (field) =>
      field === "engine_host" ? "--engine-host" : "--engine-key"
    )
  )
  // The file says which one is the default, and may contain others.
  const engine = Layer.succeed(EngineConfig, { defaultEnv: "", environments: new Map([[name, environment]]) })
  const findings = yield* Effect.provide(check, Instances.layer.pipe(Layer.provide([engine, NodeHttpClients.layer])))
  const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
  yield* Console.log(report(findings, { json: false, canColor }))
  return findings.every(({ fine }) => fine) ? { ...reached, host: environment.host } : undefined
})

/** The new content of every file; fails before anything is written. */
const plan = Effect.fnUntraced(function* (
  config: string,
  { host, key }: Reached,
  chosen: ReadonlyArray<ClientName>,
  { instance: name, npx, offersApi, project, serverName }: InitRequest & { readonly offersApi: boolean },
  { "read-only": readOnly }: Options
) {
  const start = startOf(machine, config, npx, offersApi)
  const edited = (result: Result.Result<string, string>) =>
    Effect.fromResult(Result.mapError(result, (message) => new ConfigurationError({ message })))
  const before = yield* readOrEmpty(config)
  const configuration = yield* edited(withInstance(config, before, { name, host, key, readOnly }, fieldAliases))
  const others = yield* Effect.forEach(chosen, (client) => {
    const { file: fileOf, title } = clients[client]
    const file = fileOf(machine, project)
    if (!path.isAbsolute(file)) return new ConfigurationError({ message: `${title} keeps its file at home: set HOME` })
    return Effect.map(
      Effect.flatMap(readOrEmpty(file), (text) =>
        Effect.map(edited(withServer(file, text, client, serverName, start)), (after) => ({ text, after }))
      ),
      ({ after, text }) => ({ file, text: after, isPrivate: false, isSame: after === text })
    )
  })
  return [{ file: config, text: configuration, isPrivate: true, isSame: configuration === before }, ...others].filter(
    ({ isSame }) => !isSame
  )
})

const machine: Machine = {
  platform: process.platform,
  home: home() ?? "",
  cwd: process.cwd(),
  appData: process.env["APPDATA"],
  xdgConfig: process.env["XDG_CONFIG_HOME"],
  node: process.execPath,
  main: path.resolve(process.argv[1] ?? "workflow-tool-server")
}

const summary = (written: ReadonlyArray<Written>, chosen: ReadonlyArray<ClientName>, config: string): string =>
  [
    ...(written.length === 0 ? ["Everything was there already."] : []),
    ...written.map(({ copy, file }) => `Wrote ${file}${copy === undefined ? "" : `, the former one is ${copy}`}`),
    ...chosen.map((name) => `${clients[name].title}: ${clients[name].next}`),
    ...(chosen.length === 0 ? [`Start it with: ${ownCommand(process.argv[1])} --config ${config}`] : []),
    `The key is in ${config} in the open, for this user alone: keep it out of version control.`
  ].join("\n")

/** Asks a person for what the arguments leave open. */
const askHost = (before: string | undefined) =>
  Prompt.String({
    message: "Address of your engine",
    ...(before === undefined ? {} : { default: before }),
    validate: (text) => (text.trim() === "" ? Effect.fail("such as https://engine.example.com") : Effect.succeed(text))
  })

const askKey = Prompt.Hidden({
  message: "Its API key (made in its settings; what you paste is not shown)",
  validate: (text) => (text.trim() === "" ? Effect.fail("paste the key that the engine made") : Effect.succeed(text))
}).pipe(Effect.map((key) => Redacted.value(key).trim()))

const askAgain = Prompt.Confirm({ message: "Try another address or key?", initial: true })

const selectClients = Prompt.MultiSelect({
  message: "Which programs shall use it? The space bar selects one, Enter ends",
  choices: clientNames.map((name) => ({ title: clients[name].title, value: name }))
})

/** Enter alone may be a mistake, so that none is asked about once more. */
const askClients = Effect.fnUntraced(function* () {
  for (;;) {
    const selected: ReadonlyArray<ClientName> = yield* selectClients
    if (selected.length > 0 || (yield* confirmNone)) return selected
  }
})

const askApi = Prompt.Confirm({
  message:
    "Offer the rest of the engine's API, too (data tables, variables, projects)? It takes 2.5 kB of each conversation",
  initial: false
})

const confirmNone = Prompt.Confirm({ message: "None is selected. Add the server to no program?", initial: false })

/** Offers to keep the configuration, which holds a key, and copies of it out of the repository around it. */
const offerToIgnore = Effect.fnUntraced(function* (config: string) {
  const lines = yield* Effect.orElseSucceed(
    Effect.try(() => linesToIgnore(config)),
    () => undefined
  )
  if (lines === undefined) return
  const name = path.basename(config)
  if (!(yield* Prompt.Confirm({ message: `Keep ${name} out of git, by a line in .gitignore?`, initial: true }))) return
  yield* appendLines(path.join(path.dirname(config), ".gitignore"), lines)
  yield* Console.log(`Added ${lines.join(" and ")} to .gitignore`)
})
