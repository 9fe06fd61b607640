import { Option, Result } from "effect"

import * as ownFolders from "./ownFolders.ts"

const known = (folder: () => string) => Option.getOrUndefined(Result.getSuccess(Result.try(folder)))

/** The user's home folder, if there is one. */
export const home = (): string | undefined => known(ownFolders.homedir)

/** The folder for state; undefined for a user without a home folder, as in some containers. */
export const stateFolder = (): string | undefined => known(ownFolders.stateFolder)

/** The folder for caches; undefined for a user without a home folder. */
export const cacheFolder = (): string | undefined => known(ownFolders.cacheFolder)

/** The folder for configurations; undefined for a user without a home folder. */
export const configFolder = (): string | undefined => known(ownFolders.configFolder)

/** Advice for a user without a home folder. */
export const homeless = (variable: "XDG_CACHE_HOME" | "XDG_STATE_HOME") =>
  `the user of this process has no home folder: set HOME, or ${variable}, to a folder that it may write to`
