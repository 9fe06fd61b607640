import { once } from "node:events"
import { readFile, stat } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"

import { assert, describe, it } from "vitest"

import { directory, start, useCommand } from "./built.ts"

useCommand()

const preload = fileURLToPath(new URL("data/loaded.mjs", import.meta.url))
const configuration = {
  environments: { main: { engine_host: "http://127.0.0.1:9", engine_api_key: "canary" } },
  defaultEnv: "main"
}
const list = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })}\n`

/** What a server over standard input and output has loaded by its first answer. */
const loadedByFirstAnswer = async () => {
  const cwd = await directory({ ".config.json": configuration })
  const file = path.join(cwd, "loaded")
  const { child } = start([], { cwd, env: { NODE_OPTIONS: `--import=${preload}`, LOADED_MODULES: file } })
  child.stdin.write(list)
  const [answer] = await once(child.stdout, "data")
  assert.include(String(answer), '"tools":[')
  const modules = [...new Set((await readFile(file, "utf8")).trim().split("\n"))]
  const own = modules.filter((url) => url.startsWith("file:"))
  const sizes = await Promise.all(own.map(async (url) => (await stat(new URL(url))).size))
  return { modules, own: own.length, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}

/** What costs time to load and is needed later, if at all: of Node, and the parts of the command by their first file. */
const later = [
  ...["http", "https", "http2", "net", "tls", "zlib", "crypto", "dns", "child_process", "worker_threads"].map(
    (name) => new RegExp(`^node:${name}$`)
  ),
  ...[
    "nodeHttpClient",
    "overHttp",
    "TunnelAgent",
    "embeddedEngine",
    "marketplace",
    "operator",
    "changes",
    "history"
  ].map((name) => new RegExp(`/chunks/${name}-`)),
  ...["commandLine", "completions", "init", "call", "auditLog", "bearerToken", "telemetry"].map(
    (name) => new RegExp(`/chunks/${name}-`)
  )
]

describe("before its first answer over standard input and output, the command", () => {
  it("loads no more files and bytes than it did, and nothing that is needed later", async () => {
    const { bytes, modules, own } = await loadedByFirstAnswer()
    // The numbers of when this was written, and a twentieth for what small changes need.
    assert.isAtMost(own, 84)
    assert.isAtMost(bytes, 760_000)
    assert.isAbove(own, 2, "the preloaded file wrote down what was loaded")
    for (const pattern of later) {
      assert.deepStrictEqual(
        modules.filter((url) => pattern.test(url)),
        []
      )
    }
  })

  it("has a file for each part that is looked for", async () => {
    const cwd = await directory({ ".config.json": configuration })
    const chunks = path.join(cwd, "../dist/chunks")
    const { readdir } = await import("node:fs/promises")
    const names = (await readdir(chunks)).map((name) => `/chunks/${name}`)
    for (const pattern of later.filter(({ source }) => source.includes("chunks"))) {
      assert.isTrue(
        names.some((name) => pattern.test(name)),
        pattern.source
      )
    }
  })
})
