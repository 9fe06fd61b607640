import { homedir } from "node:os"
import path from "node:path"

/** Where this system keeps what can be made again: the folder of this server in the user's own cache. */
export const cacheFolder = (environment: NodeJS.ProcessEnv = process.env, platform = process.platform): string => {
  const given = environment["XDG_CACHE_HOME"]
  const own = "workflow-tool-server"
  if (given !== undefined && path.isAbsolute(given)) return path.join(given, own)
  if (platform === "win32") {
    return path.join(environment["LOCALAPPDATA"] ?? path.join(homedir(), "AppData", "Local"), own, "Cache")
  }
  return platform === "darwin" ? path.join(homedir(), "Library", "Caches", own) : path.join(homedir(), ".cache", own)
}
