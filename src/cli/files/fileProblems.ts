import path from "node:path"

import { Data, Effect, FileSystem, Option } from "effect"

import { transportCode } from "../../internal/http/transportCode.ts"

/** The file could not be opened, read or written; nothing of the refused lines counts as written. */
export class FileError extends Data.TaggedError("FileError")<{
  readonly message: string
  /** Whether the only obstacle is that another process uses the file just now. */
  readonly inUse?: boolean
}> {}

/** The reason why the system refused to read or write a file, and the remedy. */
export const describe = (file: string, error: { readonly message: string }): string => {
  if (error instanceof FileError) return error.message
  const code = transportCode(error)
  if (code === "ENOSPC") return `${file}: there is no room left on its disk (ENOSPC). Make room, or choose another one.`
  if (code === "EDQUOT")
    return `${file}: the quota of this user is used up (EDQUOT). Make room, or choose another disk.`
  if (code === "EROFS") return `${file}: its disk may only be read (EROFS). Choose another one.`
  return `${file}: ${error.message}. Is its folder there, and may this process write to it?`
}

/** Owner and permissions of a file or folder; an unknown owner or group is omitted. */
interface Access {
  readonly mode: number
  readonly uid?: number | undefined
  readonly gid?: number | undefined
}

/**
 * Warnings of what other users of this machine can do to a private file, with the remedy. Write permission on its folder is
 * enough to replace the file.
 */
export const exposureOf = (file: string, access: Access, folder: Access): ReadonlyArray<string> => {
  if (process.platform === "win32") return []
  const self = process.getuid?.() ?? 0
  const isForeign = ({ uid }: Access) => self !== 0 && uid !== undefined && uid !== 0 && uid !== self
  const { mode } = access
  const deeds = [...((mode & 0o044) === 0 ? [] : ["read"]), ...((mode & 0o022) === 0 ? [] : ["changed"])]
  const ofFile =
    deeds.length > 0
      ? [`${file} can be ${deeds.join(" and ")} by other users of this machine. Close it: chmod 600 ${file}`]
      : isForeign(access)
        ? [`${file} belongs to another user of this machine, who can change it. Use a file of your own`]
        : []
  const writable = `The folder of ${file} can be changed by other users of this machine, who can put another file in its place`
  const ofFolder = isWritableByOthers(folder)
    ? [`${writable}. Close it: chmod go-w ${path.dirname(file)}`]
    : isForeign(folder)
      ? [`The folder of ${file} belongs to another user of this machine, who can put another file in its place`]
      : []
  return [...ofFile, ...ofFolder]
}

/** With the sticky bit, others may add files but not touch existing ones; a group with the owner's number is that user's own. */
const isWritableByOthers = ({ gid, mode, uid }: Access): boolean =>
  (mode & 0o1000) === 0 && ((mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && (gid === undefined || gid !== uid)))

/** Fails where a link stands in for a file or folder that is kept here: whoever put it there has chosen what is read, written or removed. */
export const refuseLink = Effect.fnUntraced(function* (name: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const isLink = Option.isSome(yield* Effect.option(fileSystem.readLink(name)))
  const message = `${name} is a link, and nothing is kept through links. Remove it, or have the configuration name the place that it leads to`
  return isLink ? yield* new FileError({ message }) : undefined
})

/** For opening files: fails on a link that somebody has made since; Windows cannot tell. */
export const noFollow = process.platform !== "win32"

/** The file behind all links, existing or not, for one that its user has named for this start. */
export const behindLinks = (name: string, links = 0): Effect.Effect<string, FileError, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    if (links > 40) return yield* new FileError({ message: `${name} is a link that leads to itself` })
    const fileSystem = yield* FileSystem.FileSystem
    const target = yield* Effect.option(fileSystem.readLink(name))
    if (Option.isNone(target)) return name
    return yield* behindLinks(path.resolve(path.dirname(name), target.value), links + 1)
  })
