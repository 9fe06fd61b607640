import { Predicate } from "effect"

import { oneLine } from "../../internal/foreignText.ts"
import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import type { Call } from "../../mcp/callContext.ts"
import type { Drift, Version } from "../client/History.ts"
import { ourselves, unknownAuthor } from "./git/fastImport.ts"

/** The line of a commit about a file. */
interface FileLine {
  readonly file: string
  readonly change: string
}

/** The line of a commit about one workflow. */
export interface Line extends Omit<FileLine, "file"> {
  /** Path of the workflow's file, without `.json`. */
  readonly base: string
  readonly engineVersion?: string | undefined
  /** The time at which the engine has saved the change, by its own clock. */
  readonly savedAt?: string | undefined
}

/** The line about a workflow, with the engine's stamps of its record. */
export const lineOf = (
  base: string,
  change: string,
  { updatedAt, versionId }: JsonObject,
  before: JsonObject | undefined
): Line => ({
  base,
  change,
  engineVersion: Predicate.isString(versionId) ? versionId : undefined,
  // Engines do not stamp every change, such as one of tags.
  savedAt: Predicate.isString(updatedAt) && updatedAt !== before?.updatedAt ? updatedAt : undefined
})

/** The content of a commit message. */
interface Message {
  readonly subject: string
  /** Milliseconds since 1970; git stores only seconds. */
  readonly at: number
  readonly lines: ReadonlyArray<FileLine | Line>
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
  const body = lines.map((line) =>
    "file" in line
      ? `${line.file}: ${inTerminal(line.change)}`
      : `${line.base}.json: ${inTerminal(line.change)}${stampsOf(line)}`
  )
  return [[inTerminal(subject).slice(0, 200)], body, trailers]
    .filter((part) => part.length > 0)
    .map((part) => part.join("\n"))
    .join("\n\n")
}

/** The engine's own stamps of a change, as far as they have the usual form. */
const stampsOf = ({ engineVersion = "", savedAt = "" }: Line): string => {
  const stamps = [versionForm.test(engineVersion) ? engineVersion : "", timeForm.test(savedAt) ? savedAt : ""]
  const usual = stamps.filter((stamp) => stamp !== "")
  return usual.length === 0 ? "" : ` [${usual.join(" ")}]`
}

/** A line that is safe in terminals, which may show it with `git log`. */
const inTerminal = (text: string): string => oneLine(text)

/** A commit as printed by `git log`. */
export interface Commit {
  readonly hash: string
  readonly when: string
  readonly author: string
  /** The address of whoever committed it. */
  readonly committer: string
  readonly message: string
}

/** The version of a workflow of an instance that a commit stands for; undefined if it does not change it. */
export const versionIn = (commit: Commit, folder: string, id: string): Version | undefined => {
  const line = linesIn(commit.message).find((one) => one.folder === folder && one.id === id)
  return line === undefined || isNoChange(line) ? undefined : versionsIn(commit)(line)
}

/** The version that a line of a commit stands for; what is the same for all of its lines is read once. */
const versionsIn = ({ author, hash, message, when }: Commit) => {
  const tool = trailerIn(message, "Tool")
  const recordedAt = momentIn(message) ?? when
  const shared = {
    version: hash.slice(0, 12),
    // Whoever has recorded what was there has not written it.
    by: tool === undefined && author === ourselves ? unknownAuthor : author,
    tool,
    reason: trailerIn(message, "Reason"),
    call: trailerIn(message, "Call")
  }
  return ({ change, engineVersion, savedAt = recordedAt }: WorkflowLine): Version => ({
    ...shared,
    when: savedAt,
    change,
    engineVersion,
    isDeletion: change === deleted
  })
}

/** Every workflow of an instance in a commit. */
export const driftIn = (commit: Commit, folder: string): ReadonlyArray<Drift> => {
  const versionOf = versionsIn(commit)
  const ids = new Set<string>()
  const lines = linesIn(commit.message)
  const onlyName = lines.length === 1 ? nameIn(commit.message) : undefined
  return lines.flatMap((line) => {
    const { folder: at, id, name } = line
    if (at !== folder || ids.has(id)) return []
    ids.add(id)
    if (isNoChange(line)) return []
    const { call: _, engineVersion: __, ...version } = versionOf(line)
    return [{ ...version, id, name: onlyName ?? name }]
  })
}

/** The name of the only workflow in a message: files have lost what file systems do not take. */
const nameIn = (message: string): string | undefined => {
  const [title = ""] = message.split("\n", 1)
  const [start, end] = [title.indexOf(": "), title.lastIndexOf(" on ")]
  return start === -1 || end <= start + 2 ? undefined : title.slice(start + 2, end)
}

/** The line of a commit that ends a backup. */
export const backupLine = (folder: string): string => `Backup: ${folder}`

/** The note on a deleted workflow. */
export const deleted = "deleted"

/** The note on a workflow of which more was read than a list shows, which is not a change. */
export const readWhole = "read whole"

/** The note on a workflow whose nodes have only got other ids, which is no change either. */
export const otherIds = "other ids of nodes"

/** The note on a workflow that was in the history alone, and never on the instance. */
export const notHere = "not on this instance"

const isNoChange = ({ change }: WorkflowLine): boolean => [readWhole, otherIds, notHere].includes(change)

/** The note on a workflow that was recorded as it was read for the first time. */
export const firstSeen = "first seen"

interface WorkflowLine {
  readonly folder: string
  readonly name: string
  readonly id: string
  readonly change: string
  readonly engineVersion: string | undefined
  readonly savedAt: string | undefined
}

/** Every workflow in a message. */
export const linesIn = (message: string): ReadonlyArray<WorkflowLine> =>
  message.split("\n").flatMap((text) => {
    const saved = savedForm.exec(text)
    const [, folder, name, id, change] = lineForm.exec(text.slice(0, saved?.index)) ?? []
    if (folder === undefined || id === undefined || change === undefined) return []
    const [, engineVersion, savedAt, savedAtAlone] = saved ?? []
    return [{ folder, name: name ?? "", id, change, engineVersion, savedAt: savedAt ?? savedAtAlone }]
  })

const versionForm = /^[0-9a-zA-Z-]{1,64}$/

const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/

const lineForm = /^([^/:]+)\/([^/:.]+)\.([A-Za-z0-9_-]{1,128})\.json: (.*)$/

/** The engine's version of a workflow, the time of its saving, or both. */
const savedForm = / \[(?:([0-9a-zA-Z-]{1,64})(?: (\d{4}-[\dT:.-]{1,30}Z))?|(\d{4}-[\dT:.-]{1,30}Z))\]$/

/** The time of the event in a message. */
export const momentIn = (message: string): string | undefined => trailerIn(message, "At")

const trailerIn = (message: string, name: string): string | undefined =>
  message
    .split("\n")
    .findLast((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2)
