import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { performance } from "node:perf_hooks"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"

import { benchEngine } from "./engines.ts"
import type { Measure } from "./results.ts"
import { anotherNode, inTurns, thisNode } from "./turns.ts"

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const line = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`
const handshake =
  line({
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "0" } }
  }) + line({ method: "notifications/initialized", params: {} })

const list = { id: 2, method: "tools/list" }

/** The first requests of a client to a server with these arguments. */
const firsts = [
  { what: "start to tools/list", goal: 1.3, args: [], message: list },
  {
    what: "start to tools/list, with operator",
    goal: 1.5,
    args: ["--toolsets", "engine,operator"],
    message: list
  },
  {
    what: "start to get_workflow",
    goal: 2,
    args: [],
    message: { id: 2, method: "tools/call", params: { name: "get_workflow", arguments: { id: "1" } } }
  }
]

/** How long a client waits for the first answers of a process, against a bare server's, in turns. */
export const starts = async (): Promise<ReadonlyArray<Measure>> => {
  const engine = await benchEngine()
  const cwd = await mkdtemp(path.join(tmpdir(), "bench-"))
  const environments = { main: { engine_host: `http://127.0.0.1:${engine.port}`, engine_api_key: "bench" } }
  await writeFile(path.join(cwd, ".config.json"), JSON.stringify({ environments }), { mode: 0o600 })
  const env = { PATH: process.env["PATH"], XDG_CACHE_HOME: path.join(cwd, "cache") }
  const command = fileOf("../../dist/main.js")
  const bare = [fileOf("bare.mjs"), "stdio", `${engine.port}`]

  const milliseconds = async (node: string, args: ReadonlyArray<string>, message: object) => {
    const before = performance.now()
    const child = spawn(node, args, { cwd, env, stdio: ["pipe", "pipe", "ignore"] })
    child.stdin.write(handshake + line(message))
    let said = ""
    while (!(said.includes('"id":2') && said.endsWith("\n"))) said += String(await once(child.stdout, "data"))
    const taken = performance.now() - before
    const ended = once(child, "exit")
    child.kill("SIGKILL")
    await ended
    return taken
  }

  /** Node keeps what it has compiled when a process ends by itself, as a client's does; each start after that is measured. */
  const warmUp = async (node: string) => {
    const child = spawn(node, [command, "--toolsets", "engine,operator"], {
      cwd,
      env,
      stdio: ["pipe", "pipe", "ignore"]
    })
    child.stdin.write(handshake + line(list))
    let said = ""
    while (!said.includes('"id":2')) said += String(await once(child.stdout, "data"))
    await pause(1000)
    const ended = once(child, "exit")
    child.stdin.end()
    await ended
  }

  const measures: Array<Measure> = []
  for (const { executable, version } of [thisNode, anotherNode() ?? []].flat()) {
    await warmUp(executable)
    for (const { args, goal, message, what } of firsts) {
      const servers = [[command, ...args], bare] as const
      const [ours, theirs] = await inTurns(rounds, (index) => milliseconds(executable, servers[index], message))
      measures.push({ what: `stdio: ${what}, Node ${version}`, unit: "ms", ours, bare: theirs, goal })
    }
  }
  engine.close()
  await rm(cwd, { recursive: true, force: true })
  return measures
}

const rounds = 20
