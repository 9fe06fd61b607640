import { type ChildProcessByStdio, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { createInterface } from "node:readline"
import type { Readable, Writable } from "node:stream"
import { fileURLToPath } from "node:url"

import { Schema } from "effect"

import { key } from "./engine.ts"

const command = fileURLToPath(new URL("../../dist/main.js", import.meta.url))
const probe = new URL("probe.mjs", import.meta.url).href

const Inside = Schema.Struct({ heap: Schema.Number, external: Schema.Number, fibers: Schema.Int })
const readInside = Schema.decodeUnknownSync(Schema.fromJsonString(Inside))

/** The belongings of a process when nothing goes on: bytes of live objects, fibers, open files and sockets, most memory ever. */
export interface Census {
  readonly heap: number
  readonly external: number
  readonly fibers: number
  readonly descriptors: number
  readonly peak: number
}

/** The command under load, started from its build. */
export const start = async (hosts: Readonly<Record<string, string>>, args: ReadonlyArray<string>) => {
  if (!existsSync(command)) throw new Error("dist/main.js is not there: run npm run build")
  const cwd = await mkdtemp(path.join(tmpdir(), "workflow-tool-server-soak-"))
  const environments = Object.fromEntries(
    Object.entries(hosts).map(([name, engine_host]) => [name, { engine_host, engine_api_key: key }])
  )
  const configuration = JSON.stringify({ environments, defaultEnv: Object.keys(hosts)[0] })
  await writeFile(path.join(cwd, ".config.json"), configuration, { mode: 0o600 })
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(process.execPath, [command, ...args], {
    cwd,
    env: { PATH: process.env["PATH"], XDG_CACHE_HOME: path.join(cwd, "cache"), NODE_OPTIONS: `--import=${probe}` },
    stdio: ["pipe", "pipe", "pipe"]
  })
  const problems: Array<string> = []
  let isLeaving = false
  const ended = once(child, "close").then(([code]: ReadonlyArray<unknown>) => {
    if (!isLeaving) problems.push(`it ended by itself with ${String(code)}`)
    return code
  })
  child.stdin.on("error", () => {})

  const log: Array<string> = []
  const listeners = new Set<(line: string) => void>()
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (line.includes(key)) problems.push("the key is in the log")
    if (log.length < 200) log.push(line)
    for (const listener of listeners) listener(line)
  })
  const says = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = (line: string) => {
        if (!pattern.test(line)) return
        listeners.delete(look)
        resolve(line)
      }
      listeners.add(look)
      void ended.then((code) => reject(new Error(`it ended with ${String(code)}: ${log.join("\n")}`)))
    })

  const census = async (): Promise<Census> => {
    const told = says(/^soak-probe /)
    child.kill("SIGUSR2")
    const status = readFileSync(`/proc/${child.pid}/status`, "utf8")
    return {
      ...readInside((await told).replace("soak-probe ", "")),
      descriptors: readdirSync(`/proc/${child.pid}/fd`).length,
      peak: Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) * 1024
    }
  }

  /** Ends it in good order. */
  const stop = async () => {
    isLeaving = true
    child.kill("SIGTERM")
    const code = await ended
    if (code !== 0) problems.push(`it ended with ${String(code)} after SIGTERM`)
    await rm(cwd, { recursive: true, force: true })
  }
  return { child, says, census, stop, problems, log }
}
