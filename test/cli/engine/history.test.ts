import { execFileSync, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import path from "node:path"
import { createInterface } from "node:readline"

import { assert, describe, expect, it } from "vitest"

import { commandFile, directory, run, useCommand } from "../built.ts"

useCommand()

const git = (folder: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-C", folder, ...args], { encoding: "utf8" })

const request = (id: number, method: string, params: object) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`

const hello = request(0, "initialize", {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "Test Client", version: "1.2" }
})

const creation = (id: number, name: string, reason?: string) =>
  request(id, "tools/call", {
    name: "create_workflow",
    arguments: {
      name,
      nodes: [{ name: "Start", type: "engine-nodes-base.manualTrigger", typeVersion: 1, position: [0, 0] }],
      connections: {}
    },
    ...(reason === undefined ? {} : { _meta: { "workflow-tool-server/reason": reason } })
  })

/** One life of a stdio server, which ends after so many answers: by itself, or killed. */
const live = async (cwd: string, lines: ReadonlyArray<string>, answers: number, killed: boolean) => {
  const child = spawn(process.execPath, [commandFile(), "--embedded=engine.jsonl", "--history", "history"], {
    cwd,
    stdio: ["pipe", "pipe", "pipe"],
    env: { PATH: process.env["PATH"] }
  })
  for (const line of [hello, ...lines]) child.stdin.write(line)
  let stderr = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
  let count = 0
  for await (const line of createInterface({ input: child.stdout })) {
    assert.notInclude(line, '"error"')
    count++
    if (count === answers) {
      if (killed) child.kill("SIGKILL")
      else child.stdin.end()
    }
  }
  return stderr
}

describe("the history of a server", () => {
  it("has everything in it when the client has left, with the client's name and its reason", async () => {
    const cwd = await directory()
    const names = Array.from({ length: 20 }, (_, place) => `Workflow ${place}`)
    const lines = names.map((name, place) => creation(place + 1, name, `because of ${name}`))
    // A client is not kept waiting for a busy machine: what is left then is told, and recorded at the next start.
    assert.match(await live(cwd, lines, names.length + 1, false), /^$|^.*\d+ readings and changes wait in .*\n$/)
    const history = path.join(cwd, "history")
    await run(["backup", "--embedded=engine.jsonl", "--history", "history"], { cwd })
    const log = git(history, "log", "--format=%an|%s|%(trailers:key=Reason,valueonly,separator=%x2C)", "--grep=^Tool: ")
    for (const name of names) {
      assert.include(log, `Test Client/1.2|create_workflow: ${name} on embedded|because of ${name}`)
    }
    assert.strictEqual(git(history, "status", "--porcelain"), "")
  }, 60_000)

  it("survives a kill at any moment: the next start goes on, and a backup has what was missed", async () => {
    const cwd = await directory()
    const history = path.join(cwd, "history")
    const names: Array<string> = []
    for (let round = 0; round < 8; round++) {
      const roundNames = Array.from({ length: 6 }, (_, place) => `Round ${round} ${place}`)
      names.push(...roundNames.slice(0, round % 6))
      await live(
        cwd,
        roundNames.map((name, place) => creation(place + 1, name)),
        1 + (round % 6),
        true
      )
      if (existsSync(path.join(history, ".git/refs/heads/main"))) git(history, "fsck", "--full")
    }
    const { code, stderr, stdout } = await run(["backup", "--embedded=engine.jsonl", "--history", "history"], { cwd })
    assert.strictEqual(stderr, "")
    assert.strictEqual(code, 0)
    assert.match(
      stdout,
      /^embedded: \d+ workflows, 7 tags\. This is its first backup\. It stands at version [\da-f]{12}\.\nembedded: Not kept, .*\n$/
    )
    const files = git(history, "ls-tree", "--name-only", "HEAD", "embedded/")
    for (const name of names) assert.include(files, `/${name.replaceAll(" ", "-")}.`)
    assert.strictEqual(git(history, "status", "--porcelain"), "")
  }, 120_000)
})

describe("workflow-tool-server backup", () => {
  it("prints what changed since the last time, as text or as JSON", async () => {
    const cwd = await directory()
    const where = ["--embedded=engine.jsonl", "--history", "history"]
    await run(["backup", ...where], { cwd })
    await run(["call", "create_tag", "--name", "new", ...where], { cwd })
    await live(cwd, [creation(1, "Later")], 2, false)
    const json = await run(["backup", "--json", "--instances", "embedded", ...where], { cwd })
    assert.strictEqual(json.code, 0)
    const { changes, tags } = JSON.parse(json.stdout)
    expect(tags).toBe(8)
    expect(changes).toMatchObject([
      { name: "Later", change: "first version", by: "Test Client/1.2", tool: "create_workflow" }
    ])
    assert.include(
      git(path.join(cwd, "history"), "log", "--format=%an %s"),
      "the command line create_tag: tags on embedded"
    )
    const { stdout } = await run(["backup", ...where], { cwd })
    assert.match(
      stdout,
      /^embedded: 31 workflows, 8 tags\. 0 changes since the backup of 20\S+\. It stands at version [\da-f]{12}\.\nembedded: Not kept, as they are not to be read: data tables, folders \(the engine has none\)\.\n$/
    )
  }, 60_000)

  it("says what is missing, and fails where an instance cannot be read", async () => {
    const cwd = await directory({
      "config.json": {
        environments: {
          gone: { engine_host: "http://127.0.0.1:9", engine_api_key: "key-of-nobody", allowInsecureHttp: true }
        },
        history: "kept"
      }
    })
    const bare = await run(["backup", "--embedded"], { cwd })
    assert.strictEqual(bare.code, 1)
    assert.include(bare.stderr, "backup needs a folder for the history")
    const { code, stdout } = await run(["backup", "--config", "config.json"], { cwd })
    assert.strictEqual(code, 1)
    assert.match(stdout, /^gone: Instance gone cannot be reached/)
  }, 60_000)
})
