import { engineName, nodeKind } from "../workflow/naming.ts"
import type { IndexEntry } from "./NodeType.ts"

const list = (text: string) => new Set(text.split(" "))

const fillers = list(
  "a an the to from of in on into and or with for my our your new all some when whenever if it is be by via using use node nodes " +
    "step how do i want that this at as"
).add(engineName)

/** Words of people, and those of nodes for the same. */
const others: ReadonlyMap<string, string> = new Map([
  ["bash", "command"],
  ["call", "execute"],
  ["condition", "if"],
  ["cron", "schedule"],
  ["curl", "http"],
  ["delay", "wait"],
  ["else", "if"],
  ["endpoint", "http"],
  ["foreach", "loop"],
  ["function", "code"],
  ["gsheets", "sheets"],
  ["iterate", "loop"],
  ["javascript", "code"],
  ["js", "code"],
  ["llm", "language"],
  ["mail", "email"],
  ["pause", "wait"],
  ["python", "code"],
  ["response", "respond"],
  ["rest", "http"],
  ["shell", "command"],
  ["sleep", "wait"],
  ["sub", "execute"],
  ["subworkflow", "execute"],
  ["timer", "schedule"]
])

/** Another word for the same, where there is one that nodes are called by. */
export const otherWord = (word: string): string | undefined => others.get(word)

const tokensOf = (text: string): ReadonlyArray<string> => text.split(/[^\p{L}\p{N}]+/u).filter((token) => token !== "")

/** Names such as `googleSheets` and `OpenAI` in parts. */
const partsOf = (token: string): ReadonlyArray<string> =>
  token
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(" ")

const isTelling = (word: string) => !fillers.has(word)

/** The words of a text that tell nodes apart, as they stand there. */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  tokensOf(text)
    .map((token) => token.toLowerCase())
    .filter(isTelling)

/** Words that carry no meaning in a name. */
const idle = list("a and my new node nodes of the to").add(engineName)

/** The words of a name, part by part. */
export const nameWordsOf = (name: string): ReadonlyArray<string> =>
  tokensOf(name)
    .flatMap(partsOf)
    .filter((word) => !idle.has(word))

/** The words of a text, whole and part by part. */
export const allWordsOf = (text: string): ReadonlyArray<string> => [
  ...new Set([...wordsOf(text), ...nameWordsOf(text)])
]

/** The words by which an entry is called. */
export const calledBy = ({ title, type }: IndexEntry) => ({
  title: allWordsOf(title),
  name: allWordsOf(nodeKind(type))
})

/** Whether a word is among others, singular and plural being the same. */
export const has = (among: ReadonlyArray<string>, word: string): boolean =>
  among.some((other) => other === word || stem(other) === stem(word))

const stem = (word: string) =>
  word.length > 3
    ? word
        .replace(/ies$/, "y")
        .replace(/(?:ing|ed|(?:e?s){1,4})$/, "")
        .replace(/e$/, "")
    : word
