import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync
} from "node:fs"
import path from "node:path"

import { DateTime, Effect, Predicate } from "effect"

import { ConfigurationError } from "../../../internal/config/ConfigurationError.ts"
import { transportCode } from "../../../internal/http/transportCode.ts"
import { stateFolder } from "../../files/homeFolders.ts"

const failed = (file: string, deed: string) => (error: unknown) =>
  new ConfigurationError({ message: `${file}: cannot be ${deed} (${transportCode(error) ?? "unknown reason"})` })

/** Largest file that is read, in bytes: clients keep much else in theirs. A device has no end. */
const mostBytes = 64 * 1024 * 1024

/** The content of a file, `""` if it does not exist. */
export const readOrEmpty = (file: string): Effect.Effect<string, ConfigurationError> =>
  Effect.try({
    try: () => {
      const present = statSync(file, { throwIfNoEntry: false })
      if (present === undefined) return ""
      return present.isFile() && present.size <= mostBytes ? readFileSync(file, "utf8") : undefined
    },
    catch: failed(file, "read")
  }).pipe(
    Effect.filterOrFail(
      Predicate.isNotUndefined,
      () => new ConfigurationError({ message: `${file}: expected a file of at most ${mostBytes} bytes` })
    )
  )

/** The result of a write. */
export interface Written {
  readonly file: string
  /** The file with its former content; undefined for a new file. */
  readonly copy: string | undefined
}

/**
 * Replaces the content of a file atomically, and keeps a copy of the old one. Only the owner can read them: they contain keys, or
 * the names of files with keys.
 */
export const replaceFile = Effect.fnUntraced(function* (name: string, text: string, privately: boolean) {
  const now = DateTime.formatIso(yield* DateTime.now)
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(":", "-")
  return yield* Effect.try({
    try: (): Written => {
      mkdirSync(path.dirname(name), { recursive: true })
      const isThere = existsSync(name)
      const file = isThere ? realpathSync(name) : name
      const mode = isThere && !privately ? statSync(file).mode & 0o777 : 0o600
      const copy = isThere ? free(`${copiesOf(file)}.${now}.bak`) : undefined
      if (copy !== undefined) write(copy, readFileSync(file), 0o600)
      const temporary = free(`${file}.new`)
      write(temporary, Buffer.from(text), mode)
      renameSync(temporary, file)
      return { file, copy }
    },
    catch: failed(name, "written")
  })
})

/** The path without the end of the copies of a file: in a repository beside it they would be committed with everything else. */
const copiesOf = (file: string): string => {
  const state = stateFolder()
  if (state === undefined) return file
  const folder = path.join(state, "copies")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return path.join(folder, file.replaceAll(/[\\/:]+/g, "-").slice(-150))
}

/** Lines for the `.gitignore` beside a file that lies in a repository, unless it is named there; copies of it may lie there, too. */
export const linesToIgnore = (file: string): ReadonlyArray<string> | undefined => {
  const folder = path.dirname(file)
  const name = path.basename(file)
  const isInRepository = (at: string): boolean =>
    existsSync(path.join(at, ".git")) || (path.dirname(at) !== at && isInRepository(path.dirname(at)))
  if (!isInRepository(folder)) return undefined
  const ignoring = path.join(folder, ".gitignore")
  const lines = existsSync(ignoring) ? readFileSync(ignoring, "utf8").split(/\r?\n/) : []
  return lines.some((line) => line.trim().replace(/^\//, "") === name) ? undefined : [name, `${name}.*.bak`]
}

/** Adds lines to a text file, which may not be there yet. */
export const appendLines = (file: string, lines: ReadonlyArray<string>) =>
  Effect.try({
    try: () => {
      const before = existsSync(file) ? readFileSync(file, "utf8") : ""
      const gap = before === "" || before.endsWith("\n") ? "" : "\n"
      appendFileSync(file, `${gap}${lines.join("\n")}\n`)
    },
    catch: failed(file, "written")
  })

const free = (name: string, number = 1): string => {
  const numbered = number === 1 ? name : `${name}.${number}`
  return existsSync(numbered) ? free(name, number + 1) : numbered
}

const write = (file: string, bytes: Uint8Array, mode: number) => {
  const handle = openSync(file, "wx", mode)
  const written = writeSync(handle, bytes)
  fsyncSync(handle)
  closeSync(handle)
  // The process's umask may have removed permissions that the file had before.
  chmodSync(file, mode)
  if (written !== bytes.length) rmSync(file)
}
