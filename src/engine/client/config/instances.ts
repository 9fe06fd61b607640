import { Effect } from "effect"

import { ConfigurationError } from "../../../internal/config/ConfigurationError.ts"
import { fieldOf } from "../../../internal/config/fields.ts"
import type { VariableValue, Lookup } from "../../../internal/config/variables.ts"
import { clipped, listed, nameText, quotedText } from "../../../internal/foreignText.ts"
import { fieldAliases, hostVariables, keyVariables } from "./aliases.ts"
import type { EngineConfig, Environment } from "./EngineConfig.ts"
import { instance } from "./instance.ts"
import { unrestricting } from "./instanceRules.ts"

type Place = (path: string) => string

/** A configuration file and whether it was named at the start, and so may lead keys of the environment somewhere. */
interface File {
  readonly name: string
  readonly isTrusted: boolean
}

/** Every instance of a configuration file; variables go before what the file says. */
export const fromFile = Effect.fnUntraced(function* (
  written: ReadonlyMap<string, unknown>,
  defaultEnv: string | undefined,
  lookup: Lookup,
  at: Place,
  file: File
): Effect.fn.Return<EngineConfig["Service"], ConfigurationError> {
  const names = [...written.keys()]
  const unfit = names.find((name) => name.trim() === "" || nameOf(name) !== name)
  if (unfit !== undefined) {
    return yield* new ConfigurationError({
      message: `${at("environments")}: expected names of at most ${longestName} visible characters, not ${quotedText(clipped(unfit, longestName))}`
    })
  }
  if (names.length > mostInstances) {
    return yield* new ConfigurationError({
      message: `${at("environments")}: expected at most ${mostInstances} instances`
    })
  }
  const chosen = defaultEnv ?? (names.length === 1 ? names[0] : undefined)
  if (chosen === undefined) {
    return yield* new ConfigurationError({ message: `${at("defaultEnv")}: expected one of ${listed(names, 20)}` })
  }
  if (!written.has(chosen)) {
    return yield* new ConfigurationError({
      message: `Instance ${nameOf(chosen)} not found in configuration. Available: ${listed(names, 20)} (${at("defaultEnv")})`
    })
  }
  const environments = new Map<string, Environment>()
  for (const [name, fields] of written) {
    const lookupOfInstance = named(lookup, name, names)
    const find = (variables: ReadonlyArray<string>) =>
      Effect.flatMap(lookupOfInstance(variables), (setting) =>
        setting === undefined && name === chosen ? lookup(variables) : Effect.succeed(setting)
      )
    const overrides = { engine_host: yield* find(hostVariables), engine_api_key: yield* find(keyVariables) }
    const place = (path: string) => at(["environments", name, path].filter((part) => part !== "").join("."))
    const environment = yield* Effect.fromResult(instance(fields, overrides, place))
    const { engine_api_key: key, engine_host: host } = overrides
    const [untrusted] =
      key === undefined || file.isTrusted || holdsKey(fields, key.value)
        ? []
        : unrestricting(fields).filter((field) => field !== "engine_host" || host === undefined)
    if (key !== undefined && untrusted !== undefined) {
      const variable = untrusted === "engine_host" ? hostBeside(key.place) : undefined
      const deed = paces.has(untrusted) ? { deed: muchAt } : {}
      return yield* untrustedDestination(place(untrusted), key.place, { file: file.name, variable, ...deed })
    }
    environments.set(name, environment)
  }
  return { defaultEnv: chosen, environments }
})

