import { mkdtemp, readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"

import { afterAll, beforeAll } from "vitest"

import { commandFile, removed, type Start, startHttp } from "../cli/built.ts"
import type { Endpoint } from "./Session.ts"

/** Where a server is found that was started for it, and the exit code of that server once the client has left. */
export interface StartedServer {
  readonly endpoint: Endpoint
  /** Undefined when the server had to be killed. */
  readonly exitCode: () => Promise<number | undefined>
}

/** Gives the tests of a file a place for the exit codes. */
export const useServers = () => {
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "workflow-tool-server-clients-"))
  })
  afterAll(() => removed(folder))
}

let folder = ""
let count = 0

export const overStdio = async (args: ReadonlyArray<string>): Promise<StartedServer> => {
  const file = path.join(folder, `${++count}`)
  // A client that loses its patience kills the shell, which then writes nothing.
  const witness = `"$@"; echo $? > '${file}'`
  return {
    endpoint: { kind: "stdio", command: "sh", args: ["-c", witness, "sh", process.execPath, commandFile(), ...args] },
    exitCode: () => readFile(file, "utf8").then(Number, () => undefined)
  }
}
export const overHttp = async (args: ReadonlyArray<string>, options?: Start): Promise<StartedServer> => {
  const { child, ended, url } = await startHttp(args, options)
  return {
    endpoint: { kind: "http", url: new URL(`${url}/mcp`) },
    exitCode: async () => {
      child.kill("SIGTERM")
      const { code } = await ended
      return typeof code === "number" ? code : undefined
    }
  }
}
