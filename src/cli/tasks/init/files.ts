import {
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

import { DateTime, Effect } from "effect"

import { ConfigurationError } from "../../../internal/config/ConfigurationError.ts"
import { transportCode } from "../../../internal/http/transportCode.ts"

const failed = (file: string, deed: string) => (error: unknown) =>
  new ConfigurationError({ message: `${file}: cannot be ${deed} (${transportCode(error) ?? "unknown reason"})` })

/** The content of a file, `""` if it does not exist. */
export const readOrEmpty = (file: string): Effect.Effect<string, ConfigurationError> =>
  Effect.try({
    try: () => (existsSync(file) ? readFileSync(file, "utf8") : ""),
    catch: failed(file, "read")
  })

/** The result of a write. */
export interface Written {
  readonly file: string
  /** The file with its former content; undefined for a new file. */
  readonly copy: string | undefined
}

/**
 * Replaces the content of a file atomically, and keeps a copy of the old one beside it. Only the owner can read them: they
 * contain keys, or the names of files with keys.
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
      const copy = isThere ? free(`${file}.${now}.bak`) : undefined
      if (copy !== undefined) write(copy, readFileSync(file), 0o600)
      const temporary = free(`${file}.new`)
      write(temporary, Buffer.from(text), mode)
      renameSync(temporary, file)
      return { file, copy }
    },
    catch: failed(name, "written")
  })
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
