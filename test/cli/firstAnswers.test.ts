import { execFileSync } from "node:child_process"
import { once as onceEmitted } from "node:events"
import { mkdir, readdir, rename, writeFile } from "node:fs/promises"
import { hostname } from "node:os"
import path from "node:path"
import { createInterface } from "node:readline"

import { assert, describe, it } from "vitest"

import { commandFile, directory, once, standIn, start, startHttp, useCommand, withoutHome } from "./built.ts"

useCommand()

const instance = (more: object = {}) => ({ engine_host: "http://127.0.0.1:9", engine_api_key: "canary", ...more })
const two = { main: instance(), spare: instance({ readOnly: true }) }
const alone = { environments: { main: instance() } }
const all = { environments: two, defaultEnv: "main", marketplace: { apiKey: "canary-of-the-marketplace" } }
const operator = ["--toolsets", "engine,operator"]
const named = ["--config", ".config.json"]

const handshake = (protocolVersion: string) => ({
  method: "initialize",
  params: { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } }
})

/** A server over standard input and output, and what it answers. */
const overStdio = (args: ReadonlyArray<string>, cwd: string, env: Readonly<Record<string, string>> = {}) => {
  const started = start(args, { cwd, env: { XDG_CACHE_HOME: path.join(cwd, "cache"), ...env } })
  const lines = createInterface({ input: started.child.stdout })
  const ask = async (message: object): Promise<unknown> => {
    const answer = onceEmitted(lines, "line")
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

/** A working folder with a configuration of an engine that has one workflow, and nothing else. */
const withEngine = async (settings: object = {}, onAsked: (url: string) => void = () => {}) => {
  const workflow = { id: "1", name: "One", active: false, nodes: [], connections: {}, settings: {} }
  const engine = await standIn(({ url = "" }, response) => {
    onAsked(url)
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify({ ...workflow, data: [], nextCursor: null }))
  })
  const environments = { main: instance({ engine_host: engine }) }
  return directory({ ".config.json": { environments, ...settings } })
}

const call = (name: string, args: object) => ({ method: "tools/call", params: { name, arguments: args } })
const getWorkflow = (id: string) => call("get_workflow", { id })

const lists = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]

describe("what lists tell before the programs behind them are loaded", () => {
  it.each([
    ["two instances", { environments: two, defaultEnv: "main" }, []],
    ["nothing that may be changed", { environments: { spare: two.spare } }, operator],
    ["a server that is read-only", alone, ["--read-only", ...operator]],
    ["plans and other tools beside them", { environments: two, defaultEnv: "main" }, operator],
    ["no instance", { marketplace: all.marketplace }, [...named, "--toolsets", "operator,marketplace"]],
    [
      "a history, and plans of several toolsets",
      all,
      [...named, "--toolsets", "operator,marketplace", "--history", "history"]
    ]
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
      // Only over stdio can the server tell later that its list has changed.
      const listing = '"tools":{"listChanged":true}'
      const introduced = JSON.stringify(await ask(handshake(version)))
      assert.include(introduced, listing)
      assert.deepStrictEqual(
        JSON.parse(introduced.replace(listing, '"tools":{}')),
        await askHttp(handshake(version), version)
      )
      for (const method of lists) {
        assert.deepStrictEqual(await ask({ method }), await askHttp({ method }, version), `${method} in ${version}`)
      }
    }
    session.session = ""
    for (const method of ["server/discover", ...lists]) {
      const list = { method, params: modern }
      assert.deepStrictEqual(await ask(list), await askHttp(list, "2026-07-28"), `${method} in 2026-07-28`)
    }
    await stop()
  })
})

