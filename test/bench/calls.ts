import { benchEngine, type Server, startServer, type Transport } from "./servers.ts"

export interface CallCost {
  readonly what: string
  /** Microseconds of CPU time a call. */
  readonly ours: number
  readonly bare: number
  /** How many times the bare server's cost it should be at most. */
  readonly goal: number
}

const tool =
  (name: string, args: object = {}) =>
  (instance: number) => ({
    method: "tools/call",
    params: { name, arguments: { instance: `e${instance}`, ...args } }
  })

const calls: ReadonlyArray<
  readonly [Transport, string, times: number, goal: number, call: (instance: number) => object]
> = [
  ["http", "ping", 2000, 1.5, () => ({ method: "ping" })],
  ["http", "tools/list", 1000, 1, () => ({ method: "tools/list" })],
  ["http", "get_workflow, 12 nodes", 2000, 1.8, tool("get_workflow", { id: "1" })],
  ["stdio", "ping", 2000, 2, () => ({ method: "ping" })],
  ["stdio", "get_workflow, 12 nodes", 2000, 1.8, tool("get_workflow", { id: "1" })],
  ["stdio", "list_workflows, 100 of 50 nodes", 100, 1.2, tool("list_workflows", { limit: 100 })]
]

/** CPU time of a call once everything is warm, with what a bare Node takes for the same beside it, in turns. */
export const callCosts = async (): Promise<ReadonlyArray<CallCost>> => {
  const engine = await benchEngine()
  const costs: Array<CallCost> = []
  for (const [transport, what, times, goal, call] of calls) {
    const servers = [
      await startServer("command", transport, engine.port),
      await startServer("bare", transport, engine.port)
    ] as const
    const spent = [0, 0]
    for (const server of servers) await server.run(times / 2, call)
    for (let round = 0; round < 4; round++) {
      for (const [index, server] of servers.entries())
        spent[index] = (spent[index] ?? 0) + (await costOf(server, times / 4, call))
    }
    const [ours = 0, bare = 0] = spent.map((microseconds) => microseconds / times)
    costs.push({ what: `${transport}: ${what}`, ours, bare, goal })
    for (const server of servers) await server.stop()
  }
  engine.close()
  return costs
}

const costOf = async (server: Server, times: number, call: (instance: number) => object) => {
  const before = await server.cpu()
  await server.run(times, call)
  return (await server.cpu()) - before
}
