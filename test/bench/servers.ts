import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { Agent, request } from "node:http"
import { tmpdir } from "node:os"
import path from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

/** So many that no instance is paced: each takes fewer than 100 requests a second. */
const instances = 80

/** CPU time of a process so far, in microseconds, of all its threads. */
export const cpuOf = async ({ pid }: ChildProcess) => {
  const threads = await readdir(`/proc/${pid}/task`)
  const times = await Promise.all(
    threads.map(async (thread) =>
      readFile(`/proc/${pid}/task/${thread}/schedstat`, "utf8").then(
        (text) => Number(text.split(" ")[0]),
        () => 0
      )
    )
  )
  return times.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1000
}

/** The most memory that a process ever had, in MiB. */
export const peakOf = async ({ pid }: ChildProcess) =>
  Number(/^VmHWM:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

export type Transport = "http" | "stdio"
export type Server = Awaited<ReturnType<typeof startServer>>

/** The built command, a bare Node that does the same work by `node:http` or by `fetch`, or a server of the official SDK. */
export type Kind = "bare" | "bare with fetch" | "command" | "official SDK"

const files: { readonly [kind in Kind]: string } = {
  bare: "bare.mjs",
  "bare with fetch": "bare.mjs",
  command: "../../dist/main.js",
  "official SDK": "sdk.mjs"
}

/** A server with a caller for it; on this Node or another one, with more settings where they are given. */
export const startServer = async (
  kind: Kind,
  transport: Transport,
  port: number,
  node = process.execPath,
  settings: object = {}
) => {
  const cwd = await mkdtemp(path.join(tmpdir(), "bench-"))
  const environment = { engine_host: `http://127.0.0.1:${port}`, engine_api_key: "bench", requestsPerSecond: 99 }
  const environments = Object.fromEntries(Array.from({ length: instances }, (_, index) => [`e${index}`, environment]))
  const configuration = JSON.stringify({ environments, defaultEnv: "e0", ...settings })
  await writeFile(path.join(cwd, ".config.json"), configuration, { mode: 0o600 })
  const file = fileURLToPath(new URL(files[kind], import.meta.url))
  const flags = ["--config", ".config.json", ...(transport === "http" ? ["--http", "--port", "0"] : [])]
  const args = kind === "command" ? flags : [transport, `${port}`, ...(kind === "bare with fetch" ? ["fetch"] : [])]
  const child = spawn(node, [file, ...args], { cwd, env: { PATH: process.env["PATH"] } })
  child.once("exit", (code) => {
    if (code !== null) throw new Error(`${kind} ended with ${code}`)
  })
  const send = transport === "http" ? await overHttp(child, kind === "official SDK") : overStdio(child)
  let ids = 0

  const ask = async (call: (id: number) => object) => {
    const id = ++ids
    const answer = await send(id, JSON.stringify({ jsonrpc: "2.0", id, ...call(id % instances) }))
    if (!answer.includes('"result"')) throw new Error(`${kind} refused: ${answer.slice(0, 300)}`)
    return answer
  }

  /** Calls so many times, so many at once. */
  const run = async (times: number, call: (id: number) => object, callers = 8) => {
    let left = times
    const one = async () => {
      while (left-- > 0) await ask(call)
    }
    await Promise.all(Array.from({ length: callers }, one))
  }
  const stop = async () => {
    const ended = once(child, "exit")
    child.kill("SIGKILL")
    await ended
    await rm(cwd, { recursive: true, force: true })
  }
  return { pid: child.pid, ask, run, stop, cpu: () => cpuOf(child), peak: () => peakOf(child) }
}

type Piped = ReturnType<typeof spawn> & {
  readonly stdout: NodeJS.ReadableStream
  readonly stdin: NodeJS.WritableStream
}

/** The id of an answer, which stands near its beginning or at its end. */
export const idOf = (line: string) =>
  Number(/"id":(\d+)\}?/.exec(line.startsWith('{"jsonrpc"') ? line.slice(0, 60) : line.slice(-60))?.[1])

const overStdio = ({ stdin, stdout }: Pick<Piped, "stdin" | "stdout">) => {
  const waiting = new Map<number, (line: string) => void>()
  createInterface({ input: stdout }).on("line", (line) => {
    const id = idOf(line)
    waiting.get(id)?.(line)
    waiting.delete(id)
  })
  return (id: number, text: string) =>
    new Promise<string>((resolve) => {
      waiting.set(id, resolve)
      stdin.write(`${text}\n`)
    })
}

const handshake = JSON.stringify({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "0" } }
})

/** The headers of a session, for servers that answer nothing without one. */
const sessionAt = async (url: string) => {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
  const opened = await fetch(url, { method: "POST", headers, body: handshake })
  await opened.text()
  return { ...headers, "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" }
}

const overHttp = async ({ stderr }: { readonly stderr: NodeJS.ReadableStream }, needsSession: boolean) => {
  let said = ""
  stderr.on("data", (chunk) => (said += String(chunk)))
  while (!said.includes("/mcp\n")) await once(stderr, "data")
  const url = /Serving (\S+)/.exec(said)?.[1] ?? ""
  const agent = new Agent({ keepAlive: true })
  const session = needsSession ? await sessionAt(url) : {}
  return (_: number, text: string) =>
    new Promise<string>((resolve, reject) => {
      const headers = { "content-type": "application/json", ...session, "content-length": Buffer.byteLength(text) }
      const going = request(url, { method: "POST", agent, headers }, (answer) => {
        let body = ""
        answer.setEncoding("utf8").on("data", (chunk: string) => (body += chunk))
        answer.on("end", () => resolve(body))
      })
      going.on("error", reject).end(text)
    })
}
