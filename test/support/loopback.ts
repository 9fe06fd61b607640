import { connect, createServer, type Server, type Socket } from "node:net"
import { createServer as createTlsServer, type TlsOptions } from "node:tls"

import { Effect, Queue, Schema } from "effect"

/** One whole request as it came over the wire. */
export interface Received {
  readonly head: string
  readonly body: string
  /** Counts the connections of the server from 1, and the requests of a connection from 1. */
  readonly connection: number
  readonly turn: number
}

/** The reaction of the server to a request. */
export type Act = (socket: Socket, request: Received) => void

/** An answer by the book. */
export const replies =
  (status: number, body = "", headers: Readonly<Record<string, string>> = {}): Act =>
  (socket) => {
    const lines = Object.entries({ "content-length": `${Buffer.byteLength(body)}`, ...headers })
    socket.write(
      `HTTP/1.1 ${status} Word\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`
    )
  }

/** These very bytes. */
export const writes =
  (bytes: Uint8Array | string): Act =>
  (socket) =>
    socket.write(bytes)

/** These bytes, and the connection ends in good order. */
export const endsAfter =
  (bytes: Uint8Array | string): Act =>
  (socket) =>
    socket.end(bytes)

/** These bytes, and the connection is reset. */
export const resetsAfter =
  (bytes: string): Act =>
  (socket) =>
    bytes === "" ? socket.resetAndDestroy() : socket.write(bytes, () => socket.resetAndDestroy())

export const staysSilent: Act = () => {}

/** These bytes, then the same piece again and again, for as long as somebody reads. */
export const neverEnds =
  (bytes: string, piece: Uint8Array | string): Act =>
  (socket) => {
    const more = () => {
      while (socket.writable && socket.write(piece)) {}
    }
    socket.on("drain", more)
    socket.write(bytes)
    more()
  }

const Port = Schema.Struct({ port: Schema.Int })

/** A server on the loopback interface that does what a test says. It ends with the scope, whatever is still open. */
export const listen = Effect.fnUntraced(function* (act: Act, tls?: TlsOptions) {
  const received: Array<Received> = []
  const arrivals = yield* Queue.unbounded<Received>()
  const open = new Set<Socket>()
  const whenQuiet = new Set<() => void>()
  const counts = { connections: 0, bytesWritten: 0 }

  const accept = (socket: Socket) => {
    const connection = ++counts.connections
    let turn = 0
    let text = ""
    open.add(socket)
    socket.setEncoding("latin1")
    socket.on("error", () => {})
    socket.on("close", () => {
      counts.bytesWritten += socket.bytesWritten
      open.delete(socket)
      if (open.size === 0) for (const tell of whenQuiet) tell()
    })
    socket.on("data", (chunk) => {
      text += String(chunk)
      for (let end = endOf(text); end !== undefined; end = endOf(text)) {
        const [head = "", body = ""] = split(text.slice(0, end))
        text = text.slice(end)
        const request = { head, body, connection, turn: ++turn }
        received.push(request)
        Queue.offerUnsafe(arrivals, request)
        act(socket, request)
      }
    })
  }

  const { port } = yield* Effect.acquireRelease(
    Effect.callback<{ readonly server: Server; readonly port: number }>((resume) => {
      const server = tls === undefined ? createServer(accept) : createTlsServer(tls, accept)
      server.on("tlsClientError", () => {})
      server.listen(0, "127.0.0.1", () => {
        resume(Effect.succeed({ server, ...Schema.decodeUnknownSync(Port)(server.address()) }))
      })
    }),
    ({ server }) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        for (const socket of open) socket.destroy()
      })
  )

  return {
    port,
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    received,
    counts,
    /** Waits for the next request. */
    next: Queue.take(arrivals),
    /** Waits until no connection is open. */
    quiet: Effect.callback<void>((resume) => {
      const tell = () => resume(Effect.void)
      if (open.size === 0) return tell()
      whenQuiet.add(tell)
      return Effect.sync(() => whenQuiet.delete(tell))
    })
  }
})

const split = (text: string) => text.split("\r\n\r\n", 2)

/** Where the first request of a text ends, if it is all there. */
const endOf = (text: string): number | undefined => {
  const head = text.indexOf("\r\n\r\n")
  if (head < 0) return undefined
  const length = Number(/^content-length: *(\d+)$/im.exec(text.slice(0, head))?.[1] ?? 0)
  const end = head + 4 + length
  return text.length >= end ? end : undefined
}

/** A port on which nobody listens, and which the system gives to nobody: a connection that stays open goes out from it. */
export const closedPort = Effect.callback<number>((resume) => {
  const server = createServer((socket) => socket.unref()).unref()
  server.listen(0, "127.0.0.1", () => {
    const { port } = Schema.decodeUnknownSync(Port)(server.address())
    const socket = connect(port, "127.0.0.1", () => resume(Effect.succeed(socket.localPort ?? 0)))
    socket.unref()
  })
})
