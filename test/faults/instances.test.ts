import { assert, beforeEach, describe, it } from "vitest"

import { standIn } from "../cli/built.ts"
import { certificateFile, identity } from "../support/certificates.ts"
import { type Act, replies } from "../support/loopback.ts"
import { type FaultyEngine, faultyEngine, healthy, held, json, useEngines, workflow } from "./FaultyEngine.ts"
import {
  create,
  dataOf,
  errorOf,
  overStdio,
  read,
  remove,
  type Server,
  textOf,
  transports,
  useCommand
} from "./servers.ts"

useCommand()
useEngines()

const keys = { first: "canary-of-the-first", second: "canary-of-the-second" }
const [tool, args] = read

/** The key that a request came with. */
const keyOf = ({ head }: { readonly head: string }) => /^x-engine-api-key: (\S+)/im.exec(head)?.[1]

describe.each(transports)("instances on one host, over %s", (_transport, open) => {
  let engine: FaultyEngine
  let server: Server

  beforeEach(async () => {
    engine = await faultyEngine()
    const instance = (name: keyof typeof keys) => ({ engine_host: engine.host, engine_api_key: keys[name] })
    const environments = { first: instance("first"), second: instance("second") }
    server = await open({ environments, defaultEnv: "first" })
    for (const name of ["first", "second"]) textOf(await server.call(tool, { ...args, instance: name }))
    engine.heals()
  })

  /** The answer of the second instance about the workflow of this id. */
  const second = async (id: string) => dataOf(await server.call(tool, { id, instance: "second" }))["id"]

  it("are asked over the same connections, each with its own key", async () => {
    const before = engine.counts.connections
    for (const name of ["second", "first", "second"]) await server.call(tool, { ...args, instance: name })
    assert.deepStrictEqual(engine.requests().map(keyOf), [keys.second, keys.first, keys.second])
    assert.strictEqual(engine.counts.connections, before)
  })

  it("have places of their own: what hangs in one keeps nobody waiting in the other", async () => {
    const sleeping: Array<() => void> = []
    engine.does((socket, request) => {
      if (keyOf(request) === keys.first) sleeping.push(() => healthy(socket, request))
      else setTimeout(() => healthy(socket, request), 5)
    })
    const asleep = Array.from({ length: 40 }, (_, id) => server.call(tool, { id: `asleep-${id}` }))
    await engine.untilAsked(10)
    const awake = Array.from({ length: 40 }, (_, id) => second(`awake-${id}`))
    assert.deepStrictEqual(
      await Promise.all(awake),
      Array.from({ length: 40 }, (_, id) => `awake-${id}`)
    )
    assert.lengthOf(sleeping, 10)
    engine.heals()
    for (const wake of sleeping) wake()
    for (const [id, answer] of (await Promise.all(asleep)).entries()) {
      assert.strictEqual(dataOf(answer)["id"], `asleep-${id}`)
    }
    assert.deepStrictEqual(server.strays, [])
  })

  it("repeat a read and no change where the other's connection dies under them", async () => {
    for (const [call, more, times] of [
      [tool, args, 2],
      [...create, 1],
      [...remove, 1]
    ] as const) {
      // All that is kept but one is closed: what comes next goes over it.
      engine.plays(healthy, (socket) => socket.resetAndDestroy())
      textOf(await server.call(tool, { ...args, instance: "first" }))
      const answer = await server.call(call, { ...more, instance: "second" })
      if (times === 2) assert.include(textOf(answer), "Workflow 1")
      else assert.deepInclude(errorOf(answer).data, { code: "OUTCOME_UNKNOWN", instance: "second" })
      assert.deepStrictEqual(engine.requests().map(keyOf), [keys.first, ...Array(times).fill(keys.second)])
    }
  })

  const twice: Act = (socket, request) => {
    // The second answer does not wait for a sign that the first one has come.
    socket.setNoDelay(true)
    healthy(socket, request)
    json(workflow("of-nobody"))(socket, request)
  }
  const longer: Act = (socket) => {
    const body = JSON.stringify(workflow("1"))
    replies(200, `${body}${body}`, { "content-length": `${Buffer.byteLength(body)}` })(socket, {
      head: "",
      body: "",
      connection: 1,
      turn: 1
    })
  }
  it.each([
    ["answers twice", twice],
    ["sends more than it has announced", longer]
  ])("never get what is left of an answer to the other, where the host %s", async (_name, act) => {
    for (let round = 0; round < 5; round++) {
      engine.plays(act)
      await server.call(tool, args)
      const ids = Array.from({ length: 5 }, (_, at) => `mine-${round}-${at}`)
      assert.deepStrictEqual(await Promise.all(ids.map(second)), ids)
    }
    assert.deepStrictEqual(server.strays, [])
  })
})

