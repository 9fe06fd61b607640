import { fork } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import path from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"

import { engineFolder, versions } from "../engines/install.ts"
import { type RunningEngine, startEngine } from "../engines/start.ts"
import type { Promised } from "./results.ts"
import { type Server, startServer, type Transport } from "./servers.ts"

const tool = (name: string, args: object) => () => ({ method: "tools/call", params: { name, arguments: args } })

const serverFor = (host: string, apiKey: string, transport: Transport) =>
  startServer("command", transport, 0, process.execPath, {
    environments: { e0: { engine_host: host, engine_api_key: apiKey, requestsPerSecond: 99 } },
    toolsets: ["operator"]
  })

/** A server over a stand-in for an engine with so many workflows, each of so many nodes; in processes of their own. */
const withFleet = async <A>(
  [workflows, nodes]: readonly [number, number],
  transport: Transport,
  work: (server: Server, requests: () => Promise<number>) => Promise<A>
) => {
  const file = fileURLToPath(new URL("fleet/engine.ts", import.meta.url))
  const engine = fork(file, [`${workflows}`, "e0", `${nodes}`], { stdio: ["ignore", "pipe", "inherit", "ipc"] })
  const [host] = engine.stdout === null ? [] : await once(createInterface({ input: engine.stdout }), "line")
  const requests = async () => {
    const count = once(engine, "message")
    engine.send("requests")
    return Number((await count)[0])
  }
  const server = await serverFor(String(host), "bench", transport)
  await server.run(1, () => ({ method: "tools/list" }))
  const result = await work(server, requests)
  await server.stop()
  engine.kill("SIGKILL")
  return result
}

const timed = async (work: () => Promise<unknown>) => {
  const before = performance.now()
  await work()
  return Math.round(performance.now() - before)
}

/** The report about 500 workflows of 20 nodes by a server that has read none of them before. */
const report = async (): Promise<ReadonlyArray<Promised>> => {
  const [time, requests] = await withFleet([500, 20], "stdio", async (server, count) => {
    const before = await count()
    const time = await timed(() => server.ask(tool("check_upgrade", {})))
    return [time, (await count()) - before] as const
  })
  const what = "check_upgrade of 500 workflows of 20 nodes"
  return [
    { what, unit: "ms", figure: time, goal: 5000 },
    { what, unit: "requests", figure: requests, goal: 60 }
  ]
}

/** The most memory that was promised for 5,000 workflows, 150 MB in MiB. */
const mostMemory = 143

const memory = async (transport: Transport): Promise<ReadonlyArray<Promised>> => {
  const [rest, peak] = await withFleet([5000, 12], transport, async (server) => {
    const rest = await server.peak()
    await server.ask(tool("check_upgrade", {}))
    return [rest, await server.peak()] as const
  })
  return [
    {
      what: `${transport}: peak memory at rest, with the operator's tools`,
      unit: "MiB",
      figure: rest,
      goal: mostMemory
    },
    { what: `${transport}: peak memory, check_upgrade of 5,000 workflows`, unit: "MiB", figure: peak, goal: mostMemory }
  ].map((row) => ({ ...row, figure: Math.round(row.figure) }))
}

const link = (name: string) => ({ main: [[{ node: name, type: "main", index: 0 }]] })

/** A workflow with a node that is to be rewritten, and a run that shows it at work; answers its id. */
const ranOnce = async ({ apiKey, host }: RunningEngine, webhookPath: string): Promise<string> => {
  const send = async (method: string, at: string, body?: object): Promise<unknown> => {
    const headers = { "X-N8N-API-KEY": apiKey, "content-type": "application/json" }
    const answer = await fetch(host + at, { method, headers, body: body === undefined ? null : JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${method} ${at}: ${answer.status}`)
    return answer.json()
  }
  const node = (kind: string, name: string, typeVersion: number, parameters: object) => ({
    id: name,
    name,
    type: `n8n-nodes-base.${kind}`,
    typeVersion,
    position: [0, 0],
    parameters,
    ...(kind === "webhook" ? { webhookId: webhookPath } : {})
  })
  const created = await send("POST", "/api/v1/workflows", {
    name: "Bench",
    nodes: [
      node("webhook", "Hook", 2, { path: webhookPath, httpMethod: "POST", responseMode: "lastNode", options: {} }),
      node("function", "Old", 1, { functionCode: "return [{ json: { size: items.length } }]" }),
      node("noOp", "End", 1, {})
    ],
    connections: { Hook: link("Old"), Old: link("End") },
    settings: { executionOrder: "v1" }
  })
  const id = String(Object(created).id)
  await send("POST", `/api/v1/workflows/${id}/activate`)
  for (let attempt = 0; attempt < 50; attempt++) {
    const run = await fetch(`${host}/webhook/${webhookPath}`, { method: "POST" })
    if (run.ok) break
    await sleep(100)
  }
  for (let attempt = 0; attempt < 50; attempt++) {
    const runs = await send("GET", `/api/v1/executions?workflowId=${id}&status=success`)
    if (Object(runs).data.length > 0) return id
    await sleep(100)
  }
  throw new Error("no run is kept")
}

/** Milliseconds in which the proof of one node was promised, by the engine's generation. */
const longestProof = (version: string) => (version.startsWith("1.") ? 1000 : 2000)

const proof = async (version: string): Promise<ReadonlyArray<Promised>> => {
  const { engine, stop } = await startEngine(version)
  try {
    const server = await serverFor(engine.host, engine.apiKey, "stdio")
    await server.ask(tool("check_upgrade", {}))
    const times: Array<number> = []
    for (const webhookPath of ["bench-1", "bench-2", "bench-3", "bench-4", "bench-5"]) {
      const id = await ranOnce(engine, webhookPath)
      let answer = ""
      const plan = async () => (answer = await server.ask(tool("plan_upgrade", { where: { ids: [id] } })))
      times.push(await timed(plan))
      if (!/proved\W+1\b/.test(answer)) throw new Error(`nothing is proved: ${answer.slice(0, 600)}`)
    }
    await server.stop()
    const what = `plan_upgrade that proves one node by one run, on ${version}`
    return [{ what, unit: "ms", figure: Math.min(...times), goal: longestProof(version) }]
  } finally {
    await stop()
  }
}

/** The cost of upgrades of engines; proofs only on real engines that are installed here. */
export const upgrades = async (): Promise<ReadonlyArray<Promised>> => {
  const rows = [...(await report()), ...(await memory("stdio")), ...(await memory("http"))]
  const installed = versions.filter((version) =>
    existsSync(path.join(engineFolder(version), "node_modules/n8n/package.json"))
  )
  for (const version of installed) rows.push(...(await proof(version)))
  return rows
}
