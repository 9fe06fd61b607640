import { chmod, mkdir, readdir, readFile } from "node:fs/promises"
import { createServer, request as httpRequest, type RequestListener } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { createInterface } from "node:readline"

import { assert, describe, it } from "vitest"

import manifest from "../../package.json" with { type: "json" }
import { flag, flagNames } from "../../src/cli/configuration/flags.ts"
import { directory, listen, once, run, standIn, start, startHttp, useCommand } from "./built.ts"

useCommand()

const key = "sk-NEVER-SHOWN-1234567890"
const request = (method: string, params: object = {}, id = 1) => JSON.stringify({ jsonrpc: "2.0", id, method, params })
const call = (name: string, args: object = {}) => request("tools/call", { name, arguments: args })
const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/mcp`, { method: "POST", body, headers })

/** Takes the contract's own header only, and tells everybody its version. */
const engine: RequestListener = ({ headers, url }, response) => {
  const settings = url === "/rest/settings" ? { data: { versionCli: "1.82.3" } } : undefined
  const authorized = headers["x-engine-api-key"] === key
  response.writeHead(authorized || settings ? 200 : 401, { "content-type": "application/json" })
  const answer = authorized ? { data: [{ id: "1", name: url }], nextCursor: null } : { message: "no" }
  response.end(JSON.stringify(settings ?? answer))
}

/** Gives the answer to the first call of a tool into somebody's hands. */
const holding =
  (hold: (answer: () => void) => void): RequestListener =>
  (incoming, response) => {
    if (incoming.url?.startsWith("/api/v1/workflows")) return hold(() => engine(incoming, response))
    response.writeHead(404).end()
  }

describe("the command", () => {
  it("prints its version and nothing else", async () => {
    assert.deepStrictEqual(await run(["--version"]), { code: 0, stdout: `${manifest.version}\n`, stderr: "" })
  })

  it("refuses to start on a Node that is too old, and names it", async () => {
    const cwd = await directory({ "old.cjs": 'Object.defineProperty(process.versions, "node", { value: "18.20.8" })' })
    const { code, stderr, stdout } = await run(["--version"], { env: { NODE_OPTIONS: `--require ${cwd}/old.cjs` } })
    assert.deepStrictEqual({ code, stdout }, { code: 1, stdout: "" })
    assert.match(stderr, /^workflow-tool-server needs Node 20\.20 or later, this is 18\.20\.8 \(.+\)\./)
    assert.strictEqual(manifest.engines.node, ">=20.20")
  })

  it("prints completions for a shell that hold the flags and the command", async () => {
    const { code, stdout } = await run(["--completions", "bash"])
    assert.strictEqual(code, 0)
    for (const word of ["--read-only", "--embedded", "check"]) assert.include(stdout, word)
  })

  it("explains every flag and its variable", async () => {
    const { code, stdout } = await run(["--help"])
    assert.strictEqual(code, 0)
    for (const name of flagNames) {
      assert.include(stdout, `--${name}`)
      assert.include(stdout, flag(name).variable)
    }
  })

  it.each([
    [["--prot", "80"], "Unknown option --prot. Did you mean --port?\n"],
    [["--auth-tokn=secret"], "Unknown option --auth-tokn. Did you mean --auth-token?\n"],
    [["--port", "http"], "--port: expected a port number from 0 to 65535\n"],
    [
      ["serve"],
      "Unknown command serve. Commands: init, check, call, backup, nodes, watch, promote, upgrade, ads, test, table\n"
    ]
  ])("refuses %j in one line with exit code 2", async (args, stderr) => {
    assert.deepStrictEqual(await run(args), { code: 2, stdout: "", stderr })
  })

  it("says what to do when nothing is configured", async () => {
    const stderr =
      "Configuration file not found\n" +
      "There is no .config.json in this folder. Make one with init, or set ENGINE_HOST and ENGINE_API_KEY.\n" +
      "To try the server without an engine of your own, start it with --embedded.\n"
    assert.deepStrictEqual(await run([], { cwd: await directory() }), { code: 1, stdout: "", stderr })
  })

  it.each([
    [
      ".config.json",
      `{ "environments": { "a": { "engine_api_key": "${key}`,
      ".config.json: line 1, column 46: expected a value\n"
    ],
    [
      ".config.json",
      { environments: { a: {} }, defaultEnv: "b" },
      "Instance b not found in configuration. Available: a (.config.json: defaultEnv)\n"
    ],
    [
      ".config.json",
      { environments: { a: { engine_host: "https://a.test", engine_api_key: key, readonly: true } } },
      ".config.json: environments.a.readonly is not a known setting: did you mean readOnly?\n"
    ],
    [
      ".env",
      "ENGINE_HOST=https://engine.test/api/v1\nENGINE_API_KEY=x",
      ".env: ENGINE_HOST must be a base URL only, without /api/v1: the suffix is added by the server\n"
    ]
  ])("says in one line what is wrong in %s", async (name, content, stderr) => {
    assert.deepStrictEqual(await run([], { cwd: await directory({ [name]: content }) }), {
      code: 1,
      stdout: "",
      stderr
    })
  })

  it("names the file that was asked for and is not there", async () => {
    assert.strictEqual((await run(["--config", "my.json"])).stderr, "Configuration file not found: my.json\n")
  })

  it("says why a file cannot be read", async () => {
    const { code, stderr } = await run(["--config", "."], { cwd: await directory() })
    assert.deepStrictEqual({ code, stderr }, { code: 1, stderr: ".: cannot be read (EISDIR)\n" })
  })

  it.each(["some notes", "# Notes\n\nbuy milk", `{"environments":{}}\n`])(
    "names the file of the embedded engine that holds %j, and leaves it as it is",
    async (content) => {
      const cwd = await directory({ "notes.txt": content })
      const { code, stderr, stdout } = await run(["--embedded=notes.txt"], { cwd })
      assert.deepStrictEqual({ code, stdout }, { code: 1, stdout: "" })
      assert.match(stderr, /^--embedded=notes\.txt: .+\n$/)
      assert.strictEqual(await readFile(`${cwd}/notes.txt`, "utf8"), content)
    }
  )

  it("refuses at its start a caFile that holds no certificate", async () => {
    const instance = { engine_host: "https://a.test", engine_api_key: key, caFile: "notes.txt" }
    const cwd = await directory({ ".config.json": { environments: { a: instance } }, "notes.txt": "buy milk" })
    const stderr = "environments.a.caFile: notes.txt holds no certificate\n"
    assert.deepStrictEqual(await run([], { cwd }), { code: 1, stdout: "", stderr })
  })

  it("sends no key of the environment through a proxy that only a file of the working folder names", async () => {
    const wanted: Array<string | undefined> = []
    const proxy = createServer((request, response) => {
      wanted.push(request.url)
      response.end()
    })
    const cwd = await directory({
      ".config.json": { environments: { a: { proxy: `http://127.0.0.1:${await listen(proxy)}` } } }
    })
    const env = { ENGINE_HOST: "http://localhost:9", ENGINE_API_KEY: key }
    const { code, stderr } = await run(["check"], { cwd, env })
    assert.strictEqual(code, 1)
    assert.match(stderr, /^\.config\.json: environments\.a\.proxy may not decide where the key of ENGINE_API_KEY goes/)
    assert.deepStrictEqual(wanted, [])
    await run(["check", "--config", ".config.json"], { cwd, env })
    assert.isNotEmpty(wanted)
  })

  it("warns when others can read the keys, and only then", async () => {
    const cwd = await directory({
      ".config.json": { environments: { a: { engine_host: "https://a.test", engine_api_key: key } } }
    })
    assert.deepStrictEqual(await run([], { cwd }), { code: 0, stdout: "", stderr: "" })
    await chmod(`${cwd}/.config.json`, 0o644)
    const { stderr } = await run([], { cwd })
    assert.include(stderr, ".config.json can be read by other users of this machine. Close it: chmod 600 .config.json")
    assert.notInclude(stderr, key)
    await chmod(`${cwd}/.config.json`, 0o622)
    assert.include((await run([], { cwd })).stderr, ".config.json can be changed by other users of this machine")
  })

  it("warns when others can put another file in the place of the configuration", async () => {
    const cwd = await directory({
      ".config.json": { environments: { a: { engine_host: "https://a.test", engine_api_key: key } } }
    })
    await chmod(cwd, 0o777)
    const { stderr } = await run([], { cwd })
    assert.include(stderr, "The folder of .config.json can be changed by other users of this machine")
    await chmod(cwd, 0o1777)
    assert.deepStrictEqual(await run([], { cwd }), { code: 0, stdout: "", stderr: "" })
  })

  it("warns when others can change the file of the embedded engine, and only then", async () => {
    const cwd = await directory()
    assert.deepStrictEqual(await run(["--embedded=kept.jsonl"], { cwd }), { code: 0, stdout: "", stderr: "" })
    await chmod(`${cwd}/kept.jsonl`, 0o666)
    const { code, stderr } = await run(["--embedded=kept.jsonl"], { cwd })
    assert.strictEqual(code, 0)
    assert.match(stderr, /kept\.jsonl can be read and changed by other users of this machine\. Close it: chmod 600/)
  })
})

