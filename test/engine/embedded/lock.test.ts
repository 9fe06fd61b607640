import { spawn, spawnSync } from "node:child_process"
import { mkdtemp, readdir, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"

import { afterEach, assert, beforeEach, describe, it } from "vitest"

import { commandFile, useCommand } from "../../cli/built.ts"

useCommand()

let folder = ""
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "lock-"))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const list = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get_tags", arguments: {} } })}\n`

/** Starts a server over the file; tells whether it serves, or else what it said before it ended. */
const start = async (file: string, wrapper: ReadonlyArray<string> = []) => {
  const [program, ...words] = [...wrapper, process.execPath, commandFile(), `--embedded=${file}`]
  const child = spawn(program, words, { stdio: "pipe" })
  let said = ""
  child.stderr.on("data", (chunk) => (said += chunk))
  child.stdin.on("error", () => {}).write(list)
  const serves = await new Promise<boolean>((resolve) => {
    child.stdout.once("data", () => resolve(true))
    child.once("close", () => resolve(false))
  })
  const end = (signal: NodeJS.Signals) =>
    new Promise<void>((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve()
      child.once("close", () => resolve())
      child.kill(signal)
    })
  return { child, serves, said: () => said, end }
}

const inNewContainer = ["unshare", "--pid", "--fork", "--kill-child", "--net", "--mount-proc"]
const hasContainers = spawnSync("unshare", [...inNewContainer.slice(1), "true"]).status === 0

describe("the file of an embedded engine", () => {
  it("is served by one of many that start at once where one was killed", async () => {
    const file = path.join(folder, "engine.jsonl")
    await symlink("engine.jsonl", path.join(folder, "link.jsonl"))
    for (let round = 0; round < 2; round += 1) {
      const killed = await start(file)
      assert.isTrue(killed.serves, killed.said())
      await killed.end("SIGKILL")
      const names = ["engine.jsonl", "link.jsonl", "engine.jsonl", "link.jsonl", "engine.jsonl", "engine.jsonl"]
      const servers = await Promise.all(names.map((name) => start(path.join(folder, name))))
      assert.lengthOf(
        servers.filter(({ serves }) => serves),
        1
      )
      for (const { said, serves } of servers) if (!serves) assert.match(said(), /is in use by (another )?process/)
      await Promise.all(servers.map(({ end }) => end("SIGTERM")))
    }
    assert.sameMembers(await readdir(folder), ["engine.jsonl", "link.jsonl"])
  }, 60_000)

  it("stays with a server that is stopped", async () => {
    const file = path.join(folder, "engine.jsonl")
    const first = await start(file)
    first.child.kill("SIGSTOP")
    const second = await start(file)
    assert.isFalse(second.serves)
    assert.match(second.said(), new RegExp(`is in use by process ${first.child.pid}\\.`))
    await first.end("SIGKILL")
  })

  it.skipIf(!hasContainers)("is served in one container only, though each has a process 1", async () => {
    const file = path.join(folder, "engine.jsonl")
    const first = await start(file, inNewContainer)
    assert.isTrue(first.serves, first.said())
    const second = await start(file, inNewContainer)
    assert.isFalse(second.serves)
    assert.match(second.said(), /is in use by process 1\./)
    await first.end("SIGKILL")
    const third = await start(file, inNewContainer)
    assert.isTrue(third.serves, third.said())
    await third.end("SIGKILL")
  })
})
