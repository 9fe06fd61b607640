import { spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { createInterface } from "node:readline"

import { assert, expect, it } from "vitest"

import { commandFile, useCommand } from "../../cli/built.ts"

useCommand()

/** Every number of acknowledgements before the kill, and one more. */
const kills = 9
const writesPerLife = 8

const call = (id: number, name: string, args: object) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } })}\n`

/**
 * One life of the command over a file: it tells the tags that it finds, is given more to create than it will live to do,
 * and is killed at once after so many of them are acknowledged. Tells the names that were found and acknowledged.
 */
const live = async (file: string, names: ReadonlyArray<string>, acknowledgements: number) => {
  const child = spawn(process.execPath, [commandFile(), `--embedded=${file}`], { stdio: ["pipe", "pipe", "inherit"] })
  child.stdin.write(call(0, "get_tags", { limit: 250 }))
  names.forEach((name, index) => child.stdin.write(call(index + 1, "create_tag", { name })))
  const acknowledged: Array<string> = []
  let tagList = ""
  for await (const line of createInterface({ input: child.stdout })) {
    const { id } = JSON.parse(line)
    if (id === 0) tagList = line
    else {
      assert.include(line, String(names[id - 1]))
      acknowledged.push(String(names[id - 1]))
    }
    if (tagList !== "" && acknowledged.length >= acknowledgements) child.kill("SIGKILL")
  }
  return { tagList, acknowledged }
}

it("keeps everything it acknowledged, whenever it is killed", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "crash-"))
  const file = path.join(folder, "engine.jsonl")
  const kept: Array<string> = []
  for (let round = 0; round <= kills; round += 1) {
    const names = round === kills ? [] : Array.from({ length: writesPerLife }, (_, index) => `t${round}-${index}`)
    const { acknowledged, tagList } = await live(file, names, Math.min(names.length, round % writesPerLife))
    for (const name of kept) expect(tagList).toContain(`\\"${name}\\"`)
    kept.push(...acknowledged)
  }
  assert.isAbove(kept.length, kills)
  await rm(folder, { recursive: true, force: true })
}, 60_000)
