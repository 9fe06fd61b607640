import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { rmSync } from "node:fs"
import { access, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { homedir, tmpdir } from "node:os"
import path from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

import { Schema } from "effect"
import { countTokens } from "gpt-tokenizer"

import { benchEngine, wideEngine } from "./engines.ts"
import type { PeerResult } from "./results.ts"
import { cpuOf, idOf, peakOf } from "./servers.ts"
import { usual } from "./turns.ts"

/** A server of this kind: how it is started, and what its tools for a list and for one workflow are called. */
interface Contestant {
  readonly name: string
  readonly version: string
  readonly file: string
  readonly args: (port: number) => ReadonlyArray<string>
  readonly env: (port: number) => Readonly<Record<string, string>>
  readonly list: (index: number) => Call
  readonly get: (index: number) => Call
}
interface Call {
  readonly name: string
  readonly arguments: object
}

/** The best-known servers of this kind on npm, as of late 2026. */
const published = [
  {
    name: "n8n-mcp",
    version: "2.87.0",
    main: "dist/mcp/stdio-wrapper.js",
    suffix: "",
    list: { name: "n8n_list_workflows", arguments: { limit: 100 } },
    get: { name: "n8n_get_workflow", arguments: { id: "1" } }
  },
  {
    name: "@leonardsellem/n8n-mcp-server",
    version: "0.1.8",
    main: "build/index.js",
    suffix: "/api/v1",
    list: { name: "list_workflows", arguments: {} },
    get: { name: "get_workflow", arguments: { workflowId: "1" } }
  }
] as const

const folder = path.join(
  process.env["XDG_CACHE_HOME"] ?? path.join(homedir(), ".cache"),
  "workflow-tool-server",
  `peers-${published.map(({ version }) => version).join("-")}`
)

/** Installs them outside of the repository, once, and runs none of their scripts. */
export const installed = async (): Promise<ReadonlyArray<Contestant>> => {
  const done = path.join(folder, "installed")
  const isThere = await access(done).then(
    () => true,
    () => false
  )
  if (!isThere) {
    await mkdir(folder, { recursive: true })
    await writeFile(path.join(folder, "package.json"), '{"private":true}\n')
    const packages = published.map(({ name, version }) => `${name}@${version}`)
    const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--save-exact"]
    await promisify(execFile)("npm", ["install", ...flags, ...packages], { cwd: folder })
    await writeFile(done, "")
  }
  return published.map(({ get, list, main, name, suffix, version }) => ({
    name,
    version,
    file: path.join(folder, "node_modules", name, main),
    args: () => [],
    env: (port) => ({
      N8N_API_URL: `http://127.0.0.1:${port}${suffix}`,
      N8N_API_KEY: "bench",
      MCP_MODE: "stdio",
      LOG_LEVEL: "error",
      DISABLE_CONSOLE_OUTPUT: "true",
      N8N_MCP_TELEMETRY_DISABLED: "true",
      WEBHOOK_SECURITY_MODE: "permissive"
    }),
    list: () => list,
    get: () => get
  }))
}

/** So many that no instance is paced. */
const instances = 80
const inTurn = (name: string, args: object) => (index: number) => ({
  name,
  arguments: { instance: `e${index % instances}`, ...args }
})

const ours: Contestant = {
  name: "workflow-tool-server",
  version: "this one",
  file: fileURLToPath(new URL("../../dist/main.js", import.meta.url)),
  args: () => [],
  env: () => ({}),
  list: inTurn("list_workflows", { limit: 100 }),
  get: inTurn("get_workflow", { id: "1" })
}
const bare: Contestant = {
  ...ours,
  name: "a bare Node server",
  version: process.versions.node,
  file: fileURLToPath(new URL("bare.mjs", import.meta.url)),
  args: (port) => ["stdio", `${port}`]
}

/** The files that a server keeps for its next start. */
const cache = await mkdtemp(path.join(tmpdir(), "bench-cache-"))
process.on("exit", () => rmSync(cache, { recursive: true, force: true }))

type Started = Awaited<ReturnType<typeof start>>

/** Starts a server over stdio in a folder of its own, which is its home, too. */
const start = async (contestant: Contestant, port: number, count = instances) => {
  const cwd = await mkdtemp(path.join(tmpdir(), "bench-"))
  const environment = { engine_host: `http://127.0.0.1:${port}`, engine_api_key: "bench", requestsPerSecond: 99 }
  const environments = Object.fromEntries(Array.from({ length: count }, (_, index) => [`e${index}`, environment]))
  await writeFile(path.join(cwd, ".config.json"), JSON.stringify({ environments, defaultEnv: "e0" }), { mode: 0o600 })
  const child = spawn(process.execPath, [contestant.file, ...contestant.args(port)], {
    cwd,
    env: { PATH: process.env["PATH"], HOME: cwd, XDG_CACHE_HOME: cache, ...contestant.env(port) },
    stdio: ["pipe", "pipe", "ignore"]
  })
  const waiting = new Map<number, (line: string) => void>()
  createInterface({ input: child.stdout }).on("line", (line) => {
    const id = idOf(line)
    waiting.get(id)?.(line)
    waiting.delete(id)
  })
  let ids = 0
  const ask = (method: string, params: object = {}) =>
    new Promise<string>((resolve, reject) => {
      const id = ++ids
      waiting.set(id, (line) =>
        line.includes('"result"') && !line.includes('"isError":true') ? resolve(line) : reject(new Error(line))
      )
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)
    })
  const greet = async () => {
    if (contestant === bare) return
    await ask("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "bench", version: "0" }
    })
    child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
  }
  /** Calls so many times, eight at once. */
  const run = async (times: number, ask: (index: number) => Promise<unknown>) => {
    let left = times
    const one = async () => {
      while (left-- > 0) await ask(left)
    }
    await Promise.all(Array.from({ length: 8 }, one))
  }
  const stop = async () => {
    const ended = once(child, "exit")
    child.kill("SIGKILL")
    await ended
    await rm(cwd, { recursive: true, force: true })
  }
  return { ask, child, greet, run, stop }
}

