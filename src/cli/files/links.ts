import path from "node:path"

import { Effect, FileSystem, Option } from "effect"

import { FileError } from "./fileProblems.ts"

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
