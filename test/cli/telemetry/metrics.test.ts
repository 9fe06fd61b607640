import { readFile } from "node:fs/promises"

import { assert, describe, it } from "vitest"

import { directory, standIn, startHttp, useCommand } from "../built.ts"

useCommand()

const canary = "CANARY-never-to-be-told"
const token = "0123456789abcdef-token"
const authorization = `Bearer ${token}`

const call = (name: string, args: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } })

const name = "[a-zA-Z_:][a-zA-Z0-9_:]*"
const label = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\n]|\\\\["\\\\n])*"'
const sample = new RegExp(`^(${name})(?:\\{(${label}(?:,${label})*)\\})? ([-+]?(?:[0-9.]+(?:e[-+]?[0-9]+)?|Inf|NaN))$`)

interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Prometheus' text form 0.0.4: families with a type each, every series once. What is none of it fails the test. */
const parse = (text: string) => {
  assert.isTrue(text.endsWith("\n"))
  const families = new Map<string, { readonly type: string; readonly samples: Array<Sample> }>()
  const seen = new Set<string>()
  let family = ""
  for (const line of text.trimEnd().split("\n")) {
    const [, type] = new RegExp(`^# TYPE ${name} (counter|gauge|histogram)$`).exec(line) ?? []
    if (line.startsWith("# HELP ")) family = line.split(" ")[2] ?? ""
    else if (type !== undefined) {
      assert.isTrue(line.startsWith(`# TYPE ${family} `), `${line} stands behind its help`)
      assert.isFalse(families.has(family), `${family} comes once`)
      families.set(family, { type, samples: [] })
    } else {
      const [, of = "", inner = "", value = ""] = sample.exec(line) ?? assert.fail(`${line} is no sample`)
      assert.match(of, new RegExp(`^${family}(?:_bucket|_sum|_count)?$`))
      assert.isFalse(seen.has(`${of}{${inner}}`), line)
      seen.add(`${of}{${inner}}`)
      const labels = Object.fromEntries(
        [...inner.matchAll(/([a-zA-Z0-9_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, a, b]) => [a, b])
      )
      families.get(family)?.samples.push({ labels: { ...labels, "": of.slice(family.length) }, value: Number(value) })
    }
  }
  return families
}

const seconds = (text: string) => Date.parse(text) / 1000

describe("GET /metrics", () => {
  it("tells Prometheus of calls, errors, times, upstream calls and the executions of each instance", async () => {
    const recent = new Date(Date.now() - 60_000).toISOString()
    const long = new Date(Date.now() - 100 * 3_600_000).toISOString()
    let looks = 0
    const host = await standIn((request, response) => {
      const url = new URL(request.url ?? "", "http://engine.test")
      const status = url.searchParams.get("status")
      const runs = { error: [recent, long], success: [recent] }[status ?? ""] ?? []
      if (url.pathname === "/api/v1/executions" && status === "success") looks++
      const isGone = url.pathname.endsWith(canary)
      response.writeHead(isGone ? 500 : 200, { "content-type": "application/json" })
      response.end(
        JSON.stringify({ data: runs.map((at, id) => ({ id: id + 1, startedAt: at, stoppedAt: at, workflowId: "w" })) })
      )
    })
    const key = { engine_api_key: canary, engine_api_key_header: "X-ENGINE-API-KEY" }
    const cwd = await directory({
      ".config.json": {
        environments: {
          main: { engine_host: host, ...key },
          'down \\ "quoted"': { engine_host: "http://127.0.0.1:9", ...key }
        },
        defaultEnv: "main",
        http: { metrics: true, authToken: token }
      }
    })
    const { url } = await startHttp(["--config", ".config.json"], { cwd })
    const post = (body: string) => fetch(`${url}/mcp`, { method: "POST", body, headers: { authorization } })
    const metrics = async () => {
      const response = await fetch(`${url}/metrics`, { headers: { authorization } })
      assert.strictEqual(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8")
      const text = await response.text()
      assert.notInclude(text, canary)
      return parse(text)
    }
    for (let index = 0; index < 3; index++) await post(call("list_workflows"))
    await post(call("delete_workflow", { id: canary }))
    await post(call("list_workflows", { instance: 'down \\ "quoted"' }))
    for (const odd of [canary, `${canary}2`, "__proto__"]) await post(call(odd))
    // The first hit starts the look at the executions, and does not wait for it.
    let families = await metrics()
    while (!families.has("workflow_tool_server_instance_up")) families = await metrics()
    const value = (family: string, labels: Readonly<Record<string, string>>) => {
      const samples = families
        .get(family)
        ?.samples.filter((one) => Object.entries(labels).every(([a, b]) => one.labels[a] === b))
      assert.lengthOf(samples ?? [], 1, `${family} ${JSON.stringify(labels)}`)
      return samples?.[0]?.value
    }
    const main = { workflow_tool_server_instance: "main" }
    const calls = "workflow_tool_server_tool_calls_total"
    assert.strictEqual(value(calls, { ...main, gen_ai_tool_name: "list_workflows", outcome: "succeeded" }), 3)
    assert.strictEqual(value(calls, { gen_ai_tool_name: "delete_workflow", outcome: "failed" }), 1)
    assert.strictEqual(value(calls, { gen_ai_tool_name: "list_workflows", error_type: "ECONNREFUSED" }), 1)
    assert.strictEqual(value(calls, { gen_ai_tool_name: "_OTHER", error_type: "-32602" }), 3)
    const operation = { gen_ai_tool_name: "list_workflows", mcp_method_name: "tools/call", error_type: "ECONNREFUSED" }
    assert.strictEqual(value("mcp_server_operation_duration_seconds", { ...operation, "": "_count" }), 1)
    assert.strictEqual(value("mcp_server_operation_duration_seconds", { ...operation, "": "_bucket", le: "+Inf" }), 1)
    const failures = "workflow_tool_server_upstream_failures_total"
    assert.isAtLeast(value(failures, { ...main, error_type: "500" }) ?? 0, 1)
    assert.isAtLeast(
      value(failures, { workflow_tool_server_instance: 'down \\\\ \\"quoted\\"', error_type: "ECONNREFUSED" }) ?? 0,
      1
    )
    assert.strictEqual(value("workflow_tool_server_upstream_waiting", main), 0)
    assert.strictEqual(value("workflow_tool_server_requests_active", {}), 0)
    assert.isAbove(value("workflow_tool_server_upstream_last_success_timestamp_seconds", main) ?? 0, seconds(recent))
    assert.strictEqual(value("workflow_tool_server_executions_failed", main), 1)
    for (const last of ["success", "failure"]) {
      assert.strictEqual(value(`workflow_tool_server_executions_last_${last}_timestamp_seconds`, main), seconds(recent))
    }
    assert.strictEqual(value("workflow_tool_server_instance_up", main), 1)
    const page = await readFile(new URL("../../../docs/watching.md", import.meta.url), "utf8")
    for (const family of families.keys()) assert.include(page, `\`${family}\``)
    await metrics()
    assert.strictEqual(looks, 1, "the engine is not asked at every hit")
  })

  it("counts no failure where a key's header is learnt, nor what an engine keeps to itself, but one where a key is refused", async () => {
    const requests: Array<string> = []
    const host = await standIn((request, response) => {
      requests.push(request.url ?? "")
      const isRefused = request.headers["x-n8n-api-key"] !== "right"
      response.writeHead(isRefused ? 401 : 200, { "content-type": "application/json" })
      response.end(JSON.stringify(isRefused ? { message: "unauthorized" } : { data: [] }))
    })
    const instance = (engine_api_key: string) => ({ engine_host: host, engine_api_key })
    const environments = { right: instance("right"), wrong: instance("wrong") }
    const cwd = await directory({ ".config.json": { environments, defaultEnv: "right", toolsets: ["operator"] } })
    const { url } = await startHttp(["--config", ".config.json", "--metrics"], { cwd })
    const post = async (body: string) => (await fetch(`${url}/mcp`, { method: "POST", body })).text()
    assert.include(await post(call("list_workflows")), "data")
    await post(call("find_nodes", { query: "mail" }))
    assert.includeMembers(requests, ["/rest/settings", "/"])
    await post(call("list_workflows", { instance: "wrong" }))
    const families = parse(await (await fetch(`${url}/metrics`)).text())
    assert.deepStrictEqual(families.get("workflow_tool_server_upstream_failures_total")?.samples, [
      { labels: { workflow_tool_server_instance: "wrong", error_type: "401", "": "" }, value: 1 }
    ])
  })

  it("counts a failure once where every attempt failed, and none where another one went well", async () => {
    let count = 0
    const host = await standIn((request, response) => {
      const isTag = request.url?.startsWith("/api/v1/tags") === true
      const isDown = request.url?.startsWith("/api/v1/workflows") === true || (isTag && count++ === 0)
      response.writeHead(isDown ? 503 : 200, { "content-type": "application/json" })
      response.end(isDown ? "{}" : JSON.stringify({ data: [] }))
    })
    const main = { engine_host: host, engine_api_key: "key", engine_api_key_header: "X-ENGINE-API-KEY" }
    const cwd = await directory({ ".config.json": { environments: { main }, defaultEnv: "main" } })
    const { url } = await startHttp(["--metrics"], { cwd })
    const post = async (body: string) => (await fetch(`${url}/mcp`, { method: "POST", body })).text()
    const failures = async () => {
      const families = parse(await (await fetch(`${url}/metrics`)).text())
      return families.get("workflow_tool_server_upstream_failures_total")?.samples.map(({ value }) => value)
    }
    assert.include(await post(call("get_tags")), "data")
    assert.strictEqual(count, 2)
    assert.isUndefined(await failures())
    assert.include(await post(call("delete_workflow", { id: "abc" })), "error")
    assert.include(await post(call("list_workflows")), "error")
    assert.deepStrictEqual(await failures(), [2])
  })

  it("is behind the same token, Host and Origin as /mcp", async () => {
    const { url } = await startHttp(["--embedded", "--metrics", "--auth-token", token])
    const status = async (headers: Readonly<Record<string, string>>) =>
      (await fetch(`${url}/metrics`, { headers })).status
    assert.strictEqual(await status({ authorization }), 200)
    assert.strictEqual(await status({}), 401)
    assert.strictEqual(await status({ authorization: "Bearer wrong" }), 401)
    assert.strictEqual(await status({ authorization, origin: "https://elsewhere.test" }), 403)
  })

  it("is not there where nobody asked for it", async () => {
    const { url } = await startHttp(["--embedded"])
    assert.strictEqual((await fetch(`${url}/metrics`)).status, 404)
  })
})

describe("the id of a request", () => {
  it("is that of the caller where it is plain, else a new one for each", async () => {
    const { url } = await startHttp(["--embedded"])
    const idOf = async (headers: Readonly<Record<string, string>> = {}) =>
      (await fetch(`${url}/mcp`, { method: "POST", body: call("get_tags"), headers })).headers.get("x-request-id")
    assert.strictEqual(await idOf({ "x-request-id": "a-b_c.1:2" }), "a-b_c.1:2")
    const fresh = await Promise.all([
      idOf(),
      idOf(),
      idOf({ "x-request-id": "two words" }),
      idOf({ "x-request-id": "x".repeat(65) })
    ])
    assert.lengthOf(new Set(fresh), 4)
    for (const id of fresh) assert.match(String(id), /^[0-9a-f]{16}$/)
  })
})
