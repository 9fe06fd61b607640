import { readdir, readFile, stat, writeFile } from "node:fs/promises"
import path from "node:path"

import { assert, describe, it } from "vitest"

import { directory, run, start, startHttp, useCommand } from "../built.ts"

useCommand()

/** A working folder, and the folder in the cache below it in which compiled code is kept. */
const places = async () => {
  const cwd = await directory()
  const env = { XDG_CACHE_HOME: path.join(cwd, "cache") }
  const folder = path.join(cwd, "cache/workflow-tool-server/code")
  const called = async () => {
    const { code, stderr, stdout } = await run(["call", "--embedded", "list_workflows"], { cwd, env })
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    assert.include(stdout, "Order intake")
  }
  /** When each of the kept files was written. */
  const written = async () => {
    const names = (await readdir(folder)).filter((name) => name.endsWith(".bin")).sort()
    return Promise.all(names.map(async (name) => ({ name, at: (await stat(path.join(folder, name))).mtimeMs })))
  }
  return { cwd, env, folder, called, written }
}

const isOfTask = ({ name }: { readonly name: string }) => name.endsWith("-task.bin")

describe("the code that a task has compiled", () => {
  it("is kept for the next one, and made anew where it is broken", async () => {
    const { called, folder, written } = await places()
    await called()
    const kept = await written()
    assert.isTrue(kept.every(isOfTask))
    assert.includeMembers(
      kept.map(({ name }) => name.split("-")[0]),
      ["start", "call", "engine"]
    )
    await called()
    assert.deepStrictEqual(await written(), kept)

    const file = path.join(folder, kept.find(({ name }) => name.startsWith("call-"))?.name ?? "")
    const broken = await readFile(file)
    broken.fill(0x5a, broken.length / 2, broken.length / 2 + 64)
    await writeFile(file, broken)
    await called()
    assert.isFalse((await readFile(file)).equals(broken))
  })

  it("does not take the place of what a server keeps for the next start, which tasks use, too", async () => {
    const { called, cwd, env, written } = await places()
    await called()
    const kept = await written()
    await startHttp(["--embedded"], { cwd, env })
    while (!(await written()).some((file) => file.name.startsWith("start-") && !isOfTask(file))) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await called()
    assert.deepStrictEqual((await written()).filter(isOfTask), kept)
  })
})

describe("a server that ends soon after its first answer", () => {
  it.each(["SIGTERM", "the end of its input"])("keeps what it has compiled, at %s", async (end) => {
    const { cwd, env, written } = await places()
    const { child, ended, says } = start([], {
      cwd,
      env: { ...env, ENGINE_HOST: "http://127.0.0.1:9", ENGINE_API_KEY: "k" }
    })
    child.stdin.write(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n`)
    await says("stdout", "\n")
    if (end === "SIGTERM") child.kill(end)
    else child.stdin.end()
    assert.strictEqual((await ended).code, 0)
    assert.include(
      (await written()).map(({ name }) => name.split("-")[0]),
      "start"
    )
  })
})
