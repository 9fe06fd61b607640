import { Schema } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

import { ChangesToolset } from "../../src/changes/toolset.ts"
import { OperatorToolset } from "../../src/engine/operator/toolset.ts"
import { EngineToolset } from "../../src/engine/toolset/toolset.ts"
import { directory, startHttp } from "../cli/built.ts"
import { configurationOf, modern, useCommand } from "../faults/servers.ts"
import { modernHeaders } from "../support/fixtures/messages.ts"
import { freePorts } from "../support/freePort.ts"
import { documented, startNginx } from "./nginx.ts"
import { proxiedEngine } from "./proxiedEngine.ts"

useCommand()

let engine: Awaited<ReturnType<typeof proxiedEngine>>
let nginx: Awaited<ReturnType<typeof startNginx>> | undefined
beforeAll(async () => {
  engine = await proxiedEngine()
})
afterAll(async () => {
  engine.stop()
  await nginx?.stop()
})

const webhook = { name: "Hook", type: "engine-nodes-base.webhook", typeVersion: 2, position: [0, 0], parameters: {} }

const callOf = (name: string, args: object) => ({
  method: "POST",
  headers: modernHeaders("tools/call", name),
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args, ...modern } })
})

const readPage = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Array(Schema.Struct({ name: Schema.String })),
    nextCursor: Schema.optionalKey(Schema.NullOr(Schema.String))
  })
)

/** The names of all workflows, from the engine itself. */
const namesOf = async (host: string, cursor = ""): Promise<ReadonlyArray<string>> => {
  const headers = { "X-N8N-API-KEY": "embedded" }
  const url = `${host}/api/v1/workflows?limit=250${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`
  const { data, nextCursor } = readPage(await (await fetch(url, { headers })).json())
  const names = data.map(({ name }) => name)
  return nextCursor ? [...names, ...(await namesOf(host, nextCursor))] : names
}

describe("two copies behind nginx", () => {
  it("fail no read and change nothing twice while they are killed and stopped in turn under load", async () => {
    const [first = 0, second = 0, port = 0] = await freePorts(3)
    const configuration = {
      ...configurationOf({ production: engine.host }, { engine_api_key: "embedded" }),
      http: { allowedHosts: ["127.0.0.1"] }
    }
    const cwd = await directory({ ".config.json": configuration })
    const startCopy = (at: number) => startHttp(["--config", ".config.json", "--port", String(at)], { cwd })
    const copies = [await startCopy(first), await startCopy(second)]
    nginx = await startNginx(port, [first, second])
    const { url } = nginx

    const ask = async (name: string, args: object) => {
      const response = await fetch(`${url}/mcp`, callOf(name, args))
      const text = await response.text()
      return response.status === 200 ? "answered" : `${response.status} ${text.slice(0, 200)}`
    }
    const reads = new Map<string, number>()
    const changes = new Map<string, string>()
    const phase = { isOver: false }
    const reading = async () => {
      while (!phase.isOver) {
        const became = await ask("list_workflows", { limit: 1 })
        reads.set(became, (reads.get(became) ?? 0) + 1)
      }
    }
    const changing = async (worker: number) => {
      for (let count = 0; !phase.isOver; count++) {
        const name = `made ${worker} ${count}`
        changes.set(name, await ask("create_workflow", { name, nodes: [webhook], connections: {} }))
      }
    }
    const load = Promise.all([
      ...Array.from({ length: 12 }, reading),
      ...Array.from({ length: 3 }, (_, at) => changing(at))
    ])

    const answered = () => reads.get("answered") ?? 0
    const moreReads = async () => {
      const before = answered()
      while (answered() < before + 60 && reads.size < 2) await ask("get_tags", {})
    }
    for (const [round, signal] of (["SIGKILL", "SIGKILL", "SIGTERM", "SIGTERM", "SIGKILL"] as const).entries()) {
      const at = round % 2
      await moreReads()
      copies[at]?.child.kill(signal)
      await copies[at]?.ended
      await moreReads()
      copies[at] = await startCopy(at === 0 ? first : second)
    }
    await moreReads()
    phase.isOver = true
    await load

    assert.deepStrictEqual([...reads.keys()], ["answered"])
    const names = await namesOf(engine.host)
    for (const [name, became] of changes) {
      const times = names.filter((one) => one === name).length
      if (became === "answered") assert.strictEqual(times, 1, name)
      else assert.isAtMost(times, 1, `${name}: ${became}`)
    }
    assert.isAbove([...changes.values()].filter((became) => became === "answered").length, 10)
  })

  it("show people their page, and clients who issues tokens", async () => {
    const [copy = 0, port = 0] = await freePorts(2)
    const resource = `http://127.0.0.1:${port}/mcp`
    const http = { allowedHosts: ["127.0.0.1"], oauth: { issuer: "http://127.0.0.1:9", resource } }
    const cwd = await directory({ "config.json": { http } })
    await startHttp(["--embedded", "--config", "config.json", "--port", String(copy)], { cwd })
    const proxy = await startNginx(port, [copy, copy])
    try {
      const page = await (await fetch(proxy.url)).text()
      const files = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = ""]) => file)
      assert.isAbove(files.length, 1)
      for (const file of files) assert.strictEqual((await fetch(`${proxy.url}/${file}`)).status, 200, file)
      const refused = await fetch(resource, callOf("list_workflows", {}))
      const [, metadata = ""] = /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate") ?? "") ?? []
      assert.propertyVal(await (await fetch(metadata)).json(), "resource", resource)
    } finally {
      await proxy.stop()
    }
  })

  it("are asked again only for tools that read", async () => {
    const [, names = ""] = /tools\/call (\([a-z|]+\)_)/.exec(await documented()) ?? assert.fail("no names of tools")
    const tools = [...EngineToolset.tools, ...OperatorToolset.tools, ...ChangesToolset.tools]
    const repeated = tools.filter(({ name }) => new RegExp(`^${names}`).test(name))
    assert.isAbove(repeated.length, 15)
    for (const { annotations, name } of repeated) assert.isTrue(annotations.readOnlyHint, name)
  })
})
