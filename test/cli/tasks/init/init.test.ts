import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises"

import { assert, describe, it } from "vitest"

import { commandFile, directory, run, standIn, start, useCommand } from "../../built.ts"
import { engine, key } from "./engine.ts"

useCommand()

const modeOf = async (file: string) => (await stat(file)).mode & 0o777
const read = async (file: string) => JSON.parse(await readFile(file, "utf8"))

describe("init", () => {
  it("tries the key, keeps it for this user alone, and lets the client start the server with it", async () => {
    const [host, cwd, home] = await Promise.all([standIn(engine), directory(), directory()])
    const env = { HOME: home, ENGINE_API_KEY: key }
    const words = ["init", "--engine-host", `${host}/home/workflows`, "--client", "cursor", "--client", "claude-code"]
    const { code, stderr, stdout } = await run(words, { cwd, env })
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    assert.match(stdout, /^ok +default +\S+ +yes +accepted +1\.82\.3/m)
    assert.notInclude(stdout, key)
    assert.deepStrictEqual(await read(`${cwd}/.config.json`), {
      environments: { default: { engine_host: host, engine_api_key: key } },
      defaultEnv: "default"
    })
    assert.strictEqual(await modeOf(`${cwd}/.config.json`), 0o600)

    const { args, command } = (await read(`${home}/.cursor/mcp.json`)).mcpServers.workflows
    assert.deepStrictEqual([command, args[0]], [process.execPath, commandFile()])
    assert.deepStrictEqual((await read(`${cwd}/.mcp.json`)).mcpServers.workflows.args, args)
    const { child, ended } = start(args.slice(1), { env: {} })
    child.stdin.end(
      `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "search_workflows" } })}\n`
    )
    assert.include((await ended).stdout, '"result":{"content"')

    const again = await run(words, { cwd, env })
    assert.include(again.stdout, "Everything was there already.")
    assert.sameMembers(await readdir(cwd), [".config.json", ".mcp.json"])
  })

  it("says how to start it from here, where no client is to do that", async () => {
    const [host, cwd] = await Promise.all([standIn(engine), directory()])
    const { stdout } = await run(["init", "--engine-host", host, "--client", "none"], {
      cwd,
      env: { HOME: cwd, ENGINE_API_KEY: key }
    })
    assert.include(stdout, `Start it with: node ${commandFile()} --config ${cwd}/.config.json\n`)
    assert.include(stdout, `The key is in ${cwd}/.config.json in the open`)
  })

  it("adds to what is there, keeps its comments, its rights and a copy", async () => {
    const text = '{\n  // mine\n  "servers": { "other": { "url": "http://x.test" } },\n}\n'
    const [host, cwd] = await Promise.all([standIn(engine), directory({ ".config.json": "{}" })])
    const home = await directory()
    await run(["init", "--engine-host", host, "--client", "vscode", "--project"], {
      cwd,
      env: { HOME: home, XDG_STATE_HOME: `${home}/state`, ENGINE_API_KEY: key }
    })
    const file = `${cwd}/.vscode/mcp.json`
    await writeFile(file, text)
    await chmod(file, 0o640)
    await chmod(`${cwd}/.config.json`, 0o644)
    const words = ["init", "--engine-host", host, "--instance", "two", "--client", "vscode", "--project", "--read-only"]
    const { code } = await run(words, {
      cwd,
      env: { HOME: home, XDG_STATE_HOME: `${home}/state`, ENGINE_API_KEY: key }
    })
    assert.strictEqual(code, 0)
    const after = await readFile(file, "utf8")
    assert.include(after, '  // mine\n  "servers": { "other": { "url": "http://x.test" },\n    "workflows": {')
    assert.strictEqual(await modeOf(file), 0o640)
    const copies = `${home}/state/workflow-tool-server/copies`
    const [copy = ""] = (await readdir(copies)).filter((name) => /\.vscode-mcp\.json\..*\.bak$/.test(name))
    assert.strictEqual(await readFile(`${copies}/${copy}`, "utf8"), text)
    assert.deepStrictEqual(await readdir(`${cwd}/.vscode`), ["mcp.json"])
    const { defaultEnv, environments } = await read(`${cwd}/.config.json`)
    assert.deepStrictEqual(
      [defaultEnv, Object.keys(environments), environments.two.readOnly],
      ["default", ["default", "two"], true]
    )
    // A copy holds the keys as well, and what lies beside the file is committed with everything else.
    assert.deepStrictEqual((await readdir(cwd)).toSorted(), [".config.json", ".vscode"])
    const files = [`${cwd}/.config.json`, ...(await readdir(copies)).map((name) => `${copies}/${name}`)]
    assert.deepStrictEqual(await Promise.all(files.map(modeOf)), [0o600, 0o600, 0o600, 0o600])
    assert.strictEqual(await modeOf(copies), 0o700)
  })

  it("writes nothing where the key is refused, or one of the files cannot be added to", async () => {
    const [host, home] = await Promise.all([standIn(engine), directory()])
    const cwd = await directory({ ".mcp.json": '{"mcpServers":' })
    const init = (apiKey: string) =>
      run(["init", "--engine-host", host, "--client", "claude-code"], {
        cwd,
        env: { HOME: home, ENGINE_API_KEY: apiKey }
      })
    const refused = await init("wrong")
    assert.strictEqual(refused.code, 1)
    assert.include(refused.stdout, "Authentication failed")
    const broken = await init(key)
    assert.strictEqual(broken.code, 1)
    assert.match(broken.stderr, /\.mcp\.json: line 1, column 15: expected a value\. Fix it first\n$/)
    assert.deepStrictEqual(await readdir(cwd), [".mcp.json"])
  })

  it.each([
    [["init"], "init needs the engine's address: --engine-host URL\n"],
    [
      ["init", "--engine-host", "https://a.test"],
      "init needs the engine's API key: set ENGINE_API_KEY, or give --engine-key\n"
    ],
    [["init", "--client", "emacs"], "--client: expected one of claude-desktop, claude-code, vscode, cursor, none\n"]
  ])("refuses %j where nobody can be asked", async (words, stderr) => {
    assert.deepStrictEqual(await run(words, { cwd: await directory() }), { code: 2, stdout: "", stderr })
  })
})
