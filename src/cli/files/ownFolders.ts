import path from "node:path"

const product = "workflow-tool-server"

/** The folder on each system; the variable takes precedence, and each name is relative to the user's home folder. */
interface Place {
  readonly variable: string
  readonly windows: string
  readonly mac: ReadonlyArray<string>
  readonly other: ReadonlyArray<string>
}

/**
 * As in `node:os`, which takes longer to load than all other modules of a start: not loaded if the environment has it. A path that
 * is not absolute would lead into whatever the working folder is, and does not count.
 */
export const homedir = (environment: NodeJS.ProcessEnv = process.env, platform = process.platform): string => {
  const given = platform === "win32" ? undefined : environment["HOME"]
  if (given !== undefined && path.isAbsolute(given)) return given
  const os = process.getBuiltinModule("node:os")
  return given === undefined ? os.homedir() : os.userInfo().homedir
}

/**
 * Throws for a user without a home folder, as in a container whose user has no entry: only called by code that runs before
 * effect is loaded.
 */
const folderAt =
  ({ mac, other, variable, windows }: Place) =>
  (environment: NodeJS.ProcessEnv = process.env, platform = process.platform): string => {
    const given = environment[variable]
    if (given !== undefined && path.isAbsolute(given)) return path.join(given, product)
    if (platform === "win32") {
      return path.join(
        environment["LOCALAPPDATA"] ?? path.join(homedir(environment, platform), "AppData", "Local"),
        product,
        windows
      )
    }
    return path.join(homedir(environment, platform), ...(platform === "darwin" ? mac : other), product)
  }

/** The folder for state: what a program has to remember. */
export const stateFolder = folderAt({
  variable: "XDG_STATE_HOME",
  windows: "State",
  mac: ["Library", "Application Support"],
  other: [".local", "state"]
})

/** The folder for caches: what can be recreated. */
export const cacheFolder = folderAt({
  variable: "XDG_CACHE_HOME",
  windows: "Cache",
  mac: ["Library", "Caches"],
  other: [".cache"]
})

/** The folder for configurations: what the user has written. */
export const configFolder = folderAt({
  variable: "XDG_CONFIG_HOME",
  windows: "Config",
  mac: ["Library", "Application Support"],
  other: [".config"]
})