describe("over stdio", () => {
  it("answers everything that came before the end of its input, and ends with 0", async () => {
    const { child, ended } = start(["--embedded"])
    child.stdin.end(`${call("list_workflows")}\n${request("ping", {}, 2)}\n`)
    const { code, stderr, stdout } = await ended
    assert.strictEqual(code, 0)
    assert.strictEqual(stderr, "")
    const ids = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).id)
    assert.sameMembers(ids, [1, 2])
  })

  it("opens a page on this machine for a secret, and only as long as it is wanted", async () => {
    const { child, ended } = start(["--embedded"])
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const lineWith = async (text: string): Promise<string> => {
      const { value } = await lines.next()
      return String(value).includes(text) ? String(value) : lineWith(text)
    }
    const capabilities = { elicitation: { url: {} } }
    const params = { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "test", version: "1" } }
    child.stdin.write(`${request("initialize", params)}\n`)
    const form = async (id: string, name: string) => {
      const creating = { name: "create_credential", arguments: { name, type: "httpBasicAuth" } }
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: creating })}\n`)
      return JSON.parse(await lineWith(`"elicitation/create"`))
    }
    const first = await form("a", "Of a person")
    const { host, hash, href, origin } = new URL(first.params.url)
    assert.match(href, /^http:\/\/127\.0\.0\.1:\d+\/#\/enter\/[0-9a-f-]{36}$/)
    const page = await fetch(origin)
    assert.include(await page.text(), "page.js")
    assert.include(page.headers.get("content-security-policy"), "default-src 'none'")
    const asks = (path: string, headers: Readonly<Record<string, string>>, body: object = {}) =>
      new Promise<number | undefined>((resolve, reject) => {
        const sent = httpRequest(`${origin}${path}`, { method: "POST", headers }, ({ statusCode }) =>
          resolve(statusCode)
        )
        sent.on("error", reject).end(JSON.stringify(body))
      })
    const id = hash.slice("#/enter/".length)
    assert.strictEqual(await asks("/secrets", { host: "evil.example.com" }, { id }), 403)
    assert.strictEqual(await asks("/secrets", { host, origin: "https://evil.example.com" }, { id }), 403)
    assert.strictEqual(await asks("/mcp", { host }), 404)
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: first.id, result: { action: "accept" } })}\n`)
    const values = { user: "ann", password: "correct-horse-battery" }
    assert.strictEqual(await asks("/secrets", { host, origin }, { id, values }), 200)
    await lineWith("notifications/elicitation/complete")
    assert.include(await lineWith(`"id":"a"`), "Of a person")
    const second = await form("b", "Of nobody")
    child.stdin.end()
    const { code, stderr, stdout } = await ended
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    assert.include(stdout, "the client has gone")
    assert.notInclude(stdout, values.password)
    for (const { url } of [first.params, second.params]) {
      assert.strictEqual(
        await fetch(url).then(
          () => "served",
          () => "gone"
        ),
        "gone"
      )
    }
  })

  it("opens none where the page is off", async () => {
    const { child, ended } = start(["--embedded", "--page", "off"])
    const capabilities = { elicitation: { url: {} } }
    const params = { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "test", version: "1" } }
    const creating = call("create_credential", { name: "Shop", type: "httpBasicAuth" })
    child.stdin.end(`${request("initialize", params, 0)}\n${creating}\n`)
    assert.include((await ended).stdout, "no page is served")
  })

  it.each(["SIGTERM", "SIGINT"] as const)("ends with 0 at %s, after what it is doing is done", async (signal) => {
    const arrived = once<() => void>()
    const host = await standIn(holding((answer) => arrived.resolve(answer)))
    const { child, ended } = start([], { env: { ENGINE_HOST: host, ENGINE_API_KEY: key } })
    child.stdin.write(`${call("list_workflows")}\n`)
    const answer = await arrived.promise
    child.kill(signal)
    answer()
    const { code, stdout } = await ended
    assert.strictEqual(code, 0)
    assert.include(stdout, "/api/v1/workflows")
  })

  it("ends at once at the second signal", async () => {
    const arrived = once<void>()
    const host = await standIn(holding(() => arrived.resolve()))
    const { child, ended } = start([], { env: { ENGINE_HOST: host, ENGINE_API_KEY: key } })
    child.stdin.write(`${call("list_workflows")}\n`)
    await arrived.promise
    child.kill("SIGTERM")
    child.kill("SIGINT")
    assert.strictEqual((await ended).code, 130)
  })
})

