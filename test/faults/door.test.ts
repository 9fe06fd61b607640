import { once } from "node:events"
import { connect, type Socket } from "node:net"

import { assert, beforeAll, describe, it } from "vitest"

import { replies } from "../support/loopback.ts"
import { faultyEngine, type FaultyEngine, healthy, held, useEngines } from "./FaultyEngine.ts"
import { residentBytes } from "./processes.ts"
import { configurationOf, modern, overHttp, read, type Server, textOf, transports, useCommand } from "./servers.ts"

useCommand()
useEngines()

const MiB = 1024 * 1024
const ping = (id: unknown) => JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })
const post = (port: string, body: string, more = "") =>
  `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

/** A connection that collects what it gets, until the other side ends it. */
const dial = (port: string) => {
  const socket: Socket = connect(Number(port), "127.0.0.1")
  let text = ""
  socket
    .setEncoding("utf8")
    .on("data", (piece: string) => (text += piece))
    .on("error", () => {})
  const ended = once(socket, "close").then(() => text)
  const says = async (pattern: RegExp) => {
    while (!pattern.test(text))
      await Promise.race([once(socket, "data"), ended.then(() => assert.fail(`closed: ${text}`))])
    return text
  }
  return { socket, ended, says }
}
const connected = async (port: string) => {
  const dialled = dial(port)
  await once(dialled.socket, "connect")
  return dialled
}
const statusOf = (text: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0)

/** A server with a door of its own. */
const opened = async () => {
  const engine = await faultyEngine()
  const server = await overHttp(configurationOf({ main: engine.host }))
  await server.call(...read)
  return { engine, server, port: new URL(server.url).port }
}

describe.concurrent("somebody at the door", () => {
  it("who sends headers slowly is shown out, and others are served meanwhile", async ({ expect }) => {
    const { port, server } = await opened()
    const before = performance.now()
    const { ended, socket } = dial(port)
    socket.write(`POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`)
    const drip = setInterval(() => socket.write("X-A: b\r\n"), 500)
    expect(textOf(await server.call(...read))).toContain("Workflow 1")
    expect([408, 0]).toContain(statusOf(await ended))
    clearInterval(drip)
    expect(performance.now() - before).toBeLessThan(25_000)
  })

  it("who sends a body slowly is shown out, and others are served meanwhile", async ({ expect }) => {
    const { port, server } = await opened()
    const before = performance.now()
    const { ended, socket } = dial(port)
    socket.write(`POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 1000\r\n\r\n`)
    const drip = setInterval(() => socket.write(" "), 500)
    expect(textOf(await server.call(...read))).toContain("Workflow 1")
    expect([408, 0]).toContain(statusOf(await ended))
    clearInterval(drip)
    expect(performance.now() - before).toBeLessThan(45_000)
  })

  it("who opens a thousand connections and says nothing shuts the door for seconds only", async ({ expect }) => {
    const { port, server } = await opened()
    const before = performance.now()
    await Promise.all(Array.from({ length: 1000 }, () => dial(port).ended))
    expect(performance.now() - before).toBeLessThan(45_000)
    expect(textOf(await server.call(...read))).toContain("Workflow 1")
    expect(residentBytes(server.child.pid)).toBeLessThan(400 * MiB)
  })

  it("who comes while the process stands still is let in, and answered when it goes on", async ({ expect }) => {
    const { port, server } = await opened()
    const early = await Promise.all(Array.from({ length: 50 }, () => connected(port)))
    assert.isTrue(server.child.kill("SIGSTOP"))
    // More than wait for Node unless it is told otherwise.
    const late = await Promise.all(Array.from({ length: 1000 }, () => connected(port)))
    const callers = [...early, ...late]
    for (const { socket } of callers) socket.write(post(port, ping(1)))
    // Longer than a head may take, and Node's next look at who is slow.
    await new Promise((resolve) => setTimeout(resolve, 16_000))
    assert.isTrue(server.child.kill("SIGCONT"))
    const answers = await Promise.all(callers.map(({ says }) => says(/\r\n\r\n\{/)))
    expect(new Set(answers.map(statusOf))).toEqual(new Set([200]))
    for (const { socket } of callers) socket.destroy()
  })

  it("who sends many requests at once is answered in their order", async ({ expect }) => {
    const { port } = await opened()
    const { says, socket } = dial(port)
    const ids = Array.from({ length: 20 }, (_, index) => index)
    socket.write(ids.map((id) => post(port, ping(id))).join(""))
    const text = await says(/"id":19/)
    expect([...text.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id))).toEqual(ids)
    socket.destroy()
  })

  it("who ends its side of the connection has left: it has what was ready, and others are served", async ({
    expect
  }) => {
    const { engine, port, server } = await opened()
    const hold = held()
    engine.plays(hold.act)
    const { ended, says, socket } = dial(port)
    const call = { jsonrpc: "2.0", id: "late", method: "tools/call", params: { name: read[0], arguments: read[1] } }
    socket.write(post(port, ping("early")) + post(port, JSON.stringify(call)))
    await hold.arrived
    await says(/"id":"early"/)
    socket.end()
    expect((await ended).match(/^HTTP\/1\.1/gm)).toHaveLength(1)
    expect(textOf(await server.call(...read))).toContain("Workflow 1")
    hold.answer()
    expect(textOf(await server.call(...read))).toContain("Workflow 1")
  })

  it("who leaves has given up all that was asked over the connection, and nobody else's", async ({ expect }) => {
    const { engine, port, server } = await opened()
    const holds = [held(), held(), held()]
    engine.plays(...holds.map(({ act }) => act))
    const call = (id: number) =>
      JSON.stringify({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: { name: read[0], arguments: { id: `${id}` }, ...modern }
      })
    const head = "mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: get_workflow\r\n"
    const other = server.call(...read)
    await holds[0]?.arrived
    const { socket } = dial(port)
    socket.write(post(port, call(1), head) + post(port, call(2), head))
    await Promise.all(holds.map(({ arrived }) => arrived))
    socket.destroy()
    await Promise.all(holds.slice(1).map(({ abandoned }) => abandoned))
    holds[0]?.answer()
    expect(textOf(await other)).toContain("Workflow 1")
  })

  const malformed: ReadonlyArray<readonly [string, (port: string) => string, ReadonlyArray<number>]> = [
    ["gives a length and chunks", (port) => post(port, ping(1), "Transfer-Encoding: chunked\r\n"), [400]],
    ["gives two lengths", (port) => post(port, ping(1), "Content-Length: 3\r\n"), [400]],
    ["names two hosts", (port) => post(port, ping(1), `Host: 127.0.0.1:${port}\r\n`), [400]],
    ["names no host", () => "GET /health HTTP/1.1\r\n\r\n", [400]],
    ["names another host", () => "GET /health HTTP/1.1\r\nHost: evil.test\r\n\r\n", [403, 421]],
    ["comes from another page", (port) => post(port, ping(1), "Origin: https://evil.test\r\n"), [403]],
    ["sends headers of 20 KiB", (port) => post(port, ping(1), `X-Long: ${"x".repeat(20 * 1024)}\r\n`), [431]],
    [
      "announces a body of 100 MB",
      (port) => `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 100000000\r\n\r\n`,
      [413]
    ],
    ["compresses the body", (port) => post(port, ping(1), "Content-Encoding: gzip\r\n"), [415]],
    ["does not speak HTTP", () => "\u0016\u0003\u0001 hello\r\n\r\n", [400]]
  ]
  it("who speaks against the rules is refused, and the next one is served", async ({ expect }) => {
    const { port, server } = await opened()
    for (const [name, bytes, statuses] of malformed) {
      const { says, socket } = dial(port)
      socket.write(bytes(port))
      expect([name, statuses]).toEqual([name, expect.arrayContaining([statusOf(await says(/^HTTP\/1\.1 \d+/))])])
      socket.destroy()
      expect(textOf(await server.call(...read))).toContain("Workflow 1")
    }
  })
})

describe.each(transports)("over %s", (transport, open) => {
  let engine: FaultyEngine
  let server: Server
  const initialize = (protocolVersion: string) =>
    server.ask("initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "raw", version: "0" } })

  beforeAll(async () => {
    engine = await faultyEngine()
    server = await open(configurationOf({ main: engine.host }))
  })

  const handshakes = { stdio: 20_000, HTTP: 5000 } as const
  it(`${handshakes[transport]} handshakes leave nothing behind`, async () => {
    const shake = async (times: number) => {
      for (let done = 0; done < times; done += 25) {
        await Promise.all(Array.from({ length: 25 }, () => initialize("2025-06-18")))
      }
      return residentBytes(server.child.pid)
    }
    // What is left behind adds up in every round; a heap that grows once, or is about to be swept, does not.
    const sizes: Array<number> = []
    for (let round = 0; round < 4; round++) sizes.push(await shake(handshakes[transport] / 4))
    const growths = sizes.slice(1).map((size, round) => size - (sizes[round] ?? 0))
    assert.isBelow(Math.min(...growths), 10 * MiB)
  })

  it("answers to two clients with the same ids do not cross, slow or fast", async () => {
    const other = await open(configurationOf({ main: engine.host }))
    const callers = transport === "HTTP" ? [server, server] : [server, other]
    const slow: Array<() => void> = []
    engine.does((socket, request) => {
      if (request.head.includes("slow")) slow.push(() => healthy(socket, request))
      else healthy(socket, request)
    })
    const ask = (caller: Server | undefined, who: string, speed: string, id: number) =>
      caller?.ask("tools/call", { name: "get_workflow", arguments: { id: `${who}-${speed}-${id}` } }, id)
    const answers = callers.flatMap((caller, who) =>
      [1, 2, 3, 4].flatMap((id) => {
        const speed = (id + who) % 2 === 0 ? "slow" : "fast"
        return [[`${who}-${speed}-${id}`, id, ask(caller, `${who}`, speed, id)] as const]
      })
    )
    await engine.untilAsked(8)
    for (const go of slow.reverse()) go()
    for (const [workflowId, id, answer] of answers) {
      const given = await answer
      assert.strictEqual(given?.id, id)
      assert.include(given === undefined ? "" : textOf(given), `"id":"${workflowId}"`)
    }
    engine.heals()
    assert.deepStrictEqual([...server.strays, ...other.strays], [])
  })

  it("takes handshakes in any order, twice or never, and knows what it does not know", async () => {
    assert.include(textOf(await server.call(...read)), "Workflow 1")
    assert.nestedProperty(await server.ask("server/discover", modern), "result.supportedVersions")
    assert.nestedPropertyVal(await initialize("2025-06-18"), "result.protocolVersion", "2025-06-18")
    assert.nestedPropertyVal(await initialize("2024-11-05"), "result.protocolVersion", "2024-11-05")
    assert.nestedPropertyVal(await server.ask("no/such/method"), "error.code", -32601)
    assert.nestedPropertyVal(await server.ask("no/such/method", modern), "error.code", -32601)
    assert.nestedPropertyVal(await server.ask("tools/call", { name: "no_such_tool" }), "error.code", -32602)
    if (transport === "stdio") server.child.stdin.write('{"jsonrpc":"2.0","method":"notifications/nothing/known"}\n')
    else {
      const body = '{"jsonrpc":"2.0","method":"notifications/nothing/known"}'
      const url = "url" in server ? String(server.url) : ""
      assert.strictEqual((await fetch(`${url}/mcp`, { method: "POST", body })).status, 202)
    }
    assert.include(textOf(await server.call(...read)), "Workflow 1")
    assert.deepStrictEqual(server.strays, [])
  })

  it("answers a call whose refusal is nested too deep to be passed on", async () => {
    const deep = `${"[".repeat(6000)}${"]".repeat(6000)}`
    engine.does(replies(400, `{"message":"no","more":${deep}}`, { "content-type": "application/json" }))
    const { error } = await server.call(...read)
    assert.strictEqual(error?.code, -32000)
    engine.heals()
    assert.include(textOf(await server.call(...read)), "Workflow 1")
  })
})
