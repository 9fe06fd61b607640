import { Predicate, Result } from "effect"

import { flag, flagNames, UsageError } from "../../configuration/flags.ts"
import { namesOf, type Parameter, parameter, parametersOf } from "./parameters.ts"

/** Flags of `call` itself: those with a value, and boolean ones. */
export const callFlags = { values: ["json-args", "print"], switches: ["json", "list"] } as const

/** A command line in two parts: what `effect/cli` parses, and what follows the name of a tool, which only its schema explains. */
export interface SplitCommandLine {
  readonly commandWords: ReadonlyArray<string>
  readonly toolWords: ReadonlyArray<string>
  /** Whether help about the tool is requested. */
  readonly toolHelp: boolean
}

/** Separates the arguments of a tool from the rest of a command line, wherever our own flags are. */
export const splitCommandLine = (words: ReadonlyArray<string>): SplitCommandLine => {
  const commandWords: Array<string> = []
  const toolWords: Array<string> = []
  let toolHelp = false
  let positionals = 0
  let isCall = false
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ""
    const kind = kindOf(word)
    const isOfTool = isCall && positionals > 1
    if (isOfTool && (word === "--help" || word === "-h")) toolHelp = true
    else if (kind !== undefined) {
      commandWords.push(word)
      const next = words[at + 1]
      if (kind === "value" && next !== undefined) {
        commandWords.push(next)
        at++
      }
    } else if (isOfTool) toolWords.push(word)
    else {
      commandWords.push(word)
      if (word.startsWith("-")) continue
      positionals++
      if (positionals === 1) isCall = word === "call"
    }
  }
  return { commandWords, toolWords, toolHelp }
}

/** Whether a word is a flag of ours, and one whose value is the next word. */
const kindOf = (word: string): "switch" | "value" | undefined => {
  if (!word.startsWith("--")) return undefined
  const [name = "", value] = word.slice(2).split(/=(.*)/s)
  const flagName = flagNames.find((one) => one === name)
  const isSwitch = (text: string) =>
    callFlags.switches.some((one) => one === text) ||
    flagNames.some((one) => one === text && flag(one).value === undefined)
  if (flagName !== undefined) {
    const { optional = false, value: metavar } = flag(flagName)
    return metavar === undefined || optional || value !== undefined ? "switch" : "value"
  }
  if (callFlags.values.some((one) => one === name)) return value === undefined ? "value" : "switch"
  return isSwitch(name) || (name.startsWith("no-") && isSwitch(name.slice(3))) ? "switch" : undefined
}

/** An argument of all tools that change what is protected, which is in no schema. */
const confirmProtected: Parameter = {
  name: "confirm_protected",
  description: "",
  metavar: "",
  isRequired: false,
  isSwitch: true,
  isList: false,
  choices: [],
  isJson: false
}

type Input = Readonly<Record<string, unknown>>

/**
 * The arguments in the words after a tool's name. Texts stay strings if the schema takes one; otherwise the tool itself decides
 * what they mean, and whether such arguments exist.
 */
export const readInput = (
  schema: Readonly<Record<string, unknown>>,
  words: ReadonlyArray<string>
): Result.Result<Input, UsageError> =>
  Result.gen(function* () {
    const parameters = parametersOf(schema)
    const given = new Map<string, unknown>()
    const loose: Array<string> = []
    for (let at = 0; at < words.length; at++) {
      const word = words[at] ?? ""
      if (!isFlag(word)) {
        loose.push(word)
        continue
      }
      const [written = "", value] = word.slice(2).split(/=(.*)/s)
      const target = parameter([...parameters, confirmProtected], written)
      const negated = written.startsWith("no-") ? parameter(parameters, written.slice(3)) : undefined
      const next = words[at + 1]
      if (target === undefined && negated?.isSwitch === true) {
        given.set(negated.name, false)
      } else if (target?.isSwitch === true) {
        const isSaid = value === undefined && (next === "true" || next === "false")
        if (isSaid) at++
        given.set(target.name, isSaid ? next === "true" : (value ?? true))
      } else {
        const takesNext = value === undefined && next !== undefined && !isFlag(next)
        if (takesNext) at++
        const text = value ?? (takesNext ? next : undefined)
        if (target !== undefined && text === undefined) {
          return yield* Result.fail(
            new UsageError({ message: `--${target.name} needs a value: --${target.name} ${target.metavar}` })
          )
        }
        const name = target?.name ?? written
        given.set(name, target?.isList === true ? added(given.get(name), text ?? "") : (text ?? true))
      }
    }
    const open = nameless(parameters).filter(({ name }) => !given.has(name))
    for (const [index, text] of loose.entries()) {
      const target = open[index]
      if (target === undefined) return yield* Result.fail(new UsageError({ message: tooMany(text, parameters) }))
      given.set(target.name, target.isList ? added(undefined, text) : text)
    }
    return Object.fromEntries(given)
  })

/** The meaning of values without a name: the arguments that the tool requires; if it requires none, its first one. */
const nameless = (parameters: ReadonlyArray<Parameter>): ReadonlyArray<Parameter> => {
  const required = parameters.filter(({ isRequired }) => isRequired)
  return required.length > 0 ? required : parameters.filter(({ isSwitch }) => !isSwitch).slice(0, 1)
}

/** A negative number is a value. */
const isFlag = (word: string) => word.startsWith("--") && word !== "--"

/** A JSON list is the whole list; any other text is one more item of it. */
const added = (before: unknown, text: string): unknown => {
  const isWhole = before === undefined && (/^\s*\[/.test(text) || text.startsWith("@"))
  if (isWhole) return text
  const items: ReadonlyArray<unknown> = Array.isArray(before) ? before : before === undefined ? [] : [before]
  return [...items, text]
}

const tooMany = (text: string, parameters: ReadonlyArray<Parameter>) =>
  `Nothing to do with ${JSON.stringify(text.slice(0, 40))}: give values as --name value. Arguments: ${namesOf(parameters)}`

/** Arguments whose text names a file with their JSON: `--nodes @nodes.json`. */
export const filesIn = (
  schema: Readonly<Record<string, unknown>>,
  input: Input
): ReadonlyArray<{ readonly name: string; readonly file: string }> =>
  parametersOf(schema).flatMap(({ isJson, name }) => {
    const value = input[name]
    return isJson && Predicate.isString(value) && value.startsWith("@") ? [{ name, file: value.slice(1) }] : []
  })
