import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"

import { freePort } from "../support/freePort.ts"

/** A Redis of these tests alone, on a port of the loopback interface that stays its own when it is stopped and started again. */
export interface TestRedis {
  readonly url: string
  readonly start: () => Promise<void>
  /** Kills it. What it wrote is still there at the next start. */
  readonly kill: () => Promise<void>
  /** Lets it hang with all its connections open, or go on. */
  readonly signal: (signal: "SIGSTOP" | "SIGCONT") => void
  /** Sends it a command, such as one that changes its settings, and returns its answer. */
  readonly command: (...words: ReadonlyArray<string>) => string
  readonly remove: () => Promise<void>
}

export const makeRedis = async (): Promise<TestRedis> => {
  const folder = await mkdtemp(path.join(tmpdir(), "workflow-tool-server-redis-"))
  const port = await freePort()
  let child: ChildProcess | undefined

  const start = async () => {
    const words = [
      "--port",
      String(port),
      "--bind",
      "127.0.0.1",
      "--dir",
      folder,
      "--save",
      "",
      "--requirepass",
      "hidden"
    ]
    const started = spawn("redis-server", [...words, "--appendonly", "yes", "--appendfsync", "always"])
    child = started
    const output = { text: "" }
    started.stdout.setEncoding("utf8").on("data", (text: string) => (output.text += text))
    const failed = once(started, "error").then(() => {
      throw new Error("redis-server is needed for these tests: apt-get install redis-server")
    })
    while (!output.text.includes("Ready to accept connections")) {
      await Promise.race([once(started.stdout, "data"), failed])
    }
    failed.catch(() => {})
  }
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    child.kill("SIGKILL")
    await once(child, "exit")
  }
  await start()
  return {
    url: `redis://:hidden@127.0.0.1:${port}`,
    start,
    kill,
    command: (...words) =>
      execFileSync("redis-cli", ["-p", String(port), "-a", "hidden", "--no-auth-warning", ...words], {
        encoding: "utf8"
      }).trim(),
    signal: (signal) => child?.kill(signal),
    remove: async () => {
      await kill()
      await rm(folder, { recursive: true, force: true })
    }
  }
}
