import { flag, flagNames, type FlagTexts } from "./flags.ts"

/**
 * The texts of flags, if there are only flags for serving and all are spelt unambiguously: then the command-line parser, a
 * seventh of a start, need not be loaded. Undefined otherwise.
 */
export const plainTexts = (words: ReadonlyArray<string>): FlagTexts | undefined => {
  const texts: { [name: string]: string } = {}
  for (let at = 0; at < words.length; at++) {
    const [, written, value] = /^--([a-z-]+)(?:=(.+))?$/s.exec(words[at] ?? "") ?? []
    const name = flagNames.find((known) => known === written)
    if (name === undefined) return undefined
    const { optional = false, value: metavar } = flag(name)
    const next = words[at + 1]
    if (metavar === undefined) {
      if (value !== undefined || (next !== undefined && !next.startsWith("--"))) return undefined
      texts[name] = "true"
    } else if (value !== undefined || optional) texts[name] = value ?? ""
    else {
      if (next === undefined || next === "" || next.startsWith("-")) return undefined
      texts[name] = next
      at++
    }
  }
  return texts
}
