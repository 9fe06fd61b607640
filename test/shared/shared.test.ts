import { symlink } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"

import { afterAll, afterEach, assert, beforeAll, describe, it } from "vitest"

import { commandFile, standIn } from "../cli/built.ts"
import { configurationOf, dataOf, errorOf, overHttp, run, useCommand, directory } from "../faults/servers.ts"
import { mostPerSecond, proxiedEngine } from "./proxiedEngine.ts"
import { makeRedis, type TestRedis } from "./redis.ts"

useCommand()

let redis: TestRedis
let engine: Awaited<ReturnType<typeof proxiedEngine>>
beforeAll(async () => {
  // The library is installed beside the command.
  const folder = path.dirname(path.dirname(commandFile()))
  await symlink(fileURLToPath(new URL("../../node_modules", import.meta.url)), path.join(folder, "node_modules"))
  redis = await makeRedis()
  engine = await proxiedEngine()
})
afterEach(() => {
  engine.pauses.write = 0
  engine.came.length = 0
})
afterAll(async () => {
  engine.stop()
  await redis.remove()
})

/**
 * A server of the engine that shares what it can, as on a machine of its own: its locks on the disk keep nobody else away. Those
 * with the same prefix share it with each other.
 */
const serve = async (prefix: string, more: object = {}, settings: object = {}) =>
  overHttp(
    {
      ...settings,
      ...configurationOf({ production: engine.host }, { engine_api_key: "embedded", ...more }),
      toolsets: ["operator"],
      shared: { redis: redis.url, prefix }
    },
    { env: { WORKFLOW_TOOL_SERVER_LOG_LEVEL: "warn", XDG_STATE_HOME: await directory() } }
  )
type Server = Awaited<ReturnType<typeof serve>>
const pair = async (prefix: string, more: object = {}): Promise<readonly [Server, Server]> => {
  const [one, other] = await Promise.all([serve(prefix, more), serve(prefix, more)])
  return [one, other]
}

const webhook = { name: "Hook", type: "engine-nodes-base.webhook", typeVersion: 2, position: [0, 0], parameters: {} }
const idOf = async (server: Server, name: string, more: object = {}) => {
  const answer = dataOf(await server.call("create_workflow", { name, nodes: [webhook], connections: {}, ...more }))
  return String(answer["id"] ?? Object(answer["workflow"])["id"])
}

const yes = { action: "accept", content: { agree: true } }

