import path from "node:path"

/**
 * The command with which a person can start this again: its name if it is installed, otherwise Node with its file, as in a
 * clone.
 */
export const ownCommand = (main: string | undefined): string => {
  const name = "workflow-tool-server"
  const isInstalled =
    main === undefined || !/^main\.[jt]s$/.test(path.basename(main)) || /[\\/]node_modules[\\/]/.test(main)
  if (isInstalled) return name
  return `node ${/\s/.test(main) ? JSON.stringify(main) : main}`
}