describe("over HTTP", () => {
  it("answers a bare call, tells its health and ends with 0", async () => {
    const { child, ended, url } = await startHttp(["--embedded"])
    const answer = await post(url, call("list_workflows"))
    assert.strictEqual(answer.status, 200)
    assert.include(await answer.text(), '"content":[{"type":"text"')
    const health: unknown = await (await fetch(`${url}/health`)).json()
    assert.containsAllKeys(health, ["status", "version", "engineVersion"])
    child.kill("SIGTERM")
    assert.deepInclude(await ended, { code: 0, stdout: "" })
  })

  it.skipIf(process.platform === "win32")("ends where npm start is told to, whose shell keeps the signal", async () => {
    const cwd = await directory({ shell: `#!/bin/sh\n'${process.execPath}' "$@"\nexit $?\n` })
    await chmod(`${cwd}/shell`, 0o700)
    const env = { npm_lifecycle_event: "start" }
    const { child, ended, url } = await startHttp(["--embedded"], { env, node: `${cwd}/shell` })
    child.kill("SIGTERM")
    // The output ends with the server, not with the shell.
    await ended
    assert.strictEqual(child.signalCode, "SIGTERM")
    const after = await fetch(`${url}/health`).then(
      () => "answered",
      () => "gone"
    )
    assert.strictEqual(after, "gone")
  })

  it("shows a company on two instances with --demo, with or without git, and leaves nothing behind", async () => {
    const [cwd, empty] = [await directory(), await directory()]
    await mkdir(`${cwd}/workflow-tool-server-demo-4194304-left`)
    const [complete, bare] = [{ TMPDIR: cwd }, { TMPDIR: cwd, PATH: empty }]
    for (const env of [complete, bare]) {
      const { child, ended, says, url } = await startHttp(["--demo"], { env })
      for (const instance of ["staging", "production"]) {
        const answer = await (await post(url, call("list_workflows", { instance, name: "Order import" }))).text()
        assert.include(answer, "Order import", instance)
      }
      assert.include(await (await post(url, call("plan_bulk", { action: "tag", value: "x" }))).text(), "where")
      let plans = ""
      while (!plans.includes("bulk-")) plans = await (await post(url, call("audit_log", {}))).text()
      if (env === complete) {
        const history = await (await post(url, call("workflow_history", { since: "today" }))).text()
        assert.include(history, "returns have a channel of their own", "an assistant has been at work")
      }
      assert.match(await says("stderr", "Serving"), env === bare ? /^git is not installed, .+$/m : /^Page: \S+\/$/m)
      const folders = await readdir(cwd)
      assert.lengthOf(folders, 1, "that of a killed one is gone")
      assert.include(await readdir(`${cwd}/${folders[0]}`), "audit.jsonl")
      child.kill("SIGTERM")
      const { code, stderr } = await ended
      assert.strictEqual(code, 0)
      assert.notMatch(stderr, /level=(?:ERROR|FATAL)/)
      assert.deepStrictEqual(await readdir(cwd), [])
    }
  })

  it("lets the answer that is under way at SIGTERM go out", async () => {
    const arrived = once<() => void>()
    const host = await standIn(holding((answer) => arrived.resolve(answer)))
    const { child, ended, url } = await startHttp([], { env: { ENGINE_HOST: host, ENGINE_API_KEY: key } })
    const response = post(url, call("list_workflows"))
    const answer = await arrived.promise
    child.kill("SIGTERM")
    answer()
    assert.include(await (await response).text(), "/api/v1/workflows")
    assert.strictEqual((await ended).code, 0)
  })

  it("keeps the embedded engine in its file, also when it is killed", async () => {
    const options = { cwd: await directory() }
    const create = {
      name: "Kept",
      nodes: [{ name: "a", type: "engine-nodes-base.webhook", typeVersion: 2, position: [0, 0] }]
    }
    const first = await startHttp(["--embedded=engine.jsonl"], options)
    assert.include(await (await post(first.url, call("create_workflow", create))).text(), "Kept")
    first.child.kill("SIGKILL")
    await first.ended
    const second = await startHttp(["--embedded=engine.jsonl"], options)
    assert.include(await (await post(second.url, call("list_workflows"))).text(), "Kept")
  })

  it("says which port is taken", async () => {
    const port = await listen(createServer())
    const stderr = `Port ${port} on 127.0.0.1 is already in use. Choose another one with --port.\n`
    assert.deepStrictEqual(await run(["--http", "--embedded", `--port=${port}`]), { code: 1, stdout: "", stderr })
  })

  it("says so when it is already serving there", async () => {
    const { url } = await startHttp(["--embedded"])
    const { port } = new URL(url)
    const { code, stderr } = await run(["--http", "--embedded", `--port=${port}`])
    assert.strictEqual(code, 1)
    assert.strictEqual(
      stderr,
      `Port ${port} on 127.0.0.1 is already in use by a workflow-tool-server ${manifest.version}. Connect to that one, stop it, or choose another port with --port.\n`
    )
  })

  it("opens itself to other machines only with a token", async () => {
    const { code, stderr } = await run(["--http", "--embedded", "--host", "0.0.0.0"])
    assert.strictEqual(code, 1)
    assert.include(stderr, "MCP_AUTH_TOKEN")
  })

  it("lets in who has the token", async () => {
    const { url } = await startHttp(["--embedded"], { env: { MCP_AUTH_TOKEN: "open-sesame" } })
    assert.strictEqual((await post(url, request("ping"))).status, 401)
    assert.strictEqual((await post(url, request("ping"), { authorization: "Bearer closed" })).status, 401)
    assert.strictEqual((await post(url, request("ping"), { authorization: "Bearer open-sesame" })).status, 200)
  })
})

