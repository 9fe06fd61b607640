import { setTimeout } from "node:timers/promises"

import { benchEngine, changing } from "./engines.ts"
import { type Kind, type Server, startServer, type Transport } from "./servers.ts"
import { anotherNode, inTurns, onOneCore } from "./turns.ts"

export interface CallCost {
  readonly what: string
  /** Microseconds a call: of CPU time, or by the clock where that is said. */
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

/** Of a workflow that stays as it is. */
const get = tool("get_workflow", { id: "1" })
const getChanged = tool("get_workflow", { id: changing })
const ping = () => ({ method: "ping" })

interface Row {
  readonly transport: Transport
  readonly what: string
  readonly times: number
  readonly goal: number
  readonly call: (instance: number) => object
  /** How many call at once; eight unless told. */
  readonly callers?: number
  /** Beside which server; the bare one unless told. */
  readonly beside?: Kind
}

const rows: ReadonlyArray<Row> = [
  { transport: "http", what: "ping", times: 20_000, goal: 1.5, call: ping },
  { transport: "http", what: "tools/list", times: 4000, goal: 1, call: () => ({ method: "tools/list" }) },
  { transport: "http", what: "get_workflow, 12 nodes", times: 4000, goal: 1.8, call: get },
  { transport: "http", what: "get_workflow, changed each time", times: 4000, goal: 1.8, call: getChanged },
  { transport: "stdio", what: "ping", times: 20_000, goal: 2, call: ping },
  { transport: "stdio", what: "ping, one caller on one core", times: 20_000, goal: 2, call: ping, callers: 1 },
  { transport: "stdio", what: "tools/list", times: 4000, goal: 1, call: () => ({ method: "tools/list" }) },
  { transport: "stdio", what: "get_workflow, 12 nodes", times: 4000, goal: 1.8, call: get },
  { transport: "stdio", what: "get_workflow, changed each time", times: 4000, goal: 1.8, call: getChanged },
  {
    transport: "stdio",
    what: "list_workflows, 100 of 50 nodes",
    times: 100,
    goal: 1.2,
    call: tool("list_workflows", { limit: 100 })
  },
  ...(
    [
      ["stdio", 1.3],
      ["http", 1]
    ] as const
  ).flatMap(([transport, goal]) => [
    { transport, what: "get_workflow, 12 nodes", times: 4000, goal, call: get, beside: "official SDK" as const },
    {
      transport,
      what: "get_workflow, changed each time",
      times: 4000,
      goal,
      call: getChanged,
      beside: "official SDK" as const
    }
  ])
]

const warmCosts = async (port: number, isWanted: (row: string) => boolean = () => true) => {
  const costs: Array<CallCost> = []
  for (const row of rows) if (isWanted(nameOf(row))) costs.push(await warmCost(row, port))
  return costs
}

/** The cost of a call of some rows once it is warm, such as of those that a change is about. */
export const costsOf = async (isWanted: (row: string) => boolean): Promise<ReadonlyArray<CallCost>> => {
  const engine = await benchEngine()
  const costs = await warmCosts(engine.port, isWanted)
  engine.close()
  return costs
}

/** The cost of a call, with what a bare Node takes for the same beside it, in turns. */
export const callCosts = async (): Promise<ReadonlyArray<CallCost>> => {
  const engine = await benchEngine()
  const costs = await warmCosts(engine.port)
  const another = anotherNode()
  if (another !== undefined) {
    const { executable, version } = another
    for (const [more, call] of [
      ["", get],
      [", changed each time", getChanged]
    ] as const) {
      const what = `get_workflow${more}, Node ${version}`
      costs.push(await warmCost({ transport: "http", what, times: 4000, goal: 2, call }, engine.port, executable))
    }
  }
  costs.push(
    await firstCost(engine.port),
    await firstCost(engine.port, { pause: 500 }),
    await firstCost(engine.port, { bare: "bare with fetch" }),
    await pace(engine.port)
  )
  engine.close()
  return costs
}

/** CPU time of a call once everything is warm. */
const warmCost = async (row: Row, port: number, node?: string): Promise<CallCost> => {
  const { beside, call, callers, goal, times, transport } = row
  const servers = await bothServers(transport, port, { beside, node })
  const release = callers === 1 ? onOneCore([process.pid, ...servers.map(({ pid }) => pid)]) : undefined
  for (const server of servers) await server.run(times, call, callers)
  const [ours, bare] = await inTurns(rounds, (index) => costOf(servers[index], times / rounds, call, callers))
  release?.()
  for (const server of servers) await server.stop()
  return { what: nameOf(row), ours, bare, goal }
}

const nameOf = ({ beside, transport, what }: Row) =>
  `${transport}: ${what}${beside === undefined ? "" : `, beside the ${beside}`}`

/**
 * CPU time of each of the first hundred calls of a process that has started, so many milliseconds after its first answer,
 * beside a bare server of one kind or the other.
 */
const firstCost = async (
  port: number,
  { bare: beside = "bare", pause = 0 }: { readonly bare?: Kind; readonly pause?: number } = {}
): Promise<CallCost> => {
  const kinds = ["command", beside] as const
  const [ours, bare] = await inTurns(8, async (index) => {
    const server = await startServer(kinds[index], "stdio", port)
    await server.run(1, ping)
    await setTimeout(pause)
    const cost = await costOf(server, 100, get)
    await server.stop()
    return cost
  })
  const circumstances = `${pause === 0 ? "" : ` after ${pause} ms`}${beside === "bare" ? "" : `, beside a ${beside}`}`
  return { what: `stdio: the first 100 get_workflow${circumstances}`, ours, bare, goal: 1.5 }
}

/** Time by the clock for each of many calls, sixteen at once. */
const pace = async (port: number): Promise<CallCost> => {
  const servers = await bothServers("http", port)
  for (const server of servers) await server.run(4000, get, 16)
  const [ours, bare] = await inTurns(rounds, async (index) => {
    const before = performance.now()
    await servers[index].run(200, get, 16)
    return ((performance.now() - before) * 1000) / 200
  })
  for (const server of servers) await server.stop()
  return { what: "http: get_workflow by the clock, 16 callers", ours, bare, goal: 2 }
}

const bothServers = async (
  transport: Transport,
  port: number,
  { beside = "bare", node }: { readonly beside?: Kind | undefined; readonly node?: string | undefined } = {}
) => [await startServer("command", transport, port, node), await startServer(beside, transport, port, node)] as const

const rounds = 20

/** Microseconds of CPU time a call. */
const costOf = async (server: Server, times: number, call: Row["call"], callers?: number) => {
  const before = await server.cpu()
  await server.run(times, call, callers)
  return ((await server.cpu()) - before) / times
}
