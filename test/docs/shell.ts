import { spawn } from "node:child_process"
import { once } from "node:events"
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises"
import path from "node:path"

import manifest from "../../package.json" with { type: "json" }
import { commandFile, directory } from "../cli/built.ts"
import type { Place } from "../engine/plans/support.ts"
import { root } from "./pages.ts"

/** Programs that a test cannot count on; what they are called with is written down instead. */
const outside = ["claude", "docker", "git", "grype", "trivy"]

/**
 * What stands in front of every snippet: our command under its names, npm's scripts as package.json has them, and
 * programs of others that only write down their words.
 */
const prelude = `
set -e -o pipefail
workflow-tool-server() { "$NODE" "$COMMAND" "$@"; }
node() { "$NODE" "$@"; }
noted() { printf '%s\\0' "$@" >> "$NOTED"; printf '\\n' >> "$NOTED"; }
npm() { if [ "$1" = start ]; then $START; else noted npm "$@"; fi; }
npx() { "$@"; }
${outside.map((name) => `${name}() { noted ${name} "$@"; }`).join("\n")}
fpath=(none "$HOME/functions")
`

/**
 * A user's folder on a machine where the command is installed: two configured instances, and the files that pages name. The
 * examples import the package by its name, which is the sources here, so that what they show is never older than these.
 */
export const userFolder = async (places: { readonly staging: Place; readonly production: Place }) => {
  const instance = ({ apiKey, host }: Place) => ({ engine_host: host, engine_api_key: apiKey })
  const environments = { staging: instance(places.staging), production: instance(places.production) }
  const node = { name: "Begin", type: "n8n-nodes-base.manualTrigger", typeVersion: 1, position: [0, 0], parameters: {} }
  const cwd = await directory({
    ".config.json": { environments, defaultEnv: "staging" },
    "nodes.json": [node],
    "update.json": { id: "Wr1cLz9pMi6AoB8v", name: "Tidy up contacts" },
    "change.json": [{ op: "set", node: "Accept", path: "notes", value: "checked" }],
    "package.json": JSON.stringify(manifest).replaceAll(/"\.\/dist\/lib\/([^"]*)\.js"/g, '"./src/$1.ts"')
  })
  await cp(path.join(root, "examples"), path.join(cwd, "examples"), { recursive: true })
  for (const name of ["src", "node_modules"]) await symlink(path.join(root, name), path.join(cwd, name))
  // A clone leads here.
  await symlink(cwd, path.join(cwd, manifest.name))
  await symlink(path.dirname(commandFile()), path.join(cwd, "dist"))
  await mkdir(path.join(cwd, "functions"))
  return cwd
}

export interface Ran {
  readonly code: unknown
  readonly stdout: string
  readonly stderr: string
  /** The words of every program that was not run. */
  readonly noted: ReadonlyArray<ReadonlyArray<string>>
}

/** Starts a snippet in a shell of its own, whose children end with it. */
const startSnippet = (text: string, cwd: string, env: Readonly<Record<string, string>>) => {
  const noted = path.join(cwd, "noted")
  const child = spawn("bash", ["-c", prelude + text], {
    cwd,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      HOME: cwd,
      NODE: process.execPath,
      COMMAND: commandFile(),
      START: manifest.scripts.start,
      NOTED: noted,
      ...env
    }
  })
  const output = { stdout: "", stderr: "" }
  child.stdout.setEncoding("utf8").on("data", (part: string) => (output.stdout += part))
  child.stderr.setEncoding("utf8").on("data", (part: string) => (output.stderr += part))
  const ended = once(child, "close").then(([code]: ReadonlyArray<unknown>) => code)
  return { child, ended, noted, output }
}

/** Runs a snippet to its end. */
export const runSnippet = async (text: string, cwd: string, env: Readonly<Record<string, string>> = {}) => {
  await writeFile(path.join(cwd, "noted"), "")
  const { ended, noted, output } = startSnippet(text, cwd, env)
  const code = await ended
  const lines = (await readFile(noted, "utf8")).split("\n").filter((line) => line !== "")
  return { code, ...output, noted: lines.map((line) => line.split("\0").slice(0, -1)) } satisfies Ran
}

/** Runs a snippet that starts a server, until the end of a program over its address. */
export const whileServing = async <A>(text: string, cwd: string, use: (url: string) => Promise<A>): Promise<A> => {
  const { child, ended, output } = startSnippet(text, cwd, { WORKFLOW_TOOL_SERVER_PORT: "0", PORT: "0" })
  try {
    const over = ended.then((code) => {
      throw new Error(`ended with ${String(code)}: ${output.stderr}`)
    })
    while (!output.stderr.includes("/mcp\n")) await Promise.race([once(child.stderr, "data"), over])
    return await use(/Serving (\S+)\/mcp/.exec(output.stderr)?.[1] ?? "")
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM")
    await ended
  }
}
