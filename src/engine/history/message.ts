import { oneLine } from "../../internal/clipped.ts"
import type { Call } from "../../mcp/Caller.ts"
import type { Drift, Version } from "../client/History.ts"

/** What a commit says about one workflow. */
export interface Line {
  /** Path of the workflow's file, without `.json`. */
  readonly base: string
  readonly change: string
  readonly engineVersion?: string | undefined
}

/** The content of a commit message. */
export interface Message {
  readonly subject: string
  /** Milliseconds since 1970; git stores only seconds. */
  readonly at: number
  readonly lines: ReadonlyArray<Line>
  readonly origin?: Partial<Call> | undefined
  /** Folder of the instance whose backup ends here. */
  readonly backupOf?: string
}

/** A commit message: a subject, a line for each workflow, and who made the change with which tool. */
export const messageOf = ({ at, backupOf, lines, origin, subject }: Message): string => {
  const trailers = [
    ["Client", origin?.client],
    ["Tool", origin?.tool],
    ["Reason", origin?.reason],
    ["Call", origin?.id],
    ["Backup", backupOf],
    ["At", new Date(at).toISOString()]
  ].flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${inTerminal(value)}`]))
  const body = lines.map(
    ({ base, change, engineVersion }) =>
      `${base}.json: ${inTerminal(change)}${engineVersion === undefined ? "" : ` [${engineVersion}]`}`
  )
  return [[inTerminal(subject).slice(0, 200)], body, trailers]
    .filter((part) => part.length > 0)
    .map((part) => part.join("\n"))
    .join("\n\n")
}

/** A line that is safe in terminals, which may show it with `git log`. */
const inTerminal = (text: string): string => oneLine(text.replaceAll(/\p{C}+/gu, " "))

/** A commit as printed by `git log`. */
export interface Commit {
  readonly hash: string
  readonly when: string
  readonly author: string
  readonly message: string
}

/** What a commit says about one workflow of an instance; undefined if it does not change it. */
export const versionIn = ({ author, hash, message, when }: Commit, folder: string, id: string): Version | undefined => {
  const line = linesIn(message).find((one) => one.folder === folder && one.id === id)
  if (line === undefined || line.change === readWhole) return undefined
  return {
    version: hash.slice(0, 12),
    when: momentIn(message) ?? when,
    by: author,
    tool: trailerIn(message, "Tool"),
    reason: trailerIn(message, "Reason"),
    call: trailerIn(message, "Call"),
    change: line.change,
    engineVersion: line.engineVersion,
    isDeletion: line.change === deleted
  }
}

/** Every workflow of an instance in a commit. */
export const driftIn = (commit: Commit, folder: string): ReadonlyArray<Drift> =>
  linesIn(commit.message).flatMap(({ folder: at, id, name }) => {
    const version = at === folder ? versionIn(commit, folder, id) : undefined
    if (version === undefined) return []
    const { call: _, engineVersion: __, ...told } = version
    return [{ ...told, id, name }]
  })

/** The line of a commit that ends a backup. */
export const backupLine = (folder: string): string => `Backup: ${folder}`

/** The note on a deleted workflow. */
export const deleted = "deleted"

/** The note on a workflow of which more was read than a list shows, which is not a change. */
export const readWhole = "read whole"

/** Every workflow in a message. */
export const linesIn = (message: string) =>
  message.split("\n").flatMap((text) => {
    const [, folder, name, id, change, engineVersion] = lineForm.exec(text) ?? []
    return folder === undefined || id === undefined || change === undefined
      ? []
      : [{ folder, name: name ?? "", id, change, engineVersion }]
  })

const lineForm = /^([^/:]+)\/([^/:.]+)\.([A-Za-z0-9_-]{1,128})\.json: (.*?)(?: \[([0-9a-zA-Z-]{1,64})\])?$/

/** The time of the event in a message. */
export const momentIn = (message: string): string | undefined => trailerIn(message, "At")

const trailerIn = (message: string, name: string): string | undefined =>
  message
    .split("\n")
    .findLast((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2)
