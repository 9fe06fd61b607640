import { once } from "node:events"
import { connect } from "node:net"

import { assert, expect, it } from "vitest"

import { faultyEngine, useEngines } from "./FaultyEngine.ts"
import { residentBytes } from "./processes.ts"
import { configurationOf, overHttp, useCommand } from "./servers.ts"

useCommand()
useEngines()

const ping = () => JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })
/** So many instances that none of them is paced. */
const names = Array.from({ length: 20 }, (_, index) => `e${index}`)
const read = (index: number) => {
  const args = { instance: names[index % names.length], id: "1" }
  return JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "get_workflow", arguments: args }
  })
}

/** A caller that keeps its connection, and has one answer after the other from it. */
const caller = async (port: number) => {
  const socket = connect(port, "127.0.0.1")
  socket.on("error", () => {})
  await once(socket, "connect")
  return {
    socket,
    ask: (body: string) =>
      new Promise<string>((resolve) => {
        let text = ""
        const end = (answer: string) => {
          socket.off("data", take).off("close", closed)
          resolve(answer)
        }
        const take = (piece: Buffer) => {
          text += piece.toString("latin1")
          const head = text.indexOf("\r\n\r\n")
          const length = Number(/content-length: (\d+)/i.exec(text)?.[1])
          if (head !== -1 && text.length >= head + 4 + length) end(text)
        }
        const closed = () => end(`closed ${text}`)
        socket.on("data", take).on("close", closed)
        socket.write(
          `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
        )
      })
  }
}

const cases = [
  [256, "a workflow", read],
  [1000, "a ping", ping],
  // More than are kept for a minute while they are idle.
  [1500, "a ping", ping]
] as const
it.each(cases)(
  "%i callers with connections of their own are all served, again and again: %s",
  async (count, _, body) => {
    const engine = await faultyEngine()
    const server = await overHttp(configurationOf(Object.fromEntries(names.map((name) => [name, engine.host]))))
    const port = Number(new URL(server.url).port)
    const callers = await Promise.all(Array.from({ length: count }, () => caller(port)))
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(callers.map(({ ask }, index) => ask(body(index))))
      expect(answers.filter((text) => !/^HTTP\/1\.1 200 [\s\S]*"result"/.test(text))).toEqual([])
    }
    assert.isBelow(residentBytes(server.child.pid), 400 * 1024 * 1024)
    for (const { socket } of callers) socket.destroy()
  }
)
