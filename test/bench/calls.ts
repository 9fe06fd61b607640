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
  ["http", "ping", 6000, 1.5, () => ({ method: "ping" })],
  ["http", "tools/list", 4000, 1, () => ({ method: "tools/list" })],
  ["http", "get_workflow, 12 nodes", 4000, 1.8, tool("get_workflow", { id: "1" })],
  ["stdio", "ping", 6000, 2, () => ({ method: "ping" })],
  ["stdio", "tools/list", 4000, 1, () => ({ method: "tools/list" })],
  ["stdio", "get_workflow, 12 nodes", 4000, 1.8, tool("get_workflow", { id: "1" })],
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
    for (const server of servers) await server.run(times, call)
    const spent: Readonly<Record<0 | 1, Array<number>>> = [[], []]
    for (let round = 0; round < rounds; round++) {
      for (const index of [0, 1] as const) spent[index].push(await costOf(servers[index], times / rounds, call))
    }
    costs.push({ what: `${transport}: ${what}`, ours: usual(spent[0]), bare: usual(spent[1]), goal })
    for (const server of servers) await server.stop()
  }
  engine.close()
  return costs
}

const rounds = 20

/** What a call costs where nobody else was at work: the lower quartile. */
const usual = (costs: ReadonlyArray<number>) => costs.toSorted((a, b) => a - b)[Math.floor(costs.length / 4)] ?? 0

/** Microseconds of CPU time a call. */
const costOf = async (server: Server, times: number, call: (instance: number) => object) => {
  const before = await server.cpu()
  await server.run(times, call)
  return ((await server.cpu()) - before) / times
}
