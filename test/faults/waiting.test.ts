import { describe, it } from "vitest"

import { type Act, replies, staysSilent, writes } from "../support/loopback.ts"
import { faultyEngine, healthy, json, silentPort, useEngines } from "./FaultyEngine.ts"
import {
  configurationOf,
  create,
  errorOf,
  overHttp,
  overStdio,
  read,
  textOf,
  transports,
  useCommand
} from "./servers.ts"

useCommand()
useEngines()

const timeout = "Connection timeout after 30000ms. Check instance availability."
const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n"

/** A piece now and one every second: an end that never comes. */
const trickles: Act = (socket) => {
  socket.write(head)
  const timer = setInterval(() => socket.write(" "), 1000)
  socket.once("close", () => clearInterval(timer))
}

describe.concurrent("a call whose answer does not come", () => {
  const silent: ReadonlyArray<readonly [string, Act]> = [
    ["never answers", staysSilent],
    ["sends headers and no more", writes(head)],
    ["sends a byte in a second", trickles]
  ]
  for (const [transport, open] of transports) {
    it.for(silent)(`ends after 30 seconds in all, over ${transport}, if the engine %s`, async ([, act], { expect }) => {
      const engine = await faultyEngine()
      const server = await open(configurationOf({ main: engine.host }))
      await server.call(...read)
      engine.does(act)
      const before = performance.now()
      const [reading, writing] = await Promise.all([
        server.call(...read).then((answer) => ({ answer, took: performance.now() - before })),
        server.call(...create).then((answer) => ({ answer, took: performance.now() - before }))
      ])
      expect(errorOf(reading.answer)).toMatchObject({
        message: timeout,
        data: { code: "TIMEOUT", milliseconds: 30_000 }
      })
      expect(errorOf(writing.answer).message.startsWith(timeout)).toBe(true)
      expect(errorOf(writing.answer).message).toContain("is unknown: it was sent, and not repeated")
      for (const { took } of [reading, writing]) {
        expect(took).toBeGreaterThan(29_500)
        expect(took).toBeLessThan(50_000)
      }
      expect(engine.asked().sort()).toEqual(["GET /api/v1/workflows/1", "POST /api/v1/workflows"])
      engine.heals()
      expect(textOf(await server.call(...read))).toContain("Workflow 1")
    })
  }

  it.for(transports)(
    "of the last of several requests ends after 55 seconds in all, over %s",
    async ([, open], { expect }) => {
      const engine = await faultyEngine()
      const server = await open(configurationOf({ main: engine.host }))
      await server.call(...read)
      let asked = 0
      engine.does((socket, request) => {
        // Each in its own time, and all of them not in that of a call.
        if (asked++ === 0) setTimeout(() => healthy(socket, request), 28_000)
      })
      const before = performance.now()
      const error = errorOf(await server.call("update_workflow", { id: "1", name: "New" }))
      const took = performance.now() - before
      expect(error.data).toMatchObject({ code: "TIMEOUT" })
      // What the first one has left of the call, and not the time of a request of its own.
      expect(error.data?.["milliseconds"]).toBeLessThan(28_000)
      expect(took).toBeGreaterThan(54_000)
      expect(took).toBeLessThan(80_000)
      engine.heals()
      expect(textOf(await server.call(...read))).toContain("Workflow 1")
    }
  )

  it("because TLS never comes about ends in time, and a change is then not called unknown", async ({ expect }) => {
    const { port } = await silentPort()
    const server = await overStdio(configurationOf({ main: `https://127.0.0.1:${port}` }))
    const [reading, writing] = (await Promise.all([server.call(...read), server.call(...create)])).map(errorOf)
    for (const error of [reading, writing]) {
      expect(error?.data?.["code"]).toMatch(/^(TIMEOUT|ETIMEDOUT)$/)
      expect(error?.message).not.toContain("unknown")
    }
  })

  it.for(transports)(
    "delays no call to another instance, however many there are, over %s",
    async ([, open], { expect }) => {
      const [hanging, well] = [await faultyEngine(), await faultyEngine()]
      const server = await open(configurationOf({ well: well.host, hanging: hanging.host }))
      await server.call(...read)
      const sleeping: Array<() => void> = []
      hanging.does((socket, request) => sleeping.push(() => healthy(socket, request)))
      const asleep = Array.from({ length: 400 }, () => server.call("get_workflow", { id: "1", instance: "hanging" }))
      await hanging.untilAsked(10)
      for (let call = 0; call < 20; call++) expect(textOf(await server.call(...read))).toContain("Workflow 1")
      // Nobody has waited for one that sleeps: it was told to wake up only now.
      expect(hanging.asked()).toHaveLength(10)
      hanging.heals()
      for (const wake of sleeping) wake()
      for (const answer of await Promise.all(asleep)) expect(textOf(answer)).toContain("Workflow 1")
      expect(server.strays).toEqual([])
    }
  )
})

describe.concurrent("a refusal for too many requests", () => {
  const cases: ReadonlyArray<readonly [string, () => string, number, number]> = [
    ["in so many seconds", () => "2", 1900, 4900],
    ["at a time", () => new Date(Date.now() + 3000).toUTCString(), 1500, 5500],
    ["in words that mean nothing", () => "soon; very", 0, 4500],
    ["at a time that has passed", () => new Date(0).toUTCString(), 0, 4500],
    ["in a year, which is not believed", () => "31536000", 4900, 30_000]
  ]
  it.for(cases)(
    "is followed by another attempt when it says %s",
    async ([said, retryAfter, atLeast, atMost], { expect }) => {
      const [reading, writing] = [await faultyEngine(), await faultyEngine()]
      const open = said === "at a time" ? overHttp : overStdio
      const server = await open(configurationOf({ reading: reading.host, writing: writing.host }))
      const calls = [
        [reading, read],
        [writing, create]
      ] as const
      const gaps = calls.map(async ([engine, [tool, args]]) => {
        const instance = engine === reading ? "reading" : "writing"
        await server.call(read[0], { ...read[1], instance })
        engine.plays((socket, request) =>
          replies(429, '{"message":"slow down"}', { "retry-after": retryAfter() })(socket, request)
        )
        textOf(await server.call(tool, { ...args, instance }))
        const [first, second] = engine.requests()
        expect(engine.asked()).toHaveLength(2)
        return (second?.at ?? NaN) - (first?.at ?? NaN)
      })
      for (const gap of await Promise.all(gaps)) {
        expect(gap).toBeGreaterThanOrEqual(atLeast)
        expect(gap).toBeLessThan(atMost)
      }
    }
  )

  it("is passed on after three attempts", async ({ expect }) => {
    const engine = await faultyEngine()
    const server = await overStdio(configurationOf({ main: engine.host }))
    await server.call(...read)
    engine.does(json({ message: "slow down" }, 429))
    expect(errorOf(await server.call(...create))).toMatchObject({ data: { httpStatus: 429 } })
    expect(engine.asked()).toHaveLength(3)
  })
})
