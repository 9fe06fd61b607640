import { homedir } from "node:os"
import path from "node:path"

/** Where this system keeps what a program has to remember, and nobody else has. */
export const stateFolder = (environment: NodeJS.ProcessEnv = process.env, platform = process.platform): string => {
  const given = environment["XDG_STATE_HOME"]
  const own = "workflow-tool-server"
  if (given !== undefined && path.isAbsolute(given)) return path.join(given, own)
  if (platform === "win32") {
    return path.join(environment["LOCALAPPDATA"] ?? path.join(homedir(), "AppData", "Local"), own, "State")
  }
  return platform === "darwin"
    ? path.join(homedir(), "Library", "Application Support", own)
    : path.join(homedir(), ".local", "state", own)
}
