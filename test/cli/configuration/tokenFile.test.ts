import { writeFile } from "node:fs/promises"
import path from "node:path"

import { assert, describe, it } from "vitest"

import { directory, run, startHttp, useCommand } from "../built.ts"

useCommand()

describe("a token in a file", () => {
  it("is asked of callers", async () => {
    const cwd = await directory()
    const file = path.join(cwd, "token")
    await writeFile(file, "0123456789abcdef\n", { mode: 0o600 })
    const { url } = await startHttp(["--embedded", "--auth-token-file", file], { cwd })
    const status = async (token: string) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })
      const headers = { authorization: `Bearer ${token}` }
      return (await fetch(`${url}/mcp`, { method: "POST", body, headers })).status
    }
    assert.strictEqual(await status("0123456789abcdef"), 200)
    assert.strictEqual(await status("0123456789abcdeX"), 401)
  })

  it("that is not there or holds no token is said at the start", async () => {
    const cwd = await directory({ token: "two words" })
    for (const name of ["token", "missing"]) {
      const { code, stderr } = await run(["--http", "--embedded", "--auth-token-file", name], { cwd })
      assert.strictEqual(code, 1)
      assert.include(stderr, `Token file ${name}`)
    }
  })
})
