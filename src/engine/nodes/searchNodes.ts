import { agentType } from "../workflow/naming.ts"
import type { IndexEntry } from "./NodeType.ts"
import { allWordsOf, calledBy, has, otherWord, wordsOf } from "./searchWords.ts"

/** The kind of nodes to search for. */
export type Kind = "trigger" | "action" | "tool" | "ai"

/** A node that matches a question, and the action that does. */
export interface SearchResult {
  readonly entry: IndexEntry
  readonly action: IndexEntry["actions"][number] | undefined
  readonly score: number
}

/** The nodes that fit a question, best first; with no words, all of the kind. `used` breaks ties. */
export const search = (
  entries: ReadonlyArray<IndexEntry>,
  query: string,
  kind: Kind | undefined,
  used: (type: string) => number
): ReadonlyArray<SearchResult> => {
  const question = questionOf(query)
  const isBare = question.main.length === 0
  return entries
    .filter((entry) => entry.isHidden !== true && isOf(entry, kind))
    .map((entry) => rated(entry, question))
    .filter(({ score }) => isBare || score > 0)
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

/** A question in words: those that it is about, and those that only go with it. */
interface Question {
  readonly main: ReadonlyArray<string>
  readonly beside: ReadonlyArray<string>
  /** Whether it is about something that happens, and starts a workflow. */
  readonly isEvent: boolean
}

/** Words behind which a question says with what or for whom something is done, and less about what it is. */
const joining = /\b(?:with|using|via|by|for|inside|within)\b/iu

const happening =
  /^(?:when|whenever|on|if|each time|every time)\b|\b(?:arrives?|arrived|comes? in|triggers?|(?:is|are|was|gets?) (?:added|changed|created|deleted|received|updated))\b/iu

/** Characters of a question: each of its words is compared with those of every node. */
const maxQuestion = 500

/** Reads a question, or the beginning of a long one. */
const questionOf = (text: string): Question => {
  const query = text.slice(0, maxQuestion)
  const [first = "", ...rest] = query.split(joining)
  const [main, beside] = [wordsOf(first), wordsOf(rest.join(" "))]
  const isEvent = happening.test(query.trim())
  return main.length === 0 ? { main: beside, beside: [], isEvent } : { main, beside, isEvent }
}

/** The worth of a word behind such a joint, as a part of that before it. */
const besideWorth = 0.4

const rated = (entry: IndexEntry, { beside, isEvent, main }: Question): SearchResult => {
  const { name, title } = calledBy(entry)
  const titleWords = wordsOf(entry.title)
  const alias = entry.alias.flatMap(allWordsOf)
  const description = allWordsOf(entry.description)
  const words = [...main, ...beside]
  const hitsOf = (inside: ReadonlyArray<string>) => words.filter((word) => has(inside, word)).length
  const actions = entry.actions.map((action) => {
    const inside = [...allWordsOf(action.words), ...title]
    return { action, words: inside, hits: hitsOf(inside) }
  })
  const [first] = actions.toSorted((a, b) => b.hits - a.hits)
  const best = first ?? { action: undefined, hits: 0, words: [] }
  const worth = (word: string): number => {
    if (has(title, word)) return titleWords.length <= words.length ? 8 : 6
    if (has(name, word)) return 5
    const other = otherWord(word)
    if (other !== undefined && (has(title, other) || has(name, other))) return 5
    if (has(alias, word)) return 3
    if (has(best.words, word)) return 2
    return has(description, word) ? 1 : 0
  }
  const sum = (some: ReadonlyArray<string>) =>
    some.map(worth).reduce((total: number, one) => total + (one === 0 ? 0 : one + 2), 0)
  const score = sum(main) + besideWorth * sum(beside)
  const called = titleWords.filter((word) => word !== "trigger")
  const isWhole = called.length > 0 && called.every((word) => has(main, word))
  const likely = isEvent === (entry.isTrigger === true) ? 1 : isEvent ? 0.5 : 0.9
  return {
    entry,
    action: best.hits > hitsOf(title) ? best.action : undefined,
    score: score === 0 ? 0 : (score + (isWhole ? 5 : 0)) * likely
  }
}
