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

/** What a file holds, `""` where there is none. */
export const readOrEmpty = (file: string): Effect.Effect<string, ConfigurationError> =>
  Effect.try({
    try: () => (existsSync(file) ? readFileSync(file, "utf8") : ""),
    catch: failed(file, "read")
  })

/** What became of a file. */
export interface Written {
  readonly file: string
  /** Where its former text is kept; nothing for a new file. */
  readonly copy: string | undefined
}

/**
 * Puts a text in the place of a file at once or not at all, and keeps what was there beside it. Both are the owner's
 * alone: keys lie in them, or the names of files with keys.
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
  // The process's mask may have taken rights that the file had before.
  chmodSync(file, mode)
  if (written !== bytes.length) rmSync(file)
}
