import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"

import type { Measure } from "./results.ts"

const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })

/** Callers, each with a connection of its own that is kept, who ask twice: how many of them are not answered both times. */
export const refusedCallers = async (): Promise<ReadonlyArray<Measure>> => {
  const measures: Array<Measure> = []
  for (const callers of [256, 1000]) {
    measures.push({
      what: `http: callers refused of ${callers}`,
      unit: "callers",
      ours: await refusedBy("command", callers),
      bare: await refusedBy("bare", callers),
      goal: 0
    })
  }
  return measures
}

const refusedBy = async (kind: "bare" | "command", callers: number) => {
  const cwd = await mkdtemp(path.join(tmpdir(), "bench-"))
  const environment = { engine_host: "http://127.0.0.1:9", engine_api_key: "bench" }
  const configuration = JSON.stringify({ environments: { main: environment }, defaultEnv: "main" })
  await writeFile(path.join(cwd, ".config.json"), configuration, { mode: 0o600 })
  const file = fileURLToPath(new URL(kind === "bare" ? "bare.mjs" : "../../dist/main.js", import.meta.url))
  const args = kind === "bare" ? ["http", "9"] : ["--http", "--port", "0"]
  const child = spawn(process.execPath, [file, ...args], { cwd, env: { PATH: process.env["PATH"] } })
  let said = ""
  child.stderr.on("data", (chunk) => (said += String(chunk)))
  while (!said.includes("/mcp\n")) await once(child.stderr, "data")
  const port = Number(/Serving http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1])
  const answered = await Promise.all(Array.from({ length: callers }, () => answersOf(port)))
  const ended = once(child, "exit")
  child.kill("SIGKILL")
  await ended
  await rm(cwd, { recursive: true, force: true })
  return answered.filter((answers) => answers < 2).length
}

/** How many of two requests on one connection are answered. */
const answersOf = (port: number) =>
  new Promise<number>((resolve) => {
    let answers = 0
    const socket = connect(port, "127.0.0.1")
    const ask = () =>
      socket.write(`POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    socket.on("connect", ask).on("error", () => {})
    socket.on("close", () => resolve(answers))
    socket.on("data", (chunk) => {
      if (!String(chunk).includes('"result"')) return
      if (++answers < 2) ask()
      else socket.destroy()
    })
  })