const decodeListing = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      result: Schema.StructWithRest(
        Schema.Struct({ tools: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)) }),
        [Schema.Record(Schema.String, Schema.Unknown)]
      )
    })
  )
)

const rounds = 5

/** Milliseconds from the start of a process to its list of tools. */
const untilListed = async (contestant: Contestant, port: number) => {
  const first = await start(contestant, port)
  await first.greet()
  await first.ask("tools/list")
  // Whoever keeps something for the next start does so within a moment, and says nothing of it.
  await pause(2000)
  await first.stop()
  const times: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    const before = performance.now()
    const server = await start(contestant, port)
    await server.greet()
    await server.ask("tools/list")
    times.push(performance.now() - before)
    await server.stop()
  }
  return usual(times)
}

/**
 * Milliseconds of CPU time of the first hundred calls of a process that has listed its tools, and of all that it did until
 * then as well: what is loaded and made fast before a list is not for nothing.
 */
const firstHundred = async (contestant: Contestant, port: number) => {
  const rows: Array<{ readonly calls: number; readonly whole: number }> = []
  for (let round = 0; round < rounds; round++) {
    const server = await start(contestant, port)
    await server.greet()
    await server.ask("tools/list")
    const before = await cpuOf(server.child)
    await server.run(100, (index) => server.ask("tools/call", contestant.get(index)))
    const after = await cpuOf(server.child)
    rows.push({ calls: (after - before) / 1000, whole: after / 1000 })
    await server.stop()
  }
  return { calls: usual(rows.map(({ calls }) => calls)), whole: usual(rows.map(({ whole }) => whole)) }
}

/** Microseconds of CPU time of a call, once everything is warm. */
const costOf = async (
  { child, run }: Started,
  times: number,
  ask: (index: number) => Promise<unknown>,
  warmUp = times
) => {
  await run(warmUp, ask)
  const costs: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    const before = await cpuOf(child)
    await run(times, ask)
    costs.push(((await cpuOf(child)) - before) / times)
  }
  return usual(costs)
}

const measure = async (contestant: Contestant): Promise<PeerResult> => {
  const engine = await benchEngine()
  const wide = await wideEngine()
  const started = await untilListed(contestant, engine.port)
  const hundred = await firstHundred(contestant, engine.port)
  const server = await start(contestant, engine.port)
  await server.greet()
  const call = (of: (index: number) => Call) => (index: number) => server.ask("tools/call", of(index))
  // After so many of them V8 has made their last code.
  const ping = await costOf(server, 1000, () => server.ask("ping"), 20_000)
  const get = await costOf(server, 400, call(contestant.get))
  const list = await costOf(server, 20, call(contestant.list))
  await server.stop()
  const other = await start(contestant, wide.port)
  await other.greet()
  await other.ask("tools/call", contestant.list(0))
  const peak = await peakOf(other.child)
  await other.stop()
  // As most people have it: each further instance is named by every tool of ours.
  const plain = await start(contestant, engine.port, 1)
  await plain.greet()
  const listed = decodeListing(await plain.ask("tools/list"))
  await plain.stop()
  engine.close()
  wide.close()
  const seen = listed.result.tools.map(({ description, inputSchema, name }) => ({ name, description, inputSchema }))
  const listing = {
    tools: seen.length,
    "tools/list as a model sees it, tokens": countTokens(JSON.stringify(seen)),
    "tools/list on the wire, tokens": countTokens(JSON.stringify(listed.result))
  }
  return {
    name: contestant.name,
    version: contestant.version,
    figures: {
      "start to tools/list, ms": Math.round(started),
      "first 100 get_workflow, ms of CPU": Math.round(hundred.calls),
      "start and first 100 get_workflow, ms of CPU": Math.round(hundred.whole),
      "ping, µs of CPU": Math.round(ping),
      "get_workflow of 12 nodes, µs of CPU": Math.round(get),
      "list of 100 × 50 nodes, µs of CPU": Math.round(list),
      "peak memory, list of 250 × 200 nodes, MiB": Math.round(peak),
      // The bare server only stands in for a list.
      ...(contestant === bare ? {} : listing)
    }
  }
}

/** The same work by a bare Node server, by this command and by others of its kind, over stdio. */
export const peers = async (): Promise<ReadonlyArray<PeerResult>> => {
  const results: Array<PeerResult> = []
  for (const contestant of [bare, ours, ...(await installed())]) results.push(await measure(contestant))
  return results
}
