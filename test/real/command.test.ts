import { readFile } from "node:fs/promises"
import path from "node:path"

import { assert, describe, inject, it } from "vitest"

import { directory, run, startHttp, useCommand } from "../cli/built.ts"
import { sender } from "../engine/plans/process.ts"

useCommand()

const engines = inject("engines")
const name = (version: string) => `v${version}`
const environments = Object.fromEntries(
  engines.map(({ apiKey, host, version }) => [name(version), { engine_host: host, engine_api_key: apiKey }])
)
const configuration = { environments, defaultEnv: name(engines[0]?.version ?? "") }

describe("the built command with the real engines", () => {
  it.each([process.execPath, inject("olderNode")])(
    "finds nothing wrong with the engines when run by %s",
    async (node) => {
      const cwd = await directory({ ".config.json": configuration })
      const { code, stdout } = await run(["check", "--json"], { cwd, node })
      assert.strictEqual(code, 0)
      const findings: ReadonlyArray<{ data: Record<string, unknown>; notes: ReadonlyArray<string> }> =
        JSON.parse(stdout).findings
      assert.lengthOf(findings, engines.length)
      for (const [index, { data, notes }] of findings.entries()) {
        const { version = "" } = engines[index] ?? {}
        assert.strictEqual(data["version"], version)
        assert.deepStrictEqual(notes, [])
        // The key is the owner's: what is missing is missing in the engine.
        if (version.startsWith("2.")) assert.deepInclude(data, { cannot: [] })
        else assert.include(data["cannot"], "retry executions")
      }
    }
  )

  it("makes, shows and deletes a tag by calls from a shell", async () => {
    const cwd = await directory({ ".config.json": configuration })
    for (const { version } of engines) {
      const call = (...words: ReadonlyArray<string>) => run(["call", ...words, "--instance", name(version)], { cwd })
      const tag = `shell ${Date.now()}`
      const made = await call("create_tag", tag, "--print", "id")
      assert.deepInclude(made, { code: 0, stderr: "" })
      const id = made.stdout.trim()
      const shown = await call("get_tag", id)
      assert.match(shown.stdout, new RegExp(`^name: ${tag}$`, "m"))
      assert.strictEqual((await call("delete_tag", id)).code, 0)
      const gone = await call("get_tag", id)
      const stderr = `API error: Not Found (tag ${id} on instance ${name(version)})\n`
      assert.deepStrictEqual(gone, { code: 1, stdout: "", stderr })
    }
  })

  it("writes a data table as CSV and reads it into another one", async () => {
    for (const { apiKey, host, version } of engines.filter((engine) => engine.version.startsWith("2."))) {
      const cwd = await directory({ ".config.json": { ...configuration, defaultEnv: name(version) } })
      const send = sender({ main: { host, apiKey } })
      const columns = [
        { name: "city", type: "string" },
        { name: "amount", type: "number" },
        { name: "due", type: "date" }
      ]
      const [from, to] = [`from ${Date.now()}`, `to ${Date.now()}`]
      const { id } = await send("main", "POST", "/data-tables", { name: from, columns })
      await send("main", "POST", "/data-tables", { name: to, columns })
      const data = Array.from({ length: 300 }, (_, amount) => ({
        city: amount % 7 === 0 ? null : `"city", ${amount}\n`,
        amount: amount / 8,
        due: new Date(1e12 + amount).toISOString()
      }))
      await send("main", "POST", `/data-tables/${String(id)}/rows`, { data })
      const state = { XDG_STATE_HOME: cwd }
      const table = (...words: ReadonlyArray<string>) => run(["table", ...words], { cwd, env: state })
      assert.strictEqual((await table("export", from, "a.csv")).code, 0)
      const applied = await table("import", to, "a.csv", "--apply")
      assert.strictEqual(applied.code, 0, applied.stderr)
      assert.strictEqual((await table("export", to, "b.csv")).code, 0)
      const [a, b] = [await readFile(path.join(cwd, "a.csv"), "utf8"), await readFile(path.join(cwd, "b.csv"), "utf8")]
      assert.strictEqual(a.split("Z\n").length, 301)
      assert.strictEqual(b, a)
    }
  })

  it("tells what a member's key may not do", async () => {
    for (const { host, memberKey, version } of engines.filter((engine) => engine.version.startsWith("2."))) {
      const { stdout } = await run(["check", "--json"], { env: { ENGINE_HOST: host, ENGINE_API_KEY: memberKey } })
      const [{ data }] = JSON.parse(stdout).findings
      assert.includeMembers(data.cannot, ["list credentials", "delete tags"], version)
      assert.notInclude(data.scopes, "tag:delete")
    }
  })

  it("reports a wrong key and exits with 1", async () => {
    const host = engines[0]?.host ?? ""
    const { code, stdout } = await run(["check"], { env: { ENGINE_HOST: host, ENGINE_API_KEY: "wrong" } })
    assert.strictEqual(code, 1)
    assert.include(stdout, "API call failed for instance default: Authentication failed. Check API key.")
  })

  it("serves every engine under its own name over HTTP", async () => {
    const { url } = await startHttp([], { cwd: await directory({ ".config.json": configuration }) })
    for (const { version } of engines) {
      const nodes = [{ name: "Start", type: "engine-nodes-base.webhook", typeVersion: 2, position: [0, 0] }]
      const params = {
        name: "create_workflow",
        arguments: { instance: name(version), name: "From the command", nodes }
      }
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })
      const answer = await (await fetch(`${url}/mcp`, { method: "POST", body })).text()
      assert.include(answer, "From the command")
      assert.include(answer, "-nodes-base.webhook")
    }
  })
})
