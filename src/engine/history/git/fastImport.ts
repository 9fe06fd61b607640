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
      ...remove.map((path) => `D ${path}`),
      ...[...write].flatMap(([path, text]) => [`M 100644 inline ${path}`, data(text)])
    ].join("\n")
  )
  return [...parts, "get-mark :1", "done", ""].join("\n")
}

export const ourselves = "workflow-tool-server"

/** The author of changes made past this server, if nothing more is known. */
export const somebody = "somebody else"

/** Line breaks and angle brackets would end a name; other tools refuse one without letters. */
const ident = (name: string): string => {
  const plain = name
    .replace(/[\p{C}<>]+/gu, " ")
    .replace(/^[\s.,:;"'\\]+|[\s.,:;"'\\]+$/g, "")
    .slice(0, 100)
  const local = plain
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
  return `${plain === "" ? "unknown" : plain} <${local === "" ? "unknown" : local}@${ourselves}.invalid>`
}

const encoder = new TextEncoder()

const data = (text: string): string => `data ${encoder.encode(text).length}\n${text}`
