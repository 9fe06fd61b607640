import { setTimeout as sleep } from "node:timers/promises"

import { assert, describe, it } from "vitest"

import { modernHeaders } from "../support/fixtures/messages.ts"
import { type Act, staysSilent, writes } from "../support/loopback.ts"
import {
  type FaultyEngine,
  faultyEngine,
  healthy,
  held,
  json,
  node,
  silentPort,
  useEngines,
  workflow
} from "./FaultyEngine.ts"
import { descriptors } from "./processes.ts"
import {
  configurationOf,
  type HttpServer,
  modern,
  overHttp,
  overStdio,
  read,
  type Server,
  textOf,
  transports,
  useCommand
} from "./servers.ts"

useCommand()
useEngines()

const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n"

describe("many calls at once", () => {
  const crowds = { stdio: 200, HTTP: 150 } as const
  it.each(transports)(
    "over %s are all answered, ten at a time and less than a hundred in a second",
    async (transport, open) => {
      const [engine, hanging] = [await faultyEngine(), await faultyEngine()]
      const server = await open(configurationOf({ main: engine.host, hanging: hanging.host }))
      await server.call(...read)
      hanging.does(staysSilent)
      for (let call = 0; call < 20; call++) {
        void server.call("get_workflow", { id: "1", instance: "hanging" }).catch(String)
      }
      await hanging.untilAsked(10)
      let going = 0
      let most = 0
      engine.does((socket, request) => {
        most = Math.max(most, ++going)
        setTimeout(() => {
          going--
          healthy(socket, request)
        }, 20)
      })
      const order: Array<number> = []
      const answers = await Promise.all(
        Array.from({ length: crowds[transport] }, async (_, index) => {
          const call = { name: "get_workflow", arguments: { id: `w${index}` } }
          // Conversations of both eras, which share what paces them.
          const answer = await server.ask("tools/call", index % 2 === 0 ? call : { ...call, ...modern })
          order.push(index)
          return [index, textOf(answer)] as const
        })
      )
      for (const [index, text] of answers) assert.include(text, `"id":"w${index}"`)
      assert.isAtMost(most, 10)
      const times = engine.requests().map(({ at }) => at)
      const inOneSecond = times.map((from) => times.filter((at) => at >= from && at < from + 1000).length)
      assert.isBelow(Math.max(...inOneSecond), 100)
      // First come, first served: nobody waits for those who came long after.
      const late = order.filter((index, place) => Math.abs(index - place) > 60)
      assert.deepStrictEqual(late, [])
      assert.deepStrictEqual(server.strays, [])
    }
  )
})

/** As it comes through proxies that keep the length of an answer to themselves. */
const withoutLength =
  (body: object, status = 200): Act =>
  (socket) => {
    const text = JSON.stringify(body)
    const size = Buffer.byteLength(text).toString(16)
    const headers = "content-type: application/json\r\ntransfer-encoding: chunked"
    socket.write(`HTTP/1.1 ${status} Word\r\n${headers}\r\n\r\n${size}\r\n${text}\r\n0\r\n\r\n`)
  }

const idIn = (address: string) => /workflows\/(\w+)/.exec(address)?.[1] ?? "1"

const long = { nodes: [{ ...node("Start"), notes: "x".repeat(100_000) }] }

describe("many calls at once of an engine whose answers come without their length", () => {
  it.each(transports)("over %s are all answered, those of two requests, too", async (_transport, open) => {
    const engine = await faultyEngine()
    engine.does((socket, request) => {
      const isKnown = /^x-n8n-api-key:/im.test(request.head)
      const act = isKnown
        ? withoutLength(workflow(idIn(request.head), long))
        : withoutLength({ message: "'X-N8N-API-KEY' header required" }, 401)
      act(socket, request)
    })
    const server = await open(configurationOf({ main: engine.host }))
    const ids = Array.from({ length: 40 }, (_, at) => `w${at}`)
    const reads = await Promise.all(ids.map((id) => server.call("get_workflow", { id })))
    for (const [at, answer] of reads.entries()) assert.include(textOf(answer), `"id":"w${at}"`)
    const changes = await Promise.all(ids.map((id) => server.call("update_workflow", { id, name: "New" })))
    for (const [at, answer] of changes.entries()) assert.include(textOf(answer), `"id":"w${at}"`)
  })
})

