import path from "node:path"

/** Clients to whose configuration the server can be added. */
export const clientNames = ["claude-desktop", "claude-code", "vscode", "cursor"] as const
export type ClientName = (typeof clientNames)[number]

/** The facts that determine the path of a client's configuration, and the command in it that starts the server. */
export interface Machine {
  readonly platform: NodeJS.Platform
  /** Empty for a user without one. */
  readonly home: string
  /** Working folder. */
  readonly cwd: string
  /** Application data on Windows. */
  readonly appData: string | undefined
  /** Configuration folder elsewhere, if not `~/.config`. */
  readonly xdgConfig: string | undefined
  /** The running Node, and the file of the command. */
  readonly node: string
  readonly main: string
}

/** The place and form of a client's configuration. */
interface Client {
  readonly title: string
  /** The field of its file that contains the servers by name. */
  readonly field: "mcpServers" | "servers"
  /** Whether an entry states its transport. */
  readonly saysType: boolean
  /** The file of the user, or that of the project in the working folder. */
  readonly file: (machine: Machine, isProject: boolean) => string
  readonly next: string
}

export const clients: Readonly<Record<ClientName, Client>> = {
  "claude-desktop": {
    title: "Claude Desktop",
    field: "mcpServers",
    saysType: false,
    file: (machine) => join(machine, settingsFolder(machine), "Claude", "claude_desktop_config.json"),
    next: "quit Claude Desktop and start it again"
  },
  "claude-code": {
    title: "Claude Code",
    field: "mcpServers",
    saysType: true,
    file: (machine) => join(machine, machine.cwd, ".mcp.json"),
    next: "start claude in this folder and allow the server"
  },
  vscode: {
    title: "VS Code",
    field: "servers",
    saysType: true,
    file: (machine, isProject) =>
      isProject
        ? join(machine, machine.cwd, ".vscode", "mcp.json")
        : join(machine, settingsFolder(machine), "Code", "User", "mcp.json"),
    next: "run 'MCP: List Servers' in VS Code and start it"
  },
  cursor: {
    title: "Cursor",
    field: "mcpServers",
    saysType: true,
    file: (machine, isProject) => join(machine, isProject ? machine.cwd : machine.home, ".cursor", "mcp.json"),
    next: "switch the server on in Cursor's settings, under MCP"
  }
}

/** Paths of the given machine, whichever one this runs on. */
const join = ({ platform }: Machine, ...parts: ReadonlyArray<string>) =>
  (platform === "win32" ? path.win32 : path.posix).join(...parts)

const settingsFolder = (machine: Machine): string => {
  const { appData, home, platform, xdgConfig } = machine
  if (platform === "darwin") return join(machine, home, "Library", "Application Support")
  if (platform === "win32") return appData ?? join(machine, home, "AppData", "Roaming")
  return xdgConfig ?? join(machine, home, ".config")
}

/** The command with which a client starts the server. */
export interface Start {
  readonly command: string
  readonly args: ReadonlyArray<string>
}

/**
 * The command that starts this server with a configuration. With npx if it runs from npx's own cache, which may be cleared, or
 * if that is requested; Windows finds npx only through its shell.
 */
export const startOf = (
  { main, node, platform }: Machine,
  config: string,
  wantsNpx: boolean,
  offersApi = false
): Start => {
  const tools = offersApi ? ["--toolsets", "operator,api", "--tools", "daily,api"] : ["--tools", "daily"]
  const args = ["--config", config, ...tools]
  if (!wantsNpx && !/[\\/]_npx[\\/]/.test(main)) return { command: node, args: [main, ...args] }
  const npx = ["-y", "workflow-tool-server", ...args]
  return platform === "win32" ? { command: "cmd", args: ["/c", "npx", ...npx] } : { command: "npx", args: npx }
}