const post = (server: Server, message: object, headers: Readonly<Record<string, string>>) =>
  fetch(`${server.url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", ...message })
  })

/** Calls one server in a session, and gives the answer to its question to another. */
const inSession = async (one: Server, other: Server, params: object) => {
  const initialize = { protocolVersion: "2025-11-25", capabilities: { elicitation: {} } }
  const hello = await post(one, { id: 1, method: "initialize", params: initialize }, {})
  const session = {
    "mcp-session-id": hello.headers.get("mcp-session-id") ?? "",
    "mcp-protocol-version": "2025-11-25"
  }
  const stream = (await post(one, { id: 2, method: "tools/call", params }, session)).body
  let text = ""
  let isAnswered = false
  for await (const piece of (stream ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += piece
    const [, id] = /"id":"([^"]+)","method":"elicitation/.exec(text) ?? []
    if (id === undefined || isAnswered) continue
    isAnswered = true
    assert.strictEqual((await post(other, { id, result: yes }, session)).status, 202)
  }
  const [, last = ""] = /.*^data: (.*)$/ms.exec(text) ?? []
  return JSON.parse(last).result?.structuredContent
}

/** Calls a server as a client of the newest revision, which brings answers with the call. */
const callInRounds = async (server: Server, params: { readonly name: string }, more: object) => {
  const key = "io.modelcontextprotocol"
  const _meta = {
    [`${key}/protocolVersion`]: "2026-07-28",
    [`${key}/clientCapabilities`]: { elicitation: { form: {} } }
  }
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": params.name }
  const response = await post(server, { id: 1, method: "tools/call", params: { ...params, ...more, _meta } }, headers)
  return JSON.parse(await response.text()).result
}

/** Calls one server, and makes the call again with the answer to its question at another. */
const inRounds = async (one: Server, other: Server, params: { readonly name: string }) => {
  const { requestState } = await callInRounds(one, params, {})
  return (await callInRounds(other, params, { requestState, inputResponses: { agreement: yes } }))?.structuredContent
}

describe("servers that share a Redis", () => {
  it("keep the limit of an instance together", async () => {
    const [one, other] = await pair("pace", { requestsPerSecond: 20 })
    engine.came.length = 0
    const calls = [one, other].flatMap((server) =>
      Array.from({ length: 30 }, () => server.call("list_workflows", { limit: 1 }))
    )
    for (const answer of await Promise.all(calls)) assert.isUndefined(answer.error)
    const moments = engine.came.filter(({ what }) => what.includes("/workflows")).map(({ at }) => at)
    assert.isAtLeast(moments.length, 60)
    const took = Math.max(...moments) - Math.min(...moments)
    // Three seconds for both together, a second and a half where each has the limit for itself.
    assert.isAbove(took, 2200)
    assert.isAtMost(mostPerSecond(moments), 35)
  })

  it("lose no change of one workflow that both make at once", async () => {
    const [one, other] = await pair("locks")
    const id = await idOf(one, "changed by two")
    engine.pauses.write = 20
    const edits = Array.from({ length: 20 }, (_, at) =>
      (at % 2 === 0 ? one : other).call("edit_workflow", {
        id,
        operations: [{ op: "add", name: `Set ${at}`, type: "engine-nodes-base.set", from: "Hook" }]
      })
    )
    for (const answer of await Promise.all(edits)) assert.isUndefined(answer.error?.message)
    const workflow = dataOf(await one.call("get_workflow", { id }))
    assert.propertyVal(workflow["nodes"], "length", 21)
  })

  it(
    "apply a plan that another one has made, one at a time, and go on where a killed one stopped",
    { timeout: 90_000 },
    async () => {
      const [one, other] = await pair("plans")
      for (let at = 0; at < 30; at++) await idOf(one, `planned ${at}`)
      const plan = dataOf(
        await one.call("plan_bulk", { where: { name: "planned *" }, action: ["tag"], value: "shared" })
      )
      const plan_id = String(plan["plan_id"])
      engine.pauses.write = 1500
      const applying = other.call("apply_plan", { plan_id, confirm: true }).catch(() => undefined)
      while (engine.came.filter(({ what }) => what.startsWith("PUT")).length < 3) await new Promise(setImmediate)
      const refused = errorOf(await one.call("apply_plan", { plan_id, confirm: true }))
      assert.include(refused.message, "another server applies a plan")
      other.child.kill("SIGKILL")
      await applying
      engine.pauses.write = 0
      // Nobody can tell a killed server from a slow one until its lock has run out.
      let again = await one.call("apply_plan", { plan_id, confirm: true })
      while (again.error?.message.includes("another server applies"))
        again = await one.call("apply_plan", { plan_id, confirm: true })
      assert.isUndefined(again.error)
      const tagged = dataOf(await one.call("list_workflows", { tags: ["shared"], limit: 100 }))
      assert.propertyVal(tagged["data"] ?? tagged["workflows"], "length", 30)
    }
  )

  it("ask a person in either era, whichever of them the answer comes to", async () => {
    const guarded = { plans: { guards: { protected: { names: ["guarded *"] } } } }
    const [one, other] = await Promise.all([serve("questions", {}, guarded), serve("questions", {}, guarded)])
    for (const era of ["legacy", "modern"]) {
      await idOf(one, `guarded ${era}`, { confirm_protected: true })
      const plan = dataOf(
        await one.call("plan_bulk", { where: { name: `guarded ${era}` }, action: ["deactivate", "tag"], value: era })
      )
      const call = { name: "apply_plan", arguments: { plan_id: plan["plan_id"], confirm: true } }
      const answer = era === "modern" ? await inRounds(one, other, call) : await inSession(one, other, call)
      assert.propertyVal(answer, "state", "applied", JSON.stringify(answer))
    }
  })

  it("act once on a yes, however many of them it is given to", async () => {
    const servers = await pair("yes")
    const nodes = [webhook, { ...webhook, name: "Call", type: "engine-nodes-base.httpRequest", typeVersion: 4.2 }]
    const connections = { Hook: { main: [[{ node: "Call", type: "main", index: 0 }]] } }
    const id = await idOf(servers[0], "acts outside", { nodes, connections })
    const run = { name: "run_workflow", arguments: { id, confirm: true } }
    const { requestState } = await callInRounds(servers[0], run, {})
    const answered = { requestState, inputResponses: { agreement: yes } }
    const both = await Promise.all(servers.map((server) => callInRounds(server, run, answered)))
    const later = await Promise.all(servers.map((server) => callInRounds(server, run, answered)))
    const all = [...both, ...later]
    const ran = all.filter(({ structuredContent }) => structuredContent?.ran === true)
    const asked = all.filter(({ resultType }) => resultType === "input_required")
    assert.deepStrictEqual([ran.length, asked.length], [1, 3])
  })

  it(
    "read on without the Redis, refuse changes, say so once, and change again when it is back",
    { timeout: 60_000 },
    async () => {
      const [one] = await pair("outage")
      const id = await idOf(one, "in an outage")
      for (const trouble of ["killed", "hanging"] as const) {
        if (trouble === "killed") await redis.kill()
        else redis.signal("SIGSTOP")
        const asked = await Promise.all(Array.from({ length: 10 }, () => one.call("get_workflow", { id })))
        for (const answer of asked) assert.isUndefined(answer.error, trouble)
        const refused = errorOf(await one.call("update_workflow", { id, name: "not now" }))
        assert.include(refused.message, "Redis", trouble)
        assert.include(refused.message, "nothing of it was sent", trouble)
        if (trouble === "killed") await redis.start()
        else redis.signal("SIGCONT")
        let again = await one.call("update_workflow", { id, name: `after ${trouble}` })
        while (again.error !== undefined) again = await one.call("update_workflow", { id, name: `after ${trouble}` })
        assert.strictEqual(dataOf(await one.call("get_workflow", { id }))["name"], `after ${trouble}`)
      }
      const said = await one.says("stderr", "answers again")
      assert.notInclude(said, "hidden")
      assert.isBelow(said.split("does not answer").length, 6)
    }
  )

  it.each([
    ["OOM", ["CONFIG", "SET", "maxmemory", "1"], ["CONFIG", "SET", "maxmemory", "0"]],
    ["READONLY", ["REPLICAOF", "127.0.0.1", "1"], ["REPLICAOF", "NO", "ONE"]]
  ])("call a refusal of the Redis by its name: %s", async (refusal, begin, end) => {
    const [one] = await pair(refusal)
    const id = await idOf(one, `while ${refusal}`)
    redis.command(...begin)
    const refused = errorOf(await one.call("update_workflow", { id, name: "not now" }))
    assert.include(refused.message, `(${refusal})`)
    assert.notInclude(refused.message, "does not answer")
    assert.include(await one.says("stderr", refusal), `(${refusal})`)
    redis.command(...end)
    assert.isUndefined((await one.call("update_workflow", { id, name: "now" })).error)
  })

  it("tell once what they all watch, and know after all are killed what was told", async () => {
    const prefix = "watched"
    const first = await serve(prefix)
    const nodes = ["same", "other"].map((name) => ({ ...webhook, name, parameters: { path: "watched" } }))
    const names = await Promise.all(
      nodes.map(async (node, place) => {
        const name = `Wants the address ${place}`
        const id = await idOf(first, name, { nodes: [node] })
        assert.isUndefined((await first.call("activate_workflow", { id })).error)
        return name
      })
    )
    const told: Array<string> = []
    const receiver = await standIn((request, response) => {
      let body = ""
      request.setEncoding("utf8").on("data", (part: string) => (body += part))
      request.on("end", () => {
        told.push(body)
        response.end("ok")
      })
    })
    const settings = {
      http: { metrics: true },
      watch: { everyMinutes: 60, receivers: [{ type: "slack", url: `${receiver}/hook` }] }
    }
    const copies = await Promise.all([serve(prefix, {}, settings), serve(prefix, {}, settings)])
    const isOpen = /watch_open\{[^}]*severity="error"[^}]*\} [1-9]/
    for (const { url } of copies) {
      // Each shows what is open once it has made its round, or seen that of the other.
      while (!isOpen.test(await (await fetch(`${url}/metrics`)).text())) continue
    }
    const messages = () => told.filter((body) => names.every((name) => body.includes(name)))
    assert.lengthOf(messages(), 1)
    for (const { child } of copies) child.kill("SIGKILL")
    const cwd = await directory({
      ".config.json": {
        ...settings,
        ...configurationOf({ production: engine.host }, { engine_api_key: "embedded" }),
        shared: { redis: redis.url, prefix }
      }
    })
    const { code, stdout } = await run(["--config", ".config.json", "watch"], { cwd })
    assert.strictEqual(code, 2)
    assert.match(stdout, /^Open on 1 instance: \d+$/m)
    assert.notMatch(stdout, /Began/)
    assert.lengthOf(messages(), 1)
  })

  it("do not start where the Redis cannot be used, and never show its password", async () => {
    const url = redis.url.replace("hidden", "wrong-password")
    const cwd = await directory({
      ".config.json": { ...configurationOf({ production: engine.host }), shared: { redis: url } }
    })
    const { code, stderr } = await run(["--http", "--port", "0", "--config", ".config.json"], { cwd })
    assert.strictEqual(code, 1)
    assert.include(stderr, "shared.redis cannot be used")
    assert.notInclude(stderr, "wrong-password")
  })
})
