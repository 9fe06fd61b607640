import { once } from "node:events"
import { createServer } from "node:net"

/** Different ports of the loopback interface that were free a moment ago, for programs that must be told theirs. */
export const freePorts = async (count: number): Promise<ReadonlyArray<number>> => {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"))
  await Promise.all(servers.map((server) => once(server, "listening")))
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
