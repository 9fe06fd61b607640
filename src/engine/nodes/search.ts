import { agentType, nodeKind } from "../client/naming.ts"
import type { IndexEntry } from "./NodeType.ts"

/** Which nodes somebody looks for. */
export type Kind = "trigger" | "action" | "tool" | "ai"

/** A node that was found, and what of it was meant. */
export interface Found {
  readonly entry: IndexEntry
  readonly action: IndexEntry["actions"][number] | undefined
  readonly score: number
}

const fillers = new Set(
  "a an the to from of in on into and or with for my our your new all some when if it is be by via using use node nodes step how do i want that this at as".split(
    " "
  )
)

/** The words of a question that tell nodes apart. */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "" && !fillers.has(word))

/** The nodes that fit a question, best first; with no words, all of the kind. `used` breaks ties. */
export const search = (
  entries: ReadonlyArray<IndexEntry>,
  query: string,
  kind: Kind | undefined,
  used: (type: string) => number
): ReadonlyArray<Found> => {
  const words = wordsOf(query)
  return entries
    .filter((entry) => entry.isHidden !== true && isOf(entry, kind))
    .map((entry) => rated(entry, words))
    .filter(({ score }) => words.length === 0 || score > 0)
    .toSorted(
      (a, b) =>
        b.score - a.score || used(b.entry.type) - used(a.entry.type) || a.entry.title.length - b.entry.title.length
    )
}

const isOf = ({ asTool, gives, isTrigger = false, type }: IndexEntry, kind: Kind | undefined): boolean => {
  if (kind === "trigger") return isTrigger
  if (kind === "action") return !isTrigger && gives.length === 0
  if (kind === "tool") return asTool === true || gives.includes("ai_tool")
  return kind === undefined || gives.length > 0 || (!isTrigger && type.startsWith(agentType("")))
}

const rated = (entry: IndexEntry, words: ReadonlyArray<string>): Found => {
  const title = wordsOf(entry.title)
  const name = wordsOf(nodeKind(entry.type))
  const alias = entry.alias.flatMap(wordsOf)
  const description = wordsOf(entry.description)
  const actions = entry.actions.map((action) => {
    const inside = [...wordsOf(action.words), ...title]
    return { action, words: inside, hits: words.filter((word) => has(inside, word)).length }
  })
  const [first] = actions.toSorted((a, b) => b.hits - a.hits)
  const best = first ?? { action: undefined, hits: 0, words: [] }
  const score = words
    .map((word) => {
      if (has(title, word)) return title.length <= words.length ? 8 : 6
      if (has(name, word)) return 5
      if (has(alias, word)) return 3
      if (has(best.words, word)) return 2
      return has(description, word) ? 1 : 0
    })
    .reduce((sum: number, one) => sum + one, 0)
  const isWhole = title.length > 0 && title.every((word) => has(words, word))
  const covered = words.filter((word) => has([...title, ...name, ...alias, ...description, ...best.words], word)).length
  return {
    entry,
    action: best.hits > title.filter((word) => has(words, word)).length ? best.action : undefined,
    score: score === 0 ? 0 : score + (isWhole ? 5 : 0) + covered * 2
  }
}

/** Whether a word is among others, singular and plural being the same. */
const has = (among: ReadonlyArray<string>, word: string): boolean =>
  among.some((other) => other === word || stem(other) === stem(word))

const stem = (word: string) => (word.length > 3 ? word.replace(/(?:ies|es|s|ing|ed)$/, "") : word)