describe("a call that is cancelled", () => {
  it("has cut its connection, so that its late answer is nobody's", async () => {
    const engine = await faultyEngine()
    const instance = (name: keyof typeof keys) => ({ engine_host: engine.host, engine_api_key: keys[name] })
    const environments = { first: instance("first"), second: instance("second") }
    const server = await overStdio({ environments, defaultEnv: "first" })
    textOf(await server.call(tool, args))
    for (let round = 0; round < 5; round++) {
      const hold = held()
      engine.plays(hold.act)
      const id = `late-${round}`
      void server.ask("tools/call", { name: tool, arguments: { id } }, id)
      await hold.arrived
      server.child.stdin.write(
        `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } })}\n`
      )
      const next = server.call(tool, { id: `mine-${round}`, instance: "second" })
      hold.answer()
      assert.strictEqual(dataOf(await next)["id"], `mine-${round}`)
      await hold.abandoned
    }
    assert.deepStrictEqual(server.strays, [])
  })
})

describe("instances on one host that is reached in different ways", () => {
  it("share no connection: what one trusts is not trusted by the other", async () => {
    const engine = await faultyEngine(identity("loopback"))
    const wary = { engine_host: engine.host, engine_api_key: keys.second }
    const trusting = { engine_host: engine.host, engine_api_key: keys.first, caFile: certificateFile("loopback") }
    const server = await overStdio({ environments: { trusting, wary }, defaultEnv: "trusting" })
    for (let round = 0; round < 3; round++) {
      textOf(await server.call(tool, args))
      const { message } = errorOf(await server.call(tool, { ...args, instance: "wary" }))
      assert.include(message, "its TLS certificate or protocol is not accepted")
    }
    assert.deepStrictEqual(new Set(engine.requests().map(keyOf)), new Set([keys.first]))
  })

  it("share no proxy: what one sends through its own never takes the other's requests along", async () => {
    const engine = await faultyEngine()
    const heads: Array<string> = []
    const proxy = await standIn(({ headers, url }, response) => {
      heads.push(`GET ${url}\r\nx-engine-api-key: ${String(headers["x-engine-api-key"])}`)
      response
        .setHeader("content-type", "application/json")
        .end(JSON.stringify(workflow("1", { name: "Of the proxy" })))
    })
    const direct = { engine_host: engine.host, engine_api_key: keys.first }
    const environments = { direct, through: { ...direct, engine_api_key: keys.second, proxy } }
    const server = await overStdio({ environments, defaultEnv: "direct" })
    const answers = ["direct", "through", "direct", "through"].map(async (instance) =>
      dataOf(await server.call(tool, { ...args, instance }))
    )
    assert.deepStrictEqual(
      (await Promise.all(answers)).map(({ name }) => name),
      ["Workflow 1", "Of the proxy", "Workflow 1", "Of the proxy"]
    )
    assert.deepStrictEqual(new Set(engine.requests().map(keyOf)), new Set([keys.first]))
    assert.deepStrictEqual(new Set(heads.map((head) => keyOf({ head }))), new Set([keys.second]))
  })
})
