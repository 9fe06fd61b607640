import { Result } from "effect"

import { nearest } from "../internal/schema/nearest.ts"
import { flag, type FlagName, flagNames } from "./flags.ts"
import { UsageError } from "./UsageError.ts"

/** A value with the flag or the variable that it came from. */
export interface Given {
  readonly text: string
  readonly place: string
}

/** The words of a command line, sorted; a flag that is only there has the text `true`. */
export interface Words {
  readonly commands: ReadonlyArray<string>
  readonly flags: ReadonlyMap<FlagName, Given>
}

/** Sorts `--flag`, `--flag value` and `--flag=value` from the commands; the last of equal flags counts. */
export const sort = (words: ReadonlyArray<string>): Result.Result<Words, UsageError> => {
  const commands: Array<string> = []
  const found = new Map<FlagName, Given>()
  const queue = [...words]
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (!word.startsWith("-")) {
      commands.push(word)
      continue
    }
    const [spelt = "", ...rest] = word.split("=")
    const name = flagNames.find((known) => spelt === `--${known}`)
    if (name === undefined) return Result.fail(unknown(spelt))
    const { optional = false, value } = flag(name)
    const alone = value === undefined ? "true" : optional ? "" : queue.shift()
    const text = rest.length > 0 ? rest.join("=") : alone
    if (text === undefined) return Result.fail(new UsageError({ message: `${spelt} needs a value: ${spelt} ${value}` }))
    found.set(name, { text, place: spelt })
  }
  return Result.succeed({ commands, flags: found })
}

const unknown = (spelt: string): UsageError => {
  const guess = nearest(spelt.replace(/^-+/, ""), [...flagNames, "help", "version"])
  const hint = guess === undefined ? "--help lists all options" : `Did you mean --${guess}?`
  return new UsageError({ message: `Unknown option ${spelt}. ${hint}` })
}