/** Makes a piece of the command one that cannot be loaded, until it is given back. */
const takeAway = async (piece: string) => {
  const chunks = path.join(path.dirname(commandFile()), "chunks")
  const file = path.join(chunks, (await readdir(chunks)).find((name) => name.startsWith(`${piece}-`)) ?? "")
  await rename(file, `${file}.away`)
  return () => rename(`${file}.away`, file)
}

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

  it.each([
    ["engine", getWorkflow("1")],
    ["operator", call("search_workflows", {})],
    ["operator", call("audit_log", {})]
  ])(
    "fail in the call that needs them where %s cannot be loaded, and are tried again by the next",
    async (piece, question) => {
      const { ask, says, stop } = overStdio(operator, await withEngine())
      const giveBack = await takeAway(piece)
      assert.nestedPropertyVal(await ask(question), "error.code", -32603)
      await says("stderr", `${piece}-`)
      await giveBack()
      assert.nestedPropertyVal(await ask(question), "result.content[0].type", "text")
      await stop()
    }
  )

  it("say on standard error alone what cannot be loaded before there is anything to answer with", async () => {
    const cwd = await withEngine()
    const giveBack = await takeAway("commandLine")
    const { ended } = overStdio(operator, cwd)
    const { code, stderr, stdout } = await ended
    await giveBack()
    assert.deepStrictEqual({ code, stdout }, { code: 70, stdout: "" })
    assert.match(stderr, /level=FATAL.*commandLine-/)
  })

  it("say with the first plan, which is not kept, that the journal cannot be written", async () => {
    const { ask, stop } = overStdio(
      [...operator, ...named],
      await withEngine({ plans: { journal: "nowhere/journal.jsonl" } })
    )
    assert.nestedProperty(await ask({ method: "tools/list" }), "result.tools")
    const refused = await ask(call("plan_bulk", { action: ["delete_executions"], status: "error" }))
    assert.match(Object(refused).error.message, /nowhere\/journal\.jsonl.*Is its folder there/)
    await stop()
  })

  it("keep the history of the first call", async () => {
    const cwd = await withEngine()
    const { ask, stop } = overStdio(["--history", "history"], cwd)
    assert.nestedPropertyVal(await ask(getWorkflow("1")), "result.content[0].type", "text")
    assert.deepInclude(await stop(), { code: 0, stderr: "" })
    const log = execFileSync("git", ["-C", path.join(cwd, "history"), "log", "--name-only"], { encoding: "utf8" })
    assert.match(log, /^main\/.*1.*\.json$/m)
  })

  it("see to what a killed process has left, although nobody asks for anything", async () => {
    const firstRequest = once<string>()
    const cwd = await withEngine({}, firstRequest.resolve)
    const left = { instance: "main", name: "Temporary run of One", machine: hostname(), pid: 4_194_305, since: 1 }
    await mkdir(path.join(cwd, ".workflow-runs"))
    await writeFile(path.join(cwd, ".workflow-runs/1-left.json"), JSON.stringify(left))
    const { stop } = overStdio(operator, cwd)
    assert.include(await firstRequest.promise, "/api/v1/workflows?")
    await stop()
  })
})

describe("a process that is idle", () => {
  it("asks nobody for anything before a client calls", async () => {
    const requests = new Array<string>()
    const cwd = await withEngine({}, (url) => requests.push(url))
    const { ask, stop } = overStdio([], cwd)
    assert.property(await ask(handshake("2025-06-18")), "result")
    assert.nestedProperty(await ask({ method: "tools/list" }), "result.tools")
    assert.deepStrictEqual(requests, [])
    assert.nestedPropertyVal(await ask(getWorkflow("1")), "result.content[0].type", "text")
    assert.deepStrictEqual(requests, ["/api/v1/workflows/1"])
    assert.deepInclude(await stop(), { code: 0, stderr: "" })
  })
})

describe("what Node keeps of compiled code", () => {
  it("is done without where nothing can be written", async () => {
    const cwd = await withEngine()
    await writeFile(path.join(cwd, "cache"), "a file in the place of the folder")
    const { ask, stop } = overStdio([], cwd)
    assert.property(await ask({ method: "tools/list" }), "result")
    assert.nestedPropertyVal(await ask(getWorkflow("1")), "result.content[0].type", "text")
    assert.deepInclude(await stop(), { code: 0, stderr: "" })
  })

  it("is done without where the user has no home", async () => {
    const cwd = await withEngine()
    const { ask, stop } = overStdio([], cwd, { XDG_CACHE_HOME: "", ...(await withoutHome(cwd)) })
    assert.property(await ask({ method: "tools/list" }), "result")
    assert.deepInclude(await stop(), { code: 0, stderr: "" })
  })
})
