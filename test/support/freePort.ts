import { once } from "node:events"
import { createServer, type Server } from "node:net"

/** Below the ports that systems give to whoever names none, so that nobody is given one of these meanwhile. */
const range = { from: 15_000, to: 32_000 } as const

const listening = async (): Promise<Server> => {
  const port = range.from + Math.floor(Math.random() * (range.to - range.from))
  const server = createServer().listen(port, "127.0.0.1")
  return once(server, "listening").then(() => server, listening)
}

/** Different ports of the loopback interface that were free a moment ago, for programs that must be told theirs. */
export const freePorts = async (count: number): Promise<ReadonlyArray<number>> => {
  const servers = await Promise.all(Array.from({ length: count }, listening))
  const ports = servers.map((server) => {
    const address = server.address()
    return typeof address === "object" && address !== null ? address.port : 0
  })
  await Promise.all(servers.map((server) => once(server.close(), "close")))
  return ports
}

export const freePort = async (): Promise<number> => {
  const [port = 0] = await freePorts(1)
  return port
}
