// Node's own sockets and callbacks: an agent can only be given a connection in these words.
import { Agent, type AgentOptions, type RequestOptions } from "node:https"
import { connect, isIP, type Socket } from "node:net"
import type { Duplex } from "node:stream"
import { connect as connectSecurely } from "node:tls"

import { systemError } from "../../internal/http/transportCode.ts"

/** Milliseconds that a proxy may take to make a connection. */
const longest = 8000

/** Bytes of the answer of a proxy that are looked at. */
const longestAnswer = 16 * 1024

/** An HTTP proxy, and what it wants to know of who asks. */
export interface Proxy {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
}

type Done = (error: Error | null, stream: Duplex) => void

/** Connects through a tunnel that an HTTP proxy makes: all that the proxy sees is the name of the host. */
export class TunnelAgent extends Agent {
  private readonly proxy: Proxy
  private readonly pending = new Set<Socket>()

  constructor(proxy: Proxy, options: AgentOptions) {
    super(options)
    this.proxy = proxy
  }

  override createConnection(options: RequestOptions, done?: Done): undefined {
    const socket = this.toProxy()
    const target = `${options.host ?? ""}:${options.port ?? 443}`
    let answer = ""
    let isOver = false
    const end = (error: Error | undefined) => {
      if (isOver) return
      isOver = true
      this.pending.delete(socket)
      socket.removeAllListeners("data")
      if (error !== undefined) {
        socket.destroy()
        return done?.(error, socket)
      }
      const inTunnel = { ...options, socket }
      const secure = super.createConnection(inTunnel)
      if (secure) done?.(null, secure)
    }
    this.pending.add(socket)
    socket
      .on("timeout", () => end(systemError("ETIMEDOUT")))
      .on("error", end)
      .on("close", () => end(systemError("ECONNRESET")))
      .on("data", (bytes: Buffer) => {
        answer = withoutInterim(answer + bytes.toString("latin1"))
        const [, status] = finalAnswer.exec(answer) ?? []
        if (status !== undefined) end(status.startsWith("2") ? undefined : systemError("ERR_PROXY_TUNNEL"))
        else if (answer.length > longestAnswer) end(systemError("ERR_PROXY_TUNNEL"))
      })
    const headers = Object.entries({ host: target, ...this.proxy.headers }).map(([name, value]) => `${name}: ${value}`)
    socket.write([`CONNECT ${target} HTTP/1.1`, ...headers, "", ""].join("\r\n"), "latin1")
  }

  override destroy() {
    for (const socket of this.pending) socket.destroy()
    super.destroy()
  }

  private toProxy(): Socket {
    const { hostname, port, protocol } = this.proxy.url
    const host = hostname.replace(/^\[|\]$/g, "")
    const { secureContext } = this.options
    if (protocol === "http:") return connect({ host, port: Number(port || 80), timeout: longest })
    const servername = isIP(host) > 0 ? {} : { servername: host }
    const secured = { ...servername, ...(secureContext && { secureContext }) }
    return connectSecurely({ host, port: Number(port || 443), timeout: longest, ...secured })
  }
}

/** A proxy may say that it is still at it, as often as it likes. */
const withoutInterim = (answer: string): string => {
  const end = "\r\n\r\n"
  let from = 0
  for (;;) {
    const isInterim = /^HTTP\/1\.[01] 1\d\d /.test(answer.slice(from, from + 20))
    const at = isInterim ? answer.indexOf(end, from) : -1
    if (at < 0) return answer.slice(from)
    from = at + end.length
  }
}

const finalAnswer = /^HTTP\/1\.[01] ([2-9]\d\d)[^]*?\r\n\r\n/
