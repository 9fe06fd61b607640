import { spawn } from "node:child_process"
import { once as onceEmitted } from "node:events"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer, type RequestListener, type Server } from "node:http"
import type { Server as TlsServer } from "node:https"
import { tmpdir } from "node:os"
import path from "node:path"
import { createInterface } from "node:readline"

import { afterAll, beforeAll } from "vitest"

import { bundleInto } from "./bundle.ts"

const cleanups: Array<() => unknown> = []
let folder = ""

/** Has the command as it would be packed before the tests of a file, and afterwards ends and removes all that they have left. */
export const useCommand = () => {
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "workflow-tool-server-"))
    await bundleInto(path.join(folder, "dist"))
    // Where every start keeps what it has compiled.
    await mkdir(path.join(folder, "cache"))
    await writeFile(path.join(folder, "package.json"), JSON.stringify({ type: "module" }))
  }, 60_000)
  afterAll(async () => {
    await Promise.all(cleanups.map((cleanup) => cleanup()))
    await removed(folder)
  })
}

/** Removes a folder in which programs that others have started may still write, as Node does with what it has compiled when it ends. */
export const removed = (name: string) => rm(name, { recursive: true, force: true, maxRetries: 10 })

/** The built file, for clients that start it by themselves. */
export const commandFile = () => path.join(folder, "dist/main.js")

/** A new working directory with these files in it. */
export const directory = async (files: Readonly<Record<string, unknown>> = {}) => {
  const dir = await mkdtemp(path.join(folder, "cwd-"))
  for (const [name, content] of Object.entries(files)) {
    const text = typeof content === "string" ? content : JSON.stringify(content)
    await writeFile(path.join(dir, name), text, { mode: 0o600 })
  }
  return dir
}

export interface Start {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Another Node than the one that runs the tests. */
  readonly node?: string
  /** A program with its arguments that starts the command. */
  readonly within?: ReadonlyArray<string>
}

/** Starts the command with nothing of the environment around the tests but the path; what it compiles is kept for the next of them. */
export const start = (
  args: ReadonlyArray<string>,
  { cwd = folder, env = {}, node = process.execPath, within = [] }: Start = {}
) => {
  const around = {
    PATH: process.env["PATH"],
    XDG_CACHE_HOME: path.join(folder, "cache"),
    XDG_STATE_HOME: path.join(folder, "state")
  }
  const [program = node, ...words] = [...within, node, commandFile(), ...args]
  const child = spawn(program, words, { cwd, env: { ...around, ...env } })
  const exited = onceEmitted(child, "exit").catch(() => undefined)
  cleanups.push(() => {
    child.kill("SIGKILL")
    return exited
  })
  // Whoever writes to a program that has ended misses its answers, which says more.
  child.stdin.on("error", () => {})
  const output = { stdout: "", stderr: "" }
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text))
  const ended = onceEmitted(child, "close").then(([code]: ReadonlyArray<unknown>) => ({ code, ...output }))

  /** Waits until the output so far holds the text; fails where the program ends without it. */
  const says = async (stream: "stdout" | "stderr", text: string) => {
    const isOver = ended.then(() => "over")
    while (!output[stream].includes(text)) {
      if ((await Promise.race([onceEmitted(child[stream], "data"), isOver])) !== "over") continue
      if (output[stream].includes(text)) break
      throw new Error(`the command has ended without ${JSON.stringify(text)}: ${JSON.stringify(await ended)}`)
    }
    return output[stream]
  }
  return { child, ended, says }
}

/** Sends bare requests to a started command over its standard streams, one at a time, and returns the lines of its answers. */
export const requestsTo = ({ child, ended }: Pick<ReturnType<typeof start>, "child" | "ended">) => {
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return async (method: string, params: object): Promise<string> => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })}\n`)
    const { value } = await lines.next()
    if (typeof value === "string") return value
    throw new Error(`the command has ended without an answer to ${method}: ${JSON.stringify(await ended)}`)
  }
}

/** Runs the command to its end, with an empty standard input. */
export const run = (args: ReadonlyArray<string>, options?: Start) => {
  const { child, ended } = start(args, options)
  child.stdin.end()
  return ended
}

/** Starts the command over HTTP on a free port and returns its address. */
export const startHttp = async (args: ReadonlyArray<string>, options?: Start) => {
  const started = start(["--http", "--port", "0", ...args], options)
  const said = await started.says("stderr", "/mcp\n")
  return { ...started, url: /Serving (\S+)\/mcp/.exec(said)?.[1] ?? "" }
}

/** Listens on a free port of this machine until the tests are over. */
export const listen = async (server: Server | TlsServer) => {
  server.listen(0, "127.0.0.1")
  await onceEmitted(server, "listening")
  cleanups.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

/** An engine that no one here wrote, as far as a test needs one. */
export const standIn = async (answer: RequestListener) => `http://127.0.0.1:${await listen(createServer(answer))}`

/** A moment that a test waits for. */
export const once = <A>() => {
  let resolve: (value: A) => void = () => {}
  const promise = new Promise<A>((settle) => {
    resolve = settle
  })
  return { promise, resolve: (value: A) => resolve(value) }
}

/**
 * The environment of a user without a home, as containers have them, who may write to none of these folders. Whoever runs
 * the tests may be one who may write everywhere.
 */
export const withoutHome = async (cwd: string, unwritable: ReadonlyArray<string> = []) => {
  const file = path.join(cwd, "noHome.cjs")
  await writeFile(
    file,
    `require("node:os").homedir = () => { throw new Error("no such user") }
const fs = require("node:fs")
const access = fs.accessSync
fs.accessSync = (file, mode) => {
  if (${JSON.stringify(unwritable)}.includes(file)) throw new Error("EACCES")
  return access(file, mode)
}
require("node:module").syncBuiltinESMExports()`
  )
  return { NODE_OPTIONS: `--require ${file}`, XDG_STATE_HOME: "" }
}
