import { withoutEnds } from "../../../internal/texts.ts"

/** A commit to make. */
export interface NewCommit {
  readonly author: string
  /** Seconds since 1970. */
  readonly at: number
  readonly message: string
  /** Files and folders to remove; then files to write. */
  readonly remove: ReadonlyArray<string>
  readonly write: ReadonlyMap<string, string>
}

const encoder = new TextEncoder()

/** The input with which `git fast-import` makes these commits one after the other, and prints the name of the last one. */
export const importOf = (branch: string, tip: string | undefined, commits: ReadonlyArray<NewCommit>): string => {
  const parts = commits.map(({ at, author, message, remove, write }, place) =>
    [
      `commit ${branch}`,
      ...(place === commits.length - 1 ? ["mark :1"] : []),
      `author ${ident(author)} ${at} +0000`,
      `committer ${ident(ourselves)} ${at} +0000`,
      data(message),
      ...(place === 0 && tip !== undefined ? [`from ${tip}`] : []),
      ...remove.map((path) => `D ${quoted(path)}`),
      ...[...write].flatMap(([path, text]) => [`M 100644 inline ${quoted(path)}`, data(text)])
    ].join("\n")
  )
  return [...parts, "get-mark :1", "done", ""].join("\n")
}

/** A path as git quotes it, so that nothing in it is read as a command of its own. */
const quoted = (path: string): string =>
  `"${path.replace(/[\p{Cc}"\\]/gu, (char) =>
    Array.from(encoder.encode(char), (byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")
  )}"`

export const ourselves = "workflow-tool-server"

/** The author of changes made past this server, if nothing more is known. */
export const somebody = "somebody else"

/** The author of what was there when it was first seen. */
export const unknownAuthor = "unknown"

const addressOf = (local: string) => `${local}@${ourselves}.invalid`

/** The address of whoever makes our commits. */
export const ourAddress = addressOf(ourselves)

const ident = (name: string): string => {
  const plain = plainName(name)
  const local = withoutEnds(plain.toLowerCase().replace(/[^a-z0-9]+/g, "-"), "-")
  return `${plain} <${addressOf(local === "" ? "unknown" : local)}>`
}

/** The name of an author as commits have it: line breaks and angle brackets would end it, and other tools refuse one without letters. */
export const plainName = (name: string): string =>
  withoutCrud(name.slice(0, 1000).replace(/[\p{C}<>]+/gu, " ")).slice(0, 100) || unknownAuthor

/** Without what git takes from the ends of a name. */
const withoutCrud = (name: string): string => {
  const isCrud = (character: string) => /[\s.,:;"'\\]/.test(character)
  const characters = Array.from(name)
  const [first, last] = [characters.findIndex((one) => !isCrud(one)), characters.findLastIndex((one) => !isCrud(one))]
  return first < 0 ? "" : characters.slice(first, last + 1).join("")
}

const data = (text: string): string => `data ${encoder.encode(text).length}\n${text}`
