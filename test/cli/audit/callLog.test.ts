import { writeFile } from "node:fs/promises"
import path from "node:path"

import { Effect } from "effect"
import { assert, describe, it } from "vitest"

import { callLog } from "../../../src/cli/audit/callLog.ts"
import { CurrentAccess } from "../../../src/mcp/callContext.ts"
import { directory, startHttp, useCommand } from "../built.ts"

useCommand()

const uri = "audit://calls"
const line = (tool: string) => `${JSON.stringify({ time: "2026-11-22T10:00:00.000Z", tool })}\n`

const resources = (file: string) => {
  const settings = { file, maxBytes: 1e7, keep: 1, besideConfiguration: false }
  return callLog({ config: undefined }, settings).resources ?? assert.fail("no resources")
}
const textOf = (read: ReturnType<ReturnType<typeof resources>["read"]>) =>
  Effect.runPromise(Effect.map(read, (contents) => ("text" in contents ? contents.text : "")))

describe("the audit log as a resource", () => {
  it("is the end of the file in whole lines, and empty where nothing was recorded", async () => {
    const cwd = await directory()
    const file = path.join(cwd, "audit.jsonl")
    assert.strictEqual(await textOf(resources(file).read(uri)), "")
    await writeFile(file, line("first") + line("x".repeat(1000)).repeat(300) + line("last"))
    const lines = (await textOf(resources(file).read(uri))).trimEnd().split("\n")
    assert.isBelow(lines.length, 200)
    assert.isAbove(lines.length, 100)
    for (const one of lines) assert.property(JSON.parse(one), "tool")
    assert.include(lines.at(-1), "last")
  })

  it("is kept from those who may only read", async () => {
    const read = resources(path.join(await directory(), "audit.jsonl")).read(uri)
    const reader = Effect.provideService(read, CurrentAccess, { subject: "ann", mayChange: false })
    assert.deepInclude(await Effect.runPromise(Effect.flip(reader)), { _tag: "ToolError", code: "INSUFFICIENT_SCOPE" })
  })

  it("is offered beside the page alone, and has what was called", async () => {
    const list = async (args: ReadonlyArray<string>) => {
      const { url } = await startHttp(["--embedded", ...args], { cwd: await directory() })
      const post = async (method: string, params: object) =>
        (
          await fetch(`${url}/mcp`, { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) })
        ).text()
      await post("tools/call", { name: "create_tag", arguments: { name: "Seen" } })
      return { listed: await post("resources/list", {}), page: (await fetch(url)).status, post }
    }
    const off = await list(["--audit", "audit.jsonl", "--page", "off"])
    assert.notInclude(off.listed, uri)
    assert.strictEqual(off.page, 404)
    assert.notInclude((await list([])).listed, uri)
    const on = await list(["--audit", "audit.jsonl"])
    assert.include(on.listed, uri)
    assert.strictEqual(on.page, 200)
    let text = ""
    while (!text.includes("create_tag")) text = await on.post("resources/read", { uri })
  })
})
