import { distance } from "../../internal/texts.ts"
import { agentType, nodeKind, toEngineType } from "../workflow/naming.ts"
import type { IndexEntry } from "./NodeType.ts"
import { calledBy, has, nameWordsOf, otherWord } from "./searchWords.ts"

/**
 * The types that somebody can have meant by one that is not there, the likeliest first: of the same name elsewhere, spelt
 * like it, of the same words in another order, or with more or less of them. None, where nothing speaks for any.
 */
export const suggestTypes = (written: string, entries: ReadonlyArray<IndexEntry>, most = 2): ReadonlyArray<string> => {
  const kind = nodeKind(written)
  const request = {
    lower: kind.toLowerCase(),
    words: nameWordsOf(kind).filter(isTelling),
    isTrigger: nameWordsOf(kind).includes("trigger"),
    isPart: toEngineType(written).startsWith(agentType("")) || nameWordsOf(kind).includes("tool")
  }
  const rated = entries
    .map((entry) => ({ type: entry.type, isHidden: entry.isHidden, score: scoreOf(entry, request) }))
    .filter(({ isHidden, score }) => score > 0 && (isHidden !== true || score === 1))
    .toSorted((a, b) => b.score - a.score || a.type.length - b.type.length)
  const [best] = rated
  // What is far less likely than the best one only distracts from it.
  return rated
    .filter(({ score }) => score >= 0.6 * (best?.score ?? 0))
    .slice(0, most)
    .map(({ type }) => type)
}

interface Request {
  readonly lower: string
  readonly words: ReadonlyArray<string>
  readonly isTrigger: boolean
  /** Whether it is one of those that agents are made of. */
  readonly isPart: boolean
}

/** Whether a word distinguishes types: so many are triggers that this one does not. */
const isTelling = (word: string) => word !== "trigger"

/** From 0, where nothing speaks for it, to 1, where it is called so. */
const scoreOf = (entry: IndexEntry, { isPart, isTrigger, lower, words }: Request): number => {
  const kind = nodeKind(entry.type)
  const name = kind.toLowerCase()
  if (name === lower) return 1
  const odds =
    (isTrigger === nameWordsOf(kind).includes("trigger") ? 0 : 0.2) +
    (isPart === entry.type.startsWith(agentType("")) ? 0 : 0.15)
  return Math.max(spelling(lower, name), inWords(entry, words) - odds)
}

/** A slip of the fingers: a letter in four or five, or an end that is left out. */
const spelling = (written: string, name: string): number => {
  const shorter = Math.min(written.length, name.length)
  if (shorter < 4 || written[0] !== name[0]) return 0
  const off = distance(written, name)
  if (off <= Math.max(1, Math.floor(shorter / 5))) return 0.95 - off / 20
  return name.startsWith(written) || written.startsWith(name)
    ? 0.9 * (shorter / Math.max(written.length, name.length))
    : 0
}

/** The share of words that each side has in common with the other; synonyms count less. */
const inWords = (entry: IndexEntry, words: ReadonlyArray<string>): number => {
  const { name, title } = calledBy(entry)
  const all = [...name, ...title]
  const worth = (word: string): number => {
    if (has(name, word) || has(title, word)) return 1
    const other = otherWord(word)
    if (other !== undefined && has(all, other)) return 0.8
    return entry.alias.some((alias) => alias.toLowerCase() === word) ? 0.5 : 0
  }
  const total = words.reduce((sum, word) => sum + worth(word), 0)
  if (total === 0) return 0
  const named = (nameWords: ReadonlyArray<string>) =>
    nameWords.length === 0
      ? 0
      : nameWords.filter((one) => words.some((word) => has([one], word) || otherWord(word) === one)).length /
        nameWords.length
  const shareOfRequest = total / words.length
  const shareOfName = Math.max(
    ...[nodeKind(entry.type), entry.title].map((text) => named(nameWordsOf(text).filter(isTelling)))
  )
  // Either all that was asked for is there, or all that it is called by was asked for: half of each is chance.
  if (shareOfRequest < 0.5 && shareOfName < 1) return 0
  if (shareOfRequest < 0.75 && shareOfName < 0.6) return 0
  return 0.9 * (0.6 * shareOfRequest + 0.4 * shareOfName)
}