describe("calls of one engine while others stop in the midst of their answers", () => {
  /** Ten calls that wait for an engine, as long as their time is not over. */
  const waitFor = async (server: Server | HttpServer, call: Parameters<Server["call"]>, stuck: FaultyEngine) => {
    let over = 0
    for (let at = 0; at < 10; at++) {
      void server
        .call(...call)
        .catch(String)
        .then(() => over++)
    }
    await stuck.untilAsked(10)
    return () => over
  }
  const begins = (length: string) =>
    writes(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${length}\r\n\r\n2\r\n{ \r\n`)

  it.each(transports)("over %s may be large, where that is one other", async (_transport, open) => {
    const [engine, stuck] = [await faultyEngine(), await faultyEngine()]
    const server = await open(configurationOf({ main: engine.host, stuck: stuck.host }))
    stuck.does(begins("content-length: 10000000"))
    const over = await waitFor(server, ["get_workflow", { id: "1", instance: "stuck" }], stuck)
    engine.does(json(workflow("w1", long)))
    assert.include(textOf(await server.call("get_workflow", { id: "w1" })), '"id":"w1"')
    assert.strictEqual(over(), 0)
  })

  const lengths = { "of unknown length": "transfer-encoding: chunked", "of 60 MB": "content-length: 60000000" } as const
  it.each(Object.entries(lengths).flatMap(([name, length]) => transports.map((by) => [name, ...by, length] as const)))(
    "%s are answered over %s",
    async (_name, _transport, open, length) => {
      const [engine, stuck, stuckToo] = [await faultyEngine(), await faultyEngine(), await faultyEngine()]
      const server = await open(configurationOf({ main: engine.host, stuck: stuck.host, stuckToo: stuckToo.host }))
      const over: Array<() => number> = []
      for (const [instance, one] of Object.entries({ stuck, stuckToo })) {
        one.does(begins(length))
        over.push(await waitFor(server, ["list_workflows", { instance }], one))
      }
      engine.does((socket, request) => withoutLength(workflow(idIn(request.head)))(socket, request))
      assert.include(textOf(await server.call("get_workflow", { id: "w1" })), '"id":"w1"')
      for (const count of over) assert.strictEqual(count(), 0)
    }
  )
})

describe("a call that its client cancels", () => {
  const phases: ReadonlyArray<readonly [string, (act: Act) => Act]> = [
    ["while the engine is at work", (act) => act],
    [
      "while the answer is coming",
      (act) => (socket, request) => {
        socket.write(head)
        act(socket, request)
      }
    ]
  ]
  it.each(phases)("over stdio %s is given up, has no answer and frees its place", async (_phase, during) => {
    const engine = await faultyEngine()
    const server = await overStdio(configurationOf({ main: engine.host }, { concurrency: 1 }))
    await server.call(...read)
    const hold = held()
    engine.plays(during(hold.act))
    let answered = false
    void server.ask("tools/call", { name: read[0], arguments: read[1] }, "given up").then(() => (answered = true))
    await hold.arrived
    // A second one waits for the only place, and is cancelled there.
    void server
      .ask("tools/call", { name: read[0], arguments: { id: "queued" } }, "queued")
      .then(() => (answered = true))
    for (const requestId of ["queued", "given up"]) {
      server.child.stdin.write(
        `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } })}\n`
      )
    }
    await hold.abandoned
    assert.include(textOf(await server.call(...read)), "Workflow 1")
    assert.isFalse(answered)
    assert.notInclude(engine.asked(), "GET /api/v1/workflows/queued")
    assert.deepStrictEqual(server.strays, [])
  })

  it("over stdio while it connects is given up, and leaves no connection behind", async () => {
    const { arrived, left, port } = await silentPort()
    const engine = await faultyEngine()
    const server = await overStdio(configurationOf({ main: engine.host, connecting: `https://127.0.0.1:${port}` }))
    await server.call(...read)
    const before = descriptors(server.child.pid)
    void server.ask("tools/call", { name: read[0], arguments: { ...read[1], instance: "connecting" } }, "c")
    await arrived
    server.child.stdin.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c"}}\n`)
    assert.include(textOf(await server.call(...read)), "Workflow 1")
    await left
    // Its own end of the connection is closed when the other one has heard of that, or soon after.
    while (descriptors(server.child.pid) > before) await sleep(5)
  })

  it("while the pace holds it back leaves its moment to the next, and is never sent", async () => {
    const engine = await faultyEngine()
    const server = await overStdio(configurationOf({ main: engine.host }, { requestsPerSecond: 1 }))
    await server.call(...read)
    engine.heals()
    const givenUp = Array.from({ length: 5 }, (_, at) => `given-up-${at}`)
    const [first, ...others] = ["first", ...givenUp, "next"].map((id) =>
      server.ask("tools/call", { name: read[0], arguments: { id } }, id)
    )
    for (const requestId of givenUp) {
      server.child.stdin.write(
        `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } })}\n`
      )
    }
    for (const answer of [first, others.at(-1)]) assert.include(JSON.stringify(await answer), "Workflow")
    assert.deepStrictEqual(engine.asked(), ["GET /api/v1/workflows/first", "GET /api/v1/workflows/next"])
    const [before, after] = engine.requests()
    // A second apart, as far as this machine tells them in time; with a moment kept for each, it would be six.
    assert.isBelow((after?.at ?? NaN) - (before?.at ?? NaN), 5000)
    assert.isAbove((after?.at ?? NaN) - (before?.at ?? NaN), 500)
    assert.deepStrictEqual(server.strays, [])
  })

  const call = (params: object) =>
    JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: read[0], arguments: read[1], ...params }
    })

  it.each(phases)("by leaving %s, over HTTP in the modern revision, is given up", async (_name, during) => {
    const engine = await faultyEngine()
    const server = await overHttp(configurationOf({ main: engine.host }))
    await server.call(...read)
    const hold = held()
    engine.plays(during(hold.act))
    const leave = new AbortController()
    const headers = modernHeaders("tools/call", read[0])
    const left = fetch(`${server.url}/mcp`, {
      method: "POST",
      headers,
      body: call(modern),
      signal: leave.signal
    }).catch(String)
    await hold.arrived
    leave.abort()
    await Promise.all([left, hold.abandoned])
    assert.include(textOf(await server.call(...read)), "Workflow 1")
  })

  it("by leaving, over HTTP in an older revision, is finished, and its place is free afterwards", async () => {
    const engine = await faultyEngine()
    const server = await overHttp(configurationOf({ main: engine.host }, { concurrency: 1 }))
    await server.call(...read)
    const hold = held()
    engine.plays(hold.act)
    const leave = new AbortController()
    const left = fetch(`${server.url}/mcp`, { method: "POST", body: call({}), signal: leave.signal }).catch(String)
    await hold.arrived
    leave.abort()
    await left
    const next = server.call(...read)
    hold.answer()
    assert.include(textOf(await next), "Workflow 1")
  })
})
