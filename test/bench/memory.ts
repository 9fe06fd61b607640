import { wideEngine } from "./engines.ts"
import type { Measure } from "./results.ts"
import { type Server, startServer, type Transport } from "./servers.ts"

const tool = (name: string, args: object) => (instance: number) => ({
  method: "tools/call",
  params: { name, arguments: { instance: `e${instance}`, ...args } }
})
const list = tool("list_workflows", { limit: 250 })
const get = tool("get_workflow", { id: "1" })

/** The load on a server before its peak of memory is looked at, and how many times a bare one's it may be. */
const cases: ReadonlyArray<readonly [what: string, goal: number | undefined, work: (server: Server) => Promise<void>]> =
  [
    ["peak memory at rest", undefined, (server) => server.run(1, () => ({ method: "ping" }))],
    ["peak memory, list of 250 × 200 nodes", 1.1, (server) => server.run(1, list)],
    [
      "peak memory, ten such lists in turn",
      1.1,
      async (server) => {
        for (let times = 0; times < 10; times++) await server.run(1, list)
      }
    ],
    ["peak memory, 20,000 get_workflow", undefined, (server) => server.run(20_000, get)]
  ]

/** The most memory that a server of each kind ever had, in MiB: a new one for each case. */
export const memories = async (): Promise<ReadonlyArray<Measure>> => {
  const engine = await wideEngine()
  const measures: Array<Measure> = []
  const peakOf = async (kind: "bare" | "command", transport: Transport, work: (server: Server) => Promise<void>) => {
    const server = await startServer(kind, transport, engine.port)
    await work(server)
    const peak = await server.peak()
    await server.stop()
    return peak
  }
  for (const transport of ["stdio", "http"] as const) {
    for (const [what, goal, work] of cases) {
      measures.push({
        what: `${transport}: ${what}`,
        unit: "MiB",
        ours: await peakOf("command", transport, work),
        bare: await peakOf("bare", transport, work),
        ...(goal === undefined ? {} : { goal })
      })
    }
  }
  engine.close()
  return measures
}
