import { flag, flagNames, type FlagTexts } from "./flags.ts"

/**
 * The texts that words give to flags, where nothing but flags for serving is asked for and each is spelt without a
 * doubt: then the parser of command lines, a seventh of a start, need not be loaded. Nothing for any other words.
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
