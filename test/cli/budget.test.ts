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
const lines = (...messages: ReadonlyArray<object>) =>
  messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("")

/** What clients of each era begin with; the last answer is the longest. */
const beginning = lines(
  {
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: { roots: {} }, clientInfo: { name: "test", version: "1" } }
  },
  { method: "notifications/initialized" },
  {
    id: 2,
    method: "tools/list",
    params: {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}
      }
    }
  },
  { id: 3, method: "tools/list", params: {} }
)

/** What a server over standard input and output has loaded by its first answers. */
const loadedByFirstAnswers = async (args: ReadonlyArray<string>, settings: object) => {
  const cwd = await directory({ ".config.json": { ...configuration, ...settings } })
  const file = path.join(cwd, "loaded")
  const env = { NODE_OPTIONS: `--import=${preload}`, LOADED_MODULES: file, XDG_CACHE_HOME: path.join(cwd, "cache") }
  const { child } = start(args, { cwd, env })
  child.stdin.write(beginning)
  let answers = ""
  while (answers.split("\n").length < 4) answers += String(await once(child.stdout, "data"))
  assert.strictEqual(answers.split('"tools":[').length, 3)
  const modules = [...new Set((await readFile(file, "utf8")).trim().split("\n"))]
  const own = modules.filter((url) => url.endsWith(".js") && new URL(url).pathname.includes("/dist/"))
  const sizes = await Promise.all(own.map(async (url) => (await stat(new URL(url))).size))
  return { modules, own, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}

/** What of Node costs time to load and is needed later, if at all. */
const later =
  "http https http2 net tls crypto dns child_process worker_threads fs/promises readline os perf_hooks v8 zlib"
    .split(" ")
    .map((name) => `node:${name}`)

const operator = ["--toolsets", "engine,operator"]

describe("before its first answers over standard input and output, the command", () => {
  it.each([
    ["its first file alone", [], {}, [], 215_000],
    ["what lists tell of its toolset operator beside it", operator, {}, ["lists"], 252_000],
    [
      "what reads settings of plans beside that",
      operator,
      { plans: { planMinutes: 5 } },
      ["lists", "readFile", "schemas"],
      402_000
    ]
  ] as const)(
    "loads %s, of no more bytes than it had, and nothing that is needed later",
    async (_, args, settings, more, mostBytes) => {
      const { bytes, modules, own } = await loadedByFirstAnswers(args, settings)
      assert.sameMembers(
        own.map((url) => path.basename(new URL(url).pathname).replace(/-[\w-]{8}\.js$/, "")),
        ["main.js", "start", ...more]
      )
      // The number of when this was written, and a twentieth for what small changes need.
      assert.isAtMost(bytes, mostBytes)
      assert.isAbove(modules.length, own.length, "the preloaded file wrote down what was loaded of Node")
      assert.deepStrictEqual(
        modules.filter((url) => later.includes(url)),
        []
      )
    }
  )
})
