import { lstat, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises"
import path from "node:path"

import { Effect } from "effect"
import { assert, describe, it } from "vitest"

import * as PlanJournalFile from "../../../src/cli/plans/PlanJournalFile.ts"
import { Entry } from "../../../src/engine/plans/Plans.ts"
import { directory, run, start, useCommand } from "../built.ts"

useCommand()

const environments = { a: { engine_host: "http://127.0.0.1:9", engine_api_key: "none-of-yours" } }

/** A folder with a configuration, and one elsewhere with files that are precious. */
const cloneWith = async (settings: object = {}) => {
  const cwd = await directory({ ".config.json": { environments, toolsets: ["operator"], ...settings } })
  const precious = await directory({ "1-notes.json": "", "2024.json": "mine", "3.jsonl": "{}\n" })
  const contents = () =>
    readdir(precious).then((names) =>
      Promise.all(names.toSorted().map(async (name) => [name, await readFile(path.join(precious, name), "utf8")]))
    )
  return { cwd, precious, contents, before: await contents() }
}

const action = { type: "action", at: 1, operation: "update_workflow", outcome: "done" } as const
const planned = { type: "stopped", at: 1, plan_id: "p", problem: "none" } as const
const named = ["--config", ".config.json"]
const embedded = ["--embedded", ...named]

describe("a link where something is kept", () => {
  it("does not lead the start to delete what lies behind the folder of runs", async () => {
    const { before, contents, cwd, precious } = await cloneWith()
    await symlink(precious, path.join(cwd, ".workflow-runs"))
    const { child, ended, says } = start(named, { cwd })
    await says("stderr", `${path.join(cwd, ".workflow-runs")} is a link, and nothing is kept through links. `)
    child.stdin.end()
    await ended
    assert.deepStrictEqual(await contents(), before)
  })

  it("is not read or removed in the folder of runs, nor anything that is none of ours", async () => {
    const { before, contents, cwd, precious } = await cloneWith()
    const runs = path.join(cwd, ".workflow-runs")
    await mkdir(runs)
    await writeFile(path.join(runs, "1.json"), "a file of somebody's")
    await writeFile(path.join(runs, "1-a.json"), "another one")
    await symlink(path.join(precious, "1-notes.json"), path.join(runs, "2-b.json"))
    const { child, ended, says } = start(named, { cwd })
    await says("stderr", `${path.join(runs, "2-b.json")} is a link`)
    child.stdin.end()
    await ended
    assert.deepStrictEqual((await readdir(runs)).toSorted(), ["1-a.json", "1.json", "2-b.json"])
    assert.deepStrictEqual(await contents(), before)
  })

  it.each([".workflow-journal.jsonl", ".workflow-journal.jsonl.actions"])(
    "is not read or written as a journal of plans: %s",
    async (name) => {
      const { before, contents, cwd, precious } = await cloneWith()
      await symlink(path.join(precious, "3.jsonl"), path.join(cwd, name))
      const problem = `${path.join(cwd, name)} is a link, and nothing is kept through links. `
      const [read, refused] = await Effect.runPromise(
        Effect.gen(function* () {
          const journal = yield* PlanJournalFile.make(path.join(cwd, ".workflow-journal.jsonl"), Entry)
          const written = name.endsWith(".actions") ? action : planned
          return [yield* journal.entries, yield* Effect.flip(journal.append(written))] as const
        })
      )
      assert.include(JSON.stringify(read), problem)
      assert.include(refused.message, problem)
      assert.deepStrictEqual(await contents(), before)
      assert.isTrue((await lstat(path.join(cwd, name))).isSymbolicLink())
    }
  )

  it("takes no line of the audit log", async () => {
    const { before, contents, cwd, precious } = await cloneWith({ audit: { file: "audit.jsonl", maxBytes: 1000 } })
    await symlink(path.join(precious, "2024.json"), path.join(cwd, "audit.jsonl"))
    const { code, stderr } = await run(["call", "create_tag", "--name", "one", ...embedded], { cwd })
    assert.strictEqual(code, 0, stderr)
    assert.include(stderr, `${path.join(cwd, "audit.jsonl")} is a link, and nothing is kept through links. `)
    assert.deepStrictEqual(await contents(), before)
  })
})
