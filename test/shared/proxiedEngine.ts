import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer, request as send } from "node:http"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

import { listen } from "../cli/built.ts"

const script = fileURLToPath(new URL("../support/serve-embedded.ts", import.meta.url))

/** The embedded engine as a process of its own, behind a proxy that notes when each request came, and can hold answers back. */
export const proxiedEngine = async () => {
  const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] })
  const [line] = await once(createInterface({ input: child.stdout }), "line")
  const engine = new URL(String(line))
  const came: Array<{ readonly at: number; readonly what: string }> = []
  const pauses = { write: 0 }
  const proxy = createServer((incoming, outgoing) => {
    came.push({ at: performance.now(), what: `${incoming.method} ${incoming.url}` })
    const pause = incoming.method === "GET" ? 0 : pauses.write
    const { headers, method, url: path } = incoming
    const going = send({ host: engine.hostname, port: engine.port, headers, method, path }, (answer) => {
      setTimeout(() => answer.pipe(outgoing.writeHead(answer.statusCode ?? 500, answer.headers)), pause)
    })
    going.on("error", () => outgoing.destroy())
    incoming.pipe(going)
  })
  return {
    host: `http://127.0.0.1:${await listen(proxy)}`,
    came,
    /** Milliseconds that answers to changes are held back, each. */
    pauses,
    stop: () => child.kill("SIGKILL")
  }
}

/** Most of these moments, in milliseconds, that lie in any one second. */
export const mostPerSecond = (moments: ReadonlyArray<number>): number =>
  Math.max(0, ...moments.map((from) => moments.filter((at) => at >= from && at < from + 1000).length))