describe("towards engines", () => {
  it("calls one over the network, with the key of the contract", async () => {
    const { url } = await startHttp([], { env: { ENGINE_HOST: await standIn(engine), ENGINE_API_KEY: key } })
    assert.include(await (await post(url, call("list_workflows"))).text(), "/api/v1/workflows?limit=100")
  })

  it("remembers which key header a host takes, so that the next process is not refused first", async () => {
    const headers: Array<string> = []
    const host = await standIn((incoming, response) => {
      const header = ["x-engine-api-key", "x-n8n-api-key"].find((name) => incoming.headers[name] === key) ?? "none"
      if (incoming.url?.startsWith("/api/v1/tags") === true) headers.push(header)
      response.writeHead(header === "x-n8n-api-key" ? 200 : 401, { "content-type": "application/json" })
      response.end(JSON.stringify(header === "x-n8n-api-key" ? { data: [], nextCursor: null } : { message: "no" }))
    })
    const cwd = await directory()
    const env = { ENGINE_HOST: host, ENGINE_API_KEY: key, XDG_CACHE_HOME: cwd }
    for (const _ of ["learns", "knows"]) assert.strictEqual((await run(["call", "get_tags"], { cwd, env })).code, 0)
    assert.deepStrictEqual(headers, ["x-engine-api-key", "x-n8n-api-key", "x-n8n-api-key"])
    const file = await readFile(`${cwd}/workflow-tool-server/key-headers.json`, "utf8")
    assert.deepStrictEqual(JSON.parse(file), { [host]: "X-N8N-API-KEY" })
  })

  it("trusts the authority of caFile, and nobody else", async () => {
    const data = new URL("data/", import.meta.url)
    const [cert, serverKey, authority] = await Promise.all(
      ["server.pem", "server.key.pem", "authority.pem"].map((name) => readFile(new URL(name, data), "utf8"))
    )
    const engine_host = `https://localhost:${await listen(createTlsServer({ cert, key: serverKey }, engine))}`
    const instance = { engine_host, engine_api_key: key }
    const environments = { trusting: { ...instance, caFile: "authority.pem" }, careful: instance }
    const cwd = await directory({ ".config.json": { environments, defaultEnv: "careful" }, "authority.pem": authority })
    const { stdout } = await run(["check"], { cwd })
    assert.match(stdout, new RegExp(`^ok +trusting +${engine_host} +yes +accepted`, "m"))
    assert.include(
      stdout,
      `careful (default): Instance careful cannot be reached at ${engine_host}: its TLS certificate`
    )
  })

  it("goes through a proxy", async () => {
    const wanted: Array<string | undefined> = []
    const proxy = createServer().on("connect", ({ url }, client) => {
      wanted.push(url)
      client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n")
    })
    const instance = {
      engine_host: "https://engine.test",
      engine_api_key: key,
      proxy: `http://127.0.0.1:${await listen(proxy)}`
    }
    const { code } = await run(["check"], {
      cwd: await directory({ ".config.json": { environments: { a: instance } } })
    })
    assert.strictEqual(code, 1)
    assert.include(wanted, "engine.test:443")
  })
})