/** The single instance `default` that `ENGINE_HOST` and `ENGINE_API_KEY` define; nothing where neither is set. */
export const fromVariables = Effect.fnUntraced(function* (
  lookup: Lookup,
  at: Place
): Effect.fn.Return<EngineConfig["Service"] | undefined, ConfigurationError> {
  const engine_host = yield* lookup(hostVariables)
  const engine_api_key = yield* lookup(keyVariables)
  if (engine_host === undefined && engine_api_key === undefined) return undefined
  const insecure = yield* lookup([insecureVariable])
  const isInsecure = insecure?.value === "true"
  const untrusted = [engine_host, isInsecure ? insecure : undefined].find((setting) => setting?.file !== undefined)
  if (engine_api_key !== undefined && engine_api_key.file === undefined && untrusted?.file !== undefined) {
    const variable = untrusted === insecure ? insecureVariable : hostBeside(engine_api_key.place)
    return yield* untrustedDestination(untrusted.place, engine_api_key.place, { file: untrusted.file, variable })
  }
  const environment = yield* Effect.fromResult(
    instance({ allowInsecureHttp: isInsecure }, { engine_host, engine_api_key }, (path) =>
      at(variableOf.get(path) ?? path)
    )
  )
  return { defaultEnv: "default", environments: new Map([["default", environment]]) }
})

const insecureVariable = "ENGINE_ALLOW_INSECURE_HTTP"

/** The variable for the host of the instance whose key is in this one. */
const hostBeside = (keyVariable: string): string => keyVariable.replace("_API_KEY", "_HOST")

const variableOf: ReadonlyMap<string, string> = new Map([
  ["engine_host", hostVariables[0]],
  ["engine_api_key", keyVariables[0]]
])

/** Instances of all configurations are listed to clients, and have connections of their own. */
const mostInstances = 1000

/** Names of instances stand in instructions, questions and logs as they are. */
const longestName = 100

const nameOf = (name: string): string => nameText(clipped(name, longestName))

/** The variables of one named instance: `ENGINE_API_KEY_MY_STAGING` holds the key of `my-staging`. */
const named =
  (lookup: Lookup, name: string, names: ReadonlyArray<string>) =>
  (variables: ReadonlyArray<string>): Effect.Effect<VariableValue | undefined, ConfigurationError> =>
    Effect.flatMap(lookup(variables.map((variable) => variable + suffixOf(name))), (setting) => {
      const meant = setting === undefined ? [] : names.filter((other) => suffixOf(other) === suffixOf(name))
      return setting === undefined || meant.length === 1
        ? Effect.succeed(setting)
        : Effect.fail(
            new ConfigurationError({
              message: `${setting.place} could mean each of ${listed(meant, 20)}: expected one instance`
            })
          )
    })

const suffixOf = (name: string): string => `_${name.toUpperCase().replace(/[^A-Z0-9]/g, "_")}`

/** Whether an instance has the key in its own file, too: then nothing there can lead it astray. */
const holdsKey = (written: unknown, key: string): boolean =>
  [keyField, ...fieldAliases.keys()].some(
    (name) => (fieldAliases.get(name) ?? name) === keyField && fieldOf(written, name) === key
  )

const keyField = "engine_api_key"

/** Fields that decide how fast a key is used, not where it goes. */
const paces: ReadonlySet<string> = new Set(["requestsPerSecond", "concurrency"])
const muchAt = (key: string) => `how much is sent at once with the key of ${key}`

/**
 * The error where a field of a file that merely lies in the working folder decides where a key of the environment goes: a
 * folder that somebody else has filled must not lead a key away. `place` names the field, `variable` sets it elsewhere.
 */
export const untrustedDestination = (
  place: string,
  key: string,
  {
    deed = (name: string) => `where the key of ${name} goes`,
    file,
    variable
  }: {
    readonly deed?: (key: string) => string
    readonly file: string
    readonly variable?: string | undefined
  }
): ConfigurationError => {
  const ways = [
    ...(variable === undefined ? [] : [`set ${variable} in the environment too`]),
    ...(file === ".env" ? [] : [`start with --config ${file} if you trust that file`]),
    `or keep the key in ${file} as well`
  ]
  return new ConfigurationError({
    message:
      `${place} may not decide ${deed(key)}: the key is in the environment, the file only lies ` +
      `in the working folder. Expected one source: ${ways.join(", ")}`
  })
}
