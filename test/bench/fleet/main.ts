/**
 * `npm run bench:fleet`: what every reading and planning tool does to a server whose engine holds 10,000 workflows of 12
 * nodes and executions of 60 MB. `-- --only backup,plan` measures those whose names hold one of these words.
 */
import { type ChildProcess, fork, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync } from "node:fs"
import { readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

import { peakOf } from "../servers.ts"
import { after, calls, type Measured } from "./calls.ts"

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const { values } = parseArgs({
  options: { only: { type: "string", default: "" }, workflows: { type: "string", default: "10000" } }
})
const wanted = values.only.split(",").filter((word) => word !== "")
const longest = 300_000

const saying = (child: ChildProcess, pattern: RegExp, from: "stderr" | "stdout") =>
  new Promise<string>((resolve, reject) => {
    const stream = child[from]
    if (stream === null) return reject(new Error("no stream"))
    createInterface({ input: stream }).on("line", (line) => {
      const [, part] = pattern.exec(line) ?? []
      if (part !== undefined) resolve(part)
    })
    child.once("exit", (code) => reject(new Error(`it ended with ${code}`)))
  })

const startEngine = async (workflows: string, place: string) => {
  const child = fork(here("engine.ts"), [workflows, place], { stdio: ["ignore", "pipe", "inherit", "ipc"] })
  return { child, host: await saying(child, /^(http\S+)/, "stdout") }
}

const startServer = async (hosts: Readonly<Record<string, string>>, folder: string, hasHistory: boolean) => {
  const environments = Object.fromEntries(
    Object.entries(hosts).map(([name, engine_host]) => [
      name,
      { engine_host, engine_api_key: "fleet-key", requestsPerSecond: 99 }
    ])
  )
  const settings = { environments, defaultEnv: "e0", toolsets: ["operator"] }
  const history = hasHistory ? { history: "history" } : {}
  await writeFile(path.join(folder, "servers.json"), JSON.stringify({ ...settings, ...history }), { mode: 0o600 })
  const command = here("../../../dist/main.js")
  const child = spawn(
    process.execPath,
    ["--import", here("turns.mjs"), command, "--config", path.join(folder, "servers.json"), "--http", "--port", "0"],
    { cwd: folder, env: { PATH: process.env["PATH"], HOME: folder }, stdio: ["ignore", "ignore", "pipe"] }
  )
  const turn = () => {
    const told = saying(child, /^turn (\d+)/, "stderr")
    child.kill("SIGUSR2")
    return told.then(Number)
  }
  const url = (await saying(child, /Serving (\S+)\/mcp/, "stderr")).trim()
  return { child, url, turn }
}

const at = (times: ReadonlyArray<number>, part: number) =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0

/** One call of a running server, watched from outside. */
const measure = async (server: Awaited<ReturnType<typeof startServer>>, { name, tool }: Measured, args: object) => {
  const pings = fork(here("pings.ts"), [server.url])
  await new Promise((resolve) => setTimeout(resolve, 2000))
  const before = performance.now()
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: args } })
  const text = await fetch(`${server.url}/mcp`, { method: "POST", body, signal: AbortSignal.timeout(longest) }).then(
    (answer) => answer.text(),
    (error: unknown) => `failed: ${String(error)}`
  )
  const seconds = (performance.now() - before) / 1000
  const told = once(pings, "message")
  pings.send("stop")
  const [times]: Array<Array<number>> = await told
  const row = {
    call: name,
    seconds: Math.round(seconds * 10) / 10,
    p50: Math.round(at(times ?? [], 0.5)),
    p99: Math.round(at(times ?? [], 0.99)),
    max: Math.round(at(times ?? [], 1)),
    turn: await server.turn(),
    answerKB: Math.round(text.length / 102.4) / 10,
    peakMiB: Math.round(await peakOf(server.child)),
    ends: /"isError":true|"error"|^failed/.test(text.slice(0, 300)) ? text.slice(0, 240) : "ok"
  }
  process.stdout.write(`${Object.values(row).join(" | ")}\n`)
  return { row, text }
}

const stopped = async (child: ChildProcess) => {
  const ended = once(child, "exit")
  child.kill("SIGKILL")
  await ended
}

const engines = await Promise.all([
  startEngine(values.workflows, "e0"),
  startEngine(values.workflows, "e1"),
  startEngine("0", "empty")
])
const [e0, e1, empty] = engines.map(({ host }) => host)
const hosts = { e0: e0 ?? "", e1: e1 ?? "", empty: empty ?? "" }
process.stdout.write("call | s | p50 | p99 | max | longest turn (CPU ms) | answer kB | peak MiB | ends\n")
const answers = new Map<string, string>()
const kept = mkdtempSync(path.join(tmpdir(), "fleet-"))
for (const one of calls) {
  if (wanted.length > 0 && !wanted.some((word) => one.name.includes(word))) continue
  const hasHistory = one.history === true
  const folder = hasHistory ? kept : mkdtempSync(path.join(tmpdir(), "fleet-"))
  const server = await startServer(hasHistory ? { e0: hosts.e0 } : hosts, folder, hasHistory)
  const { text } = await measure(server, one, typeof one.args === "function" ? one.args(answers) : one.args)
  answers.set(one.name, text)
  if (one.tool.startsWith("plan_")) for (const next of after(text)) await measure(server, next, next.args)
  if (process.env["SHOW"] !== undefined) process.stdout.write(`${text.slice(0, Number(process.env["SHOW"]))}\n`)
  await stopped(server.child)
  const journal = await readFile(path.join(folder, ".workflow-journal.jsonl")).then(
    ({ length }) => length,
    () => 0
  )
  if (journal > 0) process.stdout.write(`  journal: ${Math.round(journal / 1024)} kB\n`)
  if (!hasHistory) await rm(folder, { recursive: true, force: true })
}
await rm(kept, { recursive: true, force: true })
for (const { child } of engines) await stopped(child)
