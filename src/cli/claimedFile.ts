import { statfs } from "node:fs/promises"
import { hostname } from "node:os"
import path from "node:path"

import { Effect, FileSystem, Option } from "effect"

import { inWords, LineFileError } from "./LineFileError.ts"

/**
 * The file behind all links, there or not. Fails where a file has another name that nobody can know of: a claim under
 * one name would not be seen under the other.
 */
export const realFile = (name: string, links = 0): Effect.Effect<string, LineFileError, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fileSystem = yield* FileSystem.FileSystem
    const refuse = (problem: string) => Effect.fail(new LineFileError({ message: `${name} ${problem}` }))
    if (links > 40) return yield* refuse("is a link that leads to itself")
    const target = yield* Effect.option(fileSystem.readLink(name))
    if (Option.isSome(target)) return yield* realFile(path.resolve(path.dirname(name), target.value), links + 1)
    const file = path.join(yield* fileSystem.realPath(path.dirname(name)), path.basename(name))
    const info = yield* Effect.option(fileSystem.stat(file))
    if (Option.exists(info, ({ nlink }) => Option.getOrElse(nlink, () => 1) > 1)) {
      return yield* refuse("has a second name (a hard link), under which another process could write it. Copy it.")
    }
    const mounts = yield* Effect.orElseSucceed(fileSystem.readFileString("/proc/self/mountinfo"), () => "")
    if (mounts.split("\n").some((mount) => mount.split(" ")[4] === file.replaceAll(" ", "\\040"))) {
      return yield* refuse("is mounted by itself, and so cannot be locked against other containers. Mount its folder.")
    }
    return file
  }).pipe(
    Effect.catchTag("PlatformError", (error) => Effect.fail(new LineFileError({ message: inWords(name, error) })))
  )

/** This machine since its start, also for processes in containers; where the system does not tell, its name. */
export const thisMachine = Effect.gen(function* () {
  const fileSystem = yield* FileSystem.FileSystem
  const boot = yield* Effect.orElseSucceed(fileSystem.readFileString("/proc/sys/kernel/random/boot_id"), () => "")
  const id = boot.replace(/[^0-9a-f]/g, "").slice(0, 12)
  return id === ""
    ? `host${hostname()
        .toLowerCase()
        .replace(/[^0-9a-z]/g, "")
        .slice(0, 40)}`
    : id
})

/** File systems of which no other machine can have a part: ext, XFS, Btrfs, tmpfs, overlay, ZFS, F2FS, bcachefs. */
const ofOneMachine = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e
])

/** Whether a claim is another machine's on a disk that machines share: nobody here knows whether that process lives. */
export const isForeignAndUncertain = (folder: string, here: string, there: string) =>
  here === there
    ? Effect.succeed(false)
    : Effect.tryPromise(() => statfs(folder)).pipe(
        Effect.map(({ type }) => !ofOneMachine.has(type)),
        Effect.orElseSucceed(() => true)
      )
