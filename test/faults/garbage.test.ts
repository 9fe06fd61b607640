import { Agent, request } from "node:http"
import { fileURLToPath } from "node:url"

import { assert, it } from "vitest"

import type { Act } from "../support/loopback.ts"
import { faultyEngine, json, node, useEngines, workflow } from "./FaultyEngine.ts"
import { configurationOf, overHttp, useCommand } from "./servers.ts"

useCommand()
useEngines()

const env = { NODE_OPTIONS: `--require ${fileURLToPath(new URL("traceGc.cjs", import.meta.url))}` }

/** So many instances that none of them is paced. */
const names = Array.from({ length: 80 }, (_, index) => `e${index}`)

const get = (index: number) => ({
  method: "tools/call",
  params: { name: "get_workflow", arguments: { instance: names[index % names.length], id: "1" } }
})

const asked = {
  "tools/list": () => ({ method: "tools/list", params: {} }),
  get_workflow: get,
  "get_workflow of one that changes": get
} as const

const nodes = Array.from({ length: 20 }, (_, index) => node(`Step ${index}`))

/** Of a workflow that is another one at each look, or stays as it is. */
const changing =
  (isMoving: boolean): Act =>
  (socket, request) => {
    const updatedAt = new Date(isMoving ? changes++ : 0).toISOString()
    json(workflow("1", { nodes, updatedAt }))(socket, request)
  }
let changes = 0

/** Of what was made between collections of young space, the share that was still there after them. */
const keptShare = (told: string) => {
  const sizes = [...told.matchAll(/Scavenge ([\d.]+) \([\d.]+\) -> ([\d.]+) /g)].map(([, before, after]) => ({
    before: Number(before),
    after: Number(after)
  }))
  const steps = sizes.flatMap(({ after, before }, at) => {
    const last = sizes[at - 1]
    // A collection of everything lies between them where less is there than was left.
    return last === undefined || before < last.after
      ? []
      : [{ made: before - last.after, kept: Math.max(after - last.after, 0) }]
  })
  // The first ones hold what the server has from then on.
  const late = steps.slice(-Math.floor(steps.length / 2))
  const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((all, one) => all + one, 0)
  assert.isAbove(late.length, 3, told)
  return sum(late.map(({ kept }) => kept)) / sum(late.map(({ made }) => made))
}

const inTurn = (count: number, one: (index: number) => Promise<unknown>) => {
  let index = 0
  const caller = async () => {
    while (index < count) await one(index++)
  }
  return Promise.all(Array.from({ length: 8 }, caller))
}

const post = (url: string, agent: Agent, body: string) =>
  new Promise<string>((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) }
    request(`${url}/mcp`, { method: "POST", agent, headers }, (answer) => {
      let text = ""
      answer.setEncoding("utf8").on("data", (piece: string) => (text += piece))
      answer.on("end", () => resolve(text))
    })
      .on("error", reject)
      .end(body)
  })

it.each(["tools/list", "get_workflow", "get_workflow of one that changes"] as const)(
  "what a %s over HTTP makes does not outlive it, so that only what is young is collected",
  async (what) => {
    const engine = await faultyEngine()
    engine.does(changing(what === "get_workflow of one that changes"))
    const hosts = Object.fromEntries(names.map((name) => [name, engine.host]))
    const server = await overHttp(configurationOf(hosts, { requestsPerSecond: 99 }), { env })
    const agent = new Agent({ keepAlive: true })
    await inTurn(6000, async (index) => {
      const answer = await post(server.url, agent, JSON.stringify({ jsonrpc: "2.0", id: 1, ...asked[what](index) }))
      assert.include(answer, '"result"')
    })
    agent.destroy()
    assert.isBelow(keptShare(await server.says("stdout", "Scavenge")), 0.05)
  }
)
