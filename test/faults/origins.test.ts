import { assert, beforeAll, describe, it } from "vitest"

import { certificateFile, identity } from "../support/certificates.ts"
import { replies } from "../support/loopback.ts"
import { type FaultyEngine, faultyEngine, healthy, useEngines } from "./FaultyEngine.ts"
import {
  configurationOf,
  create,
  dataOf,
  errorOf,
  key,
  overStdio,
  read,
  type Server,
  textOf,
  useCommand
} from "./servers.ts"

useCommand()
useEngines()

const redirects = (status: number, location?: string) => replies(status, "", location === undefined ? {} : { location })
const statuses = [301, 302, 303, 307, 308]

describe("a redirect", () => {
  let engine: FaultyEngine
  let stranger: FaultyEngine
  let server: Server

  beforeAll(async () => {
    engine = await faultyEngine()
    stranger = await faultyEngine()
    server = await overStdio(configurationOf({ main: engine.host }))
    await server.call(...read)
  })

  const expectHealthy = async () => {
    engine.heals()
    assert.include(textOf(await server.call(...read)), "Workflow 1")
  }

  it.each(statuses)("with status %i is followed by a read on the same origin", async (status) => {
    engine.plays(redirects(status, "/api/v1/workflows/1?moved=1"))
    assert.strictEqual(dataOf(await server.call(...read))["id"], "1")
    assert.deepStrictEqual(engine.asked(), ["GET /api/v1/workflows/1", "GET /api/v1/workflows/1?moved=1"])
    engine.plays(redirects(status, "/api/v1/workflows/2"))
    assert.include(errorOf(await server.call(...read)).message, "is about something else than workflow 1")
  })

  it.each(statuses)("with status %i is not followed by a change", async (status) => {
    engine.plays(redirects(status, "/api/v1/workflows/2"))
    const { message } = errorOf(await server.call(...create))
    assert.include(message, "only reads follow redirects")
    assert.lengthOf(engine.asked(), 1)
    await expectHealthy()
  })

  it.each(statuses)("with status %i to another origin is refused, and the key never goes there", async (status) => {
    for (const [tool, args] of [read, create]) {
      engine.plays(redirects(status, `${stranger.host}/api/v1/workflows/secret-path`))
      const answer = JSON.stringify(errorOf(await server.call(tool, args)))
      assert.include(answer, stranger.host)
      assert.notInclude(answer, "secret-path")
    }
    assert.strictEqual(stranger.counts.connections, 0)
    await expectHealthy()
  })

  it("to another scheme is refused", async () => {
    for (const location of [
      `https://127.0.0.1:${engine.port}/api/v1/workflows/1`,
      "file:///etc/passwd",
      "data:application/json,{}"
    ]) {
      engine.plays(redirects(302, location))
      assert.include(errorOf(await server.call(...read)).message, "another origin")
      assert.lengthOf(engine.asked(), 1)
    }
    await expectHealthy()
  })

  it("is followed five times and not six", async () => {
    const hops = Array.from({ length: 5 }, (_, hop) => redirects(302, `/api/v1/workflows/1?hop=${hop}`))
    engine.plays(...hops)
    assert.strictEqual(dataOf(await server.call(...read))["id"], "1")
    assert.strictEqual(engine.asked().at(-1), "GET /api/v1/workflows/1?hop=4")
    engine.plays(...hops, redirects(302, "/api/v1/workflows/six"))
    assert.include(errorOf(await server.call(...read)).message, "more than 5 times")
    engine.does(redirects(302, "/api/v1/workflows/1"))
    assert.include(errorOf(await server.call(...read)).message, "more than 5 times")
    assert.lengthOf(engine.asked(), 6)
    await expectHealthy()
  })

  it.each([undefined, "http://[", "//"])("that leads to %j is an error of its own", async (location) => {
    engine.plays(redirects(302, location))
    const { data } = errorOf(await server.call(...read))
    assert.deepInclude(data, { code: "API_ERROR", httpStatus: 302 })
    await expectHealthy()
  })
})

describe("over TLS", () => {
  const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const
  const kinds = {
    "self-signed": identity("loopback"),
    expired: identity("expired"),
    "of another host": identity("elsewhere"),
    "of an old protocol": { ...identity("loopback"), ...old }
  }
  const engines = new Map<string, FaultyEngine>()
  let server: Server

  beforeAll(async () => {
    const trusted = { expired: "expired", "of another host": "elsewhere" }
    const environments: Record<string, object> = {}
    for (const [name, tls] of Object.entries({ ...kinds, trusted: identity("loopback") })) {
      const engine = await faultyEngine(tls)
      engines.set(name, engine)
      const caFile = name === "trusted" ? "loopback" : Reflect.get(trusted, name)
      environments[name] = {
        engine_host: engine.host,
        engine_api_key: key,
        ...(caFile === undefined ? {} : { caFile: certificateFile(String(caFile)) })
      }
    }
    server = await overStdio({ environments, defaultEnv: "trusted" })
  })

  it.each(Object.keys(kinds))("a server that is %s never sees the key", async (instance) => {
    for (const [tool, args] of [read, create] as const) {
      const { data, message } = errorOf(await server.call(tool, { ...args, instance }))
      assert.deepInclude(data, { code: "NETWORK_ERROR", instance })
      assert.include(message, "its TLS certificate or protocol is not accepted")
    }
    assert.deepStrictEqual(engines.get(instance)?.requests(), [])
  })

  it("a server that is trusted by caFile is served meanwhile", async () => {
    engines.get("trusted")?.does(healthy)
    assert.include(textOf(await server.call(...read)), "Workflow 1")
    assert.include(engines.get("trusted")?.requests()[0]?.head, key)
  })
})
