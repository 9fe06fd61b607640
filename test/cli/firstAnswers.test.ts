import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { chmod, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import path from "node:path"
import { createInterface } from "node:readline"

import { assert, describe, it } from "vitest"

import { commandFile, directory, standIn, start, startHttp, useCommand } from "./built.ts"

useCommand()

const instance = (more: object = {}) => ({ engine_host: "http://127.0.0.1:9", engine_api_key: "canary", ...more })
const two = { main: instance(), spare: instance({ readOnly: true }) }
const alone = { environments: { main: instance() } }

const handshake = (protocolVersion: string) => ({
  method: "initialize",
  params: { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } }
})

/** A server over standard input and output, and what it answers. */
const overStdio = (args: ReadonlyArray<string>, cwd: string, env: Readonly<Record<string, string>> = {}) => {
  const started = start(args, { cwd, env: { XDG_CACHE_HOME: path.join(cwd, "cache"), ...env } })
  const lines = createInterface({ input: started.child.stdout })
  const ask = async (message: object): Promise<unknown> => {
    const answer = once(lines, "line")
    started.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, ...message })}\n`)
    const [line]: ReadonlyArray<unknown> = await answer
    return JSON.parse(String(line))
  }
  const stop = () => {
    started.child.stdin.end()
    return started.ended
  }
  return { ...started, ask, stop }
}

/** A working folder with a configuration of an engine that has one workflow. */
const withEngine = async () => {
  const workflow = { id: "1", name: "One", active: false, nodes: [], connections: {}, settings: {} }
  const engine = await standIn((_, response) => {
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify(workflow))
  })
  return directory({ ".config.json": { environments: { main: instance({ engine_host: engine }) } } })
}

const getWorkflow = (id: string) => ({ method: "tools/call", params: { name: "get_workflow", arguments: { id } } })

describe("what lists tell before the programs behind them are loaded", () => {
  it.each([
    ["two instances", { environments: two, defaultEnv: "main" }, []],
    ["nothing that may be changed", { environments: { spare: two.spare } }, []],
    ["a server that is read-only", { environments: { main: two.main } }, ["--read-only"]],
    ["plans and other tools beside them", alone, ["--toolsets", "engine,operator"]]
  ] as const)("is what the programs tell: with %s", async (_, configuration, args) => {
    const cwd = await directory({ ".config.json": configuration })
    const { url } = await startHttp(args, { cwd })
    const { ask, stop } = overStdio(args, cwd)
    const modern = {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}
      }
    }
    const session = { session: "" }
    const headers = (method: string, version: string) => ({
      "content-type": "application/json",
      "mcp-protocol-version": version,
      "mcp-method": method,
      ...(session.session === "" ? {} : { "mcp-session-id": session.session })
    })
    const askHttp = async (message: { readonly method: string }, version: string): Promise<unknown> => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...message })
      const response = await fetch(`${url}/mcp`, { method: "POST", body, headers: headers(message.method, version) })
      session.session = response.headers.get("mcp-session-id") ?? session.session
      return response.json()
    }
    for (const version of ["2024-11-05", "2025-03-26", "2025-11-25"]) {
      session.session = ""
      assert.deepStrictEqual(await ask(handshake(version)), await askHttp(handshake(version), version))
      for (const method of ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]) {
        assert.deepStrictEqual(await ask({ method }), await askHttp({ method }, version), `${method} in ${version}`)
      }
    }
    session.session = ""
    const list = { method: "tools/list", params: modern }
    assert.deepStrictEqual(await ask(list), await askHttp(list, "2026-07-28"))
    await stop()
  })
})

describe("the programs behind the lists", () => {
  it("answer the first call, the first prompt and the first completion", async () => {
    const { ask, stop } = overStdio([], await withEngine())
    assert.nestedPropertyVal(await ask(getWorkflow("1")), "result.content[0].type", "text")
    const name = "http-webhook-workflow"
    assert.nestedPropertyVal(
      await ask({ method: "prompts/get", params: { name, arguments: { path: "orders" } } }),
      "result.messages[0].role",
      "user"
    )
    assert.deepNestedPropertyVal(
      await ask({
        method: "completion/complete",
        params: { ref: { type: "ref/prompt", name }, argument: { name: "method", value: "PU" } }
      }),
      "result.completion.values",
      ["PUT"]
    )
    await stop()
  })

  it("fail in the call that needs them where they cannot be loaded, and are tried again by the next", async () => {
    const { ask, says, stop } = overStdio([], await withEngine())
    const chunks = path.join(path.dirname(commandFile()), "chunks")
    const file = (await readdir(chunks)).find((name) => name.startsWith("engine-")) ?? ""
    await rename(path.join(chunks, file), path.join(chunks, `${file}.away`))
    assert.nestedPropertyVal(await ask(getWorkflow("1")), "error.code", -32603)
    await says("stderr", "engine-")
    await rename(path.join(chunks, `${file}.away`), path.join(chunks, file))
    assert.nestedPropertyVal(await ask(getWorkflow("1")), "result.content[0].type", "text")
    await stop()
  })
})

/** Waits until a start has kept what it compiled. */
const keptIn = async (folder: string): Promise<ReadonlyArray<string>> => {
  const names = await readdir(folder).catch(() => [])
  const kept = names.filter((name) => name.endsWith(".bin"))
  if (["start-", "engine-"].every((begin) => kept.some((name) => name.startsWith(begin)))) return kept
  await new Promise((resolve) => setTimeout(resolve, 20))
  return keptIn(folder)
}

describe("the code that a start has compiled", () => {
  it("is kept for the next start, and made anew where it is broken", async () => {
    const cwd = await withEngine()
    const folder = path.join(cwd, "cache/workflow-tool-server/code")
    const first = overStdio([], cwd)
    assert.property(await first.ask({ method: "tools/list" }), "result")
    const kept = await keptIn(folder)
    await first.stop()

    const file = path.join(folder, kept.find((name) => name.startsWith("start-")) ?? "")
    const whole = await readFile(file)
    const broken = Buffer.from(whole)
    broken.fill(0x5a, broken.length / 2, broken.length / 2 + 64)
    await writeFile(file, broken)
    const second = overStdio([], cwd)
    assert.property(await second.ask({ method: "tools/list" }), "result")
    while ((await readFile(file)).equals(broken)) await new Promise((resolve) => setTimeout(resolve, 20))
    await second.stop()

    const { mtimeMs } = await stat(file)
    const third = overStdio([], cwd)
    assert.property(await third.ask({ method: "tools/list" }), "result")
    assert.nestedPropertyVal(await third.ask(getWorkflow("1")), "result.content[0].type", "text")
    assert.deepInclude(await third.stop(), { code: 0, stderr: "" })
    assert.strictEqual((await stat(file)).mtimeMs, mtimeMs)
  })

  it("is done without where nothing can be written", async () => {
    const cwd = await withEngine()
    await writeFile(path.join(cwd, "cache"), "a file in the place of the folder")
    const { ask, stop } = overStdio([], cwd)
    assert.property(await ask({ method: "tools/list" }), "result")
    assert.nestedPropertyVal(await ask(getWorkflow("1")), "result.content[0].type", "text")
    assert.deepInclude(await stop(), { code: 0, stderr: "" })
  })

  /** A working folder, and the code that a first start has kept in the cache below it. */
  const withKept = async () => {
    const cwd = await withEngine()
    const folder = path.join(cwd, "cache/workflow-tool-server/code")
    const { ask, stop } = overStdio([], cwd)
    assert.property(await ask({ method: "tools/list" }), "result")
    await keptIn(folder)
    assert.deepInclude(await stop(), { code: 0, stderr: "" })
    return { cwd, folder, files: (await readdir(folder)).map((name) => path.join(folder, name)) }
  }

  const answersIn = async (cwd: string) => {
    const { ask, stop } = overStdio([], cwd)
    assert.property(await ask({ method: "tools/list" }), "result")
    assert.nestedPropertyVal(await ask(getWorkflow("1")), "result.content[0].type", "text")
    return stop()
  }

  it("is not waited for where a pipe lies in its place", async () => {
    const { cwd, files } = await withKept()
    for (const file of files) {
      await rm(file)
      execFileSync("mkfifo", [file])
    }
    assert.deepInclude(await answersIn(cwd), { code: 0, stderr: "" })
  })

  it("is neither run nor kept in a folder where others may write", async () => {
    const { cwd, files, folder } = await withKept()
    await chmod(folder, 0o777)
    await Promise.all(files.map((file) => rm(file)))
    assert.deepInclude(await answersIn(cwd), { code: 0, stderr: "" })
    assert.deepStrictEqual(await readdir(folder), [])
  })

  it("is done without where the user has no home", async () => {
    const { cwd } = await withKept()
    const noHome = path.join(cwd, "noHome.cjs")
    await writeFile(noHome, 'require("node:os").homedir = () => { throw new Error("no such user") }')
    const { ask, stop } = overStdio([], cwd, { XDG_CACHE_HOME: "", NODE_OPTIONS: `--require ${noHome}` })
    assert.property(await ask({ method: "tools/list" }), "result")
    assert.deepInclude(await stop(), { code: 0, stderr: "" })
  })
})
