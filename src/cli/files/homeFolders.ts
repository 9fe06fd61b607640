import { Option, Result } from "effect"

import * as ownFolders from "./ownFolders.ts"

const known = (folder: () => string) => Option.getOrUndefined(Result.getSuccess(Result.try(folder)))

/** The user's home; nowhere for a user without one. */
export const home = (): string | undefined => known(ownFolders.homedir)

/** What a program has to remember, and nobody else has; nowhere for a user without a home, as containers have them. */
export const stateFolder = (): string | undefined => known(ownFolders.stateFolder)

/** What can be made again; nowhere for a user without a home. */
export const cacheFolder = (): string | undefined => known(ownFolders.cacheFolder)

/** What a user without a home can do. */
export const homeless = (variable: "XDG_CACHE_HOME" | "XDG_STATE_HOME") =>
  `the user of this process has no home folder: set HOME, or ${variable}, to a folder that it may write to`
