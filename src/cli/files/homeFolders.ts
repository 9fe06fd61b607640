import { accessSync, constants, mkdirSync } from "node:fs"
import path from "node:path"

import { Option, Result } from "effect"

import * as ownFolders from "./ownFolders.ts"

const optional = (folder: () => string) => Option.getOrUndefined(Result.getSuccess(Result.try(folder)))

/** The user's home folder, if there is one. */
export const home = (): string | undefined => optional(ownFolders.homedir)

/** The folder for state; undefined for a user without a home folder, as in some containers. */
export const stateFolder = (): string | undefined => optional(ownFolders.stateFolder)

/** The folder for caches; undefined for a user without a home folder. */
export const cacheFolder = (): string | undefined => optional(ownFolders.cacheFolder)

/** The folder for configurations; undefined for a user without a home folder. */
export const configFolder = (): string | undefined => optional(ownFolders.configFolder)

/** Advice for a user without a home folder. */
export const homeless = (variable: "XDG_CACHE_HOME" | "XDG_STATE_HOME") =>
  `the user of this process has no home folder: set HOME, or ${variable}, to a folder that it may write to`

const isWritable = (folder: string): boolean => Result.isSuccess(Result.try(() => accessSync(folder, constants.W_OK)))

/**
 * The folder for files that have to outlive this process: beside the configuration file, else the working folder. A client may
 * start it where nothing can be written; then it is the user's folder for state. Undefined if there is none either.
 */
export const persistentFolder = (
  config: string | undefined,
  canWrite: (folder: string) => boolean = isWritable
): string | undefined => {
  if (config !== undefined) return path.dirname(config)
  const here = path.resolve()
  if (canWrite(here)) return here
  const folder = stateFolder()
  // If even that fails, whoever writes there reports it.
  if (folder !== undefined) Result.try(() => mkdirSync(folder, { recursive: true, mode: 0o700 }))
  return folder
}

/** The problem with plans if there is no folder for them. */
export const keptNowhere = () =>
  `plans cannot be kept. This process may not write to ${path.resolve()}, and ${homeless("XDG_STATE_HOME")}, or start it where it may write`