describe("check", () => {
  it("tells of every instance which version it runs or what is wrong with it, and fails if one is wrong", async () => {
    const host = await standIn(engine)
    const environments = {
      good: { engine_host: host, engine_api_key: key },
      bad: { engine_host: host, engine_api_key: `${key}-no` },
      gone: { engine_host: "http://127.0.0.1:65535", engine_api_key: key }
    }
    const cwd = await directory({ ".config.json": { environments, defaultEnv: "good" } })
    const { code, stdout } = await run(["check"], { cwd })
    assert.strictEqual(code, 1)
    assert.deepStrictEqual(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => line.replaceAll(host, "HOST").replace(/ {2,}/g, "  ")),
      [
        "  instance  host  reachable  key  version  clock  TLS  cannot do",
        "ok  good (default)  HOST  yes  accepted  1.82.3 (tried)  +0 s  no (this machine)  archive workflows; read former versions; retry, stop executions; list, read, update, test credentials",
        "wrong  bad  HOST  yes  refused  -  -  no (this machine)  -",
        "wrong  gone  http://127.0.0.1:65535  no  -  -  -  no (this machine)  -",
        "bad: API call failed for instance bad: Authentication failed. Check API key. The key may be mistyped, expired or revoked; make a new one in the settings of that engine.",
        "gone: Instance gone cannot be reached at http://127.0.0.1:65535: nothing listens there (ECONNREFUSED). Check that the engine runs, and its engine_host."
      ]
    )
    assert.notInclude(stdout, key)
  })

  it("tells the rights of a key, a clock that is off and a redirect, for scripts as JSON", async () => {
    const host = await standIn(({ url = "" }, response) => {
      const isMoved = url.startsWith("/moved")
      const operations = ["getWorkflows", "getWorkflow"].map((operationId) => ({ operationId }))
      const discovered = { data: { scopes: ["workflow:list"], resources: { workflow: { endpoints: operations } } } }
      const date = new Date(Date.now() - 90_000).toUTCString()
      const headers = isMoved ? { location: "https://engine.test/" } : { "content-type": "application/json", date }
      response.writeHead(isMoved ? 302 : 200, headers)
      response.end(JSON.stringify(url === "/api/v1/discover" ? discovered : { data: [], nextCursor: null }))
    })
    const environments = {
      scoped: { engine_host: host, engine_api_key: key },
      moved: { engine_host: `${host}/moved`, engine_api_key: key }
    }
    const cwd = await directory({ ".config.json": { environments, defaultEnv: "scoped" } })
    const { code, stdout } = await run(["check", "--json"], { cwd })
    assert.strictEqual(code, 1)
    const [scoped, moved] = JSON.parse(stdout).findings
    assert.deepInclude(scoped.data, { scopes: ["workflow:list"] })
    assert.includeMembers(scoped.data.cannot, ["create workflows", "stop executions"])
    assert.notIncludeMembers(scoped.data.cannot, ["list workflows"])
    assert.match(scoped.notes[0], /^scoped \(default\): its clock is (8[5-9]|9[0-5]) seconds behind this machine's\./)
    assert.deepInclude(moved.facts, { reachable: "redirects" })
    assert.include(moved.words, "https://engine.test")
  })

  it("succeeds when all is well", async () => {
    const env = { ENGINE_HOST: await standIn(engine), ENGINE_API_KEY: key }
    assert.deepInclude(await run(["check"], { cwd: await directory(), env }), { code: 0, stderr: "" })
  })
})
